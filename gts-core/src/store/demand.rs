//! Reads pages into memory on first use. A process that works on a part of a graph reads and verifies only that part.

use super::StoreError;
use super::resident::PageFiles;
use crate::graph::PageId;
use crate::page::{AlignedBytes, HostMemory, LoadedPages, PageFeed, PageGroup, PageRun, PageSource, SourceId};
use crate::phase::{self, Phase};
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// The pages of one direction. Each page stays in memory after its first use.
pub(super) struct DemandedPages {
    id: SourceId,
    files: PageFiles,
    places: Vec<OnceLock<Place>>,
    /// The number of pages in memory.
    held: AtomicU32,
    /// Held while pages are read, so that no page is read twice.
    reading: Mutex<()>,
    room: Arc<Room>,
}

/// The host memory that remains for pages of all directions. The limit covers the store's tables and pages.
#[derive(Debug)]
pub(super) struct Room {
    directory: PathBuf,
    limit: u64,
    /// Bytes of the tables and of all pages.
    all: u64,
    left: Mutex<u64>,
}

impl Room {
    /// Creates the budget for pages that remains after the tables have been allocated.
    pub(super) fn new(directory: &Path, limit: u64, tables: u64, all: u64) -> Self {
        Self { directory: directory.to_owned(), limit, all, left: Mutex::new(limit.saturating_sub(tables)) }
    }

    fn left(&self) -> MutexGuard<'_, u64> {
        self.left.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs an action that allocates memory for pages. Fails if too little memory remains.
    fn take<T>(&self, bytes: u64, action: impl FnOnce() -> Result<T, StoreError>) -> Result<T, StoreError> {
        {
            let mut left = self.left();
            let lacking =
                || StoreError::HostMemory { path: self.directory.clone(), budget: self.limit, least: self.all };
            *left = left.checked_sub(bytes).ok_or_else(lacking)?;
        }
        action().inspect_err(|_| *self.left() += bytes)
    }
}

/// The location of a page in memory.
#[derive(Clone)]
struct Place {
    bytes: Arc<AlignedBytes>,
    start: usize,
}

impl DemandedPages {
    /// Creates a source of `pages` pages, which are not yet in memory.
    pub(super) fn new(files: PageFiles, pages: u32, room: Arc<Room>) -> Self {
        let places = (0..pages).map(|_| OnceLock::new()).collect();
        Self { id: SourceId::new(), files, places, held: AtomicU32::new(0), reading: Mutex::new(()), room }
    }

    /// Returns the number of pages in memory.
    fn in_memory(&self) -> u32 {
        // Acquire: a thread that reads the full page count must see every page.
        self.held.load(Ordering::Acquire)
    }

    /// Returns the pages of `runs` that are not in memory, without duplicates.
    fn missing(&self, runs: &[PageRun]) -> Vec<PageRun> {
        let is_missing = |page: &PageId| self.places[page.0 as usize].get().is_none();
        let mut pages: Vec<PageId> = runs.iter().flat_map(|run| run.pages()).filter(is_missing).collect();
        pages.sort_unstable();
        pages.dedup();
        PageRun::join(pages)
    }

    /// Checks that the pages of a run exist and fit in a buffer of `buffer` bytes.
    fn check(&self, run: PageRun, buffer: usize) -> Result<(), StoreError> {
        let pages = self.places.len() as u64;
        let PageRun { first, count } = run;
        let fits = u64::from(first.0) + u64::from(count) <= pages && count as usize <= buffer / self.files.page_size();
        fits.then_some(()).ok_or(StoreError::PageRange { first, count, pages, buffer: buffer as u64 })
    }

    /// Returns the pages of `runs` in groups of at most `most` adjacent pages. All pages must be in memory.
    fn groups(&self, runs: &[PageRun], most: u32) -> VecDeque<PageGroup> {
        let page_size = self.files.page_size();
        let mut groups: VecDeque<(PageRun, Place)> = VecDeque::new();
        for page in runs.iter().flat_map(|run| run.pages()) {
            let Some(place) = self.places[page.0 as usize].get() else { continue };
            match groups.back_mut() {
                Some((run, first))
                    if run.count < most
                        && run.numbers().end == page.0
                        && Arc::ptr_eq(&first.bytes, &place.bytes)
                        && first.start + run.count as usize * page_size == place.start =>
                {
                    run.count += 1;
                }
                _ => groups.push_back((PageRun { first: page, count: 1 }, place.clone())),
            }
        }
        let group = |(run, Place { bytes, start }): (PageRun, Place)| {
            PageGroup::resident(self.id, run, bytes, start..start + run.count as usize * page_size)
        };
        groups.into_iter().map(group).collect()
    }
}

impl LoadedPages for DemandedPages {
    fn id(&self) -> SourceId {
        self.id
    }

    fn stay(&self) -> bool {
        true
    }

    fn count_in_memory(&self) -> u32 {
        self.in_memory()
    }

    #[inline]
    fn page(&self, page: PageId) -> Option<&[u8]> {
        let Place { bytes, start } = self.places.get(page.0 as usize)?.get()?;
        bytes.as_slice().get(*start..*start + self.files.page_size())
    }

    fn load(&self, runs: &[PageRun], done: &(dyn Fn(usize) + Sync)) -> Result<(), StoreError> {
        runs.iter().try_for_each(|&run| self.check(run, usize::MAX))?;
        if self.in_memory() == self.places.len() as u32 || self.missing(runs).is_empty() {
            return Ok(());
        }
        let _reading = self.reading.lock().unwrap_or_else(PoisonError::into_inner);
        let missing = self.missing(runs);
        let count = missing.iter().map(|run| u64::from(run.count)).sum();
        let bytes = self.room.take(count * self.files.page_size() as u64, || {
            let mut bytes = self.files.room(count)?;
            let count = |bytes| {
                done(bytes);
                Ok(())
            };
            let read = |shares: &_| self.files.read(&missing, bytes.as_mut_slice(), shares, &count);
            phase::shared(Phase::Read, read)?.map_or(Ok(bytes), Err)
        })?;
        let bytes = Arc::new(bytes);
        let starts = (0..).step_by(self.files.page_size());
        for (page, start) in missing.iter().flat_map(|run| run.pages()).zip(starts) {
            if self.places[page.0 as usize].set(Place { bytes: Arc::clone(&bytes), start }).is_ok() {
                self.held.fetch_add(1, Ordering::Release);
            }
        }
        Ok(())
    }

    fn copied(&self, _run: PageRun) -> Result<Option<PageGroup>, StoreError> {
        Ok(None)
    }
}

impl PageSource for DemandedPages {
    fn read(&self, first: PageId, count: u32, buffer: &mut [u8]) -> Result<(), StoreError> {
        let run = PageRun { first, count };
        self.check(run, buffer.len())?;
        self.load(&[run], &|_| ())?;
        for (page, buffer) in run.pages().zip(buffer.chunks_exact_mut(self.files.page_size())) {
            if let Some(bytes) = self.page(page) {
                buffer.copy_from_slice(bytes);
            }
        }
        Ok(())
    }

    fn resident(&self) -> Option<&[u8]> {
        None
    }

    fn held(&self) -> Vec<&[u8]> {
        let mut pieces: Vec<&AlignedBytes> =
            self.places.iter().filter_map(|place| Some(&*place.get()?.bytes)).collect();
        pieces.dedup_by_key(|bytes| std::ptr::from_ref(*bytes));
        pieces.sort_unstable_by_key(|bytes| std::ptr::from_ref(*bytes));
        pieces.dedup_by_key(|bytes| std::ptr::from_ref(*bytes));
        pieces.into_iter().map(AlignedBytes::as_slice).collect()
    }

    fn feed(&self, runs: &[PageRun], group: usize) -> Result<Box<dyn PageFeed + '_>, StoreError> {
        self.load(runs, &|_| ())?;
        let most = u32::try_from(group / self.files.page_size()).unwrap_or(u32::MAX).max(1);
        Ok(Box::new(DemandedFeed(self.groups(runs, most))))
    }

    fn use_host_memory(&self, _: &Arc<dyn HostMemory>) {}

    fn host_bytes(&self) -> u64 {
        u64::from(self.in_memory()) * self.files.page_size() as u64
    }
}

/// A feed of groups that are already in memory.
struct DemandedFeed(VecDeque<PageGroup>);

impl PageFeed for DemandedFeed {
    fn next_unless(&mut self, _: &dyn Fn() -> bool) -> Result<Option<PageGroup>, StoreError> {
        Ok(self.0.pop_front())
    }

    fn most_held(&self) -> usize {
        usize::MAX
    }
}
