//! The k-truss: the largest subgraph in which every edge is in at least k - 2 triangles.
//!
//! J. Cohen's trusses (2008), with k as networkx and igraph count it: the 2-truss has all edges, the 3-truss those of
//! triangles, and a clique of k vertices is a k-truss. Every edge counts the neighbours that its ends share. A round
//! removes the edges with too few and recounts those that shared a vertex with them, until none is removed. The first
//! round costs as much as [`triangles`](crate::triangles), for every direction of an edge. Each later round counts in
//! the graph of the vertices around the removed edges, and reads every remaining edge. If this graph has most of the
//! edges, the round counts all of them.

use crate::requirements;
use bytemuck::Zeroable;
use gts_graph::algorithm::{
    Algorithm, AlgorithmKind, Answer, Arguments, Definition, Edges, Outline, Output, Parameter, Scalar, Start, Value,
    intersect_kernel,
};
use gts_graph::contract::ScalarType;
use gts_graph::core::graph::EdgeAt;
use gts_graph::core::summaries;
use gts_graph::prelude::*;
use gts_graph::register;

/// Name of the output with the edges of the k-truss.
const SUBGRAPH: &str = "subgraph";

/// What an edge is in.
#[gts_attributes]
pub struct KTruss {
    /// Triangles of the edge.
    #[wa(per = edge, init = 0, merge = sum)]
    pub support: u32,
}

#[gts_kernel(intersect)]
fn support(truss: &mut KTruss, u: Vertex, v: Vertex, w: Vertex, e: Edge) {
    truss.support[e] += 1;
}

/// An undirected edge between two vertices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Zeroable)]
pub struct Supported {
    /// Its ends by original ID, the smaller one first.
    pub ends: (u64, u64),
    /// The number of triangles that contain it.
    pub support: u32,
}

/// Returns the triangles of every edge. Parallel edges are one edge, and edges from a vertex to itself do not count.
///
/// # Errors
///
/// As for [`Run::intersect`]: the device must be able to access the pages. Also if the graph is not symmetric.
///
/// # Examples
///
/// ```
/// use gts_algorithms::k_truss::supports;
/// use gts_graph::prelude::*;
///
/// let graph = Graph::builder().edges([(1, 2), (2, 3), (3, 1), (3, 4)]).symmetrise(true).build().expect("sound edges");
/// let supports = supports(&mut Engine::cpu()?.start(&graph)?)?;
/// assert_eq!(supports.iter().map(|edge| edge.support).collect::<Vec<_>>(), [1, 1, 1, 0]);
/// # Ok::<(), Error>(())
/// ```
pub fn supports(run: &mut Run<KTruss>) -> Result<Vec<Supported>> {
    let supports = stored_supports(run)?;
    let graph = run.graph();
    graph.chosen_edges(WHAT, |EdgeAt { number, src, dst, repeats }| {
        let [one, other] = [src, dst].map(|end| graph.original(end));
        let ends = (one.min(other), one.max(other));
        (src < dst && !repeats).then(|| Supported { ends, support: supports[number as usize] })
    })
}

/// Purpose of the memory, for errors.
const WHAT: &str = "edges of the truss";

/// Counts the triangles of every stored edge. The first of several parallel edges gets the count.
fn stored_supports(run: &mut Run<KTruss>) -> Result<Vec<u32>> {
    requirements::undirected(run.graph(), "k-truss")?;
    run.fill_edges(KTruss::SUPPORT, 0)?;
    run.intersect(support)?;
    run.take_edges(KTruss::SUPPORT)
}

/// Returns the edges of the k-truss, each once, ascending, by original ID with the smaller end first.
///
/// # Errors
///
/// As for [`supports`]; also if memory for the intermediate graphs is too small.
///
/// # Examples
///
/// ```
/// use gts_algorithms::k_truss::k_truss;
/// use gts_graph::prelude::*;
///
/// let graph = Graph::builder().edges([(1, 2), (2, 3), (3, 1), (3, 4)]).symmetrise(true).build().expect("sound edges");
/// assert_eq!(k_truss(&Engine::cpu()?, &graph, 3)?, [(1, 2), (1, 3), (2, 3)]);
/// # Ok::<(), Error>(())
/// ```
pub fn k_truss(engine: &Engine, graph: &Graph, k: u32) -> Result<Vec<(u64, u64)>> {
    named(&truss(engine, graph, k)?, |one, other| one < other)
}

/// Returns the edges whose ends pass a test, ascending by original ID.
fn named(graph: &Graph, passes: impl Fn(u64, u64) -> bool + Sync) -> Result<Vec<(u64, u64)>> {
    let mut edges = graph.chosen_edges::<_, Error>(WHAT, |EdgeAt { src, dst, .. }| {
        let (one, other) = (graph.original(src), graph.original(dst));
        passes(one, other).then_some((one, other))
    })?;
    summaries::sort(&mut edges);
    Ok(edges)
}

/// Returns the k-truss as a graph of all vertices.
fn truss(engine: &Engine, graph: &Graph, k: u32) -> Result<Graph> {
    requirements::undirected(graph, "k-truss")?;
    let least = k.saturating_sub(2);
    let is_first = |edge: &EdgeAt| !edge.repeats && edge.src != edge.dst;
    if least == 0 {
        return Ok(graph.subgraph(|edge| is_first(&edge))?);
    }
    let mut supports = stored_supports(&mut engine.start(graph)?)?;
    let mut present = graph.clone();
    loop {
        let stays = |edge: &EdgeAt| is_first(edge) && supports[edge.number as usize] >= least;
        let left = present.subgraph(|edge| stays(&edge))?;
        if left.num_edges() == present.num_edges() || left.num_edges() == 0 {
            return Ok(left);
        }
        let before = || present.chosen_edges(WHAT, |edge| stays(&edge).then(|| supports[edge.number as usize]));
        supports = recount(engine, &present, &left, before)?;
        present = left;
        if summaries::first(&supports, |triangles| *triangles < least).is_none() {
            return Ok(present);
        }
    }
}

/// Recounts the triangles of the edges that shared a vertex with a removed edge. No other edge has lost any. `before`
/// returns the counts from before the removal.
fn recount(
    engine: &Engine,
    present: &Graph,
    left: &Graph,
    before: impl FnOnce() -> Result<Vec<u32>>,
) -> Result<Vec<u32>> {
    let is_torn = |vertex: Vertex| present.out_degree(vertex) != left.out_degree(vertex);
    // Every edge of a triangle at a torn vertex joins two near vertices. Reading cannot fail: the pages are in memory.
    let is_near = |vertex| is_torn(vertex) || left.neighbors(vertex).flatten().any(is_torn);
    let near = left.by_vertex("vertices near others", is_near)?;
    let around = |edge: &EdgeAt| near[edge.src.index()] && near[edge.dst.index()];
    let count = |graph: &Graph| {
        let counted = engine.start(graph).and_then(|mut run| stored_supports(&mut run));
        engine.forget(graph);
        counted
    };
    let listed = |v: usize| if near[v] { u64::from(left.out_degrees()[v]) } else { 0 };
    if summaries::sum_below(near.len(), listed) > left.num_edges() / 2 {
        return count(left);
    }
    let counted = count(&left.subgraph(|edge| around(&edge))?)?;
    // Edges without a torn end keep their counts: some of their triangles may be outside this part.
    let place = |edge: &EdgeAt| if is_torn(edge.src) || is_torn(edge.dst) { edge.number } else { u64::MAX };
    let places = left.chosen_edges::<_, Error>(WHAT, |edge| around(&edge).then(|| place(&edge)))?;
    let mut supports = before()?;
    summaries::scatter(&mut supports, &places, &counted);
    Ok(supports)
}

fn run(engine: &Engine, graph: &Graph, arguments: &Arguments) -> Result<Answer> {
    let k = u32::try_from(arguments.integer("k")?).unwrap_or(u32::MAX);
    let truss = truss(engine, graph, k)?;
    let degrees: Vec<u32> = truss.in_original_order("degrees", truss.out_degrees())?;
    Ok(Answer::new()
        .scalar("edges", Scalar::Unsigned(truss.num_edges() / 2))
        .scalar("vertices", Scalar::Unsigned(summaries::count(&degrees, |degree| *degree > 0)))
        .vertices("degree", degrees)
        .edges(Edges { name: SUBGRAPH, ends: named(&truss, |_, _| true)?, weights: None }))
}

register! {
    Algorithm::new("k-truss", "The k-truss: the subgraph whose every edge is in k - 2 triangles of it", run)
        .kind(AlgorithmKind::Structure)
        .aliases(&["ktruss"])
        .help("Parallel edges count as one, edges from a vertex to itself not at all. `--output truss.el` writes the edges, \
               each in both directions.")
        .source("J. Cohen: Trusses: cohesive subgraphs for social network analysis. National Security Agency, 2008")
        .definition(
            Definition::both(
                "The largest subgraph whose every edge is in at least `k - 2` of the subgraph's triangles.",
            ),
        )
        .symmetric()
        .parameters(&[
            Parameter::integer("k", "An edge of the k-truss is in at least k - 2 of its triangles")
                .within(2, u32::MAX as u64)
                .default(Value::Integer(3)),
        ])
        .outputs(&[
            Output::vertices("degree", &[ScalarType::U32], "Neighbours of the vertex in the k-truss"),
            Output::edges(SUBGRAPH, "Its edges, each in both directions, by original ID"),
            Output::scalar("edges", "Number of edges of the k-truss, each once"),
            Output::scalar("vertices", "Number of vertices that have an edge of it"),
        ])
        .kernels(&[intersect_kernel(support)])
        // The first round; each later one uses a graph of edges around the removed ones.
        .outline(|_, _| Ok(Outline::while_active(Start::All, [intersect_kernel(support)])))
        .check(crate::check::k_truss)
}
