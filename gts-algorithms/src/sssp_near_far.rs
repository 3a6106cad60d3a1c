//! Single-source shortest paths, near vertices first: distances up to a threshold are settled before any beyond it.
//!
//! The relaxation of [`sssp`](mod@crate::sssp) with distances as priorities. When no vertex within the threshold is
//! active, all distances up to it are final, and it rises past the least waiting distance, by a width `delta` (U.
//! Meyer, P. Sanders: Δ-stepping, a parallelizable shortest path algorithm. Journal of Algorithms 49, 2003; as near and
//! far piles in A. Davidson, S. Baxter, M. Garland, J. D. Owens, IPDPS 2014). It relaxes fewer edges needlessly than
//! `sssp`, in more rounds. Each rise of the threshold reads every vertex, O(V). Answers have the same bits for every
//! width.

use crate::source::{SOURCE, source};
use crate::sssp::{self, Sssp, relax};
use crate::weights;
use gts_graph::algorithm::{
    Algorithm, AlgorithmKind, Answer, Arguments, Definition, NetworkxCall, Outline, Parameter, Start, edge_kernel,
    priority_bring, priority_find, priority_sift,
};
use gts_graph::contract::{KernelDescriptor, ScalarType};
use gts_graph::prelude::*;
use gts_graph::register;

/// How near a vertex is.
#[gts_kernel(priority)]
fn nearness<T>(paths: &mut Sssp<T>, v: Vertex) -> T {
    paths.distance[v]
}

macro_rules! driver {
    ($(#[$example:meta])* $name:ident, $weight:ty) => {
        /// Returns distances by weights of one type, in the order of the original IDs; the type's `UNREACHED` if no
        /// path leads from the source. Weights and `delta`, by which the threshold rises, must be at least 0.
        ///
        /// # Errors
        ///
        /// As for [`Run::traverse_near`].
        ///
        $(#[$example])*
        pub fn $name(run: &mut Run<Sssp<$weight>>, source: Vertex, delta: $weight) -> Result<Vec<$weight>> {
            run.set(Sssp::DISTANCE, source, Default::default())?;
            run.activate(source)?;
            run.traverse_near(relax, nearness, delta)?;
            run.take(Sssp::DISTANCE)
        }
    };
}

driver! {
    /// # Examples
    ///
    /// ```
    /// use gts_algorithms::sssp_near_far::near_far_f32;
    /// use gts_graph::prelude::*;
    ///
    /// let edges = [(1, 2, 4.0f32), (1, 3, 0.5), (3, 2, 0.5)];
    /// let graph = Graph::builder().weighted_edges(edges).build().expect("sound edges");
    /// assert_eq!(near_far_f32(&mut Engine::cpu()?.start(&graph)?, graph.vertex(1)?, 1.0)?, [0.0, 1.0, 0.5]);
    /// # Ok::<(), Error>(())
    /// ```
    near_far_f32, f32
}

driver! {
    /// # Examples
    ///
    /// ```
    /// use gts_algorithms::sssp_near_far::near_far_f64;
    /// use gts_graph::prelude::*;
    ///
    /// let edges = [(1, 2, 4.0f64), (1, 3, 0.5), (3, 2, 0.5)];
    /// let graph = Graph::builder().weighted_edges(edges).build().expect("sound edges");
    /// assert_eq!(near_far_f64(&mut Engine::cpu()?.start(&graph)?, graph.vertex(1)?, 1.0)?, [0.0, 1.0, 0.5]);
    /// # Ok::<(), Error>(())
    /// ```
    near_far_f64, f64
}

driver! {
    /// # Examples
    ///
    /// ```
    /// use gts_algorithms::sssp_near_far::near_far_u32;
    /// use gts_graph::prelude::*;
    ///
    /// let edges = [(1, 2, 4u32), (1, 3, 1), (3, 2, 1)];
    /// let graph = Graph::builder().weighted_edges(edges).build().expect("sound edges");
    /// assert_eq!(near_far_u32(&mut Engine::cpu()?.start(&graph)?, graph.vertex(1)?, 1)?, [0, 2, 1]);
    /// # Ok::<(), Error>(())
    /// ```
    near_far_u32, u32
}

/// Lower bound of the default width, as a share of the largest weight. The run reads every vertex each time the
/// threshold rises. Smaller widths relaxed fewer edges of Kronecker graphs of degree 32, but took longer.
const LEAST_WIDTH: f64 = 0.25;

/// Returns the default width for weights up to `largest`. It is wide enough for about one near vertex per list.
fn usual_delta(graph: &Graph, largest: f64) -> f64 {
    let one_a_list = graph.num_vertices() as f64 / graph.num_edges().max(1) as f64;
    largest * one_a_list.max(LEAST_WIDTH)
}

fn run(engine: &Engine, graph: &Graph, arguments: &Arguments) -> Result<Answer> {
    let source = source(graph, arguments)?;
    let given = arguments.optional_real("delta")?;
    let delta = |largest| given.unwrap_or_else(|| usual_delta(graph, largest));
    match graph.value_type() {
        Some(ScalarType::U32) => sssp::solve(engine, graph, |run, most| near_far_u32(run, source, delta(most) as u32)),
        Some(ScalarType::F64) => sssp::solve(engine, graph, |run, most| near_far_f64(run, source, delta(most))),
        _ => sssp::solve(engine, graph, |run, most| near_far_f32(run, source, delta(most) as f32)),
    }
}

/// The parameter `--delta`.
const DELTA: Parameter = Parameter::real("delta", "By how much the largest near distance rises at a time")
    .between(0.0, f32::MAX as f64)
    .otherwise("the largest weight over the mean number of out-edges, at most 4");

/// The kernels for weights of each type.
const OF_F32: [&KernelDescriptor; 4] = [
    edge_kernel(relax::<f32>),
    priority_sift(nearness::<f32>),
    priority_find(nearness::<f32>),
    priority_bring(nearness::<f32>),
];
const OF_F64: [&KernelDescriptor; 4] = [
    edge_kernel(relax::<f64>),
    priority_sift(nearness::<f64>),
    priority_find(nearness::<f64>),
    priority_bring(nearness::<f64>),
];
const OF_U32: [&KernelDescriptor; 4] = [
    edge_kernel(relax::<u32>),
    priority_sift(nearness::<u32>),
    priority_find(nearness::<u32>),
    priority_bring(nearness::<u32>),
];

register! {
    Algorithm::new("sssp-near-far", "Shortest paths, near vertices first", run)
        .kind(AlgorithmKind::Paths)
        .help("The answer of `sssp`, in more rounds that relax fewer edges for nothing. Weights are f32, f64 or u32, and at least 0.")
        .source("A. Davidson, S. Baxter, M. Garland, J. D. Owens: Work-efficient parallel GPU methods for single-source \
                 shortest paths. IPDPS 2014")
        .definition(
            Definition::forward(
                "The same as `sssp`.",
            )
            .except(
                "A vertex that is not reached has no distance.",
            )
            .networkx(&[
                NetworkxCall { graph: "MultiDiGraph", flags: "--source SOURCE", call: "nx.single_source_dijkstra_path_length(G, SOURCE)" },
            ]),
        )
        .parameters(&[SOURCE, DELTA])
        .weights(weights::TYPES)
        .outputs(sssp::OUTPUTS)
        .kernels(&[
            OF_F32[0], OF_F32[1], OF_F32[2], OF_F32[3],
            OF_F64[0], OF_F64[1], OF_F64[2], OF_F64[3],
            OF_U32[0], OF_U32[1], OF_U32[2], OF_U32[3],
        ])
        .outline(|_, graph| Ok(Outline::while_active(Start::One, match graph.weights {
            Some(ScalarType::U32) => OF_U32,
            Some(ScalarType::F64) => OF_F64,
            _ => OF_F32,
        })))
        .check(crate::check::sssp)
}
