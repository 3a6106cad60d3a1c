//! What algorithms ask of their graph beyond what the runtime checks.

use gts_runtime::prelude::*;

/// Refuses a graph in which an edge stands in one direction only, for an algorithm that takes edges for undirected.
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
        "build it with both directions (`--symmetrise` on import, `symmetrise` in the options)",
    ))
}
