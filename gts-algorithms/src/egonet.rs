//! Egonet: a vertex, the vertices around it, and all edges between them.
//!
//! The vertices within some hops, one by default, are found by [`k_hop`](crate::k_hop); the subgraph that they induce
//! by [`induced_subgraph`](crate::induced_subgraph).

use crate::bfs::{Bfs, expand};
use crate::cross_edges::{Crossing, answer, between, cross, enlist};
use crate::k_hop::{HOPS, search};
use crate::source::{SOURCE, source};
use gts_graph::algorithm::{
    Algorithm, AlgorithmKind, Answer, Arguments, Definition, Outline, Output, Scalar, Value, edge_kernel, vertex_kernel,
};
use gts_graph::contract::ScalarType;
use gts_graph::core::graph::VertexSet;
use gts_graph::prelude::*;
use gts_graph::register;

/// Name of the output with the edges of the egonet.
const EGONET: &str = "egonet";

/// Returns the vertices within `hops` of one, and the edges between them.
///
/// # Errors
///
/// As for [`k_hop`](crate::k_hop::k_hop) and [`induced_subgraph`](crate::induced_subgraph::induced_subgraph).
///
/// # Examples
///
/// ```
/// use gts_algorithms::egonet::egonet;
/// use gts_graph::prelude::*;
///
/// let graph = Graph::from_edges([(0, 1), (0, 2), (1, 2), (2, 3)]).expect("sound edges");
/// let (vertices, found) = egonet(&Engine::cpu()?, &graph, graph.vertex(0)?, 1)?;
/// assert_eq!((vertices.len(), found.edges), (3, vec![(0, 1), (0, 2), (1, 2)]));
/// # Ok::<(), Error>(())
/// ```
pub fn egonet(engine: &Engine, graph: &Graph, ego: Vertex, hops: u64) -> Result<(Vec<Vertex>, Crossing)> {
    let members = {
        let mut run = engine.start(graph)?;
        search(&mut run, ego, hops)?;
        let levels = run.take_dense(Bfs::LEVEL)?;
        VertexSet::of(graph, |vertex| levels[vertex.index()] != u32::MAX)?
    };
    let vertices = graph.vertices_where(|vertex| members.contains(vertex))?;
    Ok((vertices, between(&mut engine.start(graph)?, &members, &members)?))
}

fn run(engine: &Engine, graph: &Graph, arguments: &Arguments) -> Result<Answer> {
    let (vertices, found) = egonet(engine, graph, source(graph, arguments)?, arguments.integer("hops")?)?;
    Ok(answer(EGONET, found).scalar("vertices", Scalar::Unsigned(vertices.len() as u64)))
}

register! {
    Algorithm::new("egonet", "A vertex, those around it, and all edges between them", run)
        .kind(AlgorithmKind::Subgraphs)
        .help("Follows edges forward to find who is around. `--output egonet.el` writes the edges, without weights.")
        .source("L. C. Freeman: Centered graphs and the structure of ego networks. Mathematical Social Sciences 3, 1982")
        .definition(
            Definition::forward(
                "The edges between the vertices within `k` hops of the source.",
            )
            .counting_both(),
        )
        .parameters(&[SOURCE, HOPS.default(Value::Integer(1))])
        .outputs(&[
            Output::vertices("out_degree", &[ScalarType::U32], "Edges of the vertex in the egonet"),
            Output::edges(EGONET, "The edges, by original ID"),
            Output::scalar("edges", "Number of edges"),
            Output::scalar("vertices", "Number of vertices"),
        ])
        .kernels(&[edge_kernel(expand), vertex_kernel(enlist), edge_kernel(cross)])
        .outline(|arguments, _| {
            let hops = Outline::repeat_at_most(arguments.integer("hops")?, [edge_kernel(expand)]);
            Ok(hops.after([vertex_kernel(enlist), edge_kernel(cross)]))
        })
        .check(crate::check::egonet)
}
