//! The pages of one direction.

use super::source::PagesInMemory;
use super::{
    AlignedBytes, Imbalance, PageError, PageFormat, PageGroup, PageRun, PageSource, PageView, Rvt, SourceId, StoreError,
};
use crate::parallel::*;
use crate::vertex::{PageId, Vertex};
use std::fmt;
use std::sync::Arc;

/// Minimum number of pages per task if only the lengths of lists are read.
const PAGES_AT_ONCE: usize = 64;

/// The pages of one direction of a graph, with their RVT.
pub struct Topology {
    format: PageFormat,
    rvt: Arc<Rvt>,
    imbalance: Imbalance,
    num_edges: u64,
    pages: TopologyPages,
}

/// The pages of a topology. Pages in memory and pages in groups have been verified.
enum TopologyPages {
    Resident(PagesInMemory),
    Loaded(Box<dyn LoadedPages>),
}

/// Pages that are loaded from files: either on demand into memory that they never leave, or through a buffer.
pub(crate) trait LoadedPages: PageSource {
    /// Returns the identity of the pages.
    fn id(&self) -> SourceId;

    /// Returns whether pages stay in memory once they are loaded.
    fn stay(&self) -> bool;

    /// Returns the number of pages that are permanently in memory.
    fn count_in_memory(&self) -> u32;

    /// Returns the bytes of a page that stays in memory.
    fn page(&self, page: PageId) -> Option<&[u8]>;

    /// If pages stay in memory, reads and checks the pages of `runs` that are not in memory yet. Calls `done` with the
    /// size in bytes of each loaded piece.
    fn load(&self, runs: &[PageRun], done: &(dyn Fn(usize) + Sync)) -> Result<(), StoreError>;

    /// Copies pages without using the buffer; `None` if pages stay in memory.
    fn copied(&self, run: PageRun) -> Result<Option<PageGroup>, StoreError>;
}

impl Topology {
    /// Creates a topology from pages that this crate has just written or verified.
    pub(crate) fn trusted(
        format: PageFormat,
        (rvt, imbalance): (impl Into<Arc<Rvt>>, Imbalance),
        num_edges: u64,
        bytes: AlignedBytes,
    ) -> Self {
        let pages = TopologyPages::Resident(PagesInMemory::new(bytes, format.page_size() as usize));
        Self { format, rvt: rvt.into(), imbalance, num_edges, pages }
    }

    /// Creates a topology whose pages are loaded from files.
    pub(crate) fn loaded(
        format: PageFormat,
        (rvt, imbalance): (Arc<Rvt>, Imbalance),
        num_edges: u64,
        pages: impl LoadedPages + 'static,
    ) -> Self {
        Self { format, rvt, imbalance, num_edges, pages: TopologyPages::Loaded(Box::new(pages)) }
    }

    /// Checks the structure of every page. Returns the error for the first page that is invalid or not in memory. If
    /// `ends` is given, the neighbours in each page must belong to this set.
    #[cfg(test)]
    pub(crate) fn check(&self, ends: Option<&super::Ends>) -> Result<(), (PageId, PageError)> {
        let wrong = (0..self.num_pages()).map(PageId).find_map(|page| {
            let checked = match self.page_bytes(page) {
                Some(bytes) => PageView::validated(&self.format, &self.rvt, page, bytes, ends).map(drop),
                None => Err(PageError::Length { found: 0 }),
            };
            checked.err().map(|error| (page, error))
        });
        wrong.map_or_else(|| self.check_total(), Err)
    }

    /// Checks that the pages in memory contain the declared number of edges. All of these pages must be valid.
    pub(crate) fn check_total(&self) -> Result<(), (PageId, PageError)> {
        let entries = |page| self.page(PageId(page)).map_or(0, |page| u64::from(page.num_entries()));
        let found: u64 = (0..self.num_pages()).into_par_iter().map(entries).sum();
        if found != self.num_edges {
            let page = PageId(self.num_pages().saturating_sub(1));
            return Err((page, PageError::TotalEntries { found, expected: self.num_edges }));
        }
        Ok(())
    }

    /// Returns the format of the pages.
    pub fn format(&self) -> &PageFormat {
        &self.format
    }

    /// Returns the RVT.
    pub fn rvt(&self) -> &Rvt {
        &self.rvt
    }

    /// Returns the imbalance of each page's lists when lanes share them.
    pub fn imbalance(&self) -> &Imbalance {
        &self.imbalance
    }

    /// Returns the number of pages.
    pub fn num_pages(&self) -> u32 {
        self.rvt.num_pages()
    }

    /// Returns the number of edges in all pages.
    pub fn num_edges(&self) -> u64 {
        self.num_edges
    }

    /// Returns the number of vertices.
    pub fn num_vertices(&self) -> u64 {
        self.rvt.num_vertices()
    }

    /// Returns the small pages, which contain whole lists, in ascending order.
    pub fn small_pages(&self) -> &[PageId] {
        self.rvt.small_pages()
    }

    /// Returns the large pages, each with a part of a single vertex's list, in ascending order.
    pub fn large_pages(&self) -> &[PageId] {
        self.rvt.large_pages()
    }

    /// Returns the page where a vertex's list begins; `None` if the vertex does not exist.
    pub fn first_page_of(&self, vertex: Vertex) -> Option<PageId> {
        self.rvt.first_page_of(vertex)
    }

    /// Iterates over the pages of a vertex's list.
    pub fn pages_of(&self, vertex: Vertex) -> impl ExactSizeIterator<Item = PageId> + use<> {
        self.rvt.pages_of(vertex)
    }

    /// Returns the number of the first edge of each page. Edges are numbered in page order: by source, then by position
    /// in the source's list. `degrees` contains the lengths of the lists.
    pub fn first_edges(&self, degrees: &[u32]) -> Vec<u64> {
        let full = self.format.large_page_edges();
        let entries_of = |page: PageId| {
            let vertices = self.rvt.vertices(page);
            let lists = &degrees[vertices.start as usize..vertices.end as usize];
            let listed = || lists.iter().map(|&degree| u64::from(degree)).sum::<u64>();
            match self.rvt.lp_range(page) {
                0 => listed(),
                // This is the last page of a large vertex.
                1 => listed().saturating_sub(1) % full + 1,
                _ => full,
            }
        };
        let pages = (0..self.num_pages()).into_par_iter().with_min_len(PAGES_AT_ONCE);
        let entries: Vec<u64> = pages.map(|page| entries_of(PageId(page))).collect();
        entries.into_iter().scan(0, |next, entries| Some(std::mem::replace(next, *next + entries))).collect()
    }

    /// Returns the source from which pages are read.
    pub fn source(&self) -> &dyn PageSource {
        match &self.pages {
            TopologyPages::Resident(pages) => pages,
            TopologyPages::Loaded(pages) => pages.as_ref(),
        }
    }

    /// Returns whether pages stay in memory: all pages from the start, or each page once it is
    /// [loaded](Topology::load). Otherwise, pages stay in their files and are loaded through a buffer.
    pub fn is_resident(&self) -> bool {
        match &self.pages {
            TopologyPages::Resident(_) => true,
            TopologyPages::Loaded(pages) => pages.stay(),
        }
    }

    /// Returns the number of pages that are permanently in memory; 0 if the pages stay in their files.
    pub fn pages_in_memory(&self) -> u32 {
        match &self.pages {
            TopologyPages::Resident(_) => self.num_pages(),
            TopologyPages::Loaded(pages) => pages.count_in_memory(),
        }
    }

    /// Reads the pages of `runs` that are not yet in memory. Returns `false` if the pages stay in their files.
    ///
    /// # Errors
    ///
    /// Fails if pages cannot be read, are invalid or do not exist, or if there is too little memory.
    pub fn load(&self, runs: &[PageRun]) -> Result<bool, StoreError> {
        self.load_telling(runs, &|_| ())
    }

    /// Reads all pages that are not yet in memory. Returns `false` if the pages stay in their files.
    ///
    /// # Errors
    ///
    /// Fails as [`Topology::load`] does.
    pub fn load_all(&self) -> Result<bool, StoreError> {
        self.load(&[PageRun::of(0..self.num_pages())])
    }

    /// Reads pages as [`Topology::load`] does, and reports progress: `done` receives the size in bytes of each loaded
    /// piece.
    ///
    /// # Errors
    ///
    /// Fails as [`Topology::load`] does.
    pub fn load_telling(&self, runs: &[PageRun], done: &(dyn Fn(usize) + Sync)) -> Result<bool, StoreError> {
        match &self.pages {
            TopologyPages::Resident(_) => Ok(true),
            TopologyPages::Loaded(pages) if pages.stay() => pages.load(runs, done).map(|()| true),
            TopologyPages::Loaded(_) => Ok(false),
        }
    }

    /// Returns the total size of all pages in bytes.
    pub fn bytes(&self) -> u64 {
        u64::from(self.num_pages()) * u64::from(self.format.page_size())
    }

    /// Returns a view for visiting a page. Returns `None` if the page does not exist or is not in memory. Pages that
    /// are not in memory can be loaded with [`Topology::load`], or read in groups with [`PageSource::feed`] and
    /// [`Topology::pages_in`].
    #[inline]
    pub fn page(&self, page: PageId) -> Option<PageView<'_>> {
        let bytes = self.page_bytes(page)?;
        Some(PageView::trusted(&self.format, &self.rvt, page, bytes))
    }

    /// Returns views for visiting the pages of a group. The group must be from a feed of this topology's source;
    /// otherwise, there are no views.
    #[inline]
    pub fn pages_in<'a>(
        &'a self,
        group: &'a PageGroup,
    ) -> impl ExactSizeIterator<Item = (PageId, PageView<'a>)> + Clone {
        let id = match &self.pages {
            TopologyPages::Resident(pages) => pages.id(),
            TopologyPages::Loaded(pages) => pages.id(),
        };
        // Groups contain verified pages, but pages of another source may not fit this RVT.
        let bytes = if group.source() == id { group.bytes() } else { &[] };
        let pages = bytes.chunks_exact(self.format.page_size() as usize).enumerate();
        let first = group.run().first.0;
        pages.map(move |(place, bytes)| {
            let page = PageId(first + place as u32);
            (page, PageView::trusted(&self.format, &self.rvt, page, bytes))
        })
    }

    /// Copies pages that stay in their files, without using the shared buffer. Returns `None` if the pages do not stay
    /// in their files.
    pub(crate) fn copied(&self, run: PageRun) -> Result<Option<PageGroup>, StoreError> {
        match &self.pages {
            TopologyPages::Resident(_) => Ok(None),
            TopologyPages::Loaded(pages) => pages.copied(run),
        }
    }

    #[inline]
    fn page_bytes(&self, page: PageId) -> Option<&[u8]> {
        match &self.pages {
            TopologyPages::Resident(pages) => pages.page(page),
            TopologyPages::Loaded(pages) => pages.page(page),
        }
    }
}

impl fmt::Debug for Topology {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Topology")
            .field("format", &self.format)
            .field("pages", &self.num_pages())
            .field("edges", &self.num_edges)
            .finish_non_exhaustive()
    }
}
