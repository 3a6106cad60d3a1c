//! The k-hop neighbourhood of a vertex: the vertices that it reaches along at most k edges.
//!
//! A breadth-first search that ends after k steps, with the kernel of [`bfs`](crate::bfs). The time is proportional to
//! the edges of the vertices within k - 1 hops.

use crate::bfs::{Bfs, expand};
use crate::source::{SOURCE, source};
use gts_graph::algorithm::{
    Algorithm, AlgorithmKind, Answer, Arguments, Definition, NetworkxCall, Outline, Output, Parameter, Scalar, Summary,
    Value, edge_kernel,
};
use gts_graph::contract::ScalarType;
use gts_graph::core::summaries;
use gts_graph::prelude::*;
use gts_graph::register;

/// The parameter `--hops`.
pub(crate) const HOPS: Parameter =
    Parameter::integer("hops", "Edges to follow at most").within(0, u32::MAX as u64 - 1).default(Value::Integer(2));

/// Returns the level of every vertex within `hops` of the source, in the order of the original IDs; `u32::MAX`
/// elsewhere.
///
/// # Errors
///
/// As for [`Run::advance`].
///
/// # Examples
///
/// ```
/// use gts_algorithms::k_hop::k_hop;
/// use gts_graph::prelude::*;
///
/// let graph = Graph::from_edges([(0, 1), (1, 2), (2, 3)]).expect("sound edges");
/// assert_eq!(k_hop(&mut Engine::cpu()?.start(&graph)?, graph.vertex(0)?, 2)?, [0, 1, 2, u32::MAX]);
/// # Ok::<(), Error>(())
/// ```
pub fn k_hop(run: &mut Run<Bfs>, source: Vertex, hops: u64) -> Result<Vec<u32>> {
    search(run, source, hops)?;
    run.take(Bfs::LEVEL)
}

/// Sets the level of every vertex within `hops` of the source.
pub(crate) fn search(run: &mut Run<Bfs>, source: Vertex, hops: u64) -> Result<()> {
    run.set(Bfs::LEVEL, source, 0)?;
    run.activate(source)?;
    let mut done = 0;
    while done < hops && run.advance(expand)? > 0 {
        done += 1;
    }
    Ok(())
}

fn run(engine: &Engine, graph: &Graph, arguments: &Arguments) -> Result<Answer> {
    let levels = k_hop(&mut engine.start(graph)?, source(graph, arguments)?, arguments.integer("hops")?)?;
    let reached = summaries::count(&levels, |level| *level != u32::MAX);
    Ok(Answer::new().scalar("reached", Scalar::Unsigned(reached)).vertices("level", levels))
}

register! {
    Algorithm::new("k-hop", "What a vertex reaches along at most k edges", run)
        .kind(AlgorithmKind::Paths)
        .aliases(&["khop"])
        .help("Follows edges forward, level by level. Vertices that are farther have no level.")
        .source("E. F. Moore: The shortest path through a maze. International Symposium on the Theory of Switching, 1959")
        .definition(
            Definition::forward(
                "`level(v)` is the least number of edges from the source to `v`, if at most `k`.",
            )
            .except(
                "A vertex that is farther has no level.",
            )
            .networkx(&[
                NetworkxCall { graph: "MultiDiGraph", flags: "--source SOURCE --hops 2", call: "nx.single_source_shortest_path_length(G, SOURCE, cutoff=2)" },
            ]),
        )
        .parameters(&[SOURCE, HOPS])
        .outputs(&[
            Output::vertices("level", &[ScalarType::U32], "Hops from the source")
                .unreached("the vertex is farther, or no path leads to it")
                .summary(Summary::Histogram),
            Output::scalar("reached", "Vertices within the hops, the source included"),
        ])
        .kernels(&[edge_kernel(expand)])
        .outline(|arguments, _| Ok(Outline::repeat_at_most(arguments.integer("hops")?, [edge_kernel(expand)])))
        .check(crate::check::k_hop)
}
