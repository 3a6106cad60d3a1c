//! Pages that stay in the files of a store and are loaded through the host buffer.

mod buffer;
mod check;
mod feed;
mod frames;
mod recency;
#[cfg(test)]
mod tests;

pub(crate) use buffer::HostBuffer;
pub(crate) use check::PageChecks;

use super::NoticeCallback;
use super::StoreError;
use super::io::Io;
use super::reads::{DirectFile, ReadNotice, ReadQueue};
use crate::graph::PageId;
use crate::page::{
    AlignedBytes, HostMemory, LoadedPages, PageFeed, PageGroup, PageRun, PageSource, PlainMemory, SourceId,
};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, Once, PoisonError};
use std::time::Duration;

/// Maximum number of bytes per frame, and thus per read. Reads of this size keep a disk busy.
const FRAME: usize = 4 << 20;
/// Maximum number of pages per frame, with one bit per page.
const FRAME_PAGES: usize = 64;
/// Minimum number of frames into which a budget is divided, if there are enough pages.
const FRAMES: usize = 32;
/// Minimum number of frames for streaming: one is filled while another is used.
const LEAST_FRAMES: usize = 2;
/// Maximum number of frames that are read concurrently.
const DEPTH: usize = 32;

/// Creates the host buffer of a store: `budget` bytes for topologies with the given numbers of pages. Returns `None` if
/// the budget is too small for streaming.
pub(crate) fn host_buffer(page_size: u32, budget: u64, pages: &[u32]) -> Option<Arc<HostBuffer>> {
    let page_size = page_size as usize;
    let room = usize::try_from(budget).unwrap_or(usize::MAX) / page_size;
    if room < LEAST_FRAMES {
        return None;
    }
    let most = (FRAME / page_size).clamp(1, FRAME_PAGES);
    let frame = 1 << (room / FRAMES).clamp(1, most).ilog2();
    let chunks: Vec<u32> = pages.iter().map(|pages| pages.div_ceil(frame as u32)).collect();
    // More frames than the number of chunks, or than the minimum for streaming, are useless.
    let useful = chunks.iter().map(|&chunks| chunks as usize).sum::<usize>().max(LEAST_FRAMES);
    let frames = (room / frame).min(useful);
    Some(Arc::new(HostBuffer::new(page_size, frame as u32, frames, chunks, Arc::new(PlainMemory))))
}

/// Returns the minimum budget for streaming pages of `page_size` bytes.
pub(crate) fn least_budget(page_size: u32) -> u64 {
    LEAST_FRAMES as u64 * u64::from(page_size)
}

/// The pages of one topology that stay in files.
pub(crate) struct StoredPages {
    pub(crate) page_size: u32,
    pub(crate) count: u32,
    /// The files. Page j is in file j mod N, at position j div N.
    pub(crate) files: Vec<Arc<DirectFile>>,
    pub(crate) checks: PageChecks,
    pub(crate) buffer: Arc<HostBuffer>,
    /// The index of this topology in the buffer.
    pub(crate) topology: usize,
    pub(crate) id: SourceId,
    pub(crate) io: Arc<dyn Io>,
    pub(crate) notices: Arc<Notices>,
    /// The maximum time during which no read of pages completes.
    pub(crate) stall_limit: Duration,
    /// An idle queue that the next feed may use, without reads in progress.
    pub(crate) spare: Mutex<Option<Box<dyn ReadQueue>>>,
}

/// Reports each cause of slow reads once per store.
pub(crate) struct Notices {
    callback: Option<NoticeCallback>,
    queue: Once,
    file: Once,
}

impl Notices {
    pub(crate) fn new(callback: Option<NoticeCallback>) -> Self {
        Self { callback, queue: Once::new(), file: Once::new() }
    }

    pub(crate) fn tell(&self, notice: &ReadNotice) {
        let once = match notice {
            ReadNotice::NoUring { .. } => &self.queue,
            ReadNotice::NoDirect { .. } => &self.file,
        };
        if let Some(callback) = &self.callback {
            once.call_once(|| callback(notice));
        }
    }
}

impl StoredPages {
    /// Returns the file of a page.
    fn file(&self, page: PageId) -> &Arc<DirectFile> {
        &self.files[page.0 as usize % self.files.len()]
    }

    /// Returns the offset of a page in its file.
    fn offset(&self, page: PageId) -> u64 {
        u64::from(page.0) / self.files.len() as u64 * u64::from(self.page_size)
    }

    fn path(&self, page: PageId) -> PathBuf {
        self.file(page).path().to_owned()
    }

    /// Returns the number of frames that a feed reads concurrently.
    fn depth(&self) -> usize {
        (self.buffer.most_frames() / 4).clamp(1, DEPTH)
    }

    /// Returns a queue for a feed: the spare queue, or a new one.
    fn queue(&self) -> Result<Box<dyn ReadQueue>, StoreError> {
        let spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(queue) = spare {
            return Ok(queue);
        }
        // A frame of striped pages requires one read per file.
        let depth = self.depth() * self.files.len().max(2);
        self.io.read_queue(depth).map_err(|source| {
            let path = self.files.first().map_or_else(PathBuf::new, |file| file.path().to_owned());
            StoreError::Io { action: "begin to read", path, source }
        })
    }

    /// Stores a queue for the next feed if the queue has no reads in progress.
    fn keep(&self, queue: Box<dyn ReadQueue>) {
        if queue.under_way() == 0 {
            *self.spare.lock().unwrap_or_else(PoisonError::into_inner) = Some(queue);
        }
    }

    fn check_run(&self, run: PageRun, buffer: u64) -> Result<(), StoreError> {
        let PageRun { first, count } = run;
        let fits = u64::from(first.0) + u64::from(count) <= u64::from(self.count)
            && u64::from(count) <= buffer / u64::from(self.page_size);
        let pages = u64::from(self.count);
        fits.then_some(()).ok_or(StoreError::PageRange { first, count, pages, buffer })
    }
}

impl LoadedPages for StoredPages {
    fn id(&self) -> SourceId {
        self.id
    }

    fn stay(&self) -> bool {
        false
    }

    fn count_in_memory(&self) -> u32 {
        0
    }

    fn page(&self, _page: PageId) -> Option<&[u8]> {
        None
    }

    fn load(&self, _runs: &[PageRun], _done: &(dyn Fn(usize) + Sync)) -> Result<(), StoreError> {
        Ok(())
    }

    fn copied(&self, run: PageRun) -> Result<Option<PageGroup>, StoreError> {
        self.check_run(run, u64::MAX)?;
        let bytes = u64::from(run.count) * u64::from(self.page_size);
        let copy = usize::try_from(bytes).ok().and_then(AlignedBytes::zeroed);
        let mut copy = copy.ok_or_else(|| StoreError::Memory { path: self.path(run.first), bytes })?;
        self.read(run.first, run.count, copy.as_mut_slice())?;
        Ok(Some(PageGroup::owned(self.id, run, copy)))
    }
}

impl PageSource for StoredPages {
    fn read(&self, first: PageId, count: u32, buffer: &mut [u8]) -> Result<(), StoreError> {
        let run = PageRun { first, count };
        self.check_run(run, buffer.len() as u64)?;
        let page_size = self.page_size as usize;
        let mut feed = self.feed(&[run], FRAME)?;
        while let Some(group) = feed.next()? {
            let start = (group.run().first.0 - first.0) as usize * page_size;
            buffer[start..start + group.bytes().len()].copy_from_slice(group.bytes());
        }
        Ok(())
    }

    fn resident(&self) -> Option<&[u8]> {
        None
    }

    fn held(&self) -> Vec<&[u8]> {
        Vec::new()
    }

    fn feed(&self, runs: &[PageRun], group: usize) -> Result<Box<dyn PageFeed + '_>, StoreError> {
        for &run in runs {
            self.check_run(run, u64::MAX)?;
        }
        Ok(Box::new(feed::StoredFeed::new(self, runs, group)?))
    }

    fn use_host_memory(&self, memory: &Arc<dyn HostMemory>) {
        self.buffer.use_memory(memory);
        // The spare queue would retain the memory that was registered with it.
        *self.spare.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    fn host_bytes(&self) -> u64 {
        self.buffer.bytes()
    }
}
