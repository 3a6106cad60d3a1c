//! Generated graphs.

use gts_core::build::{self, BuildOptions, BuildSummary};
use gts_core::generate;
use gts_core::graph::{Graph, Vertex};
use std::error::Error;

/// Generates and builds the graph of a specification such as `rmat:20`.
///
/// # Errors
///
/// The specification names no generator, or the graph cannot be built.
pub(crate) fn generated(spec: &str, options: &BuildOptions) -> Result<(Graph, BuildSummary), Box<dyn Error>> {
    let mut stream = generate::parse(spec)?;
    Ok(build::build(&mut stream, options)?)
}

/// Returns an RMAT generator whose edges fill a text of `size` bytes.
///
/// # Errors
///
/// No generator of that scale exists.
pub(crate) fn rmat(scale: u32, size: u64) -> Result<generate::Generator, generate::GenerateError> {
    // An edge takes at least four bytes of text.
    let factor = ((size / 4) >> scale) + 1;
    generate::parse(&format!("rmat:{scale},edge-factor={factor}"))
}

/// Returns the vertex with the largest out-degree. Traversals start there.
pub(crate) fn hub(graph: &Graph) -> Vertex {
    let degrees = graph.out_degrees();
    let hub = (0..degrees.len()).max_by_key(|&vertex| (degrees[vertex], std::cmp::Reverse(vertex)));
    Vertex::from_dense(hub.unwrap_or(0) as u64)
}

/// Returns the number of edges out of the reached vertices: those that a traversal walks.
pub(crate) fn walked(graph: &Graph, reached: impl Fn(usize) -> bool) -> u64 {
    let degrees = graph.out_degrees().iter().enumerate();
    degrees.filter(|(vertex, _)| reached(*vertex)).map(|(_, &degree)| u64::from(degree)).sum()
}
