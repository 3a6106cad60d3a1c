//! The serial version. It shares no code with the kernels.

use gts_graph::algorithm::{Answer, Arguments, Verdict};
use gts_graph::prelude::*;

/// Compares an answer with a loop over the neighbours of each vertex.
pub(crate) fn check(graph: &Graph, _: &Arguments, answer: &Answer) -> Result<Verdict> {
    let mut count = vec![0_u32; graph.num_vertices() as usize];
    for vertex in graph.ids().in_original_order() {
        for neighbor in graph.neighbors(vertex) {
            count[vertex.index()] +=
                u32::from(graph.out_degree(neighbor?) > graph.out_degree(vertex));
        }
    }
    Ok(answer.compared(graph, "count", &count))
}
