//! Helpers for generated graphs.

use gts_core::build::BuildOptions;
use gts_core::graph::{Graph, Vertex};
use std::error::Error;

/// Generates the edges of a specification such as `rmat:20`, and builds a graph from them.
///
/// # Errors
///
/// Fails if the specification is malformed, or if the graph cannot be built.
pub(crate) fn generated(spec: &str, options: &BuildOptions) -> Result<Graph, Box<dyn Error>> {
    Ok(Graph::reader(spec).options(options.clone()).read()?)
}

/// Returns the specification of an RMAT graph with enough edges for a text file of `size` bytes.
pub(crate) fn rmat(scale: u32, size: u64) -> String {
    // An edge occupies at least four bytes of text.
    let factor = ((size / 4) >> scale) + 1;
    format!("rmat:{scale},edge-factor={factor}")
}

/// Returns the vertex with the largest out-degree, used as the source of traversals.
pub(crate) fn hub(graph: &Graph) -> Vertex {
    let degrees = graph.out_degrees();
    let hub = (0..degrees.len()).max_by_key(|&vertex| (degrees[vertex], std::cmp::Reverse(vertex)));
    Vertex::from_dense(hub.unwrap_or(0) as u64)
}

/// Returns the number of edges that a traversal walks: all out-edges of reached vertices.
pub(crate) fn walked(graph: &Graph, reached: impl Fn(usize) -> bool) -> u64 {
    let degrees = graph.out_degrees().iter().enumerate();
    degrees.filter(|(vertex, _)| reached(*vertex)).map(|(_, &degree)| u64::from(degree)).sum()
}
