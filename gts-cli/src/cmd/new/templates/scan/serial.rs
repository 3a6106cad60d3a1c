//! The serial version. It shares no code with the kernels.

use gts_graph::algorithm::{Answer, Arguments, Verdict};
use gts_graph::prelude::*;

/// Compares an answer with a loop over all edges for each edge of the walks.
pub(crate) fn check(graph: &Graph, arguments: &Arguments, answer: &Answer) -> Result<Verdict> {
    let mut walks = vec![1_u64; graph.num_vertices() as usize];
    for _ in 0..arguments.integer("length")? {
        let mut longer = vec![0; walks.len()];
        for edge in graph.edges() {
            let (src, dst) = edge?;
            longer[dst.index()] += walks[src.index()];
        }
        walks = longer;
    }
    Ok(answer.compared(graph, "walks", &walks))
}
