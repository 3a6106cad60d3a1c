//! The memory of edge lists, which replace pages on devices.

use super::algorithm::AlgorithmShape;
use crate::graph::{GraphShape, TopologyShape};
use gts_contract::Side;

/// Returns the bytes of an edge list: a stored vertex number per end, and a value.
pub fn edge_list_bytes(edges: u64, vertex_bytes: u64, value_bytes: u64) -> u64 {
    edges * (2 * vertex_bytes + value_bytes)
}

/// Returns the bytes of the lists of all edges that an algorithm walks. A list has edge values if kernels read them.
pub(super) fn listed_bytes(graph: &GraphShape, algorithm: &AlgorithmShape, walked: &[Side]) -> u64 {
    let reads = !algorithm.edge_values.is_empty();
    let of = |topology: &TopologyShape| {
        let value = if reads { u64::from(topology.value_bytes) } else { 0 };
        edge_list_bytes(topology.edges, graph.vertex_bytes() as u64, value)
    };
    // Both sides of a symmetric graph are one topology.
    let sides = [Side::Out, Side::In].into_iter().filter(|side| walked.contains(side));
    let sides = sides.take(if graph.symmetric { 1 } else { 2 });
    sides.filter_map(|side| graph.topology(side)).map(of).sum()
}
