//! Sources from which pages are read.

use super::feed::ResidentFeed;
use super::{AlignedBytes, HostMemory, PageFeed, PageRun, SourceId, StoreError};
use crate::vertex::PageId;
use std::sync::Arc;

/// A source of pages. Pages are identified by their numbers.
pub trait PageSource: Send + Sync {
    /// Reads `count` pages, starting with `first`, into the beginning of `buffer`.
    fn read(&self, first: PageId, count: u32, buffer: &mut [u8]) -> Result<(), StoreError>;

    /// Returns all pages if they are in memory. Page j begins at offset j times the page size, and the first byte is
    /// aligned to [`PAGE_ALIGNMENT`](super::PAGE_ALIGNMENT).
    fn resident(&self) -> Option<&[u8]>;

    /// Returns the memory regions of the pages that stay in memory. The regions do not move during the lifetime of the
    /// source.
    fn held(&self) -> Vec<&[u8]>;

    /// Creates a feed of the given runs of distinct pages, in groups of at most `group` bytes or one page, whichever is
    /// larger. Consecutive runs are joined.
    fn feed(&self, runs: &[PageRun], group: usize) -> Result<Box<dyn PageFeed + '_>, StoreError>;

    /// Sets the allocator for page buffers, beginning with the next feed. Has no effect if all pages are in memory.
    fn use_host_memory(&self, memory: &Arc<dyn HostMemory>);

    /// Returns the host memory, in bytes, that pages currently use. If pages stay in their files, this is the size of
    /// the buffer through which they are loaded. The topologies of a graph may share this buffer.
    fn host_bytes(&self) -> u64;
}

/// A source of pages that are all in memory.
pub(crate) struct PagesInMemory {
    id: SourceId,
    bytes: Arc<AlignedBytes>,
    page_size: usize,
}

impl PagesInMemory {
    /// Creates a source from consecutive pages of `page_size` bytes.
    pub(crate) fn new(bytes: AlignedBytes, page_size: usize) -> Self {
        Self { id: SourceId::new(), bytes: Arc::new(bytes), page_size }
    }

    /// Returns the identity of this source.
    pub(crate) fn id(&self) -> SourceId {
        self.id
    }

    /// Returns the bytes of a page; `None` if the page does not exist.
    #[inline]
    pub(crate) fn page(&self, page: PageId) -> Option<&[u8]> {
        let start = page.0 as usize * self.page_size;
        self.bytes.as_slice().get(start..start + self.page_size)
    }

    /// Checks that the pages exist and fit in `buffer` bytes.
    fn check(&self, run: PageRun, buffer: usize) -> Result<(), StoreError> {
        let pages = (self.bytes.len() / self.page_size) as u64;
        let fits =
            u64::from(run.first.0) + u64::from(run.count) <= pages && run.count as usize <= buffer / self.page_size;
        let PageRun { first, count } = run;
        fits.then_some(()).ok_or(StoreError::PageRange { first, count, pages, buffer: buffer as u64 })
    }
}

impl PageSource for PagesInMemory {
    fn read(&self, first: PageId, count: u32, buffer: &mut [u8]) -> Result<(), StoreError> {
        self.check(PageRun { first, count }, buffer.len())?;
        let start = first.0 as usize * self.page_size;
        let len = count as usize * self.page_size;
        buffer[..len].copy_from_slice(&self.bytes.as_slice()[start..start + len]);
        Ok(())
    }

    fn resident(&self) -> Option<&[u8]> {
        Some(self.bytes.as_slice())
    }

    fn held(&self) -> Vec<&[u8]> {
        vec![self.bytes.as_slice()]
    }

    fn feed(&self, runs: &[PageRun], group: usize) -> Result<Box<dyn PageFeed + '_>, StoreError> {
        for &run in runs {
            self.check(run, usize::MAX)?;
        }
        Ok(Box::new(ResidentFeed::new(self.id, &self.bytes, self.page_size, runs, group)))
    }

    fn use_host_memory(&self, _: &Arc<dyn HostMemory>) {}

    fn host_bytes(&self) -> u64 {
        self.bytes.len() as u64
    }
}
