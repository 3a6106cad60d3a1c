//! Edges one by one: for tests, checks and small programs.

use super::{Graph, Vertex};
use crate::page::{EdgeValue, EdgeVisitor, Topology};
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

/// Every edge of a topology, page after page.
pub(super) fn all<V: EdgeValue>(topology: &Topology, default: V) -> impl Iterator<Item = (u64, u64, V)> + '_ {
    let pages = (0..topology.num_pages()).map(super::PageId);
    pages.flat_map(move |page| -> vec::IntoIter<(u64, u64, V)> {
        let page = topology.page(page);
        let mut edges = Collect(Vec::with_capacity(page.num_entries() as usize));
        page.scan(0..page.num_entries(), default, &mut edges);
        edges.0.into_iter()
    })
}

/// The neighbours of a vertex in a topology.
pub(super) fn neighbours(topology: &Topology, vertex: Vertex) -> impl Iterator<Item = Vertex> + '_ {
    topology
        .pages_of(vertex)
        .flat_map(move |page| -> vec::IntoIter<(u64, u64, ())> {
            let mut edges = Collect(Vec::new());
            topology.page(page).visit(vertex, (), &mut edges);
            edges.0.into_iter()
        })
        .map(|(_, dst, ())| Vertex::from_dense(dst))
}

/// The value of an edge where a graph has none.
pub(super) fn no_value<V: EdgeValue>(graph: &Graph) -> Option<V> {
    (V::SCALAR.is_none() || V::SCALAR == graph.value_type()).then(|| V::from_bits(0))
}
