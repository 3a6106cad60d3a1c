//! Sources of the bytes of pages.

use super::feed::ResidentFeed;
use super::{HostMemory, PageFeed, PageRun};
use crate::graph::PageId;
use crate::memory;
use crate::store::StoreError;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Alignment of resident pages, and the unit of direct I/O.
pub const PAGE_ALIGNMENT: usize = 4096;

/// Reads pages by number.
pub trait PageSource: Send + Sync {
    /// Reads `count` pages, beginning with `first`, into the beginning of `buffer`.
    fn read(&self, first: PageId, count: u32, buffer: &mut [u8]) -> Result<(), StoreError>;

    /// Returns all pages back to back, page j at j times the page size, if they are in memory. The first byte is
    /// aligned to [`PAGE_ALIGNMENT`].
    fn resident(&self) -> Option<&[u8]>;

    /// Returns the memory, in pieces, of the pages that stay in memory. They do not move as long as the source exists.
    fn held(&self) -> Vec<&[u8]>;

    /// Feeds these runs of distinct pages, in groups of at most `group` bytes but at least one page. Consecutive runs
    /// are joined.
    fn feed(&self, runs: &[PageRun], group: usize) -> Result<Box<dyn PageFeed + '_>, StoreError>;

    /// Sets the memory for page buffers, from the next feed on. Has no effect if all pages are in memory.
    fn use_host_memory(&self, memory: &Arc<dyn HostMemory>);

    /// Bytes of host memory that pages take now: all of them if they are in memory, otherwise the buffer used to load
    /// them, which other topologies of the graph may share.
    fn host_bytes(&self) -> u64;
}

/// Zeroed bytes, aligned to [`PAGE_ALIGNMENT`]; in huge pages if there are many and the system supports them.
pub struct AlignedBytes {
    /// More than requested. Memory of greater alignment would be zeroed, and so touched, at once; this is not.
    bytes: Vec<u8>,
    /// Index of the first aligned byte.
    start: usize,
    len: usize,
}

impl AlignedBytes {
    /// Allocates `len` zeros, or returns `None` if memory is too short.
    pub fn zeroed(len: usize) -> Option<Self> {
        let alignment = if memory::huge_pages_serve(len) { memory::HUGE_PAGE } else { PAGE_ALIGNMENT };
        let bytes: Vec<u8> = bytemuck::allocation::try_zeroed_vec(len.checked_add(alignment)?).ok()?;
        let start = bytes.as_ptr().addr().next_multiple_of(alignment) - bytes.as_ptr().addr();
        let mut bytes = Self { bytes, start, len };
        memory::prefer_huge_pages(bytes.as_mut_slice());
        Some(bytes)
    }

    /// Number of bytes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether there are no bytes.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The bytes.
    pub fn as_slice(&self) -> &[u8] {
        &self.bytes[self.start..self.start + self.len]
    }

    /// The bytes for writing.
    pub fn as_mut_slice(&mut self) -> &mut [u8] {
        &mut self.bytes[self.start..self.start + self.len]
    }
}

/// Identifies the source of pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SourceId(u64);

impl SourceId {
    /// Creates an identity that no other source has.
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// Pages in memory.
pub(crate) struct ResidentPages {
    id: SourceId,
    bytes: Arc<AlignedBytes>,
    page_size: usize,
}

impl ResidentPages {
    /// Creates a source of pages of this size, back to back.
    pub(crate) fn new(bytes: AlignedBytes, page_size: usize) -> Self {
        Self { id: SourceId::new(), bytes: Arc::new(bytes), page_size }
    }

    /// Returns the identity of these pages.
    pub(crate) fn id(&self) -> SourceId {
        self.id
    }

    /// Returns the bytes of a page.
    #[inline]
    pub(crate) fn page(&self, page: PageId) -> Option<&[u8]> {
        let start = page.0 as usize * self.page_size;
        self.bytes.as_slice().get(start..start + self.page_size)
    }

    /// Checks that the pages exist and fit into `buffer` bytes.
    fn check(&self, run: PageRun, buffer: usize) -> Result<(), StoreError> {
        let pages = (self.bytes.len() / self.page_size) as u64;
        let fits =
            u64::from(run.first.0) + u64::from(run.count) <= pages && run.count as usize <= buffer / self.page_size;
        let PageRun { first, count } = run;
        fits.then_some(()).ok_or(StoreError::PageRange { first, count, pages, buffer: buffer as u64 })
    }
}

impl PageSource for ResidentPages {
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
