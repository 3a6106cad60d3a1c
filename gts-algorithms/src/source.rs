//! The vertices that searches start from.

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

/// The vertex given with `--source`, else so many as `--samples` says, drawn by `--seed`, else all of them.
pub(crate) fn sources(graph: &Graph, arguments: &Arguments) -> Result<Vec<Vertex>> {
    let mut vertices: Vec<_> = graph.ids().in_original_order().map(Vertex::from_dense).collect();
    match (arguments.vertex(graph, "source")?, arguments.optional_integer("samples")?) {
        (Some(_), Some(_)) => return Err(Error::argument("--samples", "give either it or `--source`")),
        (Some(source), None) => vertices = vec![source],
        (None, Some(count)) => {
            // The vertices of the smallest hashes are as good as drawn one after the other.
            let seed = arguments.integer("seed")?;
            vertices.sort_by_cached_key(|vertex| mixed(seed ^ mixed(graph.original(*vertex))));
            vertices.truncate(usize::try_from(count).unwrap_or(usize::MAX));
        }
        (None, None) => {}
    }
    Ok(vertices)
}

/// The original ID of that rank, from 0.
pub(crate) fn original_of_rank(graph: &Graph, rank: usize) -> u64 {
    graph.ids().in_original_order().nth(rank).map_or(u64::MAX, |vertex| graph.original(Vertex::from_dense(vertex)))
}

/// A number that looks random: the finisher of SplitMix64 (G. L. Steele, D. Lea, C. H. Flood, OOPSLA 2014).
fn mixed(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
