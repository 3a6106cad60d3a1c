//! Random walk with restart: how near each vertex is to a source, over all paths between them.
//!
//! A walker takes an edge with a chance in proportion to its weight, or goes back to the source; the chances to meet it are
//! the fixpoint of a linear iteration (H. Tong, C. Faloutsos, J.-Y. Pan, ICDM 2006). Where no edge leads on the walker goes
//! back as well, so that chances sum to 1. Each iteration takes a scan.

use crate::pagerank::{Options, Ranks};
use crate::source::{ITERATIONS, SOURCE, TOLERANCE, source};
use crate::weights;
use gts_runtime::algorithm::{
    Algorithm, Answer, Arguments, GraphFacts, Outline, Output, Parameter, Scalar, Value, edge_kernel, vertex_kernel,
};
use gts_runtime::core::contract::ScalarType;
use gts_runtime::prelude::*;
use gts_runtime::register;

/// Chances to meet the walker.
#[gts_attributes]
pub struct RandomWalkWithRestart {
    /// Chance after the last iteration, over the sum of the weights that lead out: streamed beside the pages.
    #[ra(from = next)]
    pub flow: f64,
    /// Chance being gathered, then that over the weights.
    #[wa(init = 0.0, merge = sum)]
    pub next: f64,
    /// Chance to meet the walker at the vertex.
    #[wa(init = 0.0, merge = sum)]
    pub chance: f64,
    /// Sum of the weights of the edges that lead out.
    #[wa(init = 0.0, merge = sum)]
    pub strength: f64,
    /// Weight of the edge, at least 0.
    #[edge]
    pub weight: f32,
    /// Chance to take an edge.
    #[param]
    pub damping: f64,
    /// Where the walker goes back to.
    #[param]
    pub source: VertexId,
    /// Chance to go back in this iteration.
    #[param]
    pub restart: f64,
    /// Chance to be where no edge leads on.
    #[global(merge = sum)]
    pub stuck: f64,
    /// Sum of the changes of all chances.
    #[global(merge = sum)]
    pub change: f64,
}

#[gts_kernel(scan)]
fn weigh(walk: &mut RandomWalkWithRestart, src: Vertex, dst: Vertex, e: Edge) {
    walk.strength[src] += walk.weight[e] as f64;
}

#[gts_kernel(scan)]
fn step_on(walk: &mut RandomWalkWithRestart, src: Vertex, dst: Vertex, e: Edge) {
    walk.next[dst] += walk.flow[src] * walk.weight[e] as f64;
}

#[gts_kernel(vertex)]
fn settle(walk: &mut RandomWalkWithRestart, v: Vertex) {
    let mut chance = walk.damping * walk.next[v];
    if v.id() == walk.source {
        chance += walk.restart;
    }
    walk.change += (chance - walk.chance[v]).abs();
    walk.chance[v] = chance;
    if walk.strength[v] > 0.0 {
        walk.next[v] = chance / walk.strength[v];
    } else {
        walk.next[v] = 0.0;
        walk.stuck += chance;
    }
}

/// The chance to meet the walker at each vertex, in the order of the original IDs; `damping` is the chance to take an
/// edge. Weights must be at least 0.
///
/// # Errors
///
/// As for [`Run::scan`].
///
/// # Examples
///
/// ```
/// use gts_algorithms::{pagerank::Options, random_walk_with_restart::random_walk_with_restart};
/// use gts_runtime::prelude::*;
///
/// let edges = [(0u64, 1, 3.0f32), (0, 2, 1.0), (1, 0, 1.0), (2, 0, 1.0)];
/// let graph = Graph::builder().weighted_edges(edges).build().expect("sound edges");
/// let options = Options { damping: 0.5, iterations: 100, tolerance: Some(1e-9) };
/// let found = random_walk_with_restart(&mut Engine::cpu()?.start(&graph)?, graph.vertex(0)?, &options)?;
/// assert!((found.ranks[1] - 0.25).abs() < 1e-8);
/// # Ok::<(), Error>(())
/// ```
pub fn random_walk_with_restart(
    run: &mut Run<RandomWalkWithRestart>,
    source: Vertex,
    options: &Options,
) -> Result<Ranks<f64>> {
    run.set_param(RandomWalkWithRestart::DAMPING, options.damping)?;
    run.set_param(RandomWalkWithRestart::SOURCE, source.into())?;
    run.scan(weigh)?;
    // With all of the walker at the source, whatever is gathered.
    run.set_param(RandomWalkWithRestart::RESTART, 1.0)?;
    run.apply(settle)?;
    let (mut iterations, mut change) = (0, None);
    while iterations < options.iterations && (change.is_none() || options.tolerance.is_none_or(|t| change > Some(t))) {
        let stuck = run.global(RandomWalkWithRestart::STUCK)?;
        run.set_param(RandomWalkWithRestart::RESTART, 1.0 - options.damping + options.damping * stuck)?;
        run.rotate(RandomWalkWithRestart::FLOW)?;
        run.scan(step_on)?;
        run.apply(settle)?;
        change = Some(run.global(RandomWalkWithRestart::CHANGE)?);
        iterations += 1;
    }
    Ok(Ranks { ranks: run.take(RandomWalkWithRestart::CHANCE)?, iterations, change })
}

fn run(engine: &Engine, graph: &Graph, arguments: &Arguments) -> Result<Answer> {
    let options = Options {
        damping: 1.0 - arguments.real("restart")?,
        iterations: arguments.integer("iterations")?,
        tolerance: arguments.optional_real("tolerance")?,
    };
    let mut run = engine.start(graph)?;
    weights::largest::<f32>(graph)?;
    let found = random_walk_with_restart(&mut run, source(graph, arguments)?, &options)?;
    Ok(Answer::new()
        .vertices("chance", found.ranks)
        .scalar("iterations", Scalar::Unsigned(found.iterations))
        .scalar("change", Scalar::Real(found.change.unwrap_or(0.0))))
}

fn outline(arguments: &Arguments, _: &GraphFacts) -> Result<Outline> {
    let each = Outline::repeat_at_most(arguments.integer("iterations")?, [edge_kernel(step_on), vertex_kernel(settle)]);
    Ok(each.after([edge_kernel(weigh), vertex_kernel(settle)]))
}

register! {
    Algorithm::new("random-walk-with-restart", "How near each vertex is to a source, over all paths", run)
        .help("The walker takes edges in proportion to their weights, which are f32 and at least 0, and goes back to the \
               source now and then, and where no edge leads on. Chances sum to 1.")
        .source("H. Tong, C. Faloutsos, J.-Y. Pan: Fast random walk with restart and its applications. ICDM 2006")
        .parameters(&[
            SOURCE,
            Parameter::real("restart", "Chance to go back to the source").between(0.0, 1.0).default(Value::Real(0.15)),
            ITERATIONS,
            TOLERANCE,
        ])
        .weights(&[ScalarType::F32])
        .outputs(&[
            Output::vertices("chance", &[ScalarType::F64], "Chance to meet the walker at the vertex"),
            Output::scalar("iterations", "Number of iterations done"),
            Output::scalar("change", "Sum of the changes of all chances in the last iteration"),
        ])
        .kernels(&[edge_kernel(weigh), edge_kernel(step_on), vertex_kernel(settle)])
        .outline(outline)
        .check(crate::check::random_walk_with_restart)
}
