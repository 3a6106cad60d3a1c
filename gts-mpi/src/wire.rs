//! The calls of MPI. Unsafe code lends memory to MPI until a request is done.
//!
//! Reasons why the calls are sound:
//! - A [`Wire`] lives from the initialisation of MPI to its finalisation. There is only one, and every call of MPI
//!   requires a reference to it. Its owner keeps it in a lock, so calls are serialised, as `MPI_THREAD_SERIALIZED`
//!   requires.
//! - A [`Requests`] borrows the memory of its requests, and is accessible only inside [`Wire::scope`]. The scope does
//!   not end while MPI uses that memory: it ends the process instead.
#![allow(unsafe_code)]

use mpi::Threading;
use mpi::environment::Universe;
use mpi::ffi;
use mpi::traits::Communicator;
use std::ffi::{c_char, c_int};
use std::mem::MaybeUninit;
use std::thread;
use std::time::{Duration, Instant};

/// Time in which requests that were given up may still end.
const GIVEN_UP: Duration = Duration::from_millis(500);
/// Interval at which they are tested.
const LOOKED_EVERY: Duration = Duration::from_millis(1);
/// Upper bound on the bytes of a text of MPI.
const MOST_TEXT: usize = 4096;

/// Kind of a message.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Tag {
    /// The head of a message of an exchange.
    Head = 1,
    /// The bytes of a message of an exchange.
    Body = 2,
    /// A word about the sender: it leaves, or the reason why it ends.
    Word = 3,
}

/// The message of MPI about a failed call.
#[derive(Clone, Debug)]
pub(crate) struct Refused(String);

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// The reason why MPI cannot be used.
#[derive(Clone, Copy, Debug)]
pub(crate) enum NoWire {
    /// MPI was initialised before.
    Initialised,
    /// MPI allows only the first thread to call it.
    Threads {
        /// This rank.
        rank: usize,
    },
}

/// MPI, initialised.
pub(crate) struct Wire {
    universe: Universe,
}

impl Wire {
    /// Initialises MPI. Calls that fail return errors from then on.
    pub(crate) fn open() -> Result<Self, NoWire> {
        let Some((universe, threading)) = mpi::initialize_with_threading(Threading::Serialized) else {
            return Err(NoWire::Initialised);
        };
        let wire = Self { universe };
        if threading < Threading::Serialized {
            return Err(NoWire::Threads { rank: wire.rank() });
        }
        // SAFETY: MPI is initialised, and both are constants of it.
        unsafe { ffi::MPI_Comm_set_errhandler(ffi::RSMPI_COMM_WORLD, ffi::RSMPI_ERRORS_RETURN) };
        Ok(wire)
    }

    pub(crate) fn rank(&self) -> usize {
        self.universe.world().rank().unsigned_abs() as usize
    }

    pub(crate) fn size(&self) -> usize {
        self.universe.world().size().unsigned_abs() as usize
    }

    /// Ends all processes.
    pub(crate) fn abort(&self, code: u8) -> ! {
        self.universe.world().abort(code.into())
    }

    /// Runs an action with requests. All of them are done when it returns.
    pub(crate) fn scope<'a, T>(&'a self, action: impl FnOnce(&mut Requests<'a>) -> T) -> T {
        let mut requests = Requests { wire: self, all: Vec::new() };
        let done = action(&mut requests);
        drop(requests);
        done
    }

    /// Returns the sender and the number of bytes of a word that has arrived.
    pub(crate) fn word(&self) -> Result<Option<(usize, usize)>, Refused> {
        let (mut flag, mut status, mut count) = (0, MaybeUninit::uninit(), 0);
        // SAFETY: everything that is pointed to lives during the calls. The status is read after the first call has
        // written it.
        unsafe {
            let (any, tag, world) = (ffi::RSMPI_ANY_SOURCE, Tag::Word as c_int, ffi::RSMPI_COMM_WORLD);
            check(ffi::MPI_Iprobe(any, tag, world, &mut flag, status.as_mut_ptr()))?;
            if flag == 0 {
                return Ok(None);
            }
            check(ffi::MPI_Get_count(status.as_ptr(), ffi::RSMPI_UINT8_T, &mut count))?;
            Ok(Some((status.assume_init().MPI_SOURCE.unsigned_abs() as usize, count.unsigned_abs() as usize)))
        }
    }
}

/// Requests in flight.
pub(crate) struct Requests<'a> {
    wire: &'a Wire,
    all: Vec<Request<'a>>,
}

struct Request<'a> {
    raw: ffi::MPI_Request,
    /// `None` once the request is done.
    memory: Option<MessageMemory<'a>>,
}

/// Memory that MPI uses.
enum MessageMemory<'a> {
    /// MPI reads it.
    Sent { _bytes: &'a [u8] },
    /// MPI writes it.
    Received(&'a mut [u8]),
}

/// A request of a scope, by its number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RequestNumber(usize);

/// Progress of a request.
pub(crate) enum RequestProgress<'a> {
    /// The request is in flight.
    Waits,
    /// The message was sent from the sender's view, or this message was received.
    Done(&'a [u8]),
}

impl<'a> Requests<'a> {
    /// Begins to send bytes to a rank.
    pub(crate) fn send(&mut self, to: usize, tag: Tag, bytes: &'a [u8]) -> Result<RequestNumber, Refused> {
        let (count, to) = (int(bytes.len())?, int(to)?);
        let mut raw = MaybeUninit::uninit();
        // SAFETY: the bytes are borrowed for the life of the scope, which outlives the request.
        let raw = unsafe {
            let (byte, world) = (ffi::RSMPI_UINT8_T, ffi::RSMPI_COMM_WORLD);
            check(ffi::MPI_Isend(bytes.as_ptr().cast(), count, byte, to, tag as c_int, world, raw.as_mut_ptr()))?;
            raw.assume_init()
        };
        self.all.push(Request { raw, memory: Some(MessageMemory::Sent { _bytes: bytes }) });
        Ok(RequestNumber(self.all.len() - 1))
    }

    /// Begins to receive a message that fits into `bytes` from a rank.
    pub(crate) fn receive(&mut self, from: usize, tag: Tag, bytes: &'a mut [u8]) -> Result<RequestNumber, Refused> {
        let (count, from) = (int(bytes.len())?, int(from)?);
        let mut raw = MaybeUninit::uninit();
        // SAFETY: the scope borrows the bytes until the request is done, so no other code accesses them while MPI uses
        // them.
        let raw = unsafe {
            let (byte, world) = (ffi::RSMPI_UINT8_T, ffi::RSMPI_COMM_WORLD);
            check(ffi::MPI_Irecv(bytes.as_mut_ptr().cast(), count, byte, from, tag as c_int, world, raw.as_mut_ptr()))?;
            raw.assume_init()
        };
        self.all.push(Request { raw, memory: Some(MessageMemory::Received(bytes)) });
        Ok(RequestNumber(self.all.len() - 1))
    }

    /// Tests the progress of a request. Returns `Done` only once.
    pub(crate) fn test(&mut self, RequestNumber(number): RequestNumber) -> Result<RequestProgress<'a>, Refused> {
        match self.all.get_mut(number) {
            Some(request) => request.test(),
            None => Ok(RequestProgress::Waits),
        }
    }

    /// Gives up all pending requests. Returns whether MPI has released all of their memory.
    pub(crate) fn give_up(&mut self) -> bool {
        for request in self.all.iter_mut().filter(|request| matches!(request.memory, Some(MessageMemory::Received(_))))
        {
            // SAFETY: the request is in flight.
            unsafe { ffi::MPI_Cancel(&mut request.raw) };
        }
        let until = Instant::now() + GIVEN_UP;
        while !self.are_done() {
            if Instant::now() > until {
                return false;
            }
            thread::sleep(LOOKED_EVERY);
        }
        true
    }

    /// Tests all requests, and returns whether they are done. No request can be tested afterwards.
    pub(crate) fn are_done(&mut self) -> bool {
        // A request whose test fails stays in flight.
        self.all
            .retain_mut(|request| request.memory.is_some() && !matches!(request.test(), Ok(RequestProgress::Done(_))));
        self.all.is_empty()
    }
}

impl Drop for Requests<'_> {
    fn drop(&mut self) {
        // Errors give up first and end the process properly; only a panic arrives here.
        if !self.give_up() {
            self.wire.abort(1);
        }
    }
}

impl<'a> Request<'a> {
    fn test(&mut self) -> Result<RequestProgress<'a>, Refused> {
        let (mut flag, mut status, mut count) = (0, MaybeUninit::uninit(), 0);
        // SAFETY: everything that is pointed to lives during the calls. The status is read after the first call has
        // written it.
        unsafe {
            check(ffi::MPI_Test(&mut self.raw, &mut flag, status.as_mut_ptr()))?;
            if flag == 0 {
                return Ok(RequestProgress::Waits);
            }
            check(ffi::MPI_Get_count(status.as_ptr(), ffi::RSMPI_UINT8_T, &mut count))?;
        }
        Ok(match self.memory.take() {
            Some(MessageMemory::Received(bytes)) => {
                let length = (count.unsigned_abs() as usize).min(bytes.len());
                RequestProgress::Done(&bytes[..length])
            }
            _ => RequestProgress::Done(&[]),
        })
    }
}

/// Converts a number to the type that MPI uses.
fn int(number: usize) -> Result<c_int, Refused> {
    c_int::try_from(number).map_err(|_| Refused(format!("MPI has no number {number}")))
}

/// Checks the return code of a call.
fn check(code: c_int) -> Result<(), Refused> {
    if code == 0 {
        return Ok(());
    }
    let (mut text, mut length) = ([0u8; MOST_TEXT], 0);
    // SAFETY: there is room for the longest text of any MPI.
    unsafe { ffi::MPI_Error_string(code, text.as_mut_ptr().cast::<c_char>(), &mut length) };
    let length = (length.unsigned_abs() as usize).min(MOST_TEXT);
    Err(Refused(String::from_utf8_lossy(&text[..length]).into_owned()))
}
