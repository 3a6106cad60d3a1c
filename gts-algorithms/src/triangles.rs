//! Triangles: the number of sets of three vertices that are all adjacent, of the whole graph or also of each vertex.
//!
//! Each triangle is met once, at its vertex of the smallest degree: every edge intersects the lists of its two ends,
//! and only vertices of larger degree count (the forward algorithm of T. Schank, D. Wagner, WEA 2005; Gunrock's
//! segmented intersection). The cost per edge is the shorter list times a logarithm of the longer, or both lists: at
//! most O(m^1.5 log n) steps for m edges; on the CPU, which lays edges out by degree first, O(m^1.5).

use gts_graph::algorithm::{
    Algorithm, AlgorithmKind, Answer, Arguments, Definition, NetworkxCall, Outline, Output, Parameter, Scalar,
    intersect_kernel,
};
use gts_graph::contract::ScalarType;
use gts_graph::core::summaries;
use gts_graph::prelude::*;
use gts_graph::register;

/// The number of triangles.
#[gts_attributes]
pub struct Triangles {
    /// Triangles of the whole graph.
    #[global(merge = sum)]
    pub count: u64,
}

#[gts_kernel(intersect, ordered)]
fn count(triangles: &mut Triangles, u: Vertex, v: Vertex, w: Vertex) {
    triangles.count += 1;
}

/// The number of triangles of each vertex.
#[gts_attributes]
pub struct TrianglesByVertex {
    /// Triangles that contain the vertex.
    #[wa(init = 0, merge = sum)]
    pub count: u64,
}

#[gts_kernel(intersect, ordered)]
fn count_at_ends(triangles: &mut TrianglesByVertex, u: Vertex, v: Vertex, w: Vertex) {
    triangles.count[u] += 1;
    triangles.count[v] += 1;
    triangles.count[w] += 1;
}

/// Returns the number of triangles. Parallel edges count as one, edges from a vertex to itself do not count.
///
/// ```
/// use gts_algorithms::triangles::triangles;
/// use gts_graph::prelude::*;
///
/// let square = [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)];
/// let graph = Graph::builder().edges(square).symmetrise(true).build().expect("a small graph");
/// assert_eq!(triangles(&mut Engine::cpu()?.start(&graph)?)?, 2);
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
///
/// As for [`Run::intersect`]: the graph must be symmetric.
pub fn triangles(run: &mut Run<Triangles>) -> Result<u64> {
    run.intersect(count)?;
    run.global(Triangles::COUNT)
}

/// Returns the number of triangles that contain each vertex, in the order of the original IDs. Parallel edges count as
/// one, edges from a vertex to itself do not count.
///
/// ```
/// use gts_algorithms::triangles::triangles_by_vertex;
/// use gts_graph::prelude::*;
///
/// let square = [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)];
/// let graph = Graph::builder().edges(square).symmetrise(true).build().expect("a small graph");
/// assert_eq!(triangles_by_vertex(&mut Engine::cpu()?.start(&graph)?)?, [2, 1, 2, 1]);
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
///
/// As for [`triangles`].
pub fn triangles_by_vertex(run: &mut Run<TrianglesByVertex>) -> Result<Vec<u64>> {
    run.intersect(count_at_ends)?;
    run.take(TrianglesByVertex::COUNT)
}

fn run(engine: &Engine, graph: &Graph, arguments: &Arguments) -> Result<Answer> {
    if arguments.flag("per-vertex")? {
        let counts = triangles_by_vertex(&mut engine.start(graph)?)?;
        let triangles = summaries::sum(&counts, |count| *count) / 3;
        return Ok(Answer::new().scalar("triangles", Scalar::Unsigned(triangles)).vertices("count", counts));
    }
    let triangles = triangles(&mut engine.start(graph)?)?;
    Ok(Answer::new().scalar("triangles", Scalar::Unsigned(triangles)))
}

register! {
    Algorithm::new("triangles", "Number of triangles", run)
        .kind(AlgorithmKind::Structure)
        .aliases(&["tc"])
        .help("Each triangle counts once. Parallel edges count as one, edges from a vertex to itself not at all.")
        .source("T. Schank, D. Wagner: Finding, counting and listing all triangles in large graphs, an experimental \
                 study. WEA 2005")
        .definition(
            Definition::both(
                "The number of sets of three vertices that are all neighbours of each other. With `--per-vertex`, \
                 also `count(v)`, the number of these sets that contain `v`.",
            )
            .networkx(&[
                NetworkxCall { graph: "Graph", flags: "--per-vertex", call: "nx.triangles(G)" },
            ]),
        )
        .symmetric()
        .parameters(&[Parameter::flag("per-vertex", "Also answer the number of triangles of each vertex")])
        .outputs(&[
            Output::scalar("triangles", "Number of triangles"),
            Output::vertices("count", &[ScalarType::U64], "Triangles that contain the vertex, with --per-vertex"),
        ])
        .kernels(&[intersect_kernel(count), intersect_kernel(count_at_ends)])
        .outline(|arguments, _| {
            let each = arguments.flag("per-vertex")?;
            Ok(Outline::repeat(1, [if each { intersect_kernel(count_at_ends) } else { intersect_kernel(count) }]))
        })
        .check(crate::check::triangles)
}
