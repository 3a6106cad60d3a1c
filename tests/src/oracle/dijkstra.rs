//! Distances, computed with a heap.

use crate::data::PlainGraph;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Returns the minimum sum of weights on a path from `source` to each vertex, or infinity if there is no path.
///
/// Sums of integer weights are exact up to 2^53.
pub fn distances(graph: &PlainGraph, source: usize) -> Vec<f64> {
    let offsets = graph.offsets();
    let mut distances = vec![f64::INFINITY; graph.len()];
    distances[source] = 0.0;
    // The bits of non-negative floats have the same order as the floats.
    let mut heap = BinaryHeap::from([Reverse((0.0_f64.to_bits(), source))]);
    while let Some(Reverse((bits, vertex))) = heap.pop() {
        let distance = f64::from_bits(bits);
        if distance > distances[vertex] {
            continue;
        }
        for arc in &graph.arcs[offsets[vertex]..offsets[vertex + 1]] {
            let through = distance + arc.weight;
            let place = &mut distances[arc.dst as usize];
            if through < *place {
                *place = through;
                heap.push(Reverse((through.to_bits(), arc.dst as usize)));
            }
        }
    }
    distances
}
