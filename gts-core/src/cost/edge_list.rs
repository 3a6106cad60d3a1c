//! Computes the memory for edge lists, which replace pages on a device.

use super::algorithm::AlgorithmShape;
use crate::graph::{GraphShape, TopologyShape};
use gts_contract::Side;

/// Returns the size of an edge list in bytes: two vertex numbers and a value per edge.
pub fn edge_list_bytes(edges: u64, vertex_bytes: u64, value_bytes: u64) -> u64 {
    edges * (2 * vertex_bytes + value_bytes)
}

/// Returns the total size in bytes of the edge lists for all topologies that an algorithm walks. Lists include edge
/// values if the algorithm's structs declare them.
pub(super) fn listed_bytes(graph: &GraphShape, algorithm: &AlgorithmShape, walked: &[Side]) -> u64 {
    let reads = !algorithm.edge_values.is_empty();
    let of = |topology: &TopologyShape| {
        let value = if reads { u64::from(topology.value_bytes) } else { 0 };
        edge_list_bytes(topology.edges, graph.vertex_bytes() as u64, value)
    };
    // The two sides of a symmetric graph share one topology.
    let sides = [Side::Out, Side::In].into_iter().filter(|side| walked.contains(side));
    let sides = sides.take(if graph.symmetric { 1 } else { 2 });
    sides.filter_map(|side| graph.topology(side)).map(of).sum()
}
