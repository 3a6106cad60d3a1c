//! The calls of MPI. Unsafe code gives MPI memory that it uses until a request is done.
//!
//! What makes them sound:
//! - A [`Wire`] lives from when MPI was initialised to when it is finalised. It is the only one, and whoever calls MPI has a
//!   reference to it. Its owner keeps it in a lock, so calls come one at a time, as `MPI_THREAD_SERIALIZED` asks.
//! - A [`Requests`] borrows the memory of its requests, and is reached inside [`Wire::scope`] alone. The scope does not end
//!   while MPI uses that memory: it ends the process instead.
#![allow(unsafe_code)]

use mpi::Threading;
use mpi::environment::Universe;
use mpi::ffi;
use mpi::traits::Communicator;
use std::ffi::{c_char, c_int};
use std::mem::MaybeUninit;
use std::thread;
use std::time::{Duration, Instant};

/// The longest time in which requests that were given up may still end.
const GIVEN_UP: Duration = Duration::from_millis(500);
/// How often they are looked at.
const LOOKED_EVERY: Duration = Duration::from_millis(1);
/// Bytes of a text of MPI, more than any has.
const MOST_TEXT: usize = 4096;

/// What a message is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Tag {
    /// The head of a message of an exchange.
    Head = 1,
    /// Its bytes.
    Body = 2,
    /// A word about the sender: that it leaves, or why it ends.
    Word = 3,
}

/// What MPI said of a call that failed.
#[derive(Clone, Debug)]
pub(crate) struct Refused(String);

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// Why MPI is of no use.
#[derive(Clone, Copy, Debug)]
pub(crate) enum NoWire {
    /// It was initialised before.
    Initialised,
    /// It lets the first thread alone call it.
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
    /// Initialises MPI. Calls that fail say so from then on.
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

    /// Does something with requests. All that were made are done afterwards.
    pub(crate) fn scope<'a, T>(&'a self, action: impl FnOnce(&mut Requests<'a>) -> T) -> T {
        let mut requests = Requests { wire: self, all: Vec::new() };
        let done = action(&mut requests);
        drop(requests);
        done
    }

    /// Returns the sender of a word that has come, and the number of its bytes.
    pub(crate) fn word(&self) -> Result<Option<(usize, usize)>, Refused> {
        let (mut flag, mut status, mut count) = (0, MaybeUninit::uninit(), 0);
        // SAFETY: all that is pointed to lives during the calls. The status is read where the first has written it.
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

/// Requests under way.
pub(crate) struct Requests<'a> {
    wire: &'a Wire,
    all: Vec<Request<'a>>,
}

struct Request<'a> {
    raw: ffi::MPI_Request,
    /// `None` once it is done.
    memory: Option<Memory<'a>>,
}

/// Memory that MPI uses.
enum Memory<'a> {
    /// It reads there.
    Sent { _bytes: &'a [u8] },
    /// It writes there.
    Received(&'a mut [u8]),
}

/// A request of a scope, by its number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Number(usize);

/// How far a request is.
pub(crate) enum Progress<'a> {
    /// It is under way.
    Waits,
    /// All was sent, as far as the sender is concerned, or this was received.
    Done(&'a [u8]),
}

impl<'a> Requests<'a> {
    /// Begins to send bytes to a rank.
    pub(crate) fn send(&mut self, to: usize, tag: Tag, bytes: &'a [u8]) -> Result<Number, Refused> {
        let (count, to) = (int(bytes.len())?, int(to)?);
        let mut raw = MaybeUninit::uninit();
        // SAFETY: the bytes are borrowed for as long as the scope lives, which outlives the request.
        let raw = unsafe {
            let (byte, world) = (ffi::RSMPI_UINT8_T, ffi::RSMPI_COMM_WORLD);
            check(ffi::MPI_Isend(bytes.as_ptr().cast(), count, byte, to, tag as c_int, world, raw.as_mut_ptr()))?;
            raw.assume_init()
        };
        self.all.push(Request { raw, memory: Some(Memory::Sent { _bytes: bytes }) });
        Ok(Number(self.all.len() - 1))
    }

    /// Begins to receive a message that fits into `bytes` from a rank.
    pub(crate) fn receive(&mut self, from: usize, tag: Tag, bytes: &'a mut [u8]) -> Result<Number, Refused> {
        let (count, from) = (int(bytes.len())?, int(from)?);
        let mut raw = MaybeUninit::uninit();
        // SAFETY: the scope borrows the bytes until the request is done, so nothing else reaches them while MPI uses them.
        let raw = unsafe {
            let (byte, world) = (ffi::RSMPI_UINT8_T, ffi::RSMPI_COMM_WORLD);
            check(ffi::MPI_Irecv(bytes.as_mut_ptr().cast(), count, byte, from, tag as c_int, world, raw.as_mut_ptr()))?;
            raw.assume_init()
        };
        self.all.push(Request { raw, memory: Some(Memory::Received(bytes)) });
        Ok(Number(self.all.len() - 1))
    }

    /// Looks how far a request is. It is told once that it is done.
    pub(crate) fn test(&mut self, Number(number): Number) -> Result<Progress<'a>, Refused> {
        match self.all.get_mut(number) {
            Some(request) => request.test(),
            None => Ok(Progress::Waits),
        }
    }

    /// Gives up what has not been sent or received. Returns whether MPI uses no memory of it any more.
    pub(crate) fn give_up(&mut self) -> bool {
        for request in self.all.iter_mut().filter(|request| matches!(request.memory, Some(Memory::Received(_)))) {
            // SAFETY: the request is under way.
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

    /// Looks at all requests, and returns whether they are done. None can be tested afterwards.
    pub(crate) fn are_done(&mut self) -> bool {
        // One whose test fails stays under way.
        self.all.retain_mut(|request| request.memory.is_some() && !matches!(request.test(), Ok(Progress::Done(_))));
        self.all.is_empty()
    }
}

impl Drop for Requests<'_> {
    fn drop(&mut self) {
        // Whoever fails gives up first, and ends the process in good order: this is the way of a panic.
        if !self.give_up() {
            self.wire.abort(1);
        }
    }
}

impl<'a> Request<'a> {
    fn test(&mut self) -> Result<Progress<'a>, Refused> {
        let (mut flag, mut status, mut count) = (0, MaybeUninit::uninit(), 0);
        // SAFETY: all that is pointed to lives during the calls. The status is read where the first has written it.
        unsafe {
            check(ffi::MPI_Test(&mut self.raw, &mut flag, status.as_mut_ptr()))?;
            if flag == 0 {
                return Ok(Progress::Waits);
            }
            check(ffi::MPI_Get_count(status.as_ptr(), ffi::RSMPI_UINT8_T, &mut count))?;
        }
        Ok(match self.memory.take() {
            Some(Memory::Received(bytes)) => {
                let length = (count.unsigned_abs() as usize).min(bytes.len());
                Progress::Done(&bytes[..length])
            }
            _ => Progress::Done(&[]),
        })
    }
}

/// Returns a number as MPI has them.
fn int(number: usize) -> Result<c_int, Refused> {
    c_int::try_from(number).map_err(|_| Refused(format!("MPI has no number {number}")))
}

/// Checks what a call has returned.
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
