//! Random walk with restart: the nearness of each vertex to a source, over all paths between them.
//!
//! A walker takes an edge with a probability proportional to its weight, or returns to the source. The probabilities of
//! the walker at each vertex are the fixpoint of a linear iteration (H. Tong, C. Faloutsos, J.-Y. Pan, ICDM 2006). The
//! walker also returns from vertices whose edges have no weight, so that probabilities sum to 1. Each iteration takes a
//! scan. If the walker starts again at any vertex, the probabilities are PageRank by weights.

use crate::ranks::{Options, Ranks};
use crate::source::{ITERATIONS, SOURCE, TOLERANCE, source};
use crate::weights::{self, Weight};
use gts_graph::algorithm::{
    Algorithm, AlgorithmKind, Answer, Arguments, Definition, GraphFacts, NetworkxCall, Outline, Output, Parameter,
    Scalar, Value, edge_kernel, vertex_kernel,
};
use gts_graph::contract::{KernelDescriptor, ScalarType};
use gts_graph::prelude::*;
use gts_graph::register;

/// Chances to meet the walker.
#[gts_attributes(T = f32 | f64 | u32)]
pub struct RandomWalkWithRestart<T> {
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
    pub weight: T,
    /// Chance to take an edge.
    #[param]
    pub damping: f64,
    /// Where the walker goes back to, if it always goes back to the same vertex.
    #[param(default = UNREACHED)]
    pub source: VertexId,
    /// Chance to go back to the source in this iteration.
    #[param(default = 0.0)]
    pub restart: f64,
    /// Chance to go to any given vertex without an edge in this iteration.
    #[param(default = 0.0)]
    pub base: f64,
    /// Chance to be where no edge leads on.
    #[global(merge = sum)]
    pub stuck: f64,
    /// Sum of the changes of all chances.
    #[global(merge = sum)]
    pub change: f64,
}

#[gts_kernel(scan)]
fn weigh<T>(walk: &mut RandomWalkWithRestart<T>, src: Vertex, dst: Vertex, e: Edge) {
    walk.strength[src] += walk.weight[e] as f64;
}

#[gts_kernel(scan)]
fn step_on<T>(walk: &mut RandomWalkWithRestart<T>, src: Vertex, dst: Vertex, e: Edge) {
    walk.next[dst] += walk.flow[src] * walk.weight[e] as f64;
}

#[gts_kernel(vertex)]
fn settle<T>(walk: &mut RandomWalkWithRestart<T>, v: Vertex) {
    let mut chance = walk.base + walk.damping * walk.next[v];
    if v == walk.source {
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

macro_rules! driver {
    ($(#[$example:meta])* $name:ident, $weight:ty) => {
        /// Returns the probability of the walker at each vertex by weights of one type, in the order of the original
        /// IDs; `damping` is the probability to take an edge. Without a source, the walker starts and goes back anywhere.
        /// Weights must be at least 0.
        ///
        /// # Errors
        ///
        /// As for [`Run::scan`].
        ///
        $(#[$example])*
        pub fn $name(
            run: &mut Run<RandomWalkWithRestart<$weight>>,
            source: Option<Vertex>,
            options: &Options,
        ) -> Result<Ranks<f64>> {
            let vertices = run.graph().num_vertices() as f64;
            let go_back = |run: &mut Run<RandomWalkWithRestart<$weight>>, chance: f64| match source {
                Some(_) => run.set_param(RandomWalkWithRestart::RESTART, chance),
                None => run.set_param(RandomWalkWithRestart::BASE, chance / vertices),
            };
            run.set_param(RandomWalkWithRestart::DAMPING, options.damping)?;
            if let Some(source) = source {
                run.set_param(RandomWalkWithRestart::SOURCE, source.into())?;
            }
            run.scan(weigh)?;
            // The walker is where it goes back to, because nothing was gathered.
            go_back(run, 1.0)?;
            run.apply(settle)?;
            let (mut iterations, mut change) = (0, None);
            while iterations < options.iterations && (change.is_none() || options.tolerance.is_none_or(|t| change > Some(t))) {
                let stuck = run.global(RandomWalkWithRestart::STUCK)?;
                go_back(run, 1.0 - options.damping + options.damping * stuck)?;
                run.rotate(RandomWalkWithRestart::FLOW)?;
                run.scan(step_on)?;
                run.apply(settle)?;
                change = Some(run.global(RandomWalkWithRestart::CHANGE)?);
                iterations += 1;
            }
            Ok(Ranks { ranks: run.take(RandomWalkWithRestart::CHANCE)?, iterations, change })
        }
    };
}

driver! {
    /// # Examples
    ///
    /// ```
    /// use gts_algorithms::{pagerank::Options, random_walk_with_restart::random_walk_with_restart_f32};
    /// use gts_graph::prelude::*;
    ///
    /// let edges = [(0u64, 1, 3.0f32), (0, 2, 1.0), (1, 0, 1.0), (2, 0, 1.0)];
    /// let graph = Graph::builder().weighted_edges(edges).build().expect("sound edges");
    /// let options = Options { damping: 0.5, iterations: 100, tolerance: Some(1e-9) };
    /// let source = Some(graph.vertex(0)?);
    /// let found = random_walk_with_restart_f32(&mut Engine::cpu()?.start(&graph)?, source, &options)?;
    /// assert!((found.ranks[1] - 0.25).abs() < 1e-8);
    /// # Ok::<(), Error>(())
    /// ```
    random_walk_with_restart_f32, f32
}

driver! {
    /// # Examples
    ///
    /// ```
    /// use gts_algorithms::{pagerank::Options, random_walk_with_restart::random_walk_with_restart_f64};
    /// use gts_graph::prelude::*;
    ///
    /// let edges = [(0u64, 1, 3.0f64), (0, 2, 1.0), (1, 0, 1.0), (2, 0, 1.0)];
    /// let graph = Graph::builder().weighted_edges(edges).build().expect("sound edges");
    /// let options = Options { damping: 0.5, iterations: 100, tolerance: Some(1e-9) };
    /// let source = Some(graph.vertex(0)?);
    /// let found = random_walk_with_restart_f64(&mut Engine::cpu()?.start(&graph)?, source, &options)?;
    /// assert!((found.ranks[1] - 0.25).abs() < 1e-8);
    /// # Ok::<(), Error>(())
    /// ```
    random_walk_with_restart_f64, f64
}

driver! {
    /// # Examples
    ///
    /// ```
    /// use gts_algorithms::{pagerank::Options, random_walk_with_restart::random_walk_with_restart_u32};
    /// use gts_graph::prelude::*;
    ///
    /// let edges = [(0u64, 1, 3u32), (0, 2, 1), (1, 0, 1), (2, 0, 1)];
    /// let graph = Graph::builder().weighted_edges(edges).build().expect("sound edges");
    /// let options = Options { damping: 0.5, iterations: 100, tolerance: Some(1e-9) };
    /// let source = Some(graph.vertex(0)?);
    /// let found = random_walk_with_restart_u32(&mut Engine::cpu()?.start(&graph)?, source, &options)?;
    /// assert!((found.ranks[1] - 0.25).abs() < 1e-8);
    /// # Ok::<(), Error>(())
    /// ```
    random_walk_with_restart_u32, u32
}

fn run(engine: &Engine, graph: &Graph, arguments: &Arguments) -> Result<Answer> {
    let options = Options {
        damping: 1.0 - arguments.real("restart")?,
        iterations: arguments.integer("iterations")?,
        tolerance: arguments.optional_real("tolerance")?,
    };
    let found = by_weights(engine, graph, Some(source(graph, arguments)?), &options)?;
    Ok(Answer::new()
        .vertices("chance", found.ranks)
        .scalar("iterations", Scalar::Unsigned(found.iterations))
        .scalar("change", Scalar::Real(found.change.unwrap_or(0.0))))
}

/// Returns the probabilities of the walker by the weights of a graph, of any type.
///
/// # Errors
///
/// A weight is negative, infinite or NaN, or as for [`Run::scan`].
pub(crate) fn by_weights(
    engine: &Engine,
    graph: &Graph,
    source: Option<Vertex>,
    options: &Options,
) -> Result<Ranks<f64>> {
    match graph.value_type() {
        Some(ScalarType::U32) => solve(engine, graph, |run| random_walk_with_restart_u32(run, source, options)),
        Some(ScalarType::F64) => solve(engine, graph, |run| random_walk_with_restart_f64(run, source, options)),
        _ => solve(engine, graph, |run| random_walk_with_restart_f32(run, source, options)),
    }
}

/// Returns the result of a driver, unless weights are invalid.
fn solve<T: Weight>(
    engine: &Engine,
    graph: &Graph,
    driver: impl FnOnce(&mut Run<RandomWalkWithRestart<T>>) -> Result<Ranks<f64>>,
) -> Result<Ranks<f64>>
where
    RandomWalkWithRestart<T>: Attributes,
{
    let mut run = engine.start(graph)?;
    weights::largest::<T>(graph)?;
    driver(&mut run)
}

macro_rules! kernels {
    ($weight:ty) => {
        (edge_kernel(weigh::<$weight>), edge_kernel(step_on::<$weight>), vertex_kernel(settle::<$weight>))
    };
}

fn outline(arguments: &Arguments, graph: &GraphFacts) -> Result<Outline> {
    Ok(outlined(arguments.integer("iterations")?, graph))
}

/// Returns the outline of [`by_weights`].
pub(crate) fn outlined(iterations: u64, graph: &GraphFacts) -> Outline {
    let (weigh, step_on, settle) = match graph.weights {
        Some(ScalarType::U32) => kernels!(u32),
        Some(ScalarType::F64) => kernels!(f64),
        _ => kernels!(f32),
    };
    Outline::repeat_at_most(iterations, [step_on, settle]).after([weigh, settle])
}

/// The kernels of [`by_weights`].
pub(crate) const KERNELS: [&KernelDescriptor; 9] = [
    edge_kernel(weigh::<f32>),
    edge_kernel(weigh::<f64>),
    edge_kernel(weigh::<u32>),
    edge_kernel(step_on::<f32>),
    edge_kernel(step_on::<f64>),
    edge_kernel(step_on::<u32>),
    vertex_kernel(settle::<f32>),
    vertex_kernel(settle::<f64>),
    vertex_kernel(settle::<u32>),
];

/// Lists kernels of an algorithm that also runs those of [`by_weights`].
macro_rules! with_kernels_by_weights {
    ($($own:expr),* $(,)?) => {{
        const ALL: &[&gts_graph::contract::KernelDescriptor] = {
            let [a, b, c, d, e, f, g, h, i] = $crate::random_walk_with_restart::KERNELS;
            &[$($own,)* a, b, c, d, e, f, g, h, i]
        };
        ALL
    }};
}
pub(crate) use with_kernels_by_weights;

register! {
    Algorithm::new("random-walk-with-restart", "How near each vertex is to a source, over all paths", run)
        .kind(AlgorithmKind::Centrality)
        .aliases(&["rwr"])
        .help("The walker takes edges in proportion to their weights, which are f32, f64 or u32 and at least 0, and goes back to the \
               source now and then, and where no edge leads on. Chances sum to 1.")
        .source("H. Tong, C. Faloutsos, J.-Y. Pan: Fast random walk with restart and its applications. ICDM 2006")
        .definition(
            Definition::forward(
                "`chance'(v) = (1 - r) Σ chance(u) weight(e) / weight(u)` over the edges `e = u → v`, where \
                 `weight(u)` is the sum of the weights of all edges from `u`. The source gets `r + (1 - r) D` in \
                 addition.",
            )
            .counting_both()
            .except(
                "`D` is the sum of the chances of vertices without out-edges, or without weights on them, which \
                 returns to the source.",
            )
            .networkx(&[
                NetworkxCall { graph: "MultiDiGraph", flags: "--source SOURCE --iterations 1000 --tolerance 1e-14", call: "nx.pagerank(G, personalization={SOURCE: 1}, tol=1e-14, max_iter=1000)" },
            ]),
        )
        .parameters(&[
            SOURCE,
            Parameter::real("restart", "Chance to go back to the source").between(0.0, 1.0).default(Value::Real(0.15)),
            ITERATIONS,
            TOLERANCE,
        ])
        .weights(weights::TYPES)
        .outputs(&[
            Output::vertices("chance", &[ScalarType::F64], "Chance to meet the walker at the vertex"),
            Output::scalar("iterations", "Number of iterations done"),
            Output::scalar("change", "Sum of the changes of all chances in the last iteration"),
        ])
        .kernels(&KERNELS)
        .outline(outline)
        .check(crate::check::random_walk_with_restart)
}
