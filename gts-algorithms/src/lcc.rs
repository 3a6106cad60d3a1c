//! Local clustering coefficients: the share of the possible edges between a vertex's neighbours that exist.
//!
//! As LDBC Graphalytics defines it (after D. Watts, S. Strogatz, Nature 1998): neighbours are those along edges in both
//! directions, each once. With k of them, edges between them are counted by their direction and divided by k (k - 1).
//! Vertices with fewer than two neighbours have coefficient 0. In a symmetric graph each triangle is met once and
//! counts at its three vertices; otherwise each vertex meets the out-edges of its neighbours. The cost per edge is the
//! shorter list of its ends, times a logarithm, or both lists.

use gts_graph::algorithm::{
    Algorithm, AlgorithmKind, Answer, Arguments, Definition, NetworkxCall, Outline, Output, Values, intersect_kernel,
    vertex_kernel,
};
use gts_graph::contract::ScalarType;
use gts_graph::prelude::*;
use gts_graph::register;

/// What a coefficient is made of.
#[gts_attributes]
pub struct Lcc {
    /// Neighbours along edges either way.
    #[wa(init = 0, merge = sum)]
    pub neighbours: u32,
    /// Edges between them.
    #[wa(init = 0, merge = sum)]
    pub edges: u64,
    /// The share of the edges that could be.
    #[wa(init = 0.0, merge = any)]
    pub coefficient: f64,
}

#[gts_kernel(intersect(both))]
fn find_neighbours(lcc: &mut Lcc, u: Vertex, v: Vertex) {
    lcc.neighbours[u] += 1;
}

#[gts_kernel(intersect(both))]
fn find_edges(lcc: &mut Lcc, u: Vertex, v: Vertex, w: Vertex) {
    lcc.edges[u] += 1;
}

#[gts_kernel(intersect, ordered)]
fn find_triangles(lcc: &mut Lcc, u: Vertex, v: Vertex, w: Vertex) {
    // An undirected edge between two neighbours is one each way.
    lcc.edges[u] += 2;
    lcc.edges[v] += 2;
    lcc.edges[w] += 2;
}

#[gts_kernel(vertex)]
fn divide(lcc: &mut Lcc, v: Vertex) {
    let neighbours = lcc.neighbours[v] as u64;
    if neighbours > 1 {
        lcc.coefficient[v] = lcc.edges[v] as f64 / (neighbours * (neighbours - 1)) as f64;
    }
}

/// Returns the coefficient of every vertex, in the order of the original IDs.
///
/// ```
/// use gts_algorithms::lcc::lcc;
/// use gts_graph::prelude::*;
///
/// let edges = [(1, 2), (1, 3), (1, 4), (2, 3)];
/// let graph = Graph::builder().edges(edges).symmetrise(true).build().expect("a small graph");
/// assert_eq!(lcc(&mut Engine::cpu()?.start(&graph)?)?, [1.0 / 3.0, 1.0, 1.0, 0.0]);
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
///
/// As for [`Run::intersect`]: the graph must have in-edges, or be symmetric.
pub fn lcc(run: &mut Run<Lcc>) -> Result<Vec<f64>> {
    run.fill(Lcc::NEIGHBOURS, 0)?;
    run.fill(Lcc::EDGES, 0)?;
    run.fill(Lcc::COEFFICIENT, 0.0)?;
    run.intersect(find_neighbours)?;
    if run.graph().properties().symmetric {
        run.intersect(find_triangles)?;
    } else {
        run.intersect(find_edges)?;
    }
    run.apply(divide)?;
    run.take(Lcc::COEFFICIENT)
}

fn run(engine: &Engine, graph: &Graph, _: &Arguments) -> Result<Answer> {
    Ok(Answer::new().vertices("coefficient", Values::F64(lcc(&mut engine.start(graph)?)?)))
}

register! {
    Algorithm::new("lcc", "Local clustering coefficients, as LDBC Graphalytics defines them", run)
        .kind(AlgorithmKind::Structure)
        .help("Neighbours are those along edges either way; edges between them count by their direction.")
        .source("D. J. Watts, S. H. Strogatz: Collective dynamics of small-world networks. Nature 393, 1998; semantics of \
                 LDBC Graphalytics")
        .definition(
            Definition::either(
                "`coefficient(v) = e / (k (k - 1))` for the `k` neighbours of `v`, along edges in either direction, \
                 and the `e` edges between them, each direction on its own.",
            )
            .except(
                "A vertex with fewer than two neighbours has coefficient 0.",
            )
            .networkx(&[
                NetworkxCall { graph: "Graph", flags: "", call: "nx.clustering(G)" },
            ]),
        )
        .in_edges()
        .outputs(&[Output::vertices("coefficient", &[ScalarType::F64], "Share of the edges between neighbours")])
        .kernels(&[
            intersect_kernel(find_neighbours),
            intersect_kernel(find_edges),
            intersect_kernel(find_triangles),
            vertex_kernel(divide),
        ])
        .outline(|_, graph| {
            let between = if graph.symmetric { intersect_kernel(find_triangles) } else { intersect_kernel(find_edges) };
            Ok(Outline::repeat(1, [intersect_kernel(find_neighbours), between, vertex_kernel(divide)]))
        })
        .check(crate::check::lcc)
}
