//! Edges one by one: for tests, checks and small programs.

use super::{Graph, PageId, Vertex};
use crate::page::{EdgeValue, EdgeVisitor, PageGroup, PageRun, PageView, Topology};
use crate::store::StoreError;
use rayon::prelude::*;
use std::ops::Range;
use std::vec;

/// Collects what a page is asked for.
struct Collect<V>(Vec<(u64, u64, V)>);

impl<V: EdgeValue> EdgeVisitor<V> for Collect<V> {
    type Source = ();

    fn begin(&mut self, _: Vertex) -> Option<()> {
        Some(())
    }

    fn edge(&mut self, (): (), src: Vertex, dst: Vertex, value: V) {
        self.0.push((src.dense(), dst.dense(), value));
    }
}

/// Pages that are fetched at a time where they are not in memory: enough to keep a disk busy.
const AHEAD: u32 = 16;

/// The edges of some pages, page after page; nothing after an error.
struct Edges<'a, V, F> {
    topology: &'a Topology,
    pages: Range<u32>,
    /// Pages from the present one on, where they are not in memory.
    fetched: Vec<PageGroup>,
    /// The page after those.
    fetched_to: u32,
    /// How many pages are fetched at a time, once that is known.
    ahead: Option<u32>,
    /// The edges of the present page that are left.
    edges: vec::IntoIter<(u64, u64, V)>,
    /// What of a page is asked for.
    collect: F,
}

impl<'a, V: EdgeValue, F: Fn(PageView<'_>, &mut Collect<V>)> Edges<'a, V, F> {
    fn new(topology: &'a Topology, pages: Range<u32>, collect: F) -> Self {
        let fetched_to = pages.start;
        Self { topology, pages, fetched: Vec::new(), fetched_to, ahead: None, edges: Vec::new().into_iter(), collect }
    }

    /// Collects what is asked for of a page.
    fn page(&mut self, page: PageId) -> Result<(), StoreError> {
        let mut edges = Collect(Vec::new());
        if let Some(view) = self.topology.page(page) {
            (self.collect)(view, &mut edges);
        } else {
            if page.0 >= self.fetched_to {
                self.fetch(page)?;
            }
            let mut views = self.fetched.iter().flat_map(|group| self.topology.pages_in(group));
            if let Some((_, view)) = views.find(|(number, _)| *number == page) {
                (self.collect)(view, &mut edges);
            }
        }
        self.edges = edges.0.into_iter();
        Ok(())
    }

    /// Fetches pages from this one on: as many as can be held.
    fn fetch(&mut self, first: PageId) -> Result<(), StoreError> {
        self.fetched.clear();
        let source = self.topology.source();
        let ahead = match self.ahead {
            Some(ahead) => ahead,
            None => {
                let most = source.feed(&[], 0)?.most_held();
                *self.ahead.insert(u32::try_from(most).unwrap_or(AHEAD).clamp(1, AHEAD))
            }
        };
        let count = ahead.min(self.pages.end.max(first.0 + 1) - first.0);
        let mut feed = source.feed(&[PageRun { first, count }], usize::MAX)?;
        while let Some(group) = feed.next()? {
            self.fetched.push(group);
        }
        self.fetched_to = first.0 + count;
        Ok(())
    }
}

impl<V: EdgeValue, F: Fn(PageView<'_>, &mut Collect<V>)> Iterator for Edges<'_, V, F> {
    type Item = Result<(u64, u64, V), StoreError>;

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

/// Every edge of a topology, page after page.
pub(super) fn all<V: EdgeValue>(
    topology: &Topology,
    default: V,
) -> impl Iterator<Item = Result<(u64, u64, V), StoreError>> + '_ {
    let collect = move |page: PageView<'_>, edges: &mut Collect<V>| {
        edges.0.reserve(page.num_entries() as usize);
        page.scan(0..page.num_entries(), default, edges);
    };
    Edges::new(topology, 0..topology.num_pages(), collect)
}

/// Folds the edges of pages, and joins what comes of each.
struct Fold<'f, T, F> {
    /// Present but while `fold` has it.
    present: Option<T>,
    fold: &'f F,
}

impl<V: EdgeValue, T, F: Fn(T, u64, u64, V) -> T> EdgeVisitor<V> for Fold<'_, T, F> {
    type Source = ();

    #[inline]
    fn begin(&mut self, _: Vertex) -> Option<()> {
        Some(())
    }

    #[inline]
    fn edge(&mut self, (): (), src: Vertex, dst: Vertex, value: V) {
        self.present = self.present.take().map(|present| (self.fold)(present, src.dense(), dst.dense(), value));
    }
}

/// Folds every edge of a topology by all threads, and joins what each page came to, in no order.
pub(super) fn reduce<V: EdgeValue, T: Send>(
    topology: &Topology,
    default: V,
    identity: impl Fn() -> T + Sync,
    fold: impl Fn(T, u64, u64, V) -> T + Sync,
    join: impl Fn(T, T) -> T + Sync,
) -> Result<T, StoreError> {
    let of_page = |page: PageView<'_>| {
        let mut folded = Fold { present: Some(identity()), fold: &fold };
        page.scan(0..page.num_entries(), default, &mut folded);
        folded.present.unwrap_or_else(&identity)
    };
    if topology.is_resident() {
        let pages = (0..topology.num_pages()).into_par_iter().filter_map(|page| topology.page(PageId(page)));
        return Ok(pages.map(of_page).reduce(&identity, &join));
    }
    let mut result = identity();
    let mut feed = topology.source().feed(&[PageRun::of(0..topology.num_pages())], usize::MAX)?;
    while let Some(group) = feed.next()? {
        let pages: Vec<_> = topology.pages_in(&group).map(|(_, page)| page).collect();
        result = join(result, pages.into_par_iter().map(of_page).reduce(&identity, &join));
    }
    Ok(result)
}

/// The neighbours of a vertex in a topology.
pub(super) fn neighbours(topology: &Topology, vertex: Vertex) -> impl Iterator<Item = Result<Vertex, StoreError>> + '_ {
    let pages = topology.pages_of(vertex);
    let first = topology.first_page_of(vertex).map_or(0, |page| page.0);
    let collect = move |page: PageView<'_>, edges: &mut Collect<()>| page.visit(vertex, (), edges);
    let edges = Edges::new(topology, first..first + pages.len() as u32, collect);
    edges.map(|edge| edge.map(|(_, dst, ())| Vertex::from_dense(dst)))
}

/// The value of an edge where a graph has none.
pub(super) fn no_value<V: EdgeValue>(graph: &Graph) -> Option<V> {
    (V::SCALAR.is_none() || V::SCALAR == graph.value_type()).then(|| V::from_bits(0))
}
