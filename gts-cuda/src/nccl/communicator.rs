//! A communicator: NCCL's view of the ranks of a group.
//!
//! None of its calls waits for other ranks without a limit: calls return at once, and a waiting thread polls whether
//! the work is done, whether it has failed, and whether to stop. After a failure, only [`Communicator::abort`] is
//! called. Freeing a communicator is the one call of the library that waits until all ranks free theirs. A separate
//! thread makes that call, and a rank waits for the thread for a limited time.
#![allow(unsafe_code)]

use super::slices::{Carrier, Part};
use super::table::{BYTES, Code, Config, Handle, IN_PROGRESS, SUCCESS, StreamHandle, Table, UniqueId};
use gts_core::threads;
use gts_device::error::{Error, Result};
use gts_device::links::Stopped;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::fmt;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::time::{Duration, Instant};

/// Time for which a waiting thread polls without a pause. After it, other threads run between two polls.
pub(super) const SPIN: Duration = Duration::from_micros(200);
/// Time limit for ranks to find each other.
const CONNECTING: Duration = Duration::from_secs(60);
/// Time limit for other ranks to end their communicators, too.
const ENDING: Duration = Duration::from_secs(2);

/// Makes a device current for the calling thread. Returns false if the device has failed for good. Keeps the device
/// alive.
pub(super) type Bind = Arc<dyn Fn() -> bool + Send + Sync>;

/// The ranks of a group, as seen by one of them.
pub(super) struct Communicator {
    table: Table,
    bind: Bind,
    rank: usize,
    size: usize,
    handle: Mutex<Option<Shared>>,
    sent: AtomicU64,
    received: AtomicU64,
}

/// The library's communicator.
#[derive(Debug)]
struct Shared(Handle);

// SAFETY: the library accepts a communicator from any thread, but from one at a time, which the lock ensures.
unsafe impl Send for Shared {}

impl Shared {
    /// Frees the communicator. The library returns when all other ranks have freed theirs, too.
    fn free(self, table: &Table, way: Ending) {
        let free = match way {
            Ending::Finished => table.destroy,
            Ending::Aborted => table.abort,
        };
        // SAFETY: the communicator was not freed, and no other call has it.
        let _ = unsafe { free(self.0) };
    }
}

/// The way in which a communicator ends.
#[derive(Clone, Copy, Debug)]
enum Ending {
    /// All requested work is done.
    Finished,
    /// Its work in streams ends with it.
    Aborted,
}

impl fmt::Debug for Communicator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rank {} of {} by NCCL", self.rank, self.size)
    }
}

/// Calls of a group, which the library starts together.
struct Calls<'a> {
    table: &'a Table,
    handle: Handle,
    stream: StreamHandle,
    code: Code,
}

impl Calls<'_> {
    /// Makes a call, unless an earlier one has failed.
    fn add(&mut self, call: impl FnOnce(&Table, Handle, StreamHandle) -> Code) {
        if matches!(self.code, SUCCESS | IN_PROGRESS) {
            self.code = call(self.table, self.handle, self.stream);
        }
    }
}

fn text(message: *const c_char) -> Option<String> {
    // SAFETY: a text from the library ends with a zero, and stays until the library's next call.
    let text = (!message.is_null()).then(|| unsafe { CStr::from_ptr(message) }.to_string_lossy().into_owned());
    text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
}

/// Creates the error of a call that failed.
fn failure(table: &Table, handle: Handle, code: Code, during: &str) -> Error {
    // SAFETY: the function accepts any code.
    let what = text(unsafe { (table.error_string)(code) }).unwrap_or_else(|| format!("code {code}"));
    // SAFETY: no communicator, or one that was not destroyed.
    let last = text(unsafe { (table.last_error)(handle) });
    let why = last.map_or(what.clone(), |last| format!("{what}: {last}"));
    Error::Nccl { during: during.to_owned(), why }
}

/// Creates the ID by which ranks find each other. One rank creates it, and sends it to the others.
pub(super) fn unique_id(table: &Table) -> Result<UniqueId> {
    let mut id = UniqueId([0; _]);
    // SAFETY: the target is valid.
    match unsafe { (table.get_unique_id)(&mut id) } {
        SUCCESS => Ok(id),
        code => Err(failure(table, std::ptr::null_mut(), code, "opening a port for other ranks")),
    }
}

/// Polls until `ask` returns a value or an error, or `stopped` an error.
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
    /// Joins the other ranks. Each of them calls this with the same `id`. `bind` makes this rank's device current.
    ///
    /// # Errors
    ///
    /// [`Error::Nccl`], and an error of `stopped`.
    pub(super) fn new(
        table: &Table,
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
        // SAFETY: the targets are valid, and the library has read the settings when it returns.
        let code = unsafe { (table.init)(&mut handle, size as c_int, id, rank as c_int, &mut config) };
        let communicator = Self {
            table: *table,
            bind,
            rank,
            size,
            handle: Mutex::new((!handle.is_null()).then_some(Shared(handle))),
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

    /// Returns the bytes that this rank has sent to other ranks and received from them.
    pub(super) fn moved(&self) -> [u64; 2] {
        [self.sent.load(Relaxed), self.received.load(Relaxed)]
    }

    fn lock(&self) -> MutexGuard<'_, Option<Shared>> {
        self.handle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether the last call is done on the host, or its failure.
    fn is_settled(&self, during: &str) -> Result<bool> {
        let handle = self.lock();
        let Some(Shared(handle)) = *handle else {
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

    /// Waits until the last call is done on the host: its work in a stream is then under way.
    fn settle(&self, during: &str, stopped: Stopped<'_>) -> Result<()> {
        until(stopped, || Ok(self.is_settled(during)?.then_some(())))
    }

    /// Puts calls into a stream together, so that none of them waits for another.
    fn together(
        &self,
        stream: StreamHandle,
        during: &str,
        stopped: Stopped<'_>,
        make: impl FnOnce(&mut Calls<'_>),
    ) -> Result<()> {
        {
            let handle = self.lock();
            let Some(Shared(handle)) = *handle else {
                return Err(Error::Nccl { during: during.to_owned(), why: "the communicator has ended".to_owned() });
            };
            // SAFETY: a group may begin at any time.
            let begun = unsafe { (self.table.group_start)() };
            let mut calls = Calls { table: &self.table, handle, stream, code: begun };
            make(&mut calls);
            let made = calls.code;
            // SAFETY: a group has begun above. This ends it, even if one of its calls has failed.
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

    /// Ends the communicator together with the other ranks, if they end theirs in time.
    fn finish(&self) -> Result<()> {
        let during = "leaving the other ranks";
        if let Some(Shared(handle)) = *self.lock() {
            // SAFETY: the communicator was not destroyed.
            let code = unsafe { (self.table.finalize)(handle) };
            if !matches!(code, SUCCESS | IN_PROGRESS) {
                return Err(failure(&self.table, handle, code, during));
            }
        }
        let begun = Instant::now();
        let late = || Error::Nccl { during: during.to_owned(), why: "another rank did not come".to_owned() };
        self.settle(during, &|| if begun.elapsed() > ENDING { Err(late()) } else { Ok(()) })?;
        self.end(Ending::Finished);
        Ok(())
    }

    /// Ends the communicator, and waits a limited time for the other ranks to end theirs. The communicator stays to the
    /// end of the process if they do not, or if the device has failed for good.
    fn end(&self, way: Ending) {
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

fn sum(parts: &[Part], own: usize) -> usize {
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
        sends: &[Part],
        receives: &[Part],
        stopped: Stopped<'_>,
    ) -> Result<()> {
        if sends.is_empty() && receives.is_empty() {
            return Ok(());
        }
        self.together(stream, "sending slices to other ranks", stopped, |calls| {
            for &Part { rank, address, bytes } in sends {
                // SAFETY: the caller guarantees the parts.
                calls.add(|table, handle, stream| unsafe {
                    (table.send)(address as *const c_void, bytes, BYTES, rank as c_int, handle, stream)
                });
            }
            for &Part { rank, address, bytes } in receives {
                // SAFETY: the caller guarantees the parts.
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
                // SAFETY: the caller guarantees the slices; slices of equal length are contiguous.
                return calls.add(|table, handle, stream| unsafe {
                    let (from, to) = (at(own) as *const c_void, at(first) as *mut c_void);
                    (table.all_gather)(from, to, first.len(), BYTES, handle, stream)
                });
            }
            for (rank, slice) in slices.iter().enumerate().filter(|(_, slice)| !slice.is_empty()) {
                // SAFETY: the caller guarantees the slices.
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
            // SAFETY: the caller guarantees the range.
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
        self.end(Ending::Aborted);
    }
}

impl Drop for Communicator {
    fn drop(&mut self) {
        // The library ends a communicator on its device, which is impossible on a device that has failed for good.
        if (self.bind)() && self.finish().is_err() {
            self.abort();
        }
    }
}
