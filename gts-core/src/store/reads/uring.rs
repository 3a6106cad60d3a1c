//! The queue of Linux: io_uring.
//!
//! The system writes into the memory of a read until it says that the read has ended. So a [`Read`], which owns the
//! right to its memory, stays in `slots` from its submission to its completion; a queue that is dropped earlier leaves
//! the reads under way, and the ring, to a thread that waits for them.
#![allow(unsafe_code)]

use super::{Done, Read, ReadQueue};
use crate::page::HostRegion;
use io_uring::{IoUring, opcode, types};
use std::collections::{BTreeMap, VecDeque};
use std::io::{self, ErrorKind};
use std::os::fd::AsRawFd;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The most regions that a ring is told of.
const MOST_REGIONS: u16 = 4096;

/// io_uring, with the reads that it works on.
pub(super) struct Uring {
    /// Present until the queue is dropped.
    inner: Option<Inner>,
}

struct Inner {
    ring: IoUring,
    slots: Vec<Option<Slot>>,
    free: Vec<usize>,
    /// Reads that wait for room in the ring, and those of which a part is still to come.
    waiting: VecDeque<usize>,
    /// Reads that ended and were not asked for yet.
    ended: VecDeque<Done>,
    /// Reads that the system works on.
    submitted: usize,
    regions: Regions,
}

/// Regions that the ring knows: the system need not look up their memory at each read. Dropped after the ring.
#[derive(Default)]
struct Regions {
    /// By the address of their first byte.
    known: BTreeMap<usize, Known>,
    /// Whether the ring takes no more: the system is too old, or allows the process no more locked memory.
    refused: bool,
}

struct Known {
    index: u16,
    len: usize,
    /// Keeps the memory in its place: the ring reads into what was there when it was told.
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
        // SAFETY: the region's memory is valid, and `known` keeps it longer than the ring lives.
        let update = || unsafe { submitter.register_buffers_update(index.into(), &[vector], None) };
        if begun && index < MOST_REGIONS && update().is_ok() {
            self.known.insert(start.addr(), Known { index, len: region.len(), _region: Arc::clone(region) });
        } else {
            self.refused = true;
        }
    }

    /// The number of the region that holds all of this memory.
    fn find(&self, start: usize, len: usize) -> Option<u16> {
        let (first, known) = self.known.range(..=start).next_back()?;
        (start - first + len <= known.len).then_some(known.index)
    }
}

struct Slot {
    read: Read,
    /// Bytes read so far.
    filled: usize,
    /// What the system was told of the memory; it reads this while it begins the read.
    vectors: Vec<libc::iovec>,
}

// SAFETY: the addresses in `vectors` are those of the memory that `read` owns, and moves with it between threads.
unsafe impl Send for Slot {}

impl Uring {
    /// A queue for `depth` reads at a time.
    pub(super) fn new(depth: usize) -> io::Result<Self> {
        let entries = depth.clamp(1, 1024).next_power_of_two() as u32;
        let ring = IoUring::new(entries)?;
        // Waiting with a limit of time came after io_uring itself, and after reads.
        if !ring.params().is_feature_ext_arg() {
            return Err(io::Error::new(ErrorKind::Unsupported, "the system's io_uring is too old"));
        }
        let inner = Inner {
            ring,
            slots: Vec::new(),
            free: Vec::new(),
            waiting: VecDeque::new(),
            ended: VecDeque::new(),
            submitted: 0,
            regions: Regions::default(),
        };
        Ok(Self { inner: Some(inner) })
    }
}

impl Inner {
    /// Hands waiting reads to the system, as many as the ring takes.
    fn submit(&mut self) {
        let capacity = self.ring.params().sq_entries() as usize;
        let mut pushed = false;
        while self.submitted < capacity
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
            // SAFETY: the file, the vectors and the memory that they name stay in their slot until the completion.
            let result = unsafe { self.ring.submission().push(&entry) };
            if result.is_err() {
                self.waiting.push_front(index);
                break;
            }
            self.submitted += 1;
            pushed = true;
        }
        if pushed {
            // What is not taken now is taken when the caller waits.
            let _ = self.ring.submit();
        }
    }

    /// Takes what the system has completed.
    fn collect(&mut self) {
        loop {
            let Some(entry) = self.ring.completion().next() else { break };
            self.submitted -= 1;
            self.complete(entry.user_data() as usize, entry.result());
        }
    }

    fn complete(&mut self, index: usize, result: i32) {
        let Some(slot) = self.slots.get_mut(index).and_then(Option::as_mut) else { return };
        let again = [libc::EINTR, libc::EAGAIN];
        let result = match result {
            0 => Err(ErrorKind::UnexpectedEof.into()),
            error if error < 0 && again.contains(&-error) => return self.waiting.push_back(index),
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

    /// Waits until the system has completed a read, or the time is over.
    fn wait(&mut self, patience: Duration) {
        let limit = types::Timespec::from(patience);
        let limit = types::SubmitArgs::new().timespec(&limit);
        // That the time is over, or a signal came, is seen by what has been completed.
        let _ = self.ring.submitter().submit_with_args(1, &limit);
    }

    fn under_way(&self) -> usize {
        self.slots.len() - self.free.len() + self.ended.len()
    }

    /// Waits for all that the system works on.
    fn drain(&mut self) {
        self.waiting.clear();
        while self.submitted > 0 {
            self.wait(Duration::from_secs(1));
            self.collect();
            self.waiting.clear();
        }
    }
}

impl ReadQueue for Uring {
    fn prepare(&mut self, region: &Arc<dyn HostRegion>) {
        if let Some(inner) = &mut self.inner {
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
        inner.submit();
    }

    fn end(&mut self, patience: Duration) -> Option<Done> {
        let inner = self.inner.as_mut()?;
        let begun = Instant::now();
        loop {
            inner.collect();
            inner.submit();
            let left = patience.saturating_sub(begun.elapsed());
            if !inner.ended.is_empty() || left.is_zero() || inner.submitted == 0 {
                return inner.ended.pop_front();
            }
            // What comes may be a part of a read, whose rest is submitted then.
            inner.wait(left);
        }
    }

    fn under_way(&self) -> usize {
        self.inner.as_ref().map_or(0, Inner::under_way)
    }
}

impl Drop for Uring {
    fn drop(&mut self) {
        let Some(mut inner) = self.inner.take() else { return };
        inner.collect();
        if inner.submitted > 0 {
            // A disk that does not answer must not hold up the caller. Where no thread can be had, it does.
            let _ = std::thread::Builder::new().name("gts-read-end".into()).spawn(move || drop(inner));
        }
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.drain();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::{HostMemory, PlainMemory};

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
