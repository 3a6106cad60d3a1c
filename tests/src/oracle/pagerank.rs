//! PageRank, computed by pull in f64.

use crate::data::PlainGraph;

/// Damping factor of all references.
pub const DAMPING: f64 = 0.85;

/// Returns the ranks after `iterations` iterations, as defined by LDBC Graphalytics: the rank of vertices without
/// out-arcs is distributed evenly to all vertices.
pub fn ranks(graph: &PlainGraph, iterations: u32) -> Vec<f64> {
    let n = graph.len() as f64;
    let offsets = graph.offsets();
    let degree = |vertex: usize| (offsets[vertex + 1] - offsets[vertex]) as f64;
    let mut by_target = graph.arcs.clone();
    by_target.sort_unstable_by_key(|arc| (arc.dst, arc.src));
    let mut ranks = vec![1.0 / n; graph.len()];
    for _ in 0..iterations {
        let dangling: f64 = (0..graph.len()).filter(|&v| degree(v) == 0.0).map(|v| ranks[v]).sum();
        let mut gathered = vec![0.0; graph.len()];
        for arc in &by_target {
            gathered[arc.dst as usize] += ranks[arc.src as usize] / degree(arc.src as usize);
        }
        ranks = gathered.iter().map(|sum| (1.0 - DAMPING) / n + DAMPING * (sum + dangling / n)).collect();
    }
    ranks
}
