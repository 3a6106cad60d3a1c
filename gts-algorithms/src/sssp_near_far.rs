//! Single-source shortest paths, near vertices first: distances below a threshold are settled before any beyond it.
//!
//! A vertex whose distance falls below the threshold is active in the next round; one at or beyond it waits. When no vertex
//! is active, all distances below the threshold are final, and it rises: past the least distance that waits, by a width
//! `delta` (U. Meyer, P. Sanders: Δ-stepping, a parallelizable shortest path algorithm. Journal of Algorithms 49, 2003; as
//! near and far piles in A. Davidson, S. Baxter, M. Garland, J. D. Owens, IPDPS 2014). What waits needs no pile of its own:
//! those are the vertices with a distance from the old threshold on. Fewer edges are relaxed in vain than by
//! [`sssp`](mod@crate::sssp), in more rounds; each rise of the threshold looks at every vertex, O(V), and answers are the same
//! bits whatever the width.

use crate::source::{SOURCE, source};
use crate::sssp;
use crate::weights::{self, Weight};
use gts_runtime::algorithm::{Algorithm, Answer, Arguments, Outline, Parameter, Start, edge_kernel, vertex_kernel};
use gts_runtime::core::contract::ScalarType;
use gts_runtime::prelude::*;
use gts_runtime::register;

/// Distances from a source, and the threshold up to which vertices are near.
#[gts_attributes(T = f32 | u32)]
pub struct NearFar<T> {
    /// Distance of the vertex, or `UNREACHED`.
    #[wa(init = UNREACHED, merge = min)]
    pub distance: T,
    /// Weight of the edge, at least 0.
    #[edge]
    pub weight: T,
    /// The largest distance that is near.
    #[param]
    pub threshold: T,
    /// The largest distance that was near before: up to it all are final.
    #[param]
    pub settled: T,
    /// The least distance that waits.
    #[global(merge = min)]
    pub least: T,
}

// Overflow of integers is that of `sssp::relax`.
#[gts_kernel(traverse)]
fn relax<T>(paths: &mut NearFar<T>, src: Vertex, dst: Vertex, e: Edge) {
    let near = paths.distance[src];
    let far = near + paths.weight[e];
    if far >= near && paths.distance[dst].fetch_min(far) > far && far <= paths.threshold {
        activate(dst);
    }
}

// A vertex without a distance has the largest, which takes nothing from a minimum.
#[gts_kernel(vertex)]
fn find_least<T>(paths: &mut NearFar<T>, v: Vertex) {
    if paths.distance[v] > paths.settled {
        paths.least.fetch_min(paths.distance[v]);
    }
}

#[gts_kernel(vertex)]
fn bring_near<T>(paths: &mut NearFar<T>, v: Vertex) {
    if paths.distance[v] > paths.settled && paths.distance[v] <= paths.threshold {
        activate(v);
    }
}

macro_rules! driver {
    ($(#[$example:meta])* $name:ident, $weight:ty, $add:expr) => {
        /// Distances by weights of one type, in the order of the original IDs; the type's `UNREACHED` where no path
        /// leads from the source. Weights and `delta`, by which the threshold rises, must be at least 0.
        ///
        /// # Errors
        ///
        /// As for [`Run::traverse`].
        ///
        $(#[$example])*
        pub fn $name(run: &mut Run<NearFar<$weight>>, source: Vertex, delta: $weight) -> Result<Vec<$weight>> {
            let mut threshold = delta;
            run.set(NearFar::DISTANCE, source, Default::default())?;
            run.set_param(NearFar::THRESHOLD, threshold)?;
            run.activate(source)?;
            loop {
                run.traverse(relax)?;
                run.set_param(NearFar::SETTLED, threshold)?;
                run.apply(find_least)?;
                let least = run.global(NearFar::LEAST)?;
                if !least.is_reached() {
                    return run.take(NearFar::DISTANCE);
                }
                threshold = $add(least, delta);
                run.set_param(NearFar::THRESHOLD, threshold)?;
                run.apply(bring_near)?;
            }
        }
    };
}

driver! {
    /// # Examples
    ///
    /// ```
    /// use gts_algorithms::sssp_near_far::near_far_f32;
    /// use gts_runtime::prelude::*;
    ///
    /// let edges = [(1, 2, 4.0f32), (1, 3, 0.5), (3, 2, 0.5)];
    /// let graph = Graph::builder().weighted_edges(edges).build().expect("sound edges");
    /// assert_eq!(near_far_f32(&mut Engine::cpu()?.start(&graph)?, graph.vertex(1)?, 1.0)?, [0.0, 1.0, 0.5]);
    /// # Ok::<(), Error>(())
    /// ```
    near_far_f32, f32, |least: f32, delta: f32| least + delta
}

driver! {
    /// # Examples
    ///
    /// ```
    /// use gts_algorithms::sssp_near_far::near_far_u32;
    /// use gts_runtime::prelude::*;
    ///
    /// let edges = [(1, 2, 4u32), (1, 3, 1), (3, 2, 1)];
    /// let graph = Graph::builder().weighted_edges(edges).build().expect("sound edges");
    /// assert_eq!(near_far_u32(&mut Engine::cpu()?.start(&graph)?, graph.vertex(1)?, 1)?, [0, 2, 1]);
    /// # Ok::<(), Error>(())
    /// ```
    near_far_u32, u32, u32::saturating_add
}

/// The width for weights up to the largest: about one vertex of each list is near at a time.
fn usual_delta(graph: &Graph, largest: f64) -> f64 {
    largest * graph.num_vertices() as f64 / graph.num_edges().max(1) as f64
}

fn run(engine: &Engine, graph: &Graph, arguments: &Arguments) -> Result<Answer> {
    let source = source(graph, arguments)?;
    let given = arguments.optional_real("delta")?;
    if graph.value_type() == Some(ScalarType::U32) {
        let mut run = engine.start(graph)?;
        let largest = weights::largest::<u32>(graph)?;
        let delta = given.unwrap_or_else(|| usual_delta(graph, largest)) as u32;
        let distances = near_far_u32(&mut run, source, delta)?;
        weights::refuse_too_long(graph, &distances, largest)?;
        Ok(sssp::answer(distances))
    } else {
        let mut run = engine.start(graph)?;
        let largest = weights::largest::<f32>(graph)?;
        let delta = given.unwrap_or_else(|| usual_delta(graph, largest)) as f32;
        let distances = near_far_f32(&mut run, source, delta)?;
        weights::refuse_too_long(graph, &distances, largest)?;
        Ok(sssp::answer(distances))
    }
}

/// `--delta`.
const DELTA: Parameter = Parameter::real("delta", "By how much the largest near distance rises at a time")
    .between(0.0, f32::MAX as f64)
    .otherwise("the largest weight over the mean number of out-edges");

register! {
    Algorithm::new("sssp-near-far", "Shortest paths, near vertices first", run)
        .help("The answer of `sssp`, in more rounds that relax fewer edges in vain. Weights are f32 or u32, and at least 0.")
        .source("A. Davidson, S. Baxter, M. Garland, J. D. Owens: Work-efficient parallel GPU methods for single-source \
                 shortest paths. IPDPS 2014")
        .parameters(&[SOURCE, DELTA])
        .weights(&[ScalarType::F32, ScalarType::U32])
        .outputs(sssp::OUTPUTS)
        .kernels(&[
            edge_kernel(relax::<f32>),
            vertex_kernel(find_least::<f32>),
            vertex_kernel(bring_near::<f32>),
            edge_kernel(relax::<u32>),
            vertex_kernel(find_least::<u32>),
            vertex_kernel(bring_near::<u32>),
        ])
        .outline(|_, graph| Ok(Outline::while_active(Start::One, match graph.weights {
            Some(ScalarType::U32) => {
                [edge_kernel(relax::<u32>), vertex_kernel(find_least::<u32>), vertex_kernel(bring_near::<u32>)]
            }
            _ => [edge_kernel(relax::<f32>), vertex_kernel(find_least::<f32>), vertex_kernel(bring_near::<f32>)],
        })))
        .check(crate::check::sssp)
}
