//! Community detection by label propagation, as LDBC Graphalytics defines it.
//!
//! Each vertex begins with its own ID as its label. In each iteration all vertices simultaneously take the most
//! frequent label of their neighbours, the smallest one in case of a tie (U. N. Raghavan, R. Albert, S. Kumara, 2007,
//! made synchronous and deterministic). A neighbour joined by edges in both directions counts twice; a vertex without
//! neighbours keeps its label. The time of an iteration is proportional to the edges.

use gts_graph::algorithm::{
    Algorithm, AlgorithmKind, Answer, Arguments, Definition, Outline, Output, Parameter, Scalar, Summary, Value,
    Values, gather_block, gather_edges,
};
use gts_graph::contract::ScalarType;
use gts_graph::core::summaries;
use gts_graph::prelude::*;
use gts_graph::register;

/// The community of each vertex.
#[gts_attributes]
pub struct Cdlp {
    /// A vertex by its place among all in the order of the original IDs, in which labels compare.
    #[wa(init = UNREACHED, merge = any)]
    pub label: VertexId,
    /// Vertices whose label the last iteration changed.
    #[global(merge = sum)]
    pub changed: u64,
}

#[gts_kernel(gather)]
fn adopt(cdlp: &mut Cdlp, v: Vertex) {
    let label = v.neighbors().mode(|dst| cdlp.label[dst]);
    if label != UNREACHED && label != cdlp.label[v] {
        cdlp.label[v] = label;
        cdlp.changed += 1;
    }
}

#[gts_kernel(gather(both))]
fn adopt_both_ways(cdlp: &mut Cdlp, v: Vertex) {
    let label = v.neighbors().mode(|dst| cdlp.label[dst]);
    if label != UNREACHED && label != cdlp.label[v] {
        cdlp.label[v] = label;
        cdlp.changed += 1;
    }
}

/// Returns the label of every vertex after `iterations` iterations, in the order of the original IDs, and the number of
/// iterations that changed a label. After an iteration without changes, later ones change nothing either.
///
/// # Errors
///
/// As for [`Run::gather`]: the graph must have in-edges, or be symmetric.
///
/// # Examples
///
/// ```
/// use gts_algorithms::cdlp::cdlp;
/// use gts_graph::prelude::*;
///
/// let edges = [(1, 2), (2, 3), (3, 1), (4, 5), (5, 6), (6, 4)];
/// let graph = Graph::builder().edges(edges).symmetrise(true).build().expect("sound edges");
/// assert_eq!(cdlp(&mut Engine::cpu()?.start(&graph)?, 10)?.0, [1, 1, 1, 4, 4, 4]);
/// # Ok::<(), Error>(())
/// ```
pub fn cdlp(run: &mut Run<Cdlp>, iterations: u64) -> Result<(Vec<u64>, u64)> {
    let (labels, done) = places(run, iterations)?;
    Ok((named(run.graph(), &labels)?, done))
}

/// As [`cdlp`], but returns a label per dense vertex, as a position in the order of the original IDs.
fn places(run: &mut Run<Cdlp>, iterations: u64) -> Result<(Vec<VertexId>, u64)> {
    let ids = run.graph().ids();
    let labels =
        run.graph().by_vertex("labels", |vertex| ids.rank(vertex).map_or(VertexId::UNREACHED, VertexId::from_bits))?;
    run.set_dense(Cdlp::LABEL, &labels)?;
    // In a symmetric graph every neighbour would count twice.
    let symmetric = run.graph().properties().symmetric;
    let mut done = 0;
    while done < iterations {
        if symmetric {
            run.gather(adopt)?
        } else {
            run.gather(adopt_both_ways)?
        }
        if run.global(Cdlp::CHANGED)? == 0 {
            break;
        }
        done += 1;
    }
    Ok((run.take_dense(Cdlp::LABEL)?, done))
}

/// Returns the labels as original IDs, in the order of the original IDs.
fn named(graph: &Graph, labels: &[VertexId]) -> Result<Vec<u64>> {
    let name = |vertex: Vertex| graph.ids().original_of_rank(labels[vertex.index()].to_bits()).unwrap_or(u64::MAX);
    Ok(graph.by_rank("labels", name)?)
}

fn run(engine: &Engine, graph: &Graph, arguments: &Arguments) -> Result<Answer> {
    let (labels, iterations) = places(&mut engine.start(graph)?, arguments.integer("iterations")?)?;
    let communities = summaries::distinct(&labels, labels.len(), |label| label.to_bits())?;
    Ok(Answer::new()
        .scalar("communities", Scalar::Unsigned(communities))
        .scalar("iterations", Scalar::Unsigned(iterations))
        .vertices("label", Values::Vertex(named(graph, &labels)?)))
}

register! {
    Algorithm::new("cdlp", "Community detection by label propagation, as LDBC Graphalytics defines it", run)
        .kind(AlgorithmKind::Structure)
        .aliases(&["lpa"])
        .help("Every vertex takes the label that most of its neighbours have, all at once, over and over. \
               An edge in each direction makes a neighbour count twice.")
        .source("U. N. Raghavan, R. Albert, S. Kumara: Near linear time algorithm to detect community structures in \
                 large-scale networks. Physical Review E 76, 2007; semantics of LDBC Graphalytics")
        .definition(
            Definition::either(
                "`label'(v)` is the most frequent `label(u)` of the neighbours `u`, and the smallest of several. At \
                 first `label(v) = v`. A neighbour counts once for each edge to or from `v`.",
            )
            .counting_both()
            .except(
                "A vertex without neighbours keeps its label.",
            ),
        )
        .parameters(&[
            Parameter::integer("iterations", "Number of iterations; fewer where none would change a label")
                .default(Value::Integer(10)),
        ])
        .in_edges()
        .outputs(&[
            Output::vertices("label", &[ScalarType::VertexId], "Community of the vertex, by the ID of a vertex")
                .summary(Summary::Groups),
            Output::scalar("communities", "Number of labels"),
            Output::scalar("iterations", "Iterations that changed a label"),
        ])
        .kernels(&[
            gather_edges(adopt),
            gather_block(adopt),
            gather_edges(adopt_both_ways),
            gather_block(adopt_both_ways),
        ])
        .outline(|arguments, graph| {
            let kernels = match graph.symmetric {
                true => [gather_edges(adopt), gather_block(adopt)],
                false => [gather_edges(adopt_both_ways), gather_block(adopt_both_ways)],
            };
            Ok(Outline::repeat_at_most(arguments.integer("iterations")?, kernels))
        })
        .check(crate::check::cdlp)
}
