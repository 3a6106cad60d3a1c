//! Personalised PageRank: the probability of a surfer who follows edges and sometimes restarts at one vertex.
//!
//! As [`pagerank`](crate::pagerank), except that the surfer always returns to the source, also from vertices without
//! out-edges (T. H. Haveliwala, "Topic-sensitive PageRank", WWW 2002, with a single topic page). Each iteration takes a
//! scan. By weights, ranks are the probabilities of [`random_walk_with_restart`](crate::random_walk_with_restart).

use crate::random_walk_with_restart as walk;
use crate::ranks::{Options, Ranks};
use crate::source::{ITERATIONS, SOURCE, TOLERANCE, source};
use crate::weights::{NEEDED, WEIGHTED};
use gts_graph::algorithm::{
    Algorithm, AlgorithmKind, Answer, Arguments, Definition, NetworkxCall, Outline, Output, Parameter, Scalar, Value,
    edge_kernel, vertex_kernel,
};
use gts_graph::contract::ScalarType;
use gts_graph::prelude::*;
use gts_graph::register;

/// Ranks as seen from the source.
#[gts_attributes]
pub struct PersonalisedPageRank {
    /// Rank of the last iteration, streamed beside the pages.
    #[ra(from = next)]
    pub rank: f64,
    /// Rank being gathered.
    #[wa(init = 0.0, merge = sum)]
    pub next: f64,
    /// Chance to follow an edge.
    #[param]
    pub damping: f64,
    /// Where the surfer starts again.
    #[param]
    pub source: VertexId,
    /// Chance to start again in this iteration.
    #[param]
    pub restart: f64,
    /// Rank held by vertices without out-edges.
    #[global(merge = sum)]
    pub dangling: f64,
    /// Sum of the changes of all ranks.
    #[global(merge = sum)]
    pub change: f64,
}

#[gts_kernel(scan)]
pub(crate) fn push(pr: &mut PersonalisedPageRank, src: Vertex, dst: Vertex) {
    pr.next[dst] += pr.rank[src] / src.out_degree() as f64;
}

#[gts_kernel(vertex)]
pub(crate) fn damp(pr: &mut PersonalisedPageRank, v: Vertex) {
    pr.next[v] *= pr.damping;
    if v == pr.source {
        pr.next[v] += pr.restart;
    }
    if v.out_degree() == 0 {
        pr.dangling += pr.next[v];
    }
    pr.change += (pr.next[v] - pr.rank[v]).abs();
}

/// Returns the rank of every vertex relative to `source`. Ranks sum to 1.
///
/// # Errors
///
/// As for [`Run::scan`].
///
/// # Examples
///
/// ```
/// use gts_algorithms::{pagerank::Options, personalised_pagerank::personalised_pagerank};
/// use gts_graph::prelude::*;
///
/// let graph = Graph::from_edges([(0, 1), (1, 0), (2, 0)]).expect("sound edges");
/// let options = Options { damping: 0.5, iterations: 100, tolerance: Some(1e-9) };
/// let found = personalised_pagerank(&mut Engine::cpu()?.start(&graph)?, graph.vertex(0)?, &options)?;
/// assert!((found.ranks[0] - 2.0 / 3.0).abs() < 1e-8 && found.ranks[2] == 0.0);
/// # Ok::<(), Error>(())
/// ```
pub fn personalised_pagerank(
    run: &mut Run<PersonalisedPageRank>,
    source: Vertex,
    options: &Options,
) -> Result<Ranks<f64>> {
    let mut dangling = if run.graph().out_degree(source) == 0 { 1.0 } else { 0.0 };
    let (mut iterations, mut change) = (0, None);
    run.set_param(PersonalisedPageRank::DAMPING, options.damping)?;
    run.set_param(PersonalisedPageRank::SOURCE, source.into())?;
    run.fill(PersonalisedPageRank::RANK, 0.0)?;
    run.set(PersonalisedPageRank::RANK, source, 1.0)?;
    while iterations < options.iterations && (change.is_none() || options.tolerance.is_none_or(|t| change > Some(t))) {
        run.scan(push)?;
        run.set_param(PersonalisedPageRank::RESTART, 1.0 - options.damping + options.damping * dangling)?;
        run.apply(damp)?;
        dangling = run.global(PersonalisedPageRank::DANGLING)?;
        change = Some(run.global(PersonalisedPageRank::CHANGE)?);
        run.rotate(PersonalisedPageRank::RANK)?;
        iterations += 1;
    }
    Ok(Ranks { ranks: run.take(PersonalisedPageRank::RANK)?, iterations, change })
}

fn run(engine: &Engine, graph: &Graph, arguments: &Arguments) -> Result<Answer> {
    let options = Options {
        damping: arguments.real("damping")?,
        iterations: arguments.integer("iterations")?,
        tolerance: arguments.optional_real("tolerance")?,
    };
    let source = source(graph, arguments)?;
    let found = match arguments.flag("weighted")? {
        true => walk::by_weights(engine, graph, Some(source), &options),
        false => personalised_pagerank(&mut engine.start(graph)?, source, &options),
    }?;
    Ok(Answer::new()
        .vertices("rank", found.ranks)
        .scalar("iterations", Scalar::Unsigned(found.iterations))
        .scalar("change", Scalar::Real(found.change.unwrap_or(0.0))))
}

register! {
    Algorithm::new("personalised-pagerank", "PageRank as seen from one vertex", run)
        .kind(AlgorithmKind::Centrality)
        .aliases(&["ppr"])
        .help("The surfer starts again at the source, and returns to it from vertices without out-edges. Ranks sum to 1.")
        .source("T. H. Haveliwala: Topic-sensitive PageRank. WWW 2002")
        .definition(
            Definition::forward(
                "`rank'(v) = d Σ rank(u) / out_degree(u)` over the edges `u → v`. With `--weighted`, the terms are \
                 `rank(u) weight(e) / weight(u)`, where `weight(u)` is the sum of the weights of all edges from `u`. \
                 The source gets `1 - d + d D` in addition.",
            )
            .counting_both()
            .except(
                "`D` is the sum of the ranks of vertices without out-edges, or without weights on them, which \
                 returns to the source.",
            )
            .networkx(&[
                NetworkxCall { graph: "MultiDiGraph", flags: "--source SOURCE --iterations 1000 --tolerance 1e-14", call: "nx.pagerank(G, personalization={SOURCE: 1}, weight=None, tol=1e-14, max_iter=1000)" },
                NetworkxCall { graph: "MultiDiGraph", flags: "--source SOURCE --weighted --iterations 1000 --tolerance 1e-14", call: "nx.pagerank(G, personalization={SOURCE: 1}, tol=1e-14, max_iter=1000)" },
            ]),
        )
        .parameters(&[
            SOURCE,
            Parameter::real("damping", "Chance to follow an edge").between(0.0, 1.0).default(Value::Real(0.85)),
            ITERATIONS,
            TOLERANCE,
            WEIGHTED,
        ])
        .needs_with(&[NEEDED])
        .outputs(&[
            Output::vertices("rank", &[ScalarType::F64], "Chance to meet the surfer at the vertex"),
            Output::scalar("iterations", "Number of iterations done"),
            Output::scalar("change", "Sum of the changes of all ranks in the last iteration"),
        ])
        .kernels(walk::with_kernels_by_weights![edge_kernel(push), vertex_kernel(damp)])
        .outline(|arguments, graph| {
            let iterations = arguments.integer("iterations")?;
            Ok(match arguments.flag("weighted")? {
                true => walk::outlined(iterations, graph),
                false => Outline::repeat_at_most(iterations, [edge_kernel(push), vertex_kernel(damp)]),
            })
        })
        .check(crate::check::personalised_pagerank)
}
