//! A communicator: one rank's interface to NCCL.
//!
//! No call waits indefinitely for other ranks. Calls return immediately, and a waiting thread polls until the work
//! completes or fails, or until the caller requests a stop. After a failure, only [`Communicator::abort`] is called.
//! The library blocks only when it frees a communicator: it then waits until all ranks free their communicators. A
//! separate thread therefore frees the communicator, and the rank waits for that thread only for a limited time.
#![allow(unsafe_code)]

use super::slices::{Carrier, PeerSegment};
use super::table::{BYTES, Code, Config, IN_PROGRESS, NcclFunctions, RawCommunicator, SUCCESS, StreamHandle, UniqueId};
use gts_core::threads;
use gts_device::error::{Error, Result};
use gts_device::links::Stopped;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::fmt;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::time::{Duration, Instant};

/// The time for which a waiting thread polls without a pause. Afterwards, the thread yields between polls.
pub(super) const SPIN: Duration = Duration::from_micros(200);
/// The time limit for ranks to connect to each other.
const CONNECTING: Duration = Duration::from_secs(60);
/// The time limit for other ranks to end their communicators.
const ENDING: Duration = Duration::from_secs(2);

/// A function that makes a device current for the calling thread, and returns false if the device has failed
/// permanently. The function keeps the device alive.
pub(super) type Bind = Arc<dyn Fn() -> bool + Send + Sync>;

/// A rank's connection to the other ranks of a group.
pub(super) struct Communicator {
    table: NcclFunctions,
    bind: Bind,
    rank: usize,
    size: usize,
    handle: Mutex<Option<CommunicatorHandle>>,
    sent: AtomicU64,
    received: AtomicU64,
}

/// An owned handle to a communicator in the library.
#[derive(Debug)]
struct CommunicatorHandle(RawCommunicator);

// SAFETY: the library accepts calls on a communicator from any thread, one call at a time. The lock keeps calls from
// overlapping.
unsafe impl Send for CommunicatorHandle {}

impl CommunicatorHandle {
    /// Frees the communicator. The library returns only after all other ranks have freed their communicators.
    fn free(self, table: &NcclFunctions, way: CommunicatorEnding) {
        let free = match way {
            CommunicatorEnding::Finished => table.destroy,
            CommunicatorEnding::Aborted => table.abort,
        };
        // SAFETY: the communicator was not freed, and no other call uses it.
        let _ = unsafe { free(self.0) };
    }
}

/// Selects how a communicator ends.
#[derive(Clone, Copy, Debug)]
enum CommunicatorEnding {
    /// All submitted work is complete.
    Finished,
    /// Work that is still in streams is cancelled.
    Aborted,
}

impl fmt::Debug for Communicator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rank {} of {} by NCCL", self.rank, self.size)
    }
}

/// Calls that the library starts together as a group.
struct Calls<'a> {
    table: &'a NcclFunctions,
    handle: RawCommunicator,
    stream: StreamHandle,
    code: Code,
}

impl Calls<'_> {
    /// Adds a call to the group, unless an earlier call has failed.
    fn add(&mut self, call: impl FnOnce(&NcclFunctions, RawCommunicator, StreamHandle) -> Code) {
        if matches!(self.code, SUCCESS | IN_PROGRESS) {
            self.code = call(self.table, self.handle, self.stream);
        }
    }
}

fn text(message: *const c_char) -> Option<String> {
    // SAFETY: the library's strings are null-terminated, and stay valid until the next call to the library.
    let text = (!message.is_null()).then(|| unsafe { CStr::from_ptr(message) }.to_string_lossy().into_owned());
    text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
}

/// Creates the error for a failed call.
fn failure(table: &NcclFunctions, handle: RawCommunicator, code: Code, during: &str) -> Error {
    // SAFETY: the function accepts any code.
    let what = text(unsafe { (table.error_string)(code) }).unwrap_or_else(|| format!("code {code}"));
    // SAFETY: the handle is null, or a communicator that was not destroyed.
    let last = text(unsafe { (table.last_error)(handle) });
    let why = last.map_or(what.clone(), |last| format!("{what}: {last}"));
    Error::Nccl { during: during.to_owned(), why }
}

/// Creates the ID through which ranks connect. One rank creates the ID, and sends it to all other ranks.
pub(super) fn unique_id(table: &NcclFunctions) -> Result<UniqueId> {
    let mut id = UniqueId([0; _]);
    // SAFETY: the target is valid.
    match unsafe { (table.get_unique_id)(&mut id) } {
        SUCCESS => Ok(id),
        code => Err(failure(table, std::ptr::null_mut(), code, "opening a port for other ranks")),
    }
}

/// Polls `ask` until it returns a value or an error, or until `stopped` returns an error.
pub(super) fn until<T>(stopped: Stopped<'_>, mut ask: impl FnMut() -> Result<Option<T>>) -> Result<T> {
    let begun = Instant::now();
    loop {
        if let Some(found) = ask()? {
            return Ok(found);
        }
        if begun.elapsed() < SPIN {
            std::hint::spin_loop();
        } else {
            stopped()?;
            std::thread::yield_now();
        }
    }
}

impl Communicator {
    /// Connects this rank to the other ranks. All ranks must pass the same `id`. `bind` makes this rank's device
    /// current.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Nccl`] if the library fails or the time limit expires, or the error that `stopped` returns.
    pub(super) fn new(
        table: &NcclFunctions,
        bind: Bind,
        id: UniqueId,
        (rank, size): (usize, usize),
        stopped: Stopped<'_>,
    ) -> Result<Self> {
        let during = "joining the other ranks";
        if !bind() {
            return Err(Error::Nccl { during: during.to_owned(), why: "the device has failed".to_owned() });
        }
        let mut handle = std::ptr::null_mut();
        let mut config = Config::that_does_not_wait();
        // SAFETY: the targets are valid, and the library reads the settings before it returns.
        let code = unsafe { (table.init)(&mut handle, size as c_int, id, rank as c_int, &mut config) };
        let communicator = Self {
            table: *table,
            bind,
            rank,
            size,
            handle: Mutex::new((!handle.is_null()).then_some(CommunicatorHandle(handle))),
            sent: AtomicU64::new(0),
            received: AtomicU64::new(0),
        };
        if !matches!(code, SUCCESS | IN_PROGRESS) {
            return Err(failure(table, std::ptr::null_mut(), code, during));
        }
        let begun = Instant::now();
        let joined = communicator.settle(during, &|| match begun.elapsed() > CONNECTING {
            true => Err(Error::Nccl {
                during: during.to_owned(),
                why: format!("they did not come within {} s", CONNECTING.as_secs()),
            }),
            false => stopped(),
        });
        joined.inspect_err(|_| communicator.abort()).map(|()| communicator)
    }

    /// Returns the number of bytes that this rank has sent, and the number that it has received. Only transfers between
    /// different ranks count.
    pub(super) fn moved(&self) -> [u64; 2] {
        [self.sent.load(Relaxed), self.received.load(Relaxed)]
    }

    fn lock(&self) -> MutexGuard<'_, Option<CommunicatorHandle>> {
        self.handle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether the last call has completed on the host. Returns an error if the call has failed.
    fn is_settled(&self, during: &str) -> Result<bool> {
        let handle = self.lock();
        let Some(CommunicatorHandle(handle)) = *handle else {
            return Err(Error::Nccl { during: during.to_owned(), why: "the communicator has ended".to_owned() });
        };
        let mut state = SUCCESS;
        // SAFETY: the communicator was not destroyed; the target is valid.
        let asked = unsafe { (self.table.async_error)(handle, &mut state) };
        match (asked, state) {
            (SUCCESS, SUCCESS) => Ok(true),
            (SUCCESS, IN_PROGRESS) => Ok(false),
            (SUCCESS, code) | (code, _) => Err(failure(&self.table, handle, code, during)),
        }
    }

    /// Waits until the last call has completed on the host. The call's work is then in the stream.
    fn settle(&self, during: &str, stopped: Stopped<'_>) -> Result<()> {
        until(stopped, || Ok(self.is_settled(during)?.then_some(())))
    }

    /// Submits calls to a stream as a group, so that no call waits for another call of the group.
    fn together(
        &self,
        stream: StreamHandle,
        during: &str,
        stopped: Stopped<'_>,
        make: impl FnOnce(&mut Calls<'_>),
    ) -> Result<()> {
        {
            let handle = self.lock();
            let Some(CommunicatorHandle(handle)) = *handle else {
                return Err(Error::Nccl { during: during.to_owned(), why: "the communicator has ended".to_owned() });
            };
            // SAFETY: a group may be started at any time.
            let begun = unsafe { (self.table.group_start)() };
            let mut calls = Calls { table: &self.table, handle, stream, code: begun };
            make(&mut calls);
            let made = calls.code;
            // SAFETY: the group was started above. The group must be ended even if one of its calls has failed.
            let ended = unsafe { (self.table.group_end)() };
            if let Some(code) = [made, ended].into_iter().find(|code| !matches!(*code, SUCCESS | IN_PROGRESS)) {
                return Err(failure(&self.table, handle, code, during));
            }
        }
        self.settle(during, stopped)
    }

    fn count(&self, sent: usize, received: usize) {
        self.sent.fetch_add(sent as u64, Relaxed);
        self.received.fetch_add(received as u64, Relaxed);
    }

    /// Ends the communicator. Fails if the other ranks do not end their communicators in time.
    fn finish(&self) -> Result<()> {
        let during = "leaving the other ranks";
        if let Some(CommunicatorHandle(handle)) = *self.lock() {
            // SAFETY: the communicator was not destroyed.
            let code = unsafe { (self.table.finalize)(handle) };
            if !matches!(code, SUCCESS | IN_PROGRESS) {
                return Err(failure(&self.table, handle, code, during));
            }
        }
        let begun = Instant::now();
        let late = || Error::Nccl { during: during.to_owned(), why: "another rank did not come".to_owned() };
        self.settle(during, &|| if begun.elapsed() > ENDING { Err(late()) } else { Ok(()) })?;
        self.end(CommunicatorEnding::Finished);
        Ok(())
    }

    /// Ends the communicator in a separate thread, and waits for that thread for a limited time. The thread finishes
    /// only after all other ranks have freed their communicators. If the device has failed permanently, the
    /// communicator is never freed.
    fn end(&self, way: CommunicatorEnding) {
        let Some(shared) = self.lock().take() else { return };
        let (table, bind) = (self.table, Arc::clone(&self.bind));
        let (ended, end) = mpsc::channel();
        let work = move || {
            if bind() {
                shared.free(&table, way);
            }
            let _ = ended.send(());
        };
        if threads::start("gts-nccl", work).is_ok() {
            let _ = end.recv_timeout(ENDING);
        }
    }
}

fn sum(parts: &[PeerSegment], own: usize) -> usize {
    parts.iter().filter(|part| part.rank != own).map(|part| part.bytes).sum()
}

impl Carrier for Communicator {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    unsafe fn exchange(
        &self,
        stream: StreamHandle,
        sends: &[PeerSegment],
        receives: &[PeerSegment],
        stopped: Stopped<'_>,
    ) -> Result<()> {
        if sends.is_empty() && receives.is_empty() {
            return Ok(());
        }
        self.together(stream, "sending slices to other ranks", stopped, |calls| {
            for &PeerSegment { rank, address, bytes } in sends {
                // SAFETY: the caller guarantees that the parts are valid.
                calls.add(|table, handle, stream| unsafe {
                    (table.send)(address as *const c_void, bytes, BYTES, rank as c_int, handle, stream)
                });
            }
            for &PeerSegment { rank, address, bytes } in receives {
                // SAFETY: the caller guarantees that the parts are valid.
                calls.add(|table, handle, stream| unsafe {
                    (table.receive)(address as *mut c_void, bytes, BYTES, rank as c_int, handle, stream)
                });
            }
        })?;
        self.count(sum(sends, self.rank), sum(receives, self.rank));
        Ok(())
    }

    unsafe fn all_gather(
        &self,
        stream: StreamHandle,
        base: u64,
        slices: &[Range<usize>],
        stopped: Stopped<'_>,
    ) -> Result<()> {
        let Some((first, own)) = slices.first().zip(slices.get(self.rank)) else { return Ok(()) };
        let at = |slice: &Range<usize>| base + slice.start as u64;
        let all: usize = slices.iter().map(Range::len).sum();
        if all == 0 {
            return Ok(());
        }
        self.together(stream, "gathering the slices of all ranks", stopped, |calls| {
            if slices.iter().all(|slice| slice.len() == first.len()) {
                // SAFETY: the caller guarantees that the slices are valid; slices of equal length are contiguous.
                return calls.add(|table, handle, stream| unsafe {
                    let (from, to) = (at(own) as *const c_void, at(first) as *mut c_void);
                    (table.all_gather)(from, to, first.len(), BYTES, handle, stream)
                });
            }
            for (rank, slice) in slices.iter().enumerate().filter(|(_, slice)| !slice.is_empty()) {
                // SAFETY: the caller guarantees that the slices are valid.
                calls.add(|table, handle, stream| unsafe {
                    let address = at(slice) as *mut c_void;
                    (table.broadcast)(address, address, slice.len(), BYTES, rank as c_int, handle, stream)
                });
            }
        })?;
        self.count((self.size - 1) * own.len(), all - own.len());
        Ok(())
    }

    unsafe fn broadcast(&self, stream: StreamHandle, address: u64, bytes: usize, stopped: Stopped<'_>) -> Result<()> {
        if bytes == 0 {
            return Ok(());
        }
        self.together(stream, "giving all ranks the values of rank 0", stopped, |calls| {
            let address = address as *mut c_void;
            // SAFETY: the caller guarantees that the range is valid.
            calls.add(|table, handle, stream| unsafe {
                (table.broadcast)(address, address, bytes, BYTES, 0, handle, stream)
            });
        })?;
        match self.rank {
            0 => self.count((self.size - 1) * bytes, 0),
            _ => self.count(0, bytes),
        }
        Ok(())
    }

    fn check(&self) -> Result<()> {
        self.is_settled("moving values between ranks").map(drop)
    }

    fn abort(&self) {
        self.end(CommunicatorEnding::Aborted);
    }
}

impl Drop for Communicator {
    fn drop(&mut self) {
        // The library needs a working device to end a communicator. If the device has failed, do not call the library.
        if (self.bind)() && self.finish().is_err() {
            self.abort();
        }
    }
}
