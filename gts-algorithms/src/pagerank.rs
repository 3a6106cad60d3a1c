//! PageRank: the probability of a surfer at each vertex, who follows edges and sometimes restarts at a random vertex.
//!
//! Ranks are repeatedly pushed along edges and then damped (L. Page, S. Brin, R. Motwani, T. Winograd, 1999), as LDBC
//! Graphalytics defines it: every rank starts as `1 / n`, the rank of vertices without out-edges is spread evenly, and
//! the ranks sum to 1. Runs a fixed number of iterations, or until an iteration changes the ranks by less than a
//! tolerance. With a tolerance the ranks start in proportion to in-degrees, as if the surfer had followed one random
//! edge. They converge to the same ranks in fewer iterations. By weights, ranks are those of a walk with restarts anywhere
//! ([`random_walk_with_restart`](crate::random_walk_with_restart)), which starts as `1 / n`.

use crate::random_walk_with_restart as walk;
pub use crate::ranks::{Options, Ranks};
use crate::weights::{NEEDED, WEIGHTED};
use gts_graph::algorithm::{
    Algorithm, AlgorithmKind, Answer, Arguments, Definition, GraphFacts, NetworkxCall, Outline, Output, Parameter,
    Scalar, Value, Values, edge_kernel, vertex_kernel,
};
use gts_graph::contract::ScalarType;
use gts_graph::core::summaries;
use gts_graph::prelude::*;
use gts_graph::register;

/// Ranks.
#[gts_attributes(T = f32 | f64)]
pub struct PageRank<T> {
    /// Rank of the last iteration, streamed beside the pages.
    #[ra(from = next)]
    pub rank: T,
    /// Rank being gathered.
    #[wa(init = 0.0, merge = sum)]
    pub next: T,
    /// Chance to follow an edge.
    #[param]
    pub damping: T,
    /// What every vertex gets without an edge.
    #[param]
    pub base: T,
    /// Rank held by vertices without out-edges; in f64, because many small numbers are added.
    #[global(merge = sum)]
    pub dangling: f64,
    /// Sum of the changes of all ranks.
    #[global(merge = sum)]
    pub change: f64,
}

#[gts_kernel(vertex)]
fn guess<T>(pr: &mut PageRank<T>, v: Vertex) {
    pr.next[v] = pr.base + pr.damping * (v.in_degree() as T / num_edges() as T);
    if v.out_degree() == 0 {
        pr.dangling += pr.next[v] as f64;
    }
}

#[gts_kernel(scan)]
fn push<T>(pr: &mut PageRank<T>, src: Vertex, dst: Vertex) {
    pr.next[dst] += pr.rank[src] / src.out_degree() as T;
}

#[gts_kernel(vertex)]
fn damp<T>(pr: &mut PageRank<T>, v: Vertex) {
    pr.next[v] = pr.base + pr.damping * pr.next[v];
    if v.out_degree() == 0 {
        pr.dangling += pr.next[v] as f64;
    }
}

#[gts_kernel(vertex)]
fn damp_and_compare<T>(pr: &mut PageRank<T>, v: Vertex) {
    let rank = pr.base + pr.damping * pr.next[v];
    pr.next[v] = rank;
    pr.change += (rank - pr.rank[v]).abs() as f64;
    if v.out_degree() == 0 {
        pr.dangling += rank as f64;
    }
}

macro_rules! driver {
    ($(#[$example:meta])* $name:ident, $rank:ty) => {
        /// Returns the ranks in one type.
        ///
        /// # Errors
        ///
        /// As for [`Run::scan`].
        ///
        $(#[$example])*
        pub fn $name(run: &mut Run<PageRank<$rank>>, options: &Options) -> Result<Ranks<$rank>> {
            let n = run.graph().num_vertices() as f64;
            let mut dangling = run.graph().num_sinks() as f64 / n;
            let (mut iterations, mut change) = (0, None);
            run.set_param(PageRank::DAMPING, options.damping as $rank)?;
            if starts_by_degree(run.graph(), options.tolerance) {
                run.set_param(PageRank::BASE, ((1.0 - options.damping) / n) as $rank)?;
                run.apply(guess)?;
                dangling = run.global(PageRank::DANGLING)?;
                run.rotate(PageRank::RANK)?;
            } else {
                run.fill(PageRank::RANK, (1.0 / n) as $rank)?;
            }
            while iterations < options.iterations && change.is_none_or(|change| Some(change) > options.tolerance) {
                let base = (1.0 - options.damping + options.damping * dangling) / n;
                run.set_param(PageRank::BASE, base as $rank)?;
                run.scan(push)?;
                if options.tolerance.is_some() {
                    run.apply(damp_and_compare)?;
                    change = Some(run.global(PageRank::CHANGE)?);
                } else {
                    run.apply(damp)?;
                }
                dangling = run.global(PageRank::DANGLING)?;
                run.rotate(PageRank::RANK)?;
                iterations += 1;
            }
            Ok(Ranks { ranks: run.take(PageRank::RANK)?, iterations, change })
        }
    };
}

driver! {
    /// # Examples
    ///
    /// ```
    /// use gts_algorithms::pagerank::{Options, pagerank_f32};
    /// use gts_graph::prelude::*;
    ///
    /// let graph = Graph::from_edges([(1, 2), (2, 1), (3, 1)]).expect("sound edges");
    /// let options = Options { damping: 0.5, iterations: 100, tolerance: Some(1e-6) };
    /// let found = pagerank_f32(&mut Engine::cpu()?.start(&graph)?, &options)?;
    /// // A third of what is left to chance, and half of what the others hold.
    /// assert!((found.ranks[2] - 1.0 / 6.0).abs() < 1e-6 && found.iterations < 100);
    /// # Ok::<(), Error>(())
    /// ```
    pagerank_f32, f32
}

driver! {
    /// # Examples
    ///
    /// ```
    /// use gts_algorithms::pagerank::{Options, pagerank_f64};
    /// use gts_graph::prelude::*;
    ///
    /// let graph = Graph::from_edges([(1, 2), (2, 1), (3, 1)]).expect("sound edges");
    /// let options = Options { damping: 0.5, iterations: 100, tolerance: Some(1e-6) };
    /// let found = pagerank_f64(&mut Engine::cpu()?.start(&graph)?, &options)?;
    /// // A third of what is left to chance, and half of what the others hold.
    /// assert!((found.ranks[2] - 1.0 / 6.0).abs() < 1e-6 && found.iterations < 100);
    /// # Ok::<(), Error>(())
    /// ```
    pagerank_f64, f64
}

/// Returns whether ranks start in proportion to in-degrees rather than at `1 / n`.
pub(crate) fn starts_by_degree(graph: &Graph, tolerance: Option<f64>) -> bool {
    tolerance.is_some() && graph.num_edges() > 0
}

/// Returns the number of iterations, or their maximum if there is a tolerance.
fn iterations(arguments: &Arguments) -> Result<u64> {
    let default = if arguments.optional_real("tolerance")?.is_some() { 1000 } else { 20 };
    Ok(arguments.optional_integer("iterations")?.unwrap_or(default))
}

fn run(engine: &Engine, graph: &Graph, arguments: &Arguments) -> Result<Answer> {
    let tolerance = arguments.optional_real("tolerance")?;
    let options = Options { damping: arguments.real("damping")?, iterations: iterations(arguments)?, tolerance };
    let is_double = arguments.choice("precision")? == "f64";
    if arguments.flag("weighted")? {
        let Ranks { ranks, iterations, change } = walk::by_weights(engine, graph, None, &options)?;
        let change = change.filter(|_| tolerance.is_some());
        if is_double {
            return Ok(answer(Ranks { ranks, iterations, change }, tolerance));
        }
        let ranks = summaries::mapped("ranks", &ranks, |rank| *rank as f32)?;
        return Ok(answer(Ranks { ranks, iterations, change }, tolerance));
    }
    if is_double {
        return pagerank_f64(&mut engine.start(graph)?, &options).map(|ranks| answer(ranks, tolerance));
    }
    pagerank_f32(&mut engine.start(graph)?, &options).map(|ranks| answer(ranks, tolerance))
}

fn answer<T>(ranks: Ranks<T>, tolerance: Option<f64>) -> Answer
where
    Values: From<Vec<T>>,
{
    let answer = Answer::new().vertices("rank", ranks.ranks).scalar("iterations", Scalar::Unsigned(ranks.iterations));
    match ranks.change {
        Some(change) => {
            answer.scalar("change", Scalar::Real(change)).scalar("converged", Scalar::Flag(Some(change) <= tolerance))
        }
        None => answer,
    }
}

fn outline(arguments: &Arguments, graph: &GraphFacts) -> Result<Outline> {
    if arguments.flag("weighted")? {
        return Ok(walk::outlined(iterations(arguments)?, graph));
    }
    let double = arguments.choice("precision")? == "f64";
    let push = if double { edge_kernel(push::<f64>) } else { edge_kernel(push::<f32>) };
    let steps = iterations(arguments)?;
    if arguments.optional_real("tolerance")?.is_none() {
        let damp = if double { vertex_kernel(damp::<f64>) } else { vertex_kernel(damp::<f32>) };
        return Ok(Outline::repeat(steps, [push, damp]));
    }
    let (first, last) = match double {
        true => (vertex_kernel(guess::<f64>), vertex_kernel(damp_and_compare::<f64>)),
        false => (vertex_kernel(guess::<f32>), vertex_kernel(damp_and_compare::<f32>)),
    };
    Ok(Outline::repeat_at_most(steps, [push, last]).after([first]))
}

register! {
    Algorithm::new("pagerank", "PageRank, as LDBC Graphalytics defines it", run)
        .kind(AlgorithmKind::Centrality)
        .aliases(&["pr"])
        .help("Ranks sum to 1; what vertices without out-edges hold is spread evenly. They start as 1 / n, with --tolerance in \
               proportion to in-degrees, which saves iterations.")
        .source("L. Page, S. Brin, R. Motwani, T. Winograd: The PageRank citation ranking. Stanford InfoLab, 1999; \
                 semantics of LDBC Graphalytics")
        .definition(
            Definition::forward(
                "`rank'(v) = (1 - d + d D) / n + d Σ rank(u) / out_degree(u)` over the edges `u → v`, with damping \
                 `d` and `n` vertices. With `--weighted`, the terms are `rank(u) weight(e) / weight(u)`, where \
                 `weight(u)` is the sum of the weights of all edges from `u`. At first `rank(v) = 1 / n`.",
            )
            .counting_both()
            .except(
                "`D` is the sum of the ranks of vertices without out-edges, or without weights on them, which is \
                 spread evenly.",
            )
            .networkx(&[
                NetworkxCall { graph: "MultiDiGraph", flags: "--tolerance 1e-14 --precision f64", call: "nx.pagerank(G, weight=None, tol=1e-14, max_iter=1000)" },
                NetworkxCall { graph: "MultiDiGraph", flags: "--weighted --tolerance 1e-14 --precision f64", call: "nx.pagerank(G, tol=1e-14, max_iter=1000)" },
            ]),
        )
        .parameters(&[
            Parameter::real("damping", "Chance to follow an edge").between(0.0, 1.0).default(Value::Real(0.85)),
            Parameter::integer("iterations", "Number of iterations").otherwise("20; at most 1000 with --tolerance"),
            Parameter::real("tolerance", "Stop once an iteration changes all ranks together by no more, say 1e-6")
                .between(0.0, f64::MAX)
                .otherwise("a fixed number of iterations"),
            Parameter::choice("precision", &["f32", "f64"], "Type of the ranks"),
            WEIGHTED,
        ])
        .needs_with(&[NEEDED])
        .outputs(&[
            Output::vertices("rank", &[ScalarType::F32, ScalarType::F64], "Chance to meet the surfer at the vertex"),
            Output::scalar("iterations", "Number of iterations done"),
            Output::scalar("change", "Sum of the changes of all ranks in the last iteration, with --tolerance"),
            Output::scalar("converged", "Whether that is within the tolerance"),
        ])
        .outline(outline)
        .kernels(walk::with_kernels_by_weights![
            edge_kernel(push::<f32>),
            edge_kernel(push::<f64>),
            vertex_kernel(damp::<f32>),
            vertex_kernel(damp::<f64>),
            vertex_kernel(damp_and_compare::<f32>),
            vertex_kernel(damp_and_compare::<f64>),
            vertex_kernel(guess::<f32>),
            vertex_kernel(guess::<f64>),
        ])
        .check(crate::check::pagerank)
}
