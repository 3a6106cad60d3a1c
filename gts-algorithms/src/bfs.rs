//! Breadth-first search: the least number of edges on a path from a source to each vertex.
//!
//! Level by level from the source (E. F. Moore, "The shortest path through a maze", 1959). An active vertex gives its
//! out-neighbours that have no level yet the next one and makes them active; each edge is walked once. All writers of a
//! step store the same value, so it does not matter which of them comes first.

use crate::source::{SOURCE, source};
use gts_runtime::algorithm::{Algorithm, Answer, Arguments, Outline, Output, Scalar, Summary, edge_kernel};
use gts_runtime::core::contract::ScalarType;
use gts_runtime::prelude::*;
use gts_runtime::register;

/// Hops from a source.
#[gts_attributes]
pub struct Bfs {
    /// Level of the vertex, or `UNREACHED`.
    #[wa(init = UNREACHED, merge = min)]
    pub level: u32,
}

#[gts_kernel(traverse)]
fn expand(bfs: &mut Bfs, src: Vertex, dst: Vertex) {
    if bfs.level[dst] == UNREACHED {
        bfs.level[dst] = step() + 1;
        activate(dst);
    }
}

/// The level of every vertex, in the order of the original IDs; `u32::MAX` where no path leads from the source.
///
/// # Errors
///
/// As for [`Run::traverse`].
pub fn bfs(run: &mut Run<Bfs>, source: Vertex) -> Result<Vec<u32>> {
    run.set(Bfs::LEVEL, source, 0)?;
    run.activate(source)?;
    run.traverse(expand)?;
    run.take(Bfs::LEVEL)
}

fn run(engine: &Engine, graph: &Graph, arguments: &Arguments) -> Result<Answer> {
    let levels = bfs(&mut engine.start(graph)?, source(graph, arguments)?)?;
    let reached = levels.iter().filter(|level| **level != u32::MAX);
    let depth = reached.clone().max().copied().unwrap_or(0);
    Ok(Answer::new()
        .scalar("reached", Scalar::Unsigned(reached.count() as u64))
        .scalar("depth", Scalar::Unsigned(depth.into()))
        .vertices("level", levels))
}

register! {
    Algorithm::new("bfs", "Breadth-first search: hops from a source vertex", run)
        .help("Follows edges forward, level by level. Vertices that no path reaches have no level.")
        .source("E. F. Moore: The shortest path through a maze. International Symposium on the Theory of Switching, 1959")
        .parameters(&[SOURCE])
        .outputs(&[
            Output::vertices("level", &[ScalarType::U32], "Hops from the source")
                .unreached("no path leads from the source to the vertex")
                .summary(Summary::Histogram),
            Output::scalar("reached", "Vertices that a path reaches, the source included"),
            Output::scalar("depth", "Largest level"),
        ])
        .kernels(&[edge_kernel(expand)])
        .outline(|_, _| Ok(Outline::traverse_from_one(edge_kernel(expand))))
        .check(crate::check::bfs)
}
