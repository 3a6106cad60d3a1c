//! Feeds pages from a source to a device.

use super::{AlignedBytes, StoreError};
use crate::vertex::PageId;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// A run of consecutive pages in a topology.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PageRun {
    /// The first page of the run.
    pub first: PageId,
    /// The number of pages in the run.
    pub count: u32,
}

impl PageRun {
    /// Creates a run from a range of page numbers.
    pub fn of(pages: Range<u32>) -> Self {
        Self { first: PageId(pages.start), count: pages.end.saturating_sub(pages.start) }
    }

    /// Returns the numbers of the pages.
    pub fn numbers(self) -> Range<u32> {
        self.first.0..self.first.0.saturating_add(self.count)
    }

    /// Iterates over the pages in ascending order.
    pub fn pages(self) -> impl ExactSizeIterator<Item = PageId> + DoubleEndedIterator {
        self.numbers().map(PageId)
    }

    /// Joins consecutive pages into runs.
    pub fn join(pages: impl IntoIterator<Item = PageId>) -> Vec<Self> {
        let mut runs = Vec::new();
        for page in pages {
            Self::push(&mut runs, Self { first: page, count: 1 });
        }
        runs
    }

    /// Appends a run, or extends the last run if the two are consecutive.
    pub fn push(runs: &mut Vec<Self>, run: Self) {
        match runs.last_mut() {
            _ if run.count == 0 => {}
            Some(last) if last.first.0.checked_add(last.count) == Some(run.first.0) => last.count += run.count,
            _ => runs.push(run),
        }
    }

    /// Splits the run into runs of at most `pages` pages.
    pub fn pieces(self, pages: u32) -> impl Iterator<Item = Self> {
        let numbers = self.numbers();
        let end = numbers.end;
        numbers
            .step_by(pages.max(1) as usize)
            .map(move |first| Self::of(first..end.min(first.saturating_add(pages.max(1)))))
    }
}

impl fmt::Display for PageRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} pages from {} on", self.count, self.first)
    }
}

/// The identity of a page source, unique within the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SourceId(u64);

impl SourceId {
    /// Creates an identity that differs from all others.
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// A lease on pages in the host buffer. The pages stay in the buffer until the lease is dropped.
pub(crate) trait Leased: Send + Sync {
    /// Returns the bytes of the pages at these consecutive positions in their frame.
    ///
    /// # Panics
    ///
    /// Panics if the lease does not cover all of these pages.
    fn pages(&self, places: Range<u32>) -> &[u8];
}

/// A run of pages in host memory. The pages stay in memory until the group is dropped.
pub struct PageGroup {
    source: SourceId,
    run: PageRun,
    bytes: GroupBytes,
    read: Option<(Instant, Instant)>,
}

/// The memory that contains a group's pages.
enum GroupBytes {
    /// Memory that is not reused while the group exists: a range of all resident pages, or of a copy of pages.
    Resident(Arc<AlignedBytes>, Range<usize>),
    /// Pages in a frame of the host buffer, as a range of positions in the frame.
    Leased(Arc<dyn Leased>, Range<u32>),
}

impl PageGroup {
    /// Creates a group of pages in the host buffer.
    pub(crate) fn leased(
        source: SourceId,
        run: PageRun,
        lease: Arc<dyn Leased>,
        places: Range<u32>,
        read: Option<(Instant, Instant)>,
    ) -> Self {
        Self { source, run, bytes: GroupBytes::Leased(lease, places), read }
    }

    /// Creates a group of pages that always stay in memory.
    pub(crate) fn resident(source: SourceId, run: PageRun, all: Arc<AlignedBytes>, range: Range<usize>) -> Self {
        Self { source, run, bytes: GroupBytes::Resident(all, range), read: None }
    }

    /// Creates a group of pages in memory that only the group uses.
    pub(crate) fn owned(source: SourceId, run: PageRun, bytes: AlignedBytes) -> Self {
        let all = 0..bytes.len();
        Self { source, run, bytes: GroupBytes::Resident(Arc::new(bytes), all), read: None }
    }

    /// Returns the identity of the pages' source.
    pub(crate) fn source(&self) -> SourceId {
        self.source
    }

    /// Returns the run of pages in the group.
    pub fn run(&self) -> PageRun {
        self.run
    }

    /// Returns the bytes of the pages, in order and without gaps. The bytes are aligned to the page size or
    /// [`super::PAGE_ALIGNMENT`], whichever is smaller.
    pub fn bytes(&self) -> &[u8] {
        match &self.bytes {
            GroupBytes::Resident(all, range) => &all.as_slice()[range.clone()],
            GroupBytes::Leased(lease, places) => lease.pages(places.clone()),
        }
    }

    /// Returns the start time and the end time of the read from storage, if the group's feed has read the pages.
    pub fn read(&self) -> Option<(Instant, Instant)> {
        self.read
    }
}

impl fmt::Debug for PageGroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PageGroup").field("run", &self.run).field("read", &self.read).finish_non_exhaustive()
    }
}

/// Delivers requested pages in host memory, each page exactly once. Pages that are already in memory are delivered
/// first, and the remaining pages in the order in which reads complete. An error ends the feed.
///
/// All feeds of a stored graph share the graph's buffer, and wait until the buffer has room. To avoid deadlocks, a
/// caller must not hold groups while it waits for a feed, for a thread that may wait for a feed, or for a later call. A
/// caller may request a group while it holds other groups if threads that request no groups release the held groups. A
/// caller that cannot predict its next call, such as an iterator, must not leave a feed open between calls.
pub trait PageFeed: Send {
    /// Returns the next group, or `None` after the last. Waits for storage and for room in the buffer.
    fn next(&mut self) -> Result<Option<PageGroup>, StoreError> {
        self.next_unless(&|| false)
    }

    /// Returns the next group as [`PageFeed::next`] does, but stops waiting and fails with [`StoreError::Stopped`] soon
    /// after `stopped` returns `true`.
    fn next_unless(&mut self, stopped: &dyn Fn() -> bool) -> Result<Option<PageGroup>, StoreError>;

    /// Returns the maximum number of this feed's groups that a caller can hold. If the caller holds this number of
    /// groups, `next` may wait until one of them is dropped, even if the graph has no other feed.
    fn most_held(&self) -> usize;
}

/// A feed of pages that are all in memory. The pages are not copied.
pub(crate) struct ResidentFeed {
    source: SourceId,
    all: Arc<AlignedBytes>,
    page_size: usize,
    /// Maximum number of pages per group.
    pages: u32,
    /// The remaining runs in reverse order: the next run is last.
    runs: Vec<PageRun>,
}

impl ResidentFeed {
    /// Creates a feed for runs of pages in `all`. A group has at most `group` bytes or one page, whichever is larger.
    pub(crate) fn new(
        source: SourceId,
        all: &Arc<AlignedBytes>,
        page_size: usize,
        runs: &[PageRun],
        group: usize,
    ) -> Self {
        let mut joined = Vec::with_capacity(runs.len());
        runs.iter().for_each(|&run| PageRun::push(&mut joined, run));
        joined.reverse();
        let pages = u32::try_from(group / page_size).unwrap_or(u32::MAX).max(1);
        Self { source, all: Arc::clone(all), page_size, pages, runs: joined }
    }
}

impl PageFeed for ResidentFeed {
    fn next_unless(&mut self, _: &dyn Fn() -> bool) -> Result<Option<PageGroup>, StoreError> {
        let Some(run) = self.runs.pop() else { return Ok(None) };
        let count = run.count.min(self.pages);
        if count < run.count {
            self.runs.push(PageRun { first: PageId(run.first.0 + count), count: run.count - count });
        }
        let start = run.first.0 as usize * self.page_size;
        let range = start..start + count as usize * self.page_size;
        let run = PageRun { first: run.first, count };
        Ok(Some(PageGroup::resident(self.source, run, Arc::clone(&self.all), range)))
    }

    fn most_held(&self) -> usize {
        usize::MAX
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn pages_join_to_runs() {
        let runs = PageRun::join([0, 1, 2, 5, 7, 8].map(PageId));
        assert_eq!(runs, [PageRun::of(0..3), PageRun::of(5..6), PageRun::of(7..9)]);
        assert_eq!(runs[0].pieces(2).collect::<Vec<_>>(), [PageRun::of(0..2), PageRun::of(2..3)]);
        assert_eq!(PageRun::of(3..3).pieces(0).count(), 0);
    }

    proptest! {
        #[test]
        fn a_resident_feed_gives_each_page_once_in_place(
            wanted in proptest::collection::vec(any::<bool>(), 1..60),
            group in 0usize..5000,
        ) {
            const PAGE: usize = 256;
            let mut all = AlignedBytes::zeroed(wanted.len() * PAGE).unwrap();
            for (number, page) in all.as_mut_slice().chunks_mut(PAGE).enumerate() {
                page.fill(number as u8);
            }
            let all = Arc::new(all);
            let pages: Vec<_> = (0..).map(PageId).zip(&wanted).filter(|(_, wanted)| **wanted).map(|(page, _)| page).collect();
            let mut feed = ResidentFeed::new(SourceId::new(), &all, PAGE, &PageRun::join(pages.iter().copied()), group);
            let mut found = Vec::new();
            let mut groups = Vec::new();
            while let Some(given) = feed.next().unwrap() {
                prop_assert!(given.run().count == 1 || given.bytes().len() <= group);
                prop_assert_eq!(given.bytes().len(), given.run().count as usize * PAGE);
                prop_assert_eq!(given.bytes().as_ptr(), all.as_slice()[given.run().first.0 as usize * PAGE..].as_ptr());
                found.extend(given.run().pages());
                groups.push(given);
            }
            prop_assert_eq!(found, pages);
            drop((feed, all));
            for given in groups {
                for (page, bytes) in given.run().pages().zip(given.bytes().chunks(PAGE)) {
                    prop_assert!(bytes.iter().all(|&byte| byte == page.0 as u8));
                }
            }
        }
    }
}
