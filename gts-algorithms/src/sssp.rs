//! Single-source shortest paths: the least sum of edge weights on a path from a source to each vertex.
//!
//! Relaxation in rounds (R. Bellman, 1958; L. R. Ford, 1956): an active vertex offers its out-neighbours the distance
//! through itself, and a vertex whose distance decreases is active in the next round. Distances only decrease, down to
//! the least sum in any order, so every device ends with the same bits. Weights must be at least 0: with a negative
//! cycle the rounds would never end, so negative weights and NaN are refused before the run.

use crate::source::{SOURCE, source};
use crate::weights::{self, Weight};
use gts_graph::algorithm::{
    Algorithm, AlgorithmKind, Answer, Arguments, Definition, NetworkxCall, Outline, Output, Scalar, Summary, Values,
    edge_kernel,
};
use gts_graph::contract::ScalarType;
use gts_graph::prelude::*;
use gts_graph::register;

/// Distances from a source.
#[gts_attributes(T = f32 | f64 | u32)]
pub struct Sssp<T> {
    /// Distance of the vertex, or `UNREACHED`.
    #[wa(init = UNREACHED, merge = min)]
    pub distance: T,
    /// Weight of the edge, at least 0.
    #[edge]
    pub weight: T,
}

// A sum beyond the largest integer saturates to `UNREACHED`, which is no improvement. A shorter path may still lead to
// the vertex. If none does, `refuse_too_long` reports the vertex after the run.
#[gts_kernel(traverse)]
pub(crate) fn relax<T>(sssp: &mut Sssp<T>, src: Vertex, dst: Vertex, e: Edge) {
    let far = sssp.distance[src].saturating_add(sssp.weight[e]);
    if sssp.distance[dst].fetch_min(far) > far {
        activate(dst);
    }
}

macro_rules! driver {
    ($(#[$example:meta])* $name:ident, $weight:ty) => {
        /// Returns distances by weights of one type, in the order of the original IDs; the type's `UNREACHED` if no
        /// path leads from the source. Weights must be at least 0.
        ///
        /// # Errors
        ///
        /// As for [`Run::traverse`].
        ///
        $(#[$example])*
        pub fn $name(run: &mut Run<Sssp<$weight>>, source: Vertex) -> Result<Vec<$weight>> {
            run.set(Sssp::DISTANCE, source, Default::default())?;
            run.activate(source)?;
            run.traverse(relax)?;
            run.take(Sssp::DISTANCE)
        }
    };
}

driver! {
    /// # Examples
    ///
    /// ```
    /// use gts_algorithms::sssp::sssp_f32;
    /// use gts_graph::prelude::*;
    ///
    /// let edges = [(1, 2, 4.0f32), (1, 3, 0.5), (3, 2, 0.5)];
    /// let graph = Graph::builder().weighted_edges(edges).build().expect("sound edges");
    /// assert_eq!(sssp_f32(&mut Engine::cpu()?.start(&graph)?, graph.vertex(1)?)?, [0.0, 1.0, 0.5]);
    /// # Ok::<(), Error>(())
    /// ```
    sssp_f32, f32
}

driver! {
    /// # Examples
    ///
    /// ```
    /// use gts_algorithms::sssp::sssp_f64;
    /// use gts_graph::prelude::*;
    ///
    /// let edges = [(1, 2, 4.0f64), (1, 3, 0.5), (3, 2, 0.5)];
    /// let graph = Graph::builder().weighted_edges(edges).build().expect("sound edges");
    /// assert_eq!(sssp_f64(&mut Engine::cpu()?.start(&graph)?, graph.vertex(1)?)?, [0.0, 1.0, 0.5]);
    /// # Ok::<(), Error>(())
    /// ```
    sssp_f64, f64
}

driver! {
    /// # Examples
    ///
    /// ```
    /// use gts_algorithms::sssp::sssp_u32;
    /// use gts_graph::prelude::*;
    ///
    /// let edges = [(1, 2, 4u32), (1, 3, 1), (3, 2, 1)];
    /// let graph = Graph::builder().weighted_edges(edges).build().expect("sound edges");
    /// assert_eq!(sssp_u32(&mut Engine::cpu()?.start(&graph)?, graph.vertex(1)?)?, [0, 2, 1]);
    /// # Ok::<(), Error>(())
    /// ```
    sssp_u32, u32
}

fn run(engine: &Engine, graph: &Graph, arguments: &Arguments) -> Result<Answer> {
    let source = source(graph, arguments)?;
    match graph.value_type() {
        Some(ScalarType::U32) => solve(engine, graph, |run, _| sssp_u32(run, source)),
        Some(ScalarType::F64) => solve(engine, graph, |run, _| sssp_f64(run, source)),
        _ => solve(engine, graph, |run, _| sssp_f32(run, source)),
    }
}

/// Returns the answer of a driver, which also receives the largest weight. Fails if weights or distances are invalid.
pub(crate) fn solve<T: Weight>(
    engine: &Engine,
    graph: &Graph,
    driver: impl FnOnce(&mut Run<Sssp<T>>, f64) -> Result<Vec<T>>,
) -> Result<Answer>
where
    Sssp<T>: Attributes,
    Values: From<Vec<T>>,
{
    let mut run = engine.start(graph)?;
    let largest = weights::largest::<T>(graph)?;
    let distances = driver(&mut run, largest)?;
    weights::refuse_too_long(graph, &distances, largest)?;
    Ok(answer(distances))
}

/// Outputs of shortest paths.
pub(crate) const OUTPUTS: &[Output] = &[
    Output::vertices(
        "distance",
        &[ScalarType::F32, ScalarType::F64, ScalarType::U32],
        "Least sum of weights from the source",
    )
    .unreached("no path leads from the source to the vertex")
    .summary(Summary::Smallest),
    Output::scalar("reached", "Vertices that a path reaches, the source included"),
    Output::scalar("farthest", "Largest distance"),
];

/// Returns the answer with these distances, which are in the order of the original IDs.
fn answer<T: Weight>(distances: Vec<T>) -> Answer
where
    Values: From<Vec<T>>,
{
    let (reached, farthest) = weights::reached(&distances);
    Answer::new()
        .scalar("reached", Scalar::Unsigned(reached))
        .scalar("farthest", Scalar::Real(farthest))
        .vertices("distance", distances)
}

register! {
    Algorithm::new("sssp", "Shortest paths: least sum of edge weights from a source vertex", run)
        .kind(AlgorithmKind::Paths)
        .help("Follows edges forward. Weights are f32, f64 or u32, and at least 0. Vertices that no path reaches have no \
               distance.")
        .source("R. Bellman: On a routing problem. Quarterly of Applied Mathematics 16, 1958")
        .definition(
            Definition::forward(
                "`distance(v)` is the least sum of weights on a path from the source to `v`. Weights are at least 0.",
            )
            .except(
                "A vertex that is not reached has no distance.",
            )
            .networkx(&[
                NetworkxCall { graph: "MultiDiGraph", flags: "--source SOURCE", call: "nx.single_source_dijkstra_path_length(G, SOURCE)" },
            ]),
        )
        .parameters(&[SOURCE])
        .weights(weights::TYPES)
        .outputs(OUTPUTS)
        .kernels(&[edge_kernel(relax::<f32>), edge_kernel(relax::<f64>), edge_kernel(relax::<u32>)])
        .outline(|_, graph| Ok(Outline::traverse_from_one(match graph.weights {
            Some(ScalarType::U32) => edge_kernel(relax::<u32>),
            Some(ScalarType::F64) => edge_kernel(relax::<f64>),
            _ => edge_kernel(relax::<f32>),
        })))
        .check(crate::check::sssp)
}
