//! The vertex that searches start from.

use gts_runtime::algorithm::{Arguments, Parameter};
use gts_runtime::prelude::*;
use std::cmp::Reverse;

/// `--source`.
pub(crate) const SOURCE: Parameter = Parameter::vertex("source", "Vertex to start from, by its original ID")
    .otherwise("the vertex with the most out-edges");

/// The vertex given with `--source`, else the one with the most out-edges, of several the one with the smallest ID.
pub(crate) fn source(graph: &Graph, arguments: &Arguments) -> Result<Vertex> {
    if let Some(given) = arguments.vertex(graph, "source")? {
        return Ok(given);
    }
    let vertices = graph.ids().in_original_order().map(Vertex::from_dense);
    let hub = vertices.min_by_key(|vertex| Reverse(graph.out_degree(*vertex)));
    hub.ok_or_else(|| Error::argument("--source", "the graph has no vertices to start from"))
}
