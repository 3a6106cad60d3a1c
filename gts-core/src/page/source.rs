//! Where the bytes of pages come from.

use super::feed::ResidentFeed;
use super::{HostMemory, PageFeed, PageRun};
use crate::graph::PageId;
use crate::memory;
use crate::store::StoreError;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Alignment of resident pages, and the unit of direct I/O.
pub const PAGE_ALIGNMENT: usize = 4096;

/// Gives pages by number.
pub trait PageSource: Send + Sync {
    /// Reads `count` pages from `first` on into the beginning of `buffer`.
    fn read(&self, first: PageId, count: u32, buffer: &mut [u8]) -> Result<(), StoreError>;

    /// All pages back to back, page j at j times the page size, where they are in memory.
    /// The first byte is aligned to [`PAGE_ALIGNMENT`].
    fn resident(&self) -> Option<&[u8]>;

    /// Returns the memory of the pages that are in memory for good, in pieces. They stay where they are as long as the source does.
    fn held(&self) -> Vec<&[u8]>;

    /// Feeds these runs, in which no page stands twice, in groups of at most `group` bytes, but of one page at least.
    /// Runs that follow one another are joined.
    fn feed(&self, runs: &[PageRun], group: usize) -> Result<Box<dyn PageFeed + '_>, StoreError>;

    /// Takes the memory of buffers for pages from here, from the next feed on; where all pages are in memory there are
    /// no such buffers, and nothing changes.
    fn use_host_memory(&self, memory: &Arc<dyn HostMemory>);

    /// Bytes of host memory that pages take now: all of them where they are in memory, else the buffer that they come
    /// through, which other topologies of the graph may share.
    fn host_bytes(&self) -> u64;
}

/// Zeroed bytes, aligned to [`PAGE_ALIGNMENT`]; many of them in huge pages, where the system has such.
pub struct AlignedBytes {
    /// More than are asked for. Memory of greater alignment would be zeroed, hence touched, at once; this is not.
    bytes: Vec<u8>,
    /// The place of the first that is aligned.
    start: usize,
    len: usize,
}

impl AlignedBytes {
    /// `len` zeros, or `None` where memory does not suffice.
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

    /// Whether there are no bytes.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The bytes.
    pub fn as_slice(&self) -> &[u8] {
        &self.bytes[self.start..self.start + self.len]
    }

    /// The bytes, to be written.
    pub fn as_mut_slice(&mut self) -> &mut [u8] {
        &mut self.bytes[self.start..self.start + self.len]
    }
}

/// Tells the pages of one source from those of every other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SourceId(u64);

impl SourceId {
    /// One that no other source has.
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
    /// Pages of this size, back to back.
    pub(crate) fn new(bytes: AlignedBytes, page_size: usize) -> Self {
        Self { id: SourceId::new(), bytes: Arc::new(bytes), page_size }
    }

    /// What tells these pages from others.
    pub(crate) fn id(&self) -> SourceId {
        self.id
    }

    /// The bytes of a page.
    #[inline]
    pub(crate) fn page(&self, page: PageId) -> Option<&[u8]> {
        let start = page.0 as usize * self.page_size;
        self.bytes.as_slice().get(start..start + self.page_size)
    }

    /// The error of pages that are not all there, or that do not fit into `buffer` bytes.
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
