//! Breadth-first levels, computed with a queue.

use crate::data::PlainGraph;
use std::collections::VecDeque;

/// Returns the number of arcs on a shortest path from `source` to each vertex, or `None` if there is no path.
pub fn levels(graph: &PlainGraph, source: usize) -> Vec<Option<u32>> {
    let offsets = graph.offsets();
    let mut levels = vec![None; graph.len()];
    levels[source] = Some(0);
    let mut queue = VecDeque::from([(source, 0)]);
    while let Some((vertex, level)) = queue.pop_front() {
        for arc in &graph.arcs[offsets[vertex]..offsets[vertex + 1]] {
            let place = &mut levels[arc.dst as usize];
            if place.is_none() {
                *place = Some(level + 1);
                queue.push_back((arc.dst as usize, level + 1));
            }
        }
    }
    levels
}
