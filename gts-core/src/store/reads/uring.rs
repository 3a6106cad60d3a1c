//! The queue for Linux, which uses io_uring.
//!
//! The system may write to the memory of a read until it reports the end of the read. Therefore a [`Read`], which owns
//! the right to its memory, stays in `slots` from submission to completion. If the queue is dropped earlier, a thread
//! receives the ring and its reads, and waits for them.
//!
//! Entering the kernel may fail. If a later attempt may succeed, it is retried after increasing pauses. Any other error
//! retires the ring, which is then never entered again. Reads that the kernel has not accepted are passed to a queue of
//! threads. Accepted reads end in the ring's completion queue, which is memory shared with the kernel.
#![allow(unsafe_code)]

use super::threads::Threads;
use super::{Done, Read, ReadNotice, ReadQueue};
use crate::page::HostRegion;
use crate::threads;
use io_uring::{IoUring, opcode, types};
use std::collections::{BTreeMap, VecDeque};
use std::io::{self, ErrorKind};
use std::mem::ManuallyDrop;
use std::os::fd::AsRawFd;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Maximum number of regions registered with a ring.
const MOST_REGIONS: u16 = 4096;
/// The pauses before the kernel is entered again, or before a retired ring is checked for completed reads.
const FIRST_PAUSE: Duration = Duration::from_micros(50);
const LONGEST_PAUSE: Duration = Duration::from_millis(10);
/// The longest pause of the thread that waits for reads of a dropped queue.
const LONGEST_LAST_PAUSE: Duration = Duration::from_secs(1);

/// An io_uring with its reads.
pub(super) struct Uring {
    /// The ring and its reads; `None` only while the queue is being dropped.
    inner: Option<Inner>,
    depth: usize,
    /// The threads that perform reads after the ring has been retired.
    threads: Option<Threads>,
    notice: Option<ReadNotice>,
}

struct Inner {
    ring: IoUring,
    door: Box<dyn Door>,
    slots: Vec<Option<Slot>>,
    free: Vec<usize>,
    /// Reads that wait for room in the ring, and reads that are only partly complete.
    waiting: VecDeque<usize>,
    /// Reads in the ring that the kernel has not accepted, in order of submission.
    offered: VecDeque<usize>,
    /// The number of reads that the kernel has accepted and not completed.
    taken: usize,
    /// Reads that have ended and have not been returned.
    ended: VecDeque<Done>,
    /// Whether a read must be retried because the kernel was busy or out of resources.
    again: bool,
    pause: Duration,
    regions: Regions,
}

/// The operation that enters the kernel. A test may make it fail.
trait Door: Send {
    /// Submits the entries of the ring. If `patience` is given, waits up to this time for a completion.
    fn enter(&mut self, ring: &IoUring, patience: Option<Duration>) -> io::Result<usize>;
}

struct System;

impl Door for System {
    fn enter(&mut self, ring: &IoUring, patience: Option<Duration>) -> io::Result<usize> {
        let Some(patience) = patience else { return ring.submit() };
        let limit = types::Timespec::from(patience);
        ring.submitter().submit_with_args(1, &types::SubmitArgs::new().timespec(&limit))
    }
}

/// The error that retired a ring.
struct Retired(io::Error);

/// Regions registered with the ring, so that the kernel need not look up their memory for every read. They must be
/// dropped after the ring.
#[derive(Default)]
struct Regions {
    /// The regions, by the address of their first byte.
    known: BTreeMap<usize, Known>,
    /// Whether the ring accepts no more regions, because the kernel is too old or the process has reached its limit of
    /// locked memory.
    refused: bool,
}

struct Known {
    index: u16,
    len: usize,
    /// The owner of the registered memory. The ring reads into this memory, so it must not be freed.
    _region: Arc<dyn HostRegion>,
}

impl Regions {
    fn add(&mut self, ring: &IoUring, region: &Arc<dyn HostRegion>) {
        let start = region.as_ptr();
        if self.refused || self.known.contains_key(&start.addr()) {
            return;
        }
        let submitter = ring.submitter();
        let index = self.known.len() as u16;
        let begun = !self.known.is_empty() || submitter.register_buffers_sparse(MOST_REGIONS.into()).is_ok();
        let vector = libc::iovec { iov_base: start.cast(), iov_len: region.len() };
        // SAFETY: the region's memory is valid, and `known` retains it beyond the lifetime of the ring.
        let update = || unsafe { submitter.register_buffers_update(index.into(), &[vector], None) };
        if begun && index < MOST_REGIONS && update().is_ok() {
            self.known.insert(start.addr(), Known { index, len: region.len(), _region: Arc::clone(region) });
        } else {
            self.refused = true;
        }
    }

    /// Returns the index of the registered region that contains the whole range.
    fn find(&self, start: usize, len: usize) -> Option<u16> {
        let (first, known) = self.known.range(..=start).next_back()?;
        (start - first + len <= known.len).then_some(known.index)
    }
}

struct Slot {
    read: Read,
    /// The number of bytes read.
    filled: usize,
    /// The addresses and lengths of the memory. The kernel reads this array when the read begins.
    vectors: Vec<libc::iovec>,
}

// SAFETY: the addresses in `vectors` point to memory that `read` owns, and move together with `read` between threads.
unsafe impl Send for Slot {}

impl Uring {
    /// Creates a queue for `depth` concurrent reads.
    pub(super) fn new(depth: usize) -> io::Result<Self> {
        Self::with(depth, Box::new(System))
    }

    fn with(depth: usize, door: Box<dyn Door>) -> io::Result<Self> {
        let entries = depth.clamp(1, 1024).next_power_of_two() as u32;
        let ring = IoUring::new(entries)?;
        // Waiting with a timeout requires a newer kernel than io_uring and its reads do.
        if !ring.params().is_feature_ext_arg() {
            return Err(io::Error::new(ErrorKind::Unsupported, "the system's io_uring is too old"));
        }
        let inner = Inner {
            ring,
            door,
            slots: Vec::new(),
            free: Vec::new(),
            waiting: VecDeque::new(),
            offered: VecDeque::new(),
            taken: 0,
            ended: VecDeque::new(),
            again: false,
            pause: FIRST_PAUSE,
            regions: Regions::default(),
        };
        Ok(Self { inner: Some(inner), depth, threads: None, notice: None })
    }

    /// Retires the ring: threads perform the reads that the kernel has not accepted.
    fn retire(&mut self, Retired(error): &Retired) {
        let notice = ReadNotice::NoUring { reason: error.to_string() };
        self.threads = Some(Threads::new(self.depth, None));
        self.notice = Some(notice);
        if let Some(inner) = &mut self.inner {
            // These reads are still in the ring, but the ring is never submitted again.
            inner.waiting.append(&mut inner.offered);
            inner.pause = FIRST_PAUSE;
        }
    }

    /// Begins waiting reads while the ring has room.
    fn advance(&mut self) {
        let Some(inner) = &mut self.inner else { return };
        if self.threads.is_none()
            && let Err(retired) = inner.submit()
        {
            self.retire(&retired);
        }
        let (Some(inner), Some(threads)) = (&mut self.inner, &mut self.threads) else { return };
        for read in inner.take_waiting() {
            threads.begin(read);
        }
    }

    /// Waits up to `left` for a read to end.
    fn wait(&mut self, left: Duration) {
        let Some(inner) = &mut self.inner else { return };
        match &mut self.threads {
            None => {
                if let Err(retired) = inner.enter(Some(left)) {
                    self.retire(&retired);
                }
            }
            Some(threads) => {
                let pause = if inner.taken > 0 { inner.next_pause(LONGEST_PAUSE).min(left) } else { left };
                match threads.under_way() {
                    0 => std::thread::sleep(pause),
                    _ => inner.ended.extend(threads.end(pause)),
                }
            }
        }
    }
}

impl Inner {
    /// Submits waiting reads while the ring has room.
    fn submit(&mut self) -> Result<(), Retired> {
        if std::mem::take(&mut self.again) {
            std::thread::sleep(self.next_pause(LONGEST_PAUSE));
        }
        let capacity = self.ring.params().sq_entries() as usize;
        let mut pushed = false;
        while self.taken + self.offered.len() < capacity
            && let Some(index) = self.waiting.pop_front()
        {
            let Some(slot) = self.slots.get_mut(index).and_then(Option::as_mut) else { continue };
            let rest = slot.read.buffer.rest(slot.filled);
            slot.vectors = rest
                .map(|(start, len)| libc::iovec { iov_base: start.as_ptr().cast(), iov_len: len })
                .take(libc::UIO_MAXIOV as usize)
                .collect();
            let file = types::Fd(slot.read.file.file().as_raw_fd());
            let offset = slot.read.offset + slot.filled as u64;
            let known = match *slot.vectors {
                [one] => self.regions.find(one.iov_base.addr(), one.iov_len).map(|region| (one, region)),
                _ => None,
            };
            let entry = match known {
                Some((one, region)) => {
                    let fixed = opcode::ReadFixed::new(file, one.iov_base.cast(), one.iov_len as u32, region);
                    fixed.offset(offset).build()
                }
                None => {
                    let vectors = opcode::Readv::new(file, slot.vectors.as_ptr(), slot.vectors.len() as u32);
                    vectors.offset(offset).build()
                }
            };
            let entry = entry.user_data(index as u64);
            // SAFETY: the file, the vectors, and the memory that they point to stay in their slot until the completion.
            let result = unsafe { self.ring.submission().push(&entry) };
            if result.is_err() {
                self.waiting.push_front(index);
                break;
            }
            self.offered.push_back(index);
            pushed = true;
        }
        // Reads that are not accepted now are accepted when the caller waits.
        if pushed { self.enter(None) } else { Ok(()) }
    }

    /// Enters the kernel to submit the ring's entries. If `patience` is given, also waits up to this time for a
    /// completion. The wait may end early, so the caller checks for completed reads.
    fn enter(&mut self, patience: Option<Duration>) -> Result<(), Retired> {
        let result = self.door.enter(&self.ring, patience);
        let left = self.ring.submission().len();
        let taken = self.offered.len().saturating_sub(left);
        self.offered.drain(..taken);
        self.taken += taken;
        let Err(error) = result else {
            return Ok(());
        };
        match error.raw_os_error() {
            // The timeout has expired.
            Some(libc::ETIME) => {}
            Some(libc::EINTR | libc::EAGAIN | libc::EBUSY) => {
                let pause = self.next_pause(LONGEST_PAUSE);
                // Without `patience`, the caller continues, and enters the kernel again when it waits.
                std::thread::sleep(patience.map_or(Duration::ZERO, |patience| pause.min(patience)));
            }
            _ => return Err(Retired(error)),
        }
        Ok(())
    }

    fn next_pause(&mut self, longest: Duration) -> Duration {
        let pause = self.pause;
        self.pause = (2 * pause).min(longest);
        pause
    }

    /// Removes and returns the waiting reads, which another queue will perform.
    fn take_waiting(&mut self) -> Vec<Read> {
        let mut reads = Vec::new();
        while let Some(index) = self.waiting.pop_front() {
            if let Some(slot) = self.slots[index].take() {
                self.free.push(index);
                reads.push(slot.read);
            }
        }
        reads
    }

    /// Collects the reads that the kernel has completed.
    fn collect(&mut self) {
        loop {
            let Some(entry) = self.ring.completion().next() else { break };
            self.taken -= 1;
            self.complete(entry.user_data() as usize, entry.result());
        }
    }

    fn complete(&mut self, index: usize, result: i32) {
        let Some(slot) = self.slots.get_mut(index).and_then(Option::as_mut) else { return };
        if [-libc::EINTR, -libc::EAGAIN].contains(&result) {
            self.again = true;
            return self.waiting.push_back(index);
        }
        self.pause = FIRST_PAUSE;
        let result = match result {
            0 => Err(ErrorKind::UnexpectedEof.into()),
            error if error < 0 => Err(io::Error::from_raw_os_error(-error)),
            read => {
                slot.filled += read as usize;
                if slot.filled < slot.read.buffer.len() {
                    return self.waiting.push_back(index);
                }
                Ok(())
            }
        };
        if let Some(slot) = self.slots[index].take() {
            self.free.push(index);
            self.ended.push_back(Done { read: slot.read, result });
        }
    }

    fn under_way(&self) -> usize {
        self.slots.len() - self.free.len() + self.ended.len()
    }

    /// Waits for all reads that the kernel has accepted. Does not enter the kernel, because that may fail.
    fn drain(&mut self) {
        self.collect();
        while self.taken > 0 {
            std::thread::sleep(self.next_pause(LONGEST_LAST_PAUSE));
            self.collect();
        }
    }
}

impl ReadQueue for Uring {
    fn prepare(&mut self, region: &Arc<dyn HostRegion>) {
        if let (Some(inner), None) = (&mut self.inner, &self.threads) {
            inner.regions.add(&inner.ring, region);
        }
    }

    fn begin(&mut self, read: Read) {
        let Some(inner) = &mut self.inner else { return };
        let slot = Some(Slot { read, filled: 0, vectors: Vec::new() });
        let index = match inner.free.pop() {
            Some(index) => {
                inner.slots[index] = slot;
                index
            }
            None => {
                inner.slots.push(slot);
                inner.slots.len() - 1
            }
        };
        inner.waiting.push_back(index);
        self.advance();
    }

    fn end(&mut self, patience: Duration) -> Option<Done> {
        let begun = Instant::now();
        loop {
            self.inner.as_mut()?.collect();
            self.advance();
            let left = patience.saturating_sub(begun.elapsed());
            if let (Some(inner), Some(threads)) = (&mut self.inner, &mut self.threads) {
                inner.ended.extend(threads.end(Duration::ZERO));
            }
            if let Some(done) = self.inner.as_mut()?.ended.pop_front() {
                return Some(done);
            }
            if left.is_zero() || self.under_way() == 0 {
                return None;
            }
            // If a completion covers only a part of a read, the rest is submitted next.
            self.wait(left);
        }
    }

    fn under_way(&self) -> usize {
        let threads = self.threads.as_ref().map_or(0, Threads::under_way);
        self.inner.as_ref().map_or(0, Inner::under_way) + threads
    }

    fn notice(&mut self) -> Option<ReadNotice> {
        self.notice.take()
    }
}

impl Drop for Uring {
    fn drop(&mut self) {
        let Some(mut inner) = self.inner.take() else { return };
        inner.collect();
        if inner.taken == 0 {
            return;
        }
        // A dead disk must not block the caller. Its reads may still write to their memory. Therefore the memory is
        // retained until the reads have ended, or indefinitely if no thread can wait for them.
        let mut inner = ManuallyDrop::new(inner);
        let _ = threads::start("gts-read-end", move || {
            inner.drain();
            drop(ManuallyDrop::into_inner(inner));
        });
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{BLOCK, file, read};
    use super::*;
    use crate::page::{HostMemory, PlainMemory};
    use crate::store::reads::DirectFile;
    use std::sync::atomic::{AtomicU32, Ordering};

    /// A door that fails with an error in `count` calls, starting with call number `from`, counted from 0.
    struct Failing {
        error: i32,
        from: u32,
        count: u32,
        calls: Arc<AtomicU32>,
    }

    impl Door for Failing {
        fn enter(&mut self, ring: &IoUring, patience: Option<Duration>) -> io::Result<usize> {
            let call = self.calls.fetch_add(1, Ordering::Relaxed);
            match call.checked_sub(self.from) {
                Some(past) if past < self.count => Err(io::Error::from_raw_os_error(self.error)),
                _ => System.enter(ring, patience),
            }
        }
    }

    /// Reads 40 blocks while the door fails. Returns the queue and the number of attempts.
    fn reads_past(error: i32, from: u32, count: u32) -> Option<(Uring, u32)> {
        let calls = Arc::new(AtomicU32::new(0));
        let door = Failing { error, from, count, calls: Arc::clone(&calls) };
        let Ok(mut queue) = Uring::with(4, Box::new(door)) else {
            println!("left out: io_uring");
            return None;
        };
        let (_directory, path) = file(40);
        let file = Arc::new(DirectFile::open(&path).expect("a file"));
        (0..40).for_each(|block| queue.begin(read(&file, block, 1)));
        let mut seen = [false; 40];
        for _ in 0..40 {
            let done = queue.end(Duration::from_secs(30)).expect("a read ends");
            done.result.expect("it is whole");
            let block = done.read.token as usize;
            assert!(!std::mem::replace(&mut seen[block], true));
            let bytes = done.read.buffer.into_owned().expect("memory of its own");
            assert_eq!(bytes.as_slice(), [block as u8; BLOCK]);
        }
        assert_eq!(queue.under_way(), 0);
        Some((queue, calls.load(Ordering::Relaxed)))
    }

    #[test]
    fn a_door_that_stays_shut_retires_the_ring_and_loses_no_read() {
        for error in [libc::EIO, libc::EPERM, libc::ENOSYS, libc::EBADF, libc::ENOMEM] {
            for from in [0, 1, 3, 7] {
                let Some((mut queue, calls)) = reads_past(error, from, u32::MAX) else { return };
                assert_eq!(calls, from + 1, "a retired ring is entered again");
                let Some(ReadNotice::NoUring { reason }) = queue.notice() else { panic!("nothing is said") };
                assert_eq!(reason, io::Error::from_raw_os_error(error).to_string());
                assert_eq!(queue.notice(), None, "said twice");
            }
        }
    }

    #[test]
    fn a_door_that_opens_again_is_tried_again() {
        for error in [libc::EINTR, libc::EAGAIN, libc::EBUSY] {
            for (from, count) in [(0, 1), (0, 9), (3, 6)] {
                let Some((mut queue, _)) = reads_past(error, from, count) else { return };
                assert_eq!(queue.notice(), None);
                assert!(queue.threads.is_none());
            }
        }
    }

    #[test]
    fn a_door_that_never_opens_is_tried_with_pauses_that_grow() {
        let calls = Arc::new(AtomicU32::new(0));
        let door = Failing { error: libc::EAGAIN, from: 0, count: u32::MAX, calls: Arc::clone(&calls) };
        let Ok(mut queue) = Uring::with(4, Box::new(door)) else { return println!("left out: io_uring") };
        let (_directory, path) = file(4);
        let file = Arc::new(DirectFile::open(&path).expect("a file"));
        queue.begin(read(&file, 0, 4));
        let begun = Instant::now();
        assert!(queue.end(Duration::from_millis(500)).is_none());
        assert!(begun.elapsed() >= Duration::from_millis(500));
        // The first 8 pauses grow from 50 us to 10 ms. About 50 pauses of 10 ms fill the rest of the time.
        assert!(calls.load(Ordering::Relaxed) < 80, "{calls:?}");
        assert_eq!(queue.under_way(), 1);
        // The kernel has accepted no read, so dropping the queue does not wait.
        drop(queue);
    }

    #[test]
    fn memory_is_found_in_the_region_that_holds_all_of_it() {
        let Ok(mut queue) = Uring::new(4) else { return println!("left out: io_uring") };
        let regions: Vec<Arc<dyn HostRegion>> =
            (0..2).map(|_| Arc::from(PlainMemory.allocate(1 << 16).expect("memory"))).collect();
        regions.iter().for_each(|region| queue.prepare(region));
        let known = &queue.inner.as_ref().expect("not dropped").regions;
        if known.refused {
            return println!("left out: the system takes no regions");
        }
        for (index, region) in (0..).zip(&regions) {
            let start = region.as_ptr().addr();
            assert_eq!(known.find(start, 1 << 16), Some(index));
            assert_eq!(known.find(start + 4096, 4096), Some(index));
            assert_eq!(known.find(start + 4096, 1 << 16), None);
        }
        assert_eq!(known.find(16, 4096), None);
    }
}
