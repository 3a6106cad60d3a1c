//! Exact eccentricity of given vertices: the hops to the farthest vertex that each reaches.
//!
//! A search from each vertex, 64 at once ([`searches`]). The exact radius and diameter require all vertices, which is
//! too slow for a large graph.

use crate::searches::{SEARCHES, Searches, arrive, extend, searches};
use crate::source::{self, SOURCES};
use gts_graph::algorithm::{
    Algorithm, AlgorithmKind, Answer, Arguments, Definition, Outline, Output, Scalar, Start, Summary, edge_kernel,
    vertex_kernel,
};
use gts_graph::contract::{ScalarType, Side};
use gts_graph::prelude::*;
use gts_graph::register;

/// Returns the eccentricity of each of these vertices, in the order of `vertices`; 0 for one that reaches no other.
///
/// # Errors
///
/// As for [`Run::advance`].
///
/// # Examples
///
/// ```
/// use gts_algorithms::eccentricity::eccentricity;
/// use gts_graph::prelude::*;
///
/// let graph = Graph::from_edges([(0, 1), (1, 2), (0, 2)]).expect("sound edges");
/// assert_eq!(eccentricity(&mut Engine::cpu()?.start(&graph)?, &[graph.vertex(0)?, graph.vertex(2)?])?, [1, 0]);
/// # Ok::<(), Error>(())
/// ```
pub fn eccentricity(run: &mut Run<Searches>, vertices: &[Vertex]) -> Result<Vec<u32>> {
    Ok(memory::collected(
        "eccentricities",
        searches(run, vertices, Side::Out)?.into_iter().map(|reach| reach.farthest),
    )?)
}

fn run(engine: &Engine, graph: &Graph, arguments: &Arguments) -> Result<Answer> {
    let sources = source::sources(graph, arguments)?;
    let found = eccentricity(&mut engine.start(graph)?, &sources)?;
    let [smallest, largest] = [found.iter().min(), found.iter().max()].map(|value| value.copied().unwrap_or(0));
    Ok(Answer::new()
        .vertices("eccentricity", source::at_vertices(graph, &sources, &found, u32::MAX)?)
        .scalar("smallest", Scalar::Unsigned(smallest.into()))
        .scalar("largest", Scalar::Unsigned(largest.into())))
}

register! {
    Algorithm::new("eccentricity", "Exact eccentricity of given vertices", run)
        .kind(AlgorithmKind::Measures)
        .help("Hops to the farthest vertex that is reached along edges forward. Every vertex takes a search, 64 of them at \
               once: give one, or sample some. With all vertices, smallest and largest are radius and diameter.")
        .source("F. Harary: Graph theory, 1969; searches at once as in M. Then et al.: The more the merrier, PVLDB 8, 2014")
        .definition(
            Definition::forward(
                "`eccentricity(s)` is the largest `hops(s, v)` over the vertices `v` that `s` reaches.",
            )
            .except(
                "Vertices that are not reached do not count.",
            ),
        )
        .parameters(&SOURCES)
        .outputs(&[
            Output::vertices("eccentricity", &[ScalarType::U32], "Hops to the farthest vertex that is reached")
                .unreached("the vertex was not asked for")
                .summary(Summary::Histogram),
            Output::scalar("smallest", "Smallest eccentricity of those asked for"),
            Output::scalar("largest", "Largest eccentricity of those asked for"),
        ])
        .kernels(&[edge_kernel(extend), vertex_kernel(arrive)])
        .outline(|arguments, graph| {
            let searches = source::searches(arguments, graph, SEARCHES)?;
            Ok(Outline::while_active(Start::One, [edge_kernel(extend), vertex_kernel(arrive)]).searches(searches))
        })
        .check(crate::check::eccentricity)
}
