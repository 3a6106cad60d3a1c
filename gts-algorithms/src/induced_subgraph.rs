//! The subgraph that a set of vertices induces: all edges between them.
//!
//! [`cross_edges`](crate::cross_edges) from the set to itself: one step over the edges of the set.

use crate::cross_edges::{CrossEdges, Crossing, answer, between, cross, enlist, set};
use gts_graph::algorithm::{
    Algorithm, AlgorithmKind, Answer, Arguments, Definition, Outline, Output, Parameter, edge_kernel, vertex_kernel,
};
use gts_graph::contract::ScalarType;
use gts_graph::prelude::*;
use gts_graph::register;

/// Name of the output with the edges of the subgraph.
const SUBGRAPH: &str = "subgraph";

/// Returns the edges between these vertices.
///
/// # Errors
///
/// As for [`cross_edges`](crate::cross_edges::cross_edges).
///
/// # Examples
///
/// ```
/// use gts_algorithms::induced_subgraph::induced_subgraph;
/// use gts_graph::prelude::*;
///
/// let graph = Graph::from_edges([(0, 1), (0, 2), (1, 0), (2, 3)]).expect("sound edges");
/// let found = induced_subgraph(&mut Engine::cpu()?.start(&graph)?, &[graph.vertex(0)?, graph.vertex(1)?])?;
/// assert_eq!(found.edges, [(0, 1), (1, 0)]);
/// # Ok::<(), Error>(())
/// ```
pub fn induced_subgraph(run: &mut Run<CrossEdges>, vertices: &[Vertex]) -> Result<Crossing> {
    let members = set(run.graph(), vertices)?;
    between(run, &members, &members)
}

fn run(engine: &Engine, graph: &Graph, arguments: &Arguments) -> Result<Answer> {
    let vertices = arguments.vertices(graph, "vertices")?;
    Ok(answer(SUBGRAPH, induced_subgraph(&mut engine.start(graph)?, &vertices)?))
}

register! {
    Algorithm::new("induced-subgraph", "All edges between given vertices", run)
        .kind(AlgorithmKind::Subgraphs)
        .help("`--output subgraph.el` writes the edges, without weights.")
        .source("F. Harary: Graph theory, 1969")
        .definition(
            Definition::forward(
                "The edges between the given vertices.",
            )
            .counting_both(),
        )
        .parameters(&[Parameter::vertices("vertices", "Vertices of the subgraph, by original ID")])
        .outputs(&[
            Output::vertices("out_degree", &[ScalarType::U32], "Edges of the vertex in the subgraph"),
            Output::edges(SUBGRAPH, "The edges, by original ID"),
            Output::scalar("edges", "Number of edges"),
        ])
        .kernels(&[vertex_kernel(enlist), edge_kernel(cross)])
        .outline(|_, _| Ok(Outline::traverse_from_one(edge_kernel(cross)).after([vertex_kernel(enlist)])))
        .check(crate::check::induced_subgraph)
}
