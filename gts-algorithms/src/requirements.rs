//! Requirements of algorithms on their graph beyond the checks of the runtime.

use gts_graph::core::advice::Advice;
use gts_graph::prelude::*;

/// Refuses a graph with an edge in only one direction, for an algorithm on undirected edges.
///
/// # Errors
///
/// The graph is not symmetric.
pub(crate) fn undirected(graph: &Graph, algorithm: &str) -> Result<()> {
    if graph.properties().symmetric {
        return Ok(());
    }
    Err(Error::needs(
        algorithm,
        "an undirected graph, and this one has edges without their reverse",
        Advice::new("build the graph with --symmetrise", "build the graph with `symmetrise`"),
    ))
}

/// Refuses a graph for an algorithm that stores both ends of an edge in 64 bits.
///
/// # Errors
///
/// The graph has 2^32 vertices or more.
pub(crate) fn vertices_of_32_bits(graph: &Graph, algorithm: &str) -> Result<()> {
    if graph.num_vertices() <= 1 << 32 {
        return Ok(());
    }
    Err(Error::needs(algorithm, "a graph of at most 2^32 vertices", "run it on parts, such as components"))
}
