//! The k-truss: the largest subgraph in which every edge is in at least k - 2 triangles.
//!
//! J. Cohen's trusses (2008), with k as networkx and igraph count it: the 2-truss has all edges, the 3-truss those of
//! triangles, and a clique of k vertices is a k-truss. Every edge counts the neighbours that its ends share; those with
//! too few go, edges that shared a vertex with them count anew, and so on until none goes. The first round takes what
//! [`triangles`](crate::triangles) takes, for every direction of an edge; each later one as much in the graph of the
//! vertices around what went, a look at every edge that is left, and memory for them.

use crate::requirements;
use bytemuck::Zeroable;
use gts_runtime::algorithm::{
    Algorithm, Answer, Arguments, Edges, Outline, Output, Parameter, Scalar, Start, Value, intersect_kernel,
};
use gts_runtime::core::contract::ScalarType;
use gts_runtime::core::graph::EdgeAt;
use gts_runtime::core::summaries;
use gts_runtime::prelude::*;
use gts_runtime::register;

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

/// An edge between two vertices, taken for undirected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Zeroable)]
pub struct Supported {
    /// Its ends by original ID, the smaller one first.
    pub ends: (u64, u64),
    /// The triangles that it is in.
    pub support: u32,
}

impl Supported {
    /// Its ends as indices, where they are numbers.
    fn indices(&self) -> [usize; 2] {
        [self.ends.0 as usize, self.ends.1 as usize]
    }

    /// With original IDs in place of numbers.
    fn named(self, graph: &Graph) -> Self {
        let (src, dst) = self.ends;
        let [one, other] = [src, dst].map(|end| graph.original(Vertex::from_dense(end)));
        Self { ends: (one.min(other), one.max(other)), ..self }
    }
}

/// The triangles of every edge. Parallel edges are one edge, and edges from a vertex to itself are none.
///
/// # Errors
///
/// As for [`Run::intersect`]: the pages must be within reach of the device; or a graph that is not symmetric.
///
/// # Examples
///
/// ```
/// use gts_algorithms::k_truss::supports;
/// use gts_runtime::prelude::*;
///
/// let graph = Graph::builder().edges([(1, 2), (2, 3), (3, 1), (3, 4)]).symmetrise(true).build().expect("sound edges");
/// let supports = supports(&mut Engine::cpu()?.start(&graph)?)?;
/// assert_eq!(supports.iter().map(|edge| edge.support).collect::<Vec<_>>(), [1, 1, 1, 0]);
/// # Ok::<(), Error>(())
/// ```
pub fn supports(run: &mut Run<KTruss>) -> Result<Vec<Supported>> {
    let graph = run.graph().clone();
    let mut edges = dense_supports(run)?;
    summaries::change(&mut edges, |edge| *edge = edge.named(&graph));
    Ok(edges)
}

/// What memory is for.
const WHAT: &str = "edges of the truss";

/// The same by the vertices' numbers.
fn dense_supports(run: &mut Run<KTruss>) -> Result<Vec<Supported>> {
    let graph = run.graph().clone();
    requirements::undirected(&graph, "k-truss")?;
    run.fill_edges(KTruss::SUPPORT, 0)?;
    run.intersect(support)?;
    let supports = run.take_edges(KTruss::SUPPORT)?;
    graph.chosen_edges(WHAT, |EdgeAt { number, src, dst, repeats }| {
        // Of parallel edges, which follow each other, the first has the value.
        let ends = (src.dense(), dst.dense());
        (src < dst && !repeats).then(|| Supported { ends, support: supports[number as usize] })
    })
}

/// The edges of the k-truss, each once, ascending, by original ID with the smaller end first.
///
/// # Errors
///
/// As for [`supports`], and too little memory for the graphs on the way.
///
/// # Examples
///
/// ```
/// use gts_algorithms::k_truss::k_truss;
/// use gts_runtime::prelude::*;
///
/// let graph = Graph::builder().edges([(1, 2), (2, 3), (3, 1), (3, 4)]).symmetrise(true).build().expect("sound edges");
/// assert_eq!(k_truss(&Engine::cpu()?, &graph, 3)?, [(1, 2), (1, 3), (2, 3)]);
/// # Ok::<(), Error>(())
/// ```
pub fn k_truss(engine: &Engine, graph: &Graph, k: u32) -> Result<Vec<(u64, u64)>> {
    let least = k.saturating_sub(2);
    let mut edges = dense_supports(&mut engine.start(graph)?)?;
    loop {
        let before = edges.len();
        let torn = ends_where(graph, &edges, |edge| edge.support < least)?;
        edges.retain(|edge| edge.support >= least);
        if edges.len() == before || edges.is_empty() {
            break;
        }
        recount(engine, graph, &mut edges, &torn)?;
    }
    let mut ends = summaries::mapped(WHAT, &edges, |edge| edge.named(graph).ends)?;
    ends.sort_unstable();
    Ok(ends)
}

/// Returns for each vertex whether an edge that passes a test ends at it.
fn ends_where(graph: &Graph, edges: &[Supported], passes: impl Fn(&Supported) -> bool + Sync) -> Result<Vec<bool>> {
    let ends = |edge: &Supported| passes(edge).then_some([edge.ends.0, edge.ends.1]).into_iter().flatten();
    Ok(summaries::marked("vertices of edges", graph.num_vertices() as usize, edges, ends)?)
}

/// Counts the triangles of edges at torn vertices anew, at which edges went; no others have lost any. Edges are ascending.
fn recount(engine: &Engine, graph: &Graph, edges: &mut [Supported], torn: &[bool]) -> Result<()> {
    let is_torn = |edge: &Supported| edge.indices().into_iter().any(|end| torn[end]);
    let near = ends_where(graph, edges, is_torn)?;
    // All three edges of a triangle at a torn vertex join vertices that are near.
    let around = edges.iter().filter(|edge| edge.indices().into_iter().all(|end| near[end])).map(|edge| edge.ends);
    let graph = Graph::builder().edges(around).undirected(true).build()?;
    let counted = supports(&mut engine.start(&graph)?);
    engine.forget(&graph);
    let mut counted = counted?;
    counted.sort_unstable();
    let mut counted = counted.into_iter();
    for edge in edges.iter_mut().filter(|edge| is_torn(edge)) {
        if let Some(anew) = counted.find(|anew| anew.ends == edge.ends) {
            edge.support = anew.support;
        }
    }
    Ok(())
}

fn run(engine: &Engine, graph: &Graph, arguments: &Arguments) -> Result<Answer> {
    let k = u32::try_from(arguments.integer("k")?).unwrap_or(u32::MAX);
    let edges = k_truss(engine, graph, k)?;
    let mut degrees = memory::zeroed::<u32>("degrees", graph.num_vertices() as usize)?;
    for end in edges.iter().flat_map(|&(one, other)| [one, other]) {
        degrees[graph.vertex(end)?.index()] += 1;
    }
    let mut ends = memory::reserved(WHAT, 2 * edges.len())?;
    ends.extend(edges.iter().flat_map(|&(one, other)| [(one, other), (other, one)]));
    ends.sort_unstable();
    let degrees = graph.ids().in_original_order().map(|vertex| degrees[vertex.index()]);
    let degrees: Vec<u32> = memory::collected("degrees", degrees)?;
    Ok(Answer::new()
        .scalar("edges", Scalar::Unsigned(edges.len() as u64))
        .scalar("vertices", Scalar::Unsigned(degrees.iter().filter(|degree| **degree > 0).count() as u64))
        .vertices("degree", degrees)
        .edges(Edges { ends, weights: None }))
}

register! {
    Algorithm::new("k-truss", "The k-truss: the subgraph whose every edge is in k - 2 triangles of it", run)
        .help("Parallel edges count as one, edges from a vertex to itself not at all. `--output truss.el` writes the edges, \
               each in both directions.")
        .source("J. Cohen: Trusses: cohesive subgraphs for social network analysis. National Security Agency, 2008")
        .symmetric()
        .parameters(&[
            Parameter::integer("k", "An edge of the k-truss is in at least k - 2 of its triangles")
                .within(2, u32::MAX as u64)
                .default(Value::Integer(3)),
        ])
        .outputs(&[
            Output::vertices("degree", &[ScalarType::U32], "Neighbours of the vertex in the k-truss"),
            Output::edges("subgraph", "Its edges, each in both directions, by original ID"),
            Output::scalar("edges", "Number of edges of the k-truss, each once"),
            Output::scalar("vertices", "Number of vertices that have an edge of it"),
        ])
        .kernels(&[intersect_kernel(support)])
        // The first round; each later one is on a graph of edges around those that went.
        .outline(|_, _| Ok(Outline::while_active(Start::All, [intersect_kernel(support)])))
        .check(crate::check::k_truss)
}
