//! Cross-edges: the edges that lead from one set of vertices to another.
//!
//! One step over the edges of the first set counts those that end in the second. The lists of the vertices that have
//! some then give the edges themselves. With the same set twice, the result is the induced subgraph.

use gts_graph::algorithm::{
    Algorithm, AlgorithmKind, Answer, Arguments, Definition, Edges, Outline, Output, Parameter, Scalar, edge_kernel,
    vertex_kernel,
};
use gts_graph::contract::ScalarType;
use gts_graph::core::graph::VertexSet;
use gts_graph::core::summaries;
use gts_graph::prelude::*;
use gts_graph::register;

/// Name of the output with the edges.
const CROSSING: &str = "crossing";

/// Two sets, and what leads from one to the other.
#[gts_attributes]
pub struct CrossEdges {
    /// Whether edges may begin at the vertex.
    #[wa(init = false, merge = or)]
    pub from: bool,
    /// Whether they may end at it.
    #[wa(init = false, merge = or)]
    pub to: bool,
    /// Edges that begin at the vertex, and end in the second set.
    #[wa(init = 0, merge = sum)]
    pub crossing: u32,
}

#[gts_kernel(vertex)]
pub(crate) fn enlist(edges: &mut CrossEdges, v: Vertex) {
    if edges.from[v] {
        activate(v);
    }
}

#[gts_kernel(traverse)]
pub(crate) fn cross(edges: &mut CrossEdges, src: Vertex, dst: Vertex) {
    if edges.to[dst] {
        edges.crossing[src] += 1;
    }
}

/// Edges between two sets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Crossing {
    /// For each vertex, in the order of the original IDs, its edges to the second set; 0 outside of the first set.
    pub counts: Vec<u32>,
    /// The edges, by original ID, without their values.
    pub edges: Vec<(u64, u64)>,
}

/// Returns the edges from one set of vertices to another.
///
/// # Errors
///
/// The graph lacks one of the vertices; as for [`Run::advance`]; or pages cannot be read.
///
/// # Examples
///
/// ```
/// use gts_algorithms::cross_edges::cross_edges;
/// use gts_graph::prelude::*;
///
/// let graph = Graph::from_edges([(0, 1), (0, 2), (1, 2), (2, 0)]).expect("sound edges");
/// let [a, b, c] = [0, 1, 2].map(Vertex::from_dense);
/// let found = cross_edges(&mut Engine::cpu()?.start(&graph)?, &[a, b], &[c])?;
/// assert_eq!(found.edges, [(0, 2), (1, 2)]);
/// # Ok::<(), Error>(())
/// ```
pub fn cross_edges(run: &mut Run<CrossEdges>, from: &[Vertex], to: &[Vertex]) -> Result<Crossing> {
    let (from, to) = (set(run.graph(), from)?, set(run.graph(), to)?);
    between(run, &from, &to)
}

/// Returns the set of these vertices, or an error that names the first one that the graph lacks.
pub(crate) fn set(graph: &Graph, vertices: &[Vertex]) -> Result<VertexSet> {
    match summaries::first(vertices, |vertex| vertex.dense() >= graph.num_vertices()) {
        None => Ok(VertexSet::from_vertices(graph, vertices)?),
        Some(place) => {
            let (vertex, from_graph) = (vertices[place], "take vertices from `graph.vertex(id)` of the same graph");
            Err(Error::argument_with_advice(format_args!("{vertex:?}"), "the graph has no such vertex", from_graph))
        }
    }
}

/// Returns the edges from one set of vertices to another.
pub(crate) fn between(run: &mut Run<CrossEdges>, from: &VertexSet, to: &VertexSet) -> Result<Crossing> {
    let graph = run.graph().clone();
    run.set_by(CrossEdges::FROM, |vertex| from.contains(vertex))?;
    run.set_by(CrossEdges::TO, |vertex| to.contains(vertex))?;
    run.apply(enlist)?;
    run.advance(cross)?;
    let counts = run.take(CrossEdges::CROSSING)?;
    let sources = graph.vertices_of_ranks(|rank, _| counts[rank] > 0)?;
    let count = |src: &Vertex| graph.ids().rank(*src).map_or(0, |rank| counts[rank as usize]);
    let counted = summaries::mapped("edges of sources", &sources, count)?;
    let edges = graph.counted_edges_of::<Error>(&sources, &counted, |_, dst| to.contains(dst))?;
    Ok(Crossing { counts, edges })
}

/// Returns the answer with these edges as the output `name`.
pub(crate) fn answer(name: &'static str, found: Crossing) -> Answer {
    Answer::new()
        .scalar("edges", Scalar::Unsigned(found.edges.len() as u64))
        .vertices("out_degree", found.counts)
        .edges(Edges { name, ends: found.edges, weights: None })
}

fn run(engine: &Engine, graph: &Graph, arguments: &Arguments) -> Result<Answer> {
    let (from, to) = (arguments.vertices(graph, "from")?, arguments.vertices(graph, "to")?);
    Ok(answer(CROSSING, cross_edges(&mut engine.start(graph)?, &from, &to)?))
}

register! {
    Algorithm::new("cross-edges", "The edges that lead from one set of vertices to another", run)
        .kind(AlgorithmKind::Subgraphs)
        .help("`--output edges.el` writes them, without weights.")
        .source("M.-S. Kim, K. An, H. Park, H. Seo, J. Kim: GTS, a fast and scalable graph processing method based on \
                 streaming topology to GPUs. SIGMOD 2016")
        .definition(
            Definition::forward(
                "The edges `u → v` with `u` in the first set and `v` in the second.",
            )
            .counting_both(),
        )
        .parameters(&[
            Parameter::vertices("from", "Vertices that edges begin at, by original ID"),
            Parameter::vertices("to", "Vertices that they end at, by original ID"),
        ])
        .outputs(&[
            Output::vertices("out_degree", &[ScalarType::U32], "Edges from the vertex to the second set"),
            Output::edges(CROSSING, "The edges between the sets, by original ID"),
            Output::scalar("edges", "Number of edges"),
        ])
        .kernels(&[vertex_kernel(enlist), edge_kernel(cross)])
        .outline(|_, _| Ok(Outline::traverse_from_one(edge_kernel(cross)).after([vertex_kernel(enlist)])))
        .check(crate::check::cross_edges)
}
