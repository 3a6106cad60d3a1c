//! Degrees: the number of edges that leave and enter each vertex, and the number of vertices by degree.
//!
//! One pass over the vertices, whose degrees are stored in the graph. The distribution is counted in ranges of powers
//! of two: the tail of a scale-free graph falls by a constant factor per range (A.-L. Barabási, R. Albert, Science 286,
//! 1999).

use gts_graph::algorithm::{
    Algorithm, AlgorithmKind, Answer, Arguments, Definition, Outline, Output, Scalar, Summary, vertex_kernel,
};
use gts_graph::contract::ScalarType;
use gts_graph::core::summaries;
use gts_graph::prelude::*;
use gts_graph::register;

/// Degrees, and their distribution.
#[gts_attributes]
pub struct Degrees {
    /// Edges that leave the vertex.
    #[wa(init = 0, merge = sum)]
    pub leaving: u32,
    /// Edges that enter the vertex.
    #[wa(init = 0, merge = sum)]
    pub entering: u32,
    /// Vertices without leaving edges, with 1, with 2 to 3, with 4 to 7 and so on.
    #[global(merge = sum)]
    pub by_leaving: [u64; 34],
    /// The same by entering edges.
    #[global(merge = sum)]
    pub by_entering: [u64; 34],
}

#[gts_kernel(vertex)]
fn look_up(degrees: &mut Degrees, v: Vertex) {
    degrees.leaving[v] = v.out_degree() as u32;
    degrees.entering[v] = v.in_degree() as u32;
    degrees.by_leaving[64 - v.out_degree().leading_zeros()] += 1;
    degrees.by_entering[64 - v.in_degree().leading_zeros()] += 1;
}

/// Degrees of all vertices, in the order of the original IDs, and their distribution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Distribution {
    /// Edges that leave each vertex.
    pub leaving: Vec<u32>,
    /// Edges that enter each vertex.
    pub entering: Vec<u32>,
    /// Vertices without leaving edges, with 1, with 2 to 3, with 4 to 7 and so on.
    pub by_leaving: Vec<u64>,
    /// The same by entering edges.
    pub by_entering: Vec<u64>,
}

/// Returns the degrees of all vertices and their distribution.
///
/// # Errors
///
/// As for [`Run::apply`].
///
/// # Examples
///
/// ```
/// use gts_algorithms::degree_distribution::degree_distribution;
/// use gts_graph::prelude::*;
///
/// let graph = Graph::from_edges([(0, 1), (0, 2), (1, 2)]).expect("sound edges");
/// let found = degree_distribution(&mut Engine::cpu()?.start(&graph)?)?;
/// assert_eq!(found.leaving, [2, 1, 0]);
/// assert_eq!(found.by_leaving[..4], [1, 1, 1, 0]);
/// # Ok::<(), Error>(())
/// ```
pub fn degree_distribution(run: &mut Run<Degrees>) -> Result<Distribution> {
    run.apply(look_up)?;
    Ok(Distribution {
        by_leaving: run.global(Degrees::BY_LEAVING)?.to_vec(),
        by_entering: run.global(Degrees::BY_ENTERING)?.to_vec(),
        leaving: run.take(Degrees::LEAVING)?,
        entering: run.take(Degrees::ENTERING)?,
    })
}

fn run(engine: &Engine, graph: &Graph, _: &Arguments) -> Result<Answer> {
    let found = degree_distribution(&mut engine.start(graph)?)?;
    let largest = |degrees: &[u32]| Scalar::Unsigned(summaries::largest(degrees).unwrap_or(0).into());
    Ok(Answer::new()
        .scalar("sinks", Scalar::Unsigned(found.by_leaving[0]))
        .scalar("sources", Scalar::Unsigned(found.by_entering[0]))
        .scalar("largest_out", largest(&found.leaving))
        .scalar("largest_in", largest(&found.entering))
        .vertices("out_degree", found.leaving)
        .vertices("in_degree", found.entering))
}

register! {
    Algorithm::new("degree-distribution", "How many edges leave and enter each vertex", run)
        .kind(AlgorithmKind::Measures)
        .help("Parallel edges and self-loops count each.")
        .source("A.-L. Barabasi, R. Albert: Emergence of scaling in random networks. Science 286, 1999")
        .definition(
            Definition::forward(
                "`out_degree(v)` and `in_degree(v)` are the numbers of edges that leave and enter `v`.",
            )
            .counting_both(),
        )
        .outputs(&[
            Output::vertices("out_degree", &[ScalarType::U32], "Edges that leave the vertex").summary(Summary::Histogram),
            Output::vertices("in_degree", &[ScalarType::U32], "Edges that enter the vertex").summary(Summary::Histogram),
            Output::scalar("sinks", "Vertices that no edge leaves"),
            Output::scalar("sources", "Vertices that no edge enters"),
            Output::scalar("largest_out", "Largest number of edges that leave a vertex"),
            Output::scalar("largest_in", "Largest number of edges that enter a vertex"),
        ])
        .kernels(&[vertex_kernel(look_up)])
        .outline(|_, _| Ok(Outline::repeat(1, [vertex_kernel(look_up)])))
        .check(crate::check::degree_distribution)
}
