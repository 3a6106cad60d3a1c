//! HITS: authorities, which good hubs point to, and hubs, which point to good authorities.
//!
//! Each score gathers the other along edges, forward and backward in turn, scaled to length 1 (J. M. Kleinberg, 1999):
//! the power iteration for the largest singular vectors of the adjacency matrix. Its entries are 1, or the weights of the
//! edges. Each iteration takes two scans.

use crate::source::ITERATIONS;
use crate::weights::{self, NEEDED, WEIGHTED, Weight};
use gts_graph::algorithm::{
    Algorithm, AlgorithmKind, Answer, Arguments, Definition, GraphFacts, NetworkxCall, Outline, Output, Parameter,
    edge_kernel, vertex_kernel,
};
use gts_graph::contract::{KernelDescriptor, ScalarType};
use gts_graph::core::summaries;
use gts_graph::prelude::*;
use gts_graph::register;

/// Scores, each times a scale that the host knows.
#[gts_attributes]
pub struct Hits {
    /// Score as one who points.
    #[wa(init = 1.0, merge = sum)]
    pub hub: f64,
    /// Score as one who is pointed to.
    #[wa(init = 0.0, merge = sum)]
    pub authority: f64,
    /// One over the length of the scores that are handed on.
    #[param]
    pub scale: f64,
    /// Sum of the squares of the scores that were gathered.
    #[global(merge = sum)]
    pub squares: f64,
}

#[gts_kernel(scan)]
fn endorse(hits: &mut Hits, src: Vertex, dst: Vertex) {
    hits.authority[dst] += hits.hub[src] * hits.scale;
}

#[gts_kernel(scan(in))]
fn reward(hits: &mut Hits, src: Vertex, dst: Vertex) {
    hits.hub[dst] += hits.authority[src] * hits.scale;
}

#[gts_kernel(vertex)]
fn measure_authorities(hits: &mut Hits, v: Vertex) {
    hits.squares += hits.authority[v] * hits.authority[v];
}

#[gts_kernel(vertex)]
fn measure_hubs(hits: &mut Hits, v: Vertex) {
    hits.squares += hits.hub[v] * hits.hub[v];
}

/// Scores by the weights of edges, each times a scale that the host knows.
#[gts_attributes(T = f32 | f64 | u32)]
pub struct WeightedHits<T> {
    /// Score as one who points.
    #[wa(init = 1.0, merge = sum)]
    pub hub: f64,
    /// Score as one who is pointed to.
    #[wa(init = 0.0, merge = sum)]
    pub authority: f64,
    /// Weight of the edge, at least 0.
    #[edge]
    pub weight: T,
    /// One over the length of the scores that are handed on.
    #[param]
    pub scale: f64,
    /// Sum of the squares of the scores that were gathered.
    #[global(merge = sum)]
    pub squares: f64,
}

#[gts_kernel(scan)]
fn endorse_by_weight<T>(hits: &mut WeightedHits<T>, src: Vertex, dst: Vertex, e: Edge) {
    hits.authority[dst] += hits.hub[src] * hits.scale * hits.weight[e] as f64;
}

#[gts_kernel(scan(in))]
fn reward_by_weight<T>(hits: &mut WeightedHits<T>, src: Vertex, dst: Vertex, e: Edge) {
    hits.hub[dst] += hits.authority[src] * hits.scale * hits.weight[e] as f64;
}

#[gts_kernel(vertex)]
fn measure_weighted_authorities<T>(hits: &mut WeightedHits<T>, v: Vertex) {
    hits.squares += hits.authority[v] * hits.authority[v];
}

#[gts_kernel(vertex)]
fn measure_weighted_hubs<T>(hits: &mut WeightedHits<T>, v: Vertex) {
    hits.squares += hits.hub[v] * hits.hub[v];
}

/// Scores of every vertex, in the order of the original IDs.
#[derive(Clone, Debug, PartialEq)]
pub struct Scores {
    /// Hub scores.
    pub hubs: Vec<f64>,
    /// Authority scores.
    pub authorities: Vec<f64>,
}

macro_rules! driver {
    (
        $(#[$doc:meta])* $name:ident, $attributes:ty,
        [$endorse:expr, $measure_authorities:expr, $reward:expr, $measure_hubs:expr]
    ) => {
        /// Returns the scores after `iterations` iterations, which begin with equal hubs. Each kind has length 1, or is 0
        /// if no edge counts.
        ///
        /// # Errors
        ///
        /// As for [`Run::scan`]: the graph must have in-edges, or be symmetric.
        ///
        $(#[$doc])*
        pub fn $name(run: &mut Run<$attributes>, iterations: u64) -> Result<Scores> {
            let (mut of_hubs, mut of_authorities) = (1.0, 0.0);
            for _ in 0..iterations {
                run.fill(<$attributes>::AUTHORITY, 0.0)?;
                run.set_param(<$attributes>::SCALE, of_hubs)?;
                run.scan($endorse)?;
                run.apply($measure_authorities)?;
                of_authorities = scale(run.global(<$attributes>::SQUARES)?);
                run.fill(<$attributes>::HUB, 0.0)?;
                run.set_param(<$attributes>::SCALE, of_authorities)?;
                run.scan($reward)?;
                run.apply($measure_hubs)?;
                of_hubs = scale(run.global(<$attributes>::SQUARES)?);
            }
            let mut scores =
                Scores { hubs: run.take(<$attributes>::HUB)?, authorities: run.take(<$attributes>::AUTHORITY)? };
            summaries::change(&mut scores.hubs, |score| *score *= of_hubs);
            summaries::change(&mut scores.authorities, |score| *score *= of_authorities);
            Ok(scores)
        }
    };
}

driver! {
    /// # Examples
    ///
    /// ```
    /// use gts_algorithms::hits::hits;
    /// use gts_graph::prelude::*;
    ///
    /// let graph = Graph::builder().edges([(0, 2), (1, 2)]).in_edges(true).build().expect("sound edges");
    /// let scores = hits(&mut Engine::cpu()?.start(&graph)?, 20)?;
    /// assert_eq!(scores.authorities, [0.0, 0.0, 1.0]);
    /// assert!((scores.hubs[0] - 0.5f64.sqrt()).abs() < 1e-9);
    /// # Ok::<(), Error>(())
    /// ```
    hits, Hits, [endorse, measure_authorities, reward, measure_hubs]
}

macro_rules! weighted {
    ($name:ident, $weight:ty) => {
        driver! {
            #[doc = concat!("Weights are ", stringify!($weight), ", and must be at least 0.")]
            $name, WeightedHits<$weight>,
            [endorse_by_weight, measure_weighted_authorities, reward_by_weight, measure_weighted_hubs]
        }
    };
}

weighted!(hits_by_f32, f32);
weighted!(hits_by_f64, f64);
weighted!(hits_by_u32, u32);

/// Returns the factor that scales scores with this sum of squares to length 1.
fn scale(squares: f64) -> f64 {
    if squares > 0.0 { 1.0 / squares.sqrt() } else { 0.0 }
}

/// Divides scores by their sum, unless all are 0.
fn divide_by_sum(scores: &mut [f64]) {
    let sum: f64 = summaries::sum(scores, |score| *score);
    if sum > 0.0 {
        summaries::change(scores, |score| *score /= sum);
    }
}

fn run(engine: &Engine, graph: &Graph, arguments: &Arguments) -> Result<Answer> {
    let iterations = arguments.integer("iterations")?;
    let mut scores = match (arguments.flag("weighted")?, graph.value_type()) {
        (false, _) => hits(&mut engine.start(graph)?, iterations),
        (true, Some(ScalarType::U32)) => solve(engine, graph, |run| hits_by_u32(run, iterations)),
        (true, Some(ScalarType::F64)) => solve(engine, graph, |run| hits_by_f64(run, iterations)),
        (true, _) => solve(engine, graph, |run| hits_by_f32(run, iterations)),
    }?;
    if arguments.choice("norm")? == "sum" {
        [&mut scores.hubs, &mut scores.authorities].into_iter().for_each(|scores| divide_by_sum(scores));
    }
    Ok(Answer::new().vertices("authority", scores.authorities).vertices("hub", scores.hubs))
}

/// Returns the scores of a driver, unless weights are invalid.
fn solve<T: Weight>(
    engine: &Engine,
    graph: &Graph,
    driver: impl FnOnce(&mut Run<WeightedHits<T>>) -> Result<Scores>,
) -> Result<Scores>
where
    WeightedHits<T>: Attributes,
{
    let mut run = engine.start(graph)?;
    weights::largest::<T>(graph)?;
    driver(&mut run)
}

/// The kernels of an iteration without weights.
const KERNELS: [&KernelDescriptor; 4] =
    [edge_kernel(endorse), vertex_kernel(measure_authorities), edge_kernel(reward), vertex_kernel(measure_hubs)];

macro_rules! kernels_by_weight {
    ($weight:ty) => {
        [
            edge_kernel(endorse_by_weight::<$weight>),
            vertex_kernel(measure_weighted_authorities::<$weight>),
            edge_kernel(reward_by_weight::<$weight>),
            vertex_kernel(measure_weighted_hubs::<$weight>),
        ]
    };
}

/// The kernels of an iteration by weights of each type.
const KERNELS_BY_WEIGHT: [[&KernelDescriptor; 4]; 3] =
    [kernels_by_weight!(f32), kernels_by_weight!(f64), kernels_by_weight!(u32)];

fn outline(arguments: &Arguments, graph: &GraphFacts) -> Result<Outline> {
    let kernels = match (arguments.flag("weighted")?, graph.weights) {
        (false, _) => KERNELS,
        (true, Some(ScalarType::U32)) => KERNELS_BY_WEIGHT[2],
        (true, Some(ScalarType::F64)) => KERNELS_BY_WEIGHT[1],
        (true, _) => KERNELS_BY_WEIGHT[0],
    };
    Ok(Outline::repeat(arguments.integer("iterations")?, kernels))
}

register! {
    Algorithm::new("hits", "Hubs and authorities", run)
        .kind(AlgorithmKind::Centrality)
        .help("Good hubs point to good authorities. Iterations begin with equal hubs.")
        .source("J. M. Kleinberg: Authoritative sources in a hyperlinked environment. Journal of the ACM 46, 1999")
        .definition(
            Definition::forward(
                "`authority(v) = Σ hub(u)` over the edges `u → v`, and `hub(u) = Σ authority(v)` over the edges `u → \
                 v`. With `--weighted`, each term is multiplied by the weight of its edge. All scores of a kind are \
                 then scaled, so that their squares sum to 1, or the scores with `--norm sum`.",
            )
            .counting_both()
            .networkx(&[
                NetworkxCall { graph: "MultiDiGraph", flags: "--weighted --norm sum --iterations 3000", call: "nx.hits(G, tol=1e-14)" },
            ]),
        )
        .in_edges()
        .parameters(&[
            ITERATIONS,
            Parameter::choice("norm", &["length", "sum"], "Measure of the scores of a kind that is 1"),
            WEIGHTED,
        ])
        .needs_with(&[NEEDED])
        .outputs(&[
            Output::vertices("authority", &[ScalarType::F64], "Score as one who is pointed to"),
            Output::vertices("hub", &[ScalarType::F64], "Score as one who points"),
        ])
        .kernels([KERNELS, KERNELS_BY_WEIGHT[0], KERNELS_BY_WEIGHT[1], KERNELS_BY_WEIGHT[2]].as_flattened())
        .outline(outline)
        .check(crate::check::hits)
}
