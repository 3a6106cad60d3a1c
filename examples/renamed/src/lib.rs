//! Generations of vertices, in a crate that depends on `gts-graph` by the name `graphs` and re-exports it.

#![deny(clippy::all)]

pub use graphs as framework;

use graphs::prelude::*;
use graphs::register;

/// The generation of each vertex: the length of the longest path to it from a vertex without in-edges, up to a limit.
#[gts_attributes(crate = graphs)]
pub struct Generations {
    /// The generation.
    #[wa(init = 0, merge = max)]
    pub gen: u32,
    /// The largest generation.
    #[param]
    pub limit: u32,
}

/// Added per edge.
#[gts_const(crate = graphs)]
pub const ONE: u32 = 1;

/// Returns the generation after this one.
#[gts_fn(crate = graphs)]
pub fn after(gen: u32, limit: u32) -> u32 {
    let gen = gen + ONE;
    if gen < limit {
        gen
    } else {
        limit
    }
}

/// Raises the generations of neighbours.
#[gts_kernel(traverse, crate = graphs)]
pub fn raise(g: &mut Generations, src: Vertex, dst: Vertex) {
    let gen = after(g.gen[src], g.limit);
    if g.gen[dst].fetch_max(gen) < gen {
        activate(dst);
    }
}

/// Returns the generation of every vertex, in the order of the original IDs.
///
/// # Errors
///
/// As for [`Run::traverse`].
pub fn generations(run: &mut Run<Generations>, limit: u32) -> Result<Vec<u32>> {
    run.set_param(Generations::LIMIT, limit)?;
    run.activate_all()?;
    run.traverse(raise)?;
    run.take(Generations::GEN)
}

/// Kernels of the other kinds, which name the runtime by a path of this crate.
pub mod kinds {
    use crate::framework::prelude::*;

    /// Numbers of each vertex.
    #[gts_attributes(T = f32 | u64, crate = crate::framework)]
    pub struct Numbers<T> {
        /// The sum over the neighbours.
        #[wa(init = 0, merge = any)]
        pub neighbours: u64,
        /// Triangles of the vertex.
        #[wa(init = 0, merge = sum)]
        pub triangles: u64,
        /// Distance.
        #[wa(init = UNREACHED, merge = min)]
        pub distance: T,
        /// Length of an edge.
        #[edge(default = UNREACHED)]
        pub length: T,
        /// Vertices.
        #[global(merge = sum)]
        pub vertices: u64,
    }

    /// Adds numbers of neighbours.
    #[gts_kernel(gather, crate = crate::framework)]
    pub fn add<T>(n: &mut Numbers<T>, v: Vertex) {
        let sum = v.neighbors().sum(|dst| dst as u64);
        n.neighbours[v] = sum;
    }

    /// Counts triangles.
    #[gts_kernel(intersect, crate = crate::framework)]
    pub fn meet<T>(n: &mut Numbers<T>, u: Vertex, v: Vertex, w: Vertex) {
        n.triangles[u] += 1;
    }

    /// Returns how near a vertex is.
    #[gts_kernel(priority, crate = crate::framework)]
    pub fn nearness<T>(n: &mut Numbers<T>, v: Vertex) -> T {
        n.distance[v]
    }

    /// Relaxes edges.
    #[gts_kernel(traverse, crate = crate::framework)]
    pub fn relax<T>(n: &mut Numbers<T>, src: Vertex, dst: Vertex, e: Edge) {
        let far = n.distance[src] + n.length[e];
        if n.distance[dst].fetch_min(far) > far {
            activate(dst);
        }
    }

    /// Counts vertices.
    #[gts_kernel(vertex, crate = crate::framework)]
    pub fn count<T>(n: &mut Numbers<T>, v: Vertex) {
        n.vertices += 1;
    }
}

macro_rules! counters {
    ($module:ident, $add:expr) => {
        /// A counter for each vertex.
        pub mod $module {
            use graphs::prelude::*;

            /// Counters.
            #[gts_attributes(crate = graphs)]
            pub struct Counters {
                /// The counter.
                #[wa(init = 0, merge = sum)]
                pub count: u32,
            }

            /// Returns the number that is added per edge.
            #[gts_fn(crate = graphs)]
            pub fn step_of_counter() -> u32 {
                $add
            }

            /// Counts edges.
            #[gts_kernel(scan, crate = graphs)]
            pub fn count(c: &mut Counters, src: Vertex, dst: Vertex) {
                c.count[dst] += step_of_counter();
            }
        }
    };
}

// One text in two modules.
counters!(ones, 1);
counters!(twos, 2);

fn run(engine: &Engine, graph: &Graph, _: &graphs::algorithm::Arguments) -> Result<graphs::algorithm::Answer> {
    let found = generations(&mut engine.start(graph)?, 10)?;
    Ok(graphs::algorithm::Answer::new().vertices("generation", found))
}

register! {
    graphs::algorithm::Algorithm::new("generations", "Longest ways to each vertex, up to a limit", run)
        .outputs(&[graphs::algorithm::Output::vertices(
            "generation",
            &[graphs::contract::ScalarType::U32],
            "Edges on the way",
        )])
        .kernels(&[graphs::algorithm::edge_kernel(raise)])
}
