//! The serial version. It shares no code with the kernels.

use gts_graph::algorithm::{Answer, Arguments, Verdict};
use gts_graph::prelude::*;
use std::collections::VecDeque;

// ANCHOR: serial
/// Compares an answer with a breadth-first search that uses a queue.
pub(crate) fn check(
    graph: &Graph,
    arguments: &Arguments,
    answer: &Answer,
) -> Result<Verdict> {
    let source = super::source(graph, arguments)?;
    let mut level = vec![u32::MAX; graph.num_vertices() as usize];
    let mut queue = VecDeque::from([source]);
    level[source.index()] = 0;
    while let Some(vertex) = queue.pop_front() {
        for neighbor in graph.neighbors(vertex) {
            let neighbor = neighbor?;
            if level[neighbor.index()] == u32::MAX {
                level[neighbor.index()] = level[vertex.index()] + 1;
                queue.push_back(neighbor);
            }
        }
    }
    Ok(answer.compared(graph, "level", &level))
}
// ANCHOR_END: serial
