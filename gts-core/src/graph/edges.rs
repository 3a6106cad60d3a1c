//! Edges one by one: for tests, checks and small programs.

use super::{Graph, PageId, Vertex};
use crate::page::{EdgeValue, EdgeVisitor, PageView, Topology};
use crate::store::StoreError;
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

/// The edges of some pages, page after page; nothing after an error.
struct Edges<'a, V, F> {
    topology: &'a Topology,
    pages: Range<u32>,
    /// Those of the present page that are left.
    edges: vec::IntoIter<(u64, u64, V)>,
    /// What of a page is asked for.
    collect: F,
}

impl<V: EdgeValue, F: Fn(PageView<'_>, &mut Collect<V>)> Iterator for Edges<'_, V, F> {
    type Item = Result<(u64, u64, V), StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(edge) = self.edges.next() {
                return Some(Ok(edge));
            }
            let page = PageId(self.pages.next()?);
            let mut edges = Collect(Vec::new());
            match self.topology.with_page(page, |view| (self.collect)(view, &mut edges)) {
                Ok(()) => self.edges = edges.0.into_iter(),
                Err(error) => {
                    self.pages = 0..0;
                    return Some(Err(error));
                }
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
    Edges { topology, pages: 0..topology.num_pages(), edges: Vec::new().into_iter(), collect }
}

/// The neighbours of a vertex in a topology.
pub(super) fn neighbours(topology: &Topology, vertex: Vertex) -> impl Iterator<Item = Result<Vertex, StoreError>> + '_ {
    let pages = topology.pages_of(vertex);
    let first = topology.first_page_of(vertex).map_or(0, |page| page.0);
    let collect = move |page: PageView<'_>, edges: &mut Collect<()>| page.visit(vertex, (), edges);
    let edges = Edges { topology, pages: first..first + pages.len() as u32, edges: Vec::new().into_iter(), collect };
    edges.map(|edge| edge.map(|(_, dst, ())| Vertex::from_dense(dst)))
}

/// The value of an edge where a graph has none.
pub(super) fn no_value<V: EdgeValue>(graph: &Graph) -> Option<V> {
    (V::SCALAR.is_none() || V::SCALAR == graph.value_type()).then(|| V::from_bits(0))
}
