//! SALSA: hubs and authorities by a random walk along an edge and back along another, in turn.
//!
//! Each vertex divides its score evenly over its edges (R. Lempel, S. Moran, 2001), so scores of a kind sum to 1 and
//! tightly knit groups do not take it all, as they do in [`hits`](crate::hits). Hubs may be restricted to a circle of
//! vertices, as in [`who_to_follow`](crate::who_to_follow). Each iteration takes two scans.

pub use crate::hits::Scores;
use crate::source::ITERATIONS;
use gts_graph::algorithm::{
    Algorithm, AlgorithmKind, Answer, Arguments, Definition, GraphFacts, Outline, Output, edge_kernel, vertex_kernel,
};
use gts_graph::contract::ScalarType;
use gts_graph::core::summaries;
use gts_graph::prelude::*;
use gts_graph::register;

/// Scores of the two kinds.
#[gts_attributes]
pub struct Salsa {
    /// Whether the vertex may be a hub.
    #[wa(init = true, merge = and)]
    pub member: bool,
    /// Edges from members.
    #[wa(init = 0, merge = sum)]
    pub followers: u32,
    /// Score as one who points.
    #[wa(init = 0.0, merge = sum)]
    pub hub: f64,
    /// Score as one who is pointed to.
    #[wa(init = 0.0, merge = sum)]
    pub authority: f64,
    /// Members with out-edges.
    #[global(merge = sum)]
    pub hubs: u64,
}

#[gts_kernel(vertex)]
pub(crate) fn begin(salsa: &mut Salsa, v: Vertex) {
    if salsa.member[v] && v.out_degree() > 0 {
        salsa.hub[v] = 1.0;
        salsa.hubs += 1;
    }
}

#[gts_kernel(scan)]
pub(crate) fn follow(salsa: &mut Salsa, src: Vertex, dst: Vertex) {
    if salsa.member[src] {
        salsa.followers[dst] += 1;
    }
}

#[gts_kernel(scan)]
pub(crate) fn forward(salsa: &mut Salsa, src: Vertex, dst: Vertex) {
    if salsa.member[src] {
        salsa.authority[dst] += salsa.hub[src] / src.out_degree() as f64;
    }
}

#[gts_kernel(scan(in))]
pub(crate) fn backward(salsa: &mut Salsa, src: Vertex, dst: Vertex) {
    if salsa.member[dst] {
        salsa.hub[dst] += salsa.authority[src] / salsa.followers[src] as f64;
    }
}

/// Returns the scores after `iterations` iterations, which begin with equal hubs. The scores of a kind sum to 1, or are
/// 0 if no member has an out-edge. Set [`Salsa::MEMBER`] before to restrict the hubs.
///
/// # Errors
///
/// As for [`Run::scan`]: the graph must have in-edges, or be symmetric.
///
/// # Examples
///
/// ```
/// use gts_algorithms::salsa::salsa;
/// use gts_graph::prelude::*;
///
/// let graph = Graph::builder().edges([(0, 2), (0, 3), (1, 3)]).in_edges(true).build().expect("sound edges");
/// let scores = salsa(&mut Engine::cpu()?.start(&graph)?, 100)?;
/// assert!((scores.authorities[3] - 2.0 / 3.0).abs() < 1e-9);
/// # Ok::<(), Error>(())
/// ```
pub fn salsa(run: &mut Run<Salsa>, iterations: u64) -> Result<Scores> {
    run.apply(begin)?;
    let hubs = run.global(Salsa::HUBS)?.max(1) as f64;
    run.scan(follow)?;
    for _ in 0..iterations {
        run.fill(Salsa::AUTHORITY, 0.0)?;
        run.scan(forward)?;
        run.fill(Salsa::HUB, 0.0)?;
        run.scan(backward)?;
    }
    let mut scores = Scores { hubs: run.take(Salsa::HUB)?, authorities: run.take(Salsa::AUTHORITY)? };
    for scores in [&mut scores.hubs, &mut scores.authorities] {
        summaries::change(scores, |score| *score /= hubs);
    }
    Ok(scores)
}

fn run(engine: &Engine, graph: &Graph, arguments: &Arguments) -> Result<Answer> {
    let scores = salsa(&mut engine.start(graph)?, arguments.integer("iterations")?)?;
    Ok(Answer::new().vertices("authority", scores.authorities).vertices("hub", scores.hubs))
}

fn outline(arguments: &Arguments, _: &GraphFacts) -> Result<Outline> {
    let each = Outline::repeat(arguments.integer("iterations")?, [edge_kernel(forward), edge_kernel(backward)]);
    Ok(each.after([vertex_kernel(begin), edge_kernel(follow)]))
}

register! {
    Algorithm::new("salsa", "Hubs and authorities by a random walk", run)
        .kind(AlgorithmKind::Centrality)
        .help("The walk goes along an edge and back along another in turn. Scores of each kind sum to 1; iterations begin \
               with equal hubs.")
        .source("R. Lempel, S. Moran: SALSA, the stochastic approach for link-structure analysis. ACM TOIS 19, 2001")
        .definition(
            Definition::forward(
                "`authority(v) = Σ hub(u) / out_degree(u)` and `hub(u) = Σ authority(v) / in_degree(v)`, both over \
                 the edges `u → v`. All scores of a kind sum to 1.",
            )
            .counting_both()
            .except(
                "A vertex without in-edges has authority 0, and one without out-edges has hub 0.",
            ),
        )
        .in_edges()
        .parameters(&[ITERATIONS])
        .outputs(&[
            Output::vertices("authority", &[ScalarType::F64], "Score as one who is pointed to"),
            Output::vertices("hub", &[ScalarType::F64], "Score as one who points"),
        ])
        .kernels(&[vertex_kernel(begin), edge_kernel(follow), edge_kernel(forward), edge_kernel(backward)])
        .outline(outline)
        .check(crate::check::salsa)
}
