//! Feeds pages through the host buffer. Pages that are present are delivered first, while missing pages are read.
//!
//! A feed needs no thread: the queue reads in the background. Each call of `next` collects the reads that have ended,
//! begins new reads while there is room, and returns a group. The missing pages of a chunk form a unit of reading. With
//! striped files, or with gaps between the pages, a unit consists of several reads, each of consecutive bytes of a
//! file.

use super::StoredPages;
use super::buffer::{Claimed, Lease, NoMemory, ReadLease, places};
use super::frames::Chunk;
use crate::graph::PageId;
use crate::page::{Leased, PageFeed, PageGroup, PageRun};
use crate::store::StoreError;
use crate::store::reads::{Done, Read, ReadQueue};
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The duration of a wait between checks of `stopped`.
const PATIENCE: Duration = Duration::from_millis(20);

/// Requested pages of a chunk, by their positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Job {
    chunk: u32,
    mask: u64,
}

/// A unit of reading that is in progress.
struct Unit {
    chunk: u32,
    lease: Arc<ReadLease>,
    /// The first page of each read that has not ended.
    left: Vec<PageId>,
    begun: Instant,
}

pub(super) struct StoredFeed<'a> {
    source: &'a StoredPages,
    /// The queue; `None` only while the feed is being dropped.
    queue: Option<Box<dyn ReadQueue>>,
    /// The number of the feed, assigned by the buffer.
    number: u64,
    /// Maximum number of pages per group.
    group: u32,
    /// Jobs for pages that were in the buffer when the feed began; the last job is next.
    cached: Vec<Job>,
    missing: VecDeque<Job>,
    units: HashMap<u64, Unit>,
    tokens: u64,
    ready: VecDeque<PageGroup>,
    /// The time at which the last read ended, or at which a read began while none was in progress.
    progress: Instant,
    failed: bool,
}

impl<'a> StoredFeed<'a> {
    pub(super) fn new(source: &'a StoredPages, runs: &[PageRun], group: usize) -> Result<Self, StoreError> {
        let number = source.buffer.begin_feed();
        let (mut cached, mut missing) = (Vec::new(), VecDeque::new());
        for job in jobs(runs, source.buffer.frame_pages()) {
            let chunk = Chunk { topology: source.topology, number: job.chunk };
            let present = source.buffer.want(chunk, job.mask, number);
            if present != 0 {
                cached.push(Job { mask: present, ..job });
            }
            if present != job.mask {
                missing.push_back(Job { mask: job.mask & !present, ..job });
            }
        }
        cached.reverse();
        Ok(Self {
            source,
            queue: Some(source.queue()?),
            number,
            group: u32::try_from(group / source.page_size as usize).unwrap_or(u32::MAX).max(1),
            cached,
            missing,
            units: HashMap::new(),
            tokens: 0,
            ready: VecDeque::new(),
            progress: Instant::now(),
            failed: false,
        })
    }

    fn advance(&mut self, stopped: &dyn Fn() -> bool) -> Result<Option<PageGroup>, StoreError> {
        // The time since which no frame has become free.
        let mut waiting = None;
        // Time between calls is not counted as a stall.
        self.progress = Instant::now();
        loop {
            if stopped() {
                return Err(StoreError::Stopped);
            }
            let seen = self.source.buffer.releases();
            self.take_ended(Duration::ZERO)?;
            self.begin_reads()?;
            if let Some(group) = self.ready.pop_front() {
                return Ok(Some(group));
            }
            if let Some(job) = self.cached.pop() {
                self.hand_out_cached(job);
            } else if !self.units.is_empty() {
                self.take_ended(PATIENCE)?;
                self.check_progress()?;
            } else if let Some(&job) = self.missing.front() {
                // Every frame is in use, either by delivered groups or by reads.
                let waited = *waiting.get_or_insert_with(Instant::now);
                self.source.buffer.wait_for_release(seen, PATIENCE);
                match self.source.buffer.releases() == seen {
                    true => self.check_frames(waited, job)?,
                    false => waiting = None,
                }
            } else {
                return Ok(None);
            }
        }
    }

    /// Fails if no read has ended within the stall limit.
    fn check_progress(&self) -> Result<(), StoreError> {
        let stalled = self.progress.elapsed();
        if self.ready.is_empty()
            && stalled > self.source.stall_limit
            && let Some(page) = self.units.values().flat_map(|unit| &unit.left).min()
        {
            self.source.buffer.give_up_reads();
            return Err(self.stalled(*page, stalled));
        }
        Ok(())
    }

    /// Fails if the wait for frames occupied by abandoned reads exceeds the stall limit.
    fn check_frames(&self, waiting: Instant, job: Job) -> Result<(), StoreError> {
        let stalled = waiting.elapsed();
        if stalled > self.source.stall_limit && self.source.buffer.has_given_up_reads() {
            let page = PageId(job.chunk * self.source.buffer.frame_pages() + job.mask.trailing_zeros());
            return Err(self.stalled(page, stalled));
        }
        Ok(())
    }

    fn stalled(&self, page: PageId, stalled: Duration) -> StoreError {
        StoreError::Stalled { path: self.source.path(page), page, seconds: stalled.as_secs() }
    }

    /// Begins reads while the depth and the buffer allow.
    fn begin_reads(&mut self) -> Result<(), StoreError> {
        let depth = self.source.depth();
        while self.units.len() + self.ready.len() < depth
            && let Some(&job) = self.missing.front()
        {
            let chunk = Chunk { topology: self.source.topology, number: job.chunk };
            let claimed = self.source.buffer.claim(chunk, job.mask, self.number);
            let Some(Claimed { present, missing }) = claimed.map_err(|error| self.no_memory(error))? else { break };
            self.missing.pop_front();
            if let Some(lease) = present {
                self.push_groups(job.chunk, lease, None);
            }
            if let Some(lease) = missing {
                self.begin(job.chunk, lease);
            }
        }
        Ok(())
    }

    fn no_memory(&self, NoMemory { bytes }: NoMemory) -> StoreError {
        StoreError::Memory { path: self.source.path(PageId(0)), bytes }
    }

    /// Begins the reads of a lease's missing pages.
    fn begin(&mut self, chunk: u32, lease: ReadLease) {
        let first = chunk * self.source.buffer.frame_pages();
        let reads = reads(first, lease.mask(), self.source.files.len() as u32);
        if let (Some(queue), Some(region)) = (&mut self.queue, lease.region()) {
            queue.prepare(region);
        }
        let (lease, buffers) = lease.share(&reads);
        let token = self.tokens;
        self.tokens += 1;
        let left = reads.iter().map(|places| PageId(first + places[0])).collect();
        let begun = Instant::now();
        if self.units.is_empty() {
            self.progress = begun;
        }
        self.units.insert(token, Unit { chunk, lease, left, begun });
        let Some(queue) = &mut self.queue else { return };
        for (places, buffer) in reads.iter().zip(buffers) {
            let page = PageId(first + places[0]);
            let (file, offset) = (Arc::clone(self.source.file(page)), self.source.offset(page));
            queue.begin(Read { file, offset, buffer, token });
        }
    }

    /// Collects the reads that have ended. Waits up to `patience` for the first of them.
    fn take_ended(&mut self, mut patience: Duration) -> Result<(), StoreError> {
        while let Some(queue) = &mut self.queue {
            let done = queue.end(patience);
            queue.notice().iter().for_each(|notice| self.source.notices.tell(notice));
            let Some(Done { read, result }) = done else { break };
            patience = Duration::ZERO;
            self.progress = Instant::now();
            let token = read.token;
            let (first, last) = self.pages_of(&read);
            let path = Arc::clone(&read.file);
            // Dropping the read returns its memory to the lease, before the pages are verified.
            drop(read);
            result.map_err(|source| {
                let path = path.path().to_owned();
                StoreError::ReadPages { path, first, last, source }
            })?;
            if let Some(unit) = self.units.get_mut(&token) {
                unit.left.retain(|&page| page != first);
                if unit.left.is_empty()
                    && let Some(unit) = self.units.remove(&token)
                {
                    self.complete(unit)?;
                }
            }
        }
        Ok(())
    }

    /// Verifies the pages of a unit, and divides them into groups.
    fn complete(&mut self, unit: Unit) -> Result<(), StoreError> {
        let ended = Instant::now();
        // All reads of the unit have ended, so only this unit holds the lease.
        let Some(mut lease) = Arc::into_inner(unit.lease) else { return Ok(()) };
        let first = unit.chunk * self.source.buffer.frame_pages();
        for run in PageRun::join(places(lease.mask()).map(PageId)) {
            let pages = PageRun { first: PageId(first + run.first.0), count: run.count };
            let bytes = lease.pages(run.numbers());
            self.source.checks.check(pages, bytes, |page| self.source.path(page))?;
        }
        if let Some(lease) = lease.filled() {
            self.push_groups(unit.chunk, lease, Some((unit.begun, ended)));
        }
        Ok(())
    }

    fn hand_out_cached(&mut self, job: Job) {
        let chunk = Chunk { topology: self.source.topology, number: job.chunk };
        let lease = self.source.buffer.lease(chunk, job.mask, self.number);
        let leased = lease.as_ref().map_or(0, Lease::mask);
        if let Some(lease) = lease {
            self.push_groups(job.chunk, lease, None);
        }
        // Another feed may have evicted pages of the frame meanwhile.
        if leased != job.mask {
            self.missing.push_back(Job { mask: job.mask & !leased, ..job });
        }
    }

    fn push_groups(&mut self, chunk: u32, lease: Lease, read: Option<(Instant, Instant)>) {
        let first = chunk * self.source.buffer.frame_pages();
        let runs = PageRun::join(places(lease.mask()).map(PageId));
        let lease: Arc<dyn Leased> = Arc::new(lease);
        for run in runs.into_iter().flat_map(|run| run.pieces(self.group)) {
            let pages = PageRun { first: PageId(first + run.first.0), count: run.count };
            self.ready.push_back(PageGroup::leased(self.source.id, pages, Arc::clone(&lease), run.numbers(), read));
        }
    }

    /// Returns the first and the last page of a read.
    fn pages_of(&self, read: &Read) -> (PageId, PageId) {
        let page_size = u64::from(self.source.page_size);
        let stripes = self.source.files.len() as u64;
        let stripe = self.source.files.iter().position(|file| Arc::ptr_eq(file, &read.file)).unwrap_or(0) as u64;
        let page = |place: u64| PageId((place * stripes + stripe) as u32);
        let first = read.offset / page_size;
        let last = first + (read.buffer.len() as u64 / page_size).saturating_sub(1);
        (page(first), page(last))
    }
}

impl PageFeed for StoredFeed<'_> {
    fn next_unless(&mut self, stopped: &dyn Fn() -> bool) -> Result<Option<PageGroup>, StoreError> {
        if self.failed {
            return Ok(None);
        }
        let next = self.advance(stopped);
        self.failed = next.is_err();
        next
    }

    fn most_held(&self) -> usize {
        self.source.buffer.most_frames().saturating_sub(self.source.depth()).max(1)
    }
}

impl Drop for StoredFeed<'_> {
    fn drop(&mut self) {
        if let Some(queue) = self.queue.take() {
            self.source.keep(queue);
        }
    }
}

/// Groups the pages of runs by chunk, in the order of the runs.
fn jobs(runs: &[PageRun], chunk: u32) -> Vec<Job> {
    let mut jobs: Vec<Job> = Vec::new();
    for run in runs {
        for number in run.numbers() {
            let job = Job { chunk: number / chunk, mask: 1 << (number % chunk) };
            match jobs.last_mut() {
                Some(last) if last.chunk == job.chunk => last.mask |= job.mask,
                _ => jobs.push(job),
            }
        }
    }
    jobs
}

/// Groups the positions of a chunk's pages by read. The chunk begins at page `first`. The pages of each read are
/// consecutive in one of `stripes` files.
fn reads(first: u32, mask: u64, stripes: u32) -> Vec<Vec<u32>> {
    let mut reads: Vec<Vec<u32>> = Vec::new();
    // The index of the last read of each file.
    let mut open: HashMap<u32, usize> = HashMap::new();
    for place in places(mask) {
        let stripe = (first + place) % stripes;
        match open.get(&stripe).map(|&index| &mut reads[index]) {
            Some(read) if read.last().is_some_and(|last| last + stripes == place) => read.push(place),
            _ => {
                open.insert(stripe, reads.len());
                reads.push(vec![place]);
            }
        }
    }
    reads
}
