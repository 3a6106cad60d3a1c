//! Four programs as a reader of the book would write them, each compared with a serial version that shares no code with
//! GTS. The kernels name vertices in the shortest way.

mod dominating;
mod h_index;
mod nearest;
mod roots;

use gts_graph::prelude::*;

/// Returns the out-neighbours of each vertex, by dense number.
fn lists(graph: &Graph) -> Result<Vec<Vec<usize>>> {
    let mut lists = vec![Vec::new(); graph.num_vertices() as usize];
    for edge in graph.edges() {
        let (src, dst) = edge?;
        lists[src.index()].push(dst.index());
    }
    Ok(lists)
}

/// Returns the original ID of each vertex, by dense number.
fn originals(graph: &Graph) -> Vec<u64> {
    let id = |number| graph.ids().original(Vertex::from_dense(number)).expect("a vertex of the graph");
    (0..graph.num_vertices()).map(id).collect()
}
