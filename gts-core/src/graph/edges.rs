//! Iterates over individual edges, for tests, checks and small programs.

use super::{Graph, PageId, Vertex};
use crate::page::{EdgeValue, EdgeVisitor, PageGroup, PageRun, PageView, Topology};
use crate::parallel::*;
use crate::store::StoreError;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};
use std::vec;

/// A visitor that collects the edges of a page.
struct Collect<V>(Vec<(Vertex, Vertex, V)>);

impl<V: EdgeValue> EdgeVisitor<V> for Collect<V> {
    type Source = ();

    fn begin(&mut self, _: Vertex) -> Option<()> {
        Some(())
    }

    fn edge(&mut self, (): (), src: Vertex, dst: Vertex, value: V) {
        self.0.push((src, dst, value));
    }
}

/// The maximum number of pages and of bytes that are copied together if pages are not in memory. Both are large enough
/// to keep a disk busy.
const AHEAD: u32 = 16;
const AHEAD_BYTES: u32 = 4 << 20;

/// An iterator over the edges of a page range, page by page. Iteration ends after an error.
struct EdgeIterator<'a, V, F> {
    topology: &'a Topology,
    pages: Range<u32>,
    /// A copy of the pages from the current one on, if pages are not in memory. The pages are copied because the caller
    /// may wait indefinitely before the next call, and pages held in the shared buffer would block other readers,
    /// including iterators on this thread.
    copy: Option<PageGroup>,
    /// The remaining edges of the current page.
    edges: vec::IntoIter<(Vertex, Vertex, V)>,
    /// Collects the requested edges of a page.
    collect: F,
}

impl<'a, V: EdgeValue, F: Fn(PageView<'_>, &mut Collect<V>)> EdgeIterator<'a, V, F> {
    fn new(topology: &'a Topology, pages: Range<u32>, collect: F) -> Self {
        Self { topology, pages, copy: None, edges: Vec::new().into_iter(), collect }
    }

    /// Loads a page and collects its requested edges.
    fn page(&mut self, page: PageId) -> Result<(), StoreError> {
        let mut edges = Collect(Vec::new());
        if self.topology.page(page).is_none() {
            self.topology.load(&[self.ahead(page)])?;
        }
        if let Some(view) = self.topology.page(page) {
            (self.collect)(view, &mut edges);
        } else {
            if self.copy.as_ref().is_none_or(|copy| !copy.run().numbers().contains(&page.0)) {
                // Free the previous copy before the next one is allocated.
                self.copy = None;
                self.copy = self.topology.copied(self.ahead(page))?;
            }
            let mut views = self.copy.iter().flat_map(|copy| self.topology.pages_in(copy));
            if let Some((_, view)) = views.find(|(number, _)| *number == page) {
                (self.collect)(view, &mut edges);
            }
        }
        if self.pages.is_empty() {
            self.copy = None;
        }
        self.edges = edges.0.into_iter();
        Ok(())
    }

    /// Returns the run of pages to copy, beginning with `first`.
    fn ahead(&self, first: PageId) -> PageRun {
        let most = (AHEAD_BYTES / self.topology.format().page_size()).clamp(1, AHEAD);
        PageRun { first, count: most.min(1 + self.pages.len() as u32) }
    }
}

impl<V: EdgeValue, F: Fn(PageView<'_>, &mut Collect<V>)> Iterator for EdgeIterator<'_, V, F> {
    type Item = Result<(Vertex, Vertex, V), StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(edge) = self.edges.next() {
                return Some(Ok(edge));
            }
            let page = PageId(self.pages.next()?);
            if let Err(error) = self.page(page) {
                self.pages = 0..0;
                return Some(Err(error));
            }
        }
    }
}

/// Iterates over all edges of a topology, page by page.
pub(super) fn all<V: EdgeValue>(
    topology: &Topology,
    default: V,
) -> impl Iterator<Item = Result<(Vertex, Vertex, V), StoreError>> + '_ {
    let collect = move |page: PageView<'_>, edges: &mut Collect<V>| {
        edges.0.reserve(page.num_entries() as usize);
        page.scan(0..page.num_entries(), default, edges);
    };
    EdgeIterator::new(topology, 0..topology.num_pages(), collect)
}

/// A visitor that folds the edges of a page into one value.
struct Fold<'f, T, F> {
    /// The current value; `None` only during a call of `fold`.
    present: Option<T>,
    fold: &'f F,
}

impl<V: EdgeValue, T, F: Fn(T, Vertex, Vertex, V) -> T> EdgeVisitor<V> for Fold<'_, T, F> {
    type Source = ();

    #[inline]
    fn begin(&mut self, _: Vertex) -> Option<()> {
        Some(())
    }

    #[inline]
    fn edge(&mut self, (): (), src: Vertex, dst: Vertex, value: V) {
        self.present = self.present.take().map(|present| (self.fold)(present, src, dst, value));
    }
}

/// Folds all edges of a topology on all threads. Results from different pages are joined in arbitrary order.
pub(super) fn reduce<V: EdgeValue, T: Send>(
    topology: &Topology,
    default: V,
    identity: impl Fn() -> T + Sync,
    fold: impl Fn(T, Vertex, Vertex, V) -> T + Sync,
    join: impl Fn(T, T) -> T + Sync,
) -> Result<T, StoreError> {
    let of_page = |page: PageView<'_>| {
        let mut folded = Fold { present: Some(identity()), fold: &fold };
        page.scan(0..page.num_entries(), default, &mut folded);
        folded.present.unwrap_or_else(&identity)
    };
    if topology.load_all()? {
        let pages = (0..topology.num_pages()).into_par_iter();
        let of_number = |page| topology.page(PageId(page)).map_or_else(&identity, of_page);
        return Ok(pages.map(of_number).reduce(&identity, &join));
    }
    // Each thread takes a group, folds it and drops it. A thread must not hold a group while it waits, or while the
    // pool may assign other work to it, because that work may need the group's memory.
    let feed = Mutex::new(topology.source().feed(&[PageRun::of(0..topology.num_pages())], usize::MAX)?);
    let next = || feed.lock().unwrap_or_else(PoisonError::into_inner).next();
    let of_thread = |_: rayon::BroadcastContext<'_>| {
        let mut result = identity();
        while let Some(group) = next()? {
            result = topology.pages_in(&group).map(|(_, page)| of_page(page)).fold(result, &join);
        }
        Ok(result)
    };
    rayon::broadcast(of_thread).into_iter().try_fold(identity(), |result, found| Ok(join(result, found?)))
}

/// Iterates over the neighbours of a vertex in a topology.
pub(super) fn neighbors(topology: &Topology, vertex: Vertex) -> impl Iterator<Item = Result<Vertex, StoreError>> + '_ {
    let pages = topology.pages_of(vertex);
    let first = topology.first_page_of(vertex).map_or(0, |page| page.0);
    let collect = move |page: PageView<'_>, edges: &mut Collect<()>| page.visit(vertex, (), edges);
    let edges = EdgeIterator::new(topology, first..first + pages.len() as u32, collect);
    edges.map(|edge| edge.map(|(_, dst, ())| dst))
}

/// Returns a placeholder value if `V` is `()` or the type of the graph's edge values; otherwise `None`.
pub(super) fn no_value<V: EdgeValue>(graph: &Graph) -> Option<V> {
    (V::SCALAR.is_none() || V::SCALAR == graph.value_type()).then(|| V::from_bits(0))
}
