//! Page-locked host memory, which the device reads and writes without help from the CPU.

use super::Context;
use cudarc::driver::result;
use cudarc::driver::sys::{self, CUresult};
use gts_core::memory::populate_by_own_threads;
use gts_core::phase::{self, Phase};
use gts_core::threads;
use gts_device::error::{Error, Result};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Acquire, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// Page-locked host memory owned by this value. Copies from and to the memory run while the host does other work.
#[derive(Debug)]
pub(crate) struct Pinned {
    context: Arc<Context>,
    address: *mut u8,
    bytes: usize,
}

// SAFETY: the value owns the memory.
unsafe impl Send for Pinned {}
// SAFETY: a shared reference allows only reads.
unsafe impl Sync for Pinned {}

impl Pinned {
    /// Allocates `bytes` bytes of zeroed pinned memory.
    ///
    /// # Errors
    ///
    /// Returns [`Error::PageLock`] if the host cannot lock enough memory. The device stays usable.
    pub(crate) fn new(context: &Arc<Context>, bytes: usize) -> Result<Self> {
        context.bind()?;
        context.count_call();
        // SAFETY: the memory is cleared below before anything reads it.
        let address = match unsafe { result::malloc_host(bytes, 0) } {
            Ok(address) => address.cast::<u8>(),
            Err(error) if error.0 == CUresult::CUDA_ERROR_OUT_OF_MEMORY => {
                let (device, why) = (context.name().to_owned(), super::text(error.0));
                return Err(Error::PageLock { device, bytes: bytes as u64, why });
            }
            Err(error) => return Err(context.fail(error.0, "allocating page-locked memory")),
        };
        // SAFETY: the memory is `bytes` bytes long.
        unsafe { address.write_bytes(0, bytes) };
        context.page_locked().count(bytes as u64);
        Ok(Self { context: context.clone(), address, bytes })
    }

    /// Returns the address of the first byte.
    pub(crate) fn address(&self) -> *mut u8 {
        self.address
    }

    /// Returns the memory for reading. No copy into the memory may be in progress.
    pub(crate) fn as_slice(&self) -> &[u8] {
        // SAFETY: the memory is `bytes` bytes long and was cleared; streams copy into it only through `Stream::fetch`,
        // whose callers wait for the copy before they read.
        unsafe { std::slice::from_raw_parts(self.address, self.bytes) }
    }

    /// Returns a part of the memory for reading. Copies into other parts may be in progress.
    pub(crate) fn part(&self, range: Range<usize>) -> &[u8] {
        assert!(range.start <= range.end && range.end <= self.bytes, "parts lie within the memory");
        // SAFETY: as in `as_slice`; the part lies within the memory.
        unsafe { std::slice::from_raw_parts(self.address.add(range.start), range.end - range.start) }
    }

    /// Returns the 64-bit word at an offset. The device may write the word concurrently. Later reads see everything
    /// that the device wrote before this word.
    pub(crate) fn word(&self, offset: usize) -> u64 {
        assert!(offset.is_multiple_of(8) && offset + 8 <= self.bytes, "a word lies within the memory");
        // SAFETY: the word lies within the memory, which begins at a page boundary.
        unsafe { AtomicU64::from_ptr(self.address.add(offset).cast()) }.load(Acquire)
    }

    /// Returns a part of the memory for writing. Copies from other parts may be in progress.
    pub(crate) fn part_mut(&mut self, range: Range<usize>) -> &mut [u8] {
        assert!(range.start <= range.end && range.end <= self.bytes, "parts lie within the memory");
        // SAFETY: as in `part`; the borrow is exclusive, and the device only reads other parts.
        unsafe { std::slice::from_raw_parts_mut(self.address.add(range.start), range.end - range.start) }
    }

    /// Returns the memory for writing. No copy from or to the memory may be in progress.
    pub(crate) fn as_mut_slice(&mut self) -> &mut [u8] {
        // SAFETY: as in `as_slice`, and the borrow is exclusive.
        unsafe { std::slice::from_raw_parts_mut(self.address, self.bytes) }
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        self.context.count_call();
        // SAFETY: the memory was allocated by `malloc_host` and is freed once; freeing waits for copies that still use
        // it.
        self.context.release(|| unsafe { result::free_host(self.address.cast()) });
        self.context.page_locked().give(self.bytes as u64);
    }
}

/// The maximum number of bytes that one call page-locks. Several threads lock pieces of this size concurrently. The
/// driver rejects a copy that crosses a boundary between pieces.
const PIECE: usize = 256 << 20;
/// Bytes per page of host memory.
const HOST_PAGE: usize = 4 << 10;
/// The maximum number of threads that lock pages.
const MOST_THREADS: usize = 16;

/// Returns the number of threads that lock pages, at least one.
fn most_threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from).min(MOST_THREADS)
}

/// A page lock on host memory that belongs to another owner. While the lock exists, the memory is mapped into the
/// device's address space.
#[derive(Debug)]
pub(crate) struct PageLock {
    context: Arc<Context>,
    start: usize,
    bytes: usize,
    /// The device address of the first byte, if the whole range is contiguous in the device's address space.
    mapped: Option<u64>,
}

/// All current locks. Memory can be locked only once, so all devices share the same lock.
static LOCKS: Mutex<Vec<Weak<PageLock>>> = Mutex::new(Vec::new());

impl PageLock {
    /// Returns the lock on the pages of `memory`. Creates the lock if it does not exist yet.
    ///
    /// # Safety
    ///
    /// The requirements of [`PageLock::new`] apply.
    pub(crate) unsafe fn shared(context: &Arc<Context>, memory: &[u8]) -> Result<Arc<Self>> {
        // `held` is declared before `locks`, so that the list is unlocked before `held` is dropped: dropping the last
        // reference to a `PageLock` locks the list.
        let held: Vec<Arc<Self>>;
        let mut locks = lock(&LOCKS);
        locks.retain(|held| held.strong_count() > 0);
        held = locks.iter().filter_map(Weak::upgrade).collect();
        let same = |held: &&Arc<Self>| held.start == memory.as_ptr().addr() && held.bytes == memory.len();
        if let Some(same) = held.iter().find(same) {
            return Ok(Arc::clone(same));
        }
        // SAFETY: the caller upholds the contract of `new`.
        let made = Arc::new(unsafe { Self::new(context, memory) }?);
        locks.push(Arc::downgrade(&made));
        Ok(made)
    }

    /// Locks the pages of `memory`. Returns [`Error::PageLock`] if the driver cannot lock the pages.
    ///
    /// # Safety
    ///
    /// The memory must not be moved or freed before the lock is dropped.
    pub(crate) unsafe fn new(context: &Arc<Context>, memory: &[u8]) -> Result<Self> {
        phase::during(Phase::Lock, || Self::lock_all(context, memory))
    }

    /// Locks the pages of memory that has not been written yet. First, several threads make the operating system clear
    /// the pages. Otherwise, the thread that locks a piece would have to clear the whole piece alone.
    ///
    /// # Safety
    ///
    /// The requirements of [`PageLock::new`] apply.
    pub(crate) unsafe fn unwritten(context: &Arc<Context>, memory: &mut [u8]) -> Result<Self> {
        phase::during(Phase::Lock, || {
            populate_by_own_threads(most_threads() - 1, memory);
            Self::lock_all(context, memory)
        })
    }

    /// Locks the pages of `memory`. The caller must uphold the contract of [`PageLock::new`].
    fn lock_all(context: &Arc<Context>, memory: &[u8]) -> Result<Self> {
        context.bind()?;
        let (start, bytes) = (memory.as_ptr().addr(), memory.len());
        let ranges: Vec<Range<usize>> = ranges(start, bytes).collect();
        let pieces = ranges.len();
        let locked = Mutex::new(Vec::with_capacity(pieces));
        let refused = Mutex::new(None);
        let next = AtomicUsize::new(0);
        let lock_pieces = || {
            let bound = context.bind();
            loop {
                let piece = next.fetch_add(1, Relaxed);
                if piece >= pieces || bound.is_err() || lock(&refused).is_some() {
                    return;
                }
                let range = &ranges[piece];
                match register(&memory[range.clone()]) {
                    Ok(mapped) => lock(&locked).push((range.start, mapped)),
                    Err(code) => *lock(&refused) = Some(code),
                }
            }
        };
        threads::share(most_threads().min(pieces).saturating_sub(1), lock_pieces);

        let locked = locked.into_inner().unwrap_or_else(PoisonError::into_inner);
        let refused = refused.into_inner().unwrap_or_else(PoisonError::into_inner);
        if refused.is_some() || locked.len() < pieces {
            locked.iter().for_each(|&(offset, _)| unregister(context, start + offset));
            let why = refused.map_or_else(|| "the context is of no use".to_owned(), super::text);
            return Err(Error::PageLock { device: context.name().to_owned(), bytes: bytes as u64, why });
        }
        let first = locked.iter().find(|(offset, _)| *offset == 0).map_or(0, |&(_, mapped)| mapped);
        context.page_locked().count(bytes as u64);
        let whole = first != 0 && locked.iter().all(|&(offset, mapped)| mapped == first + offset as u64);
        Ok(Self { context: context.clone(), start, bytes, mapped: whole.then_some(first) })
    }

    /// Returns the device address of the first byte, or `None` if kernels cannot access the memory as one range.
    pub(crate) fn mapped(&self) -> Option<u64> {
        self.mapped
    }

    /// Returns whether the locked memory contains `bytes`.
    pub(crate) fn holds(&self, bytes: &[u8]) -> bool {
        let held = self.start..self.start + self.bytes;
        let Range { start, end } = bytes.as_ptr_range();
        held.contains(&start.addr()) && end.addr() <= held.end
    }

    /// Cuts a part of the memory at the boundaries of locked pieces, which no copy may cross. Returns ranges within the
    /// part.
    pub(crate) fn cut(&self, part: &[u8]) -> impl Iterator<Item = Range<usize>> + use<> {
        let offset = part.as_ptr().addr().wrapping_sub(self.start - self.start % HOST_PAGE) % PIECE;
        within_pieces(offset..offset + part.len()).map(move |range| range.start - offset..range.end - offset)
    }
}

/// Returns the pieces of the memory that begins at `start`, as ranges of offsets from `start`. Each piece is locked by
/// a single call. Pieces end at page boundaries, because no page can be locked twice.
fn ranges(start: usize, bytes: usize) -> impl Iterator<Item = Range<usize>> {
    let lead = start % HOST_PAGE;
    within_pieces(lead..lead + bytes).map(move |range| range.start - lead..range.end - lead)
}

/// Cuts a range of offsets at multiples of [`PIECE`].
fn within_pieces(range: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let mut from = range.start;
    std::iter::from_fn(move || {
        let part = from..range.end.min((from / PIECE + 1) * PIECE);
        from = part.end;
        (!part.is_empty()).then_some(part)
    })
}

impl Drop for PageLock {
    fn drop(&mut self) {
        // Keep the list locked, so that no thread locks the same memory before the pages are unlocked.
        let _locks = lock(&LOCKS);
        let ranges = ranges(self.start, self.bytes);
        phase::during(Phase::Lock, || ranges.for_each(|range| unregister(&self.context, self.start + range.start)));
        self.context.page_locked().give(self.bytes as u64);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Locks the pages of one piece. Returns the device address of the piece, or 0 if the device cannot access the piece.
/// The context must be current.
fn register(piece: &[u8]) -> Result<u64, CUresult> {
    let start = piece.as_ptr().cast_mut().cast();
    let flags = sys::CU_MEMHOSTREGISTER_PORTABLE | sys::CU_MEMHOSTREGISTER_DEVICEMAP;
    // SAFETY: the range is memory of this process, which the caller retains until the range is unregistered.
    match unsafe { sys::cuMemHostRegister_v2(start, piece.len(), flags) } {
        CUresult::CUDA_SUCCESS => {}
        code => return Err(code),
    }
    let mut mapped = 0;
    // SAFETY: the range was registered above; the target is valid.
    match unsafe { sys::cuMemHostGetDevicePointer_v2(&mut mapped, start, 0) } {
        CUresult::CUDA_SUCCESS => Ok(mapped),
        _ => Ok(0),
    }
}

fn unregister(context: &Context, start: usize) {
    // SAFETY: the piece was registered once; `release` skips the call if a kernel may read the piece indefinitely.
    context.release(|| unsafe { sys::cuMemHostUnregister(start as *mut _) }.result());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_copy_reaches_from_one_locked_piece_into_the_next() {
        let cut = |range| within_pieces(range).map(|part| (part.start, part.end)).collect::<Vec<_>>();
        assert_eq!(cut(5..9), [(5, 9)]);
        assert_eq!(cut(PIECE - 4..PIECE + 4), [(PIECE - 4, PIECE), (PIECE, PIECE + 4)]);
        assert_eq!(cut(PIECE..2 * PIECE), [(PIECE, 2 * PIECE)]);
        assert_eq!(cut(7..2 * PIECE + 1), [(7, PIECE), (PIECE, 2 * PIECE), (2 * PIECE, 2 * PIECE + 1)]);
        assert_eq!(cut(3..3), []);
        let locked = |start| ranges(start, PIECE + 5).map(|part| (part.start, part.end)).collect::<Vec<_>>();
        assert_eq!(locked(HOST_PAGE), [(0, PIECE), (PIECE, PIECE + 5)]);
        assert_eq!(locked(HOST_PAGE + 16), [(0, PIECE - 16), (PIECE - 16, PIECE + 5)]);
    }
}
