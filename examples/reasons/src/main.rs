//! A custom algorithm that runs a shipped one, and whose kernels call a function of its crate.
//!
//! Computes a reason for each vertex that a source reaches: the previous vertex on a shortest path, drawn at random if
//! there are several. Among Debian's packages, a reason is a package through which `gnome` depends on this one.
//! The same `--seed` gives the same reasons on every device:
//!
//! ```text
//! cargo run -p reasons -- run reasons examples/data/debian-12-dependencies.tsv.gz --source gnome --output reasons.csv
//! ```

use gts_graph::algorithm::{Algorithm, Answer, Arguments, Outline, Output, Parameter, Values, edge_kernel};
use gts_graph::algorithms::bfs::{Bfs, bfs};
use gts_graph::algorithms::priority::priority;
use gts_graph::contract::ScalarType;
use gts_graph::prelude::*;

/// Candidate reasons of each vertex, and the chosen one.
#[gts_attributes]
pub struct Reasons {
    /// Hops from the source.
    #[wa(init = UNREACHED, merge = min)]
    pub level: u32,
    /// The lowest number drawn by a vertex one level before.
    #[wa(init = UNREACHED, merge = min)]
    pub first: u64,
    /// The vertex that drew this number.
    #[wa(init = UNREACHED, merge = min)]
    pub reason: VertexId,
    /// Seed of the drawn numbers.
    #[param]
    pub seed: u64,
}

// An edge from a vertex with a level leads at most one level further.
#[gts_kernel(scan)]
fn offer(reasons: &mut Reasons, src: Vertex, dst: Vertex) {
    if reasons.level[src] < reasons.level[dst] {
        reasons.first[dst].fetch_min(priority(reasons.seed, src as u64));
    }
}

#[gts_kernel(scan)]
fn settle(reasons: &mut Reasons, src: Vertex, dst: Vertex) {
    if reasons.level[src] < reasons.level[dst] && priority(reasons.seed, src as u64) == reasons.first[dst] {
        reasons.reason[dst].fetch_min(src);
    }
}

fn run(engine: &Engine, graph: &Graph, arguments: &Arguments) -> Result<Answer> {
    let source = arguments.vertex(graph, "source")?.ok_or_else(|| Error::argument("--source", "give a vertex"))?;
    let mut search = engine.start::<Bfs>(graph)?;
    bfs(&mut search, source)?;
    let mut run = engine.start::<Reasons>(graph)?;
    run.set_param(Reasons::SEED, run.seed())?;
    run.set_dense(Reasons::LEVEL, &search.take_dense(Bfs::LEVEL)?)?;
    run.scan(offer)?;
    run.scan(settle)?;
    let reasons = run.take(Reasons::REASON)?.into_iter().map(VertexId::to_bits).collect();
    Ok(Answer::new().vertices("reason", Values::Vertex(reasons)).vertices("level", run.take(Reasons::LEVEL)?))
}

gts_graph::register! {
    Algorithm::new("reasons", "A vertex before each on a shortest path from a source, drawn at random", run)
        .parameters(&[Parameter::vertex("source", "Where paths begin, by its original ID")])
        .outputs(&[
            Output::vertices("reason", &[ScalarType::VertexId], "The vertex before it").unreached("there is none"),
            Output::vertices("level", &[ScalarType::U32], "Hops from the source").unreached("no path leads to it"),
        ])
        .kernels(&[edge_kernel(offer), edge_kernel(settle)])
        .outline(|_, _| Ok(Outline::repeat(1, [edge_kernel(offer), edge_kernel(settle)])))
}

fn main() -> std::process::ExitCode {
    gts_graph::cli::main()
}
