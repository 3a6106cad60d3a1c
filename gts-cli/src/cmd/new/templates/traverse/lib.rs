//! Hops from a source.

mod serial;

use gts_graph::algorithm::{Algorithm, Answer, Arguments, Outline, Output, Parameter, edge_kernel};
use gts_graph::contract::ScalarType;
use gts_graph::prelude::*;

/// The values of each vertex.
#[gts_attributes]
pub struct Hops {
    /// Hops from the source, or `UNREACHED`.
    #[wa(init = UNREACHED, merge = min)]
    pub level: u32,
}

/// Runs for each edge from an active vertex `src`. If `dst` has no level, gives it one and
/// activates it for the next step.
#[gts_kernel(traverse)]
pub fn expand(hops: &mut Hops, src: Vertex, dst: Vertex) {
    if hops.level[dst] == UNREACHED {
        hops.level[dst] = step() + 1;
        activate(dst);
    }
}

/// Returns the hops from `source` to each vertex, in ascending order of the IDs.
pub fn hops(engine: &Engine, graph: &Graph, source: Vertex) -> Result<Vec<u32>> {
    let mut run = engine.start::<Hops>(graph)?;
    run.set(Hops::LEVEL, source, 0)?;
    run.activate(source)?;
    run.traverse(expand)?;
    run.take(Hops::LEVEL)
}

/// Returns the vertex that `--source` names, or the one with the most out-edges.
fn source(graph: &Graph, arguments: &Arguments) -> Result<Vertex> {
    if let Some(given) = arguments.vertex(graph, "source")? {
        return Ok(given);
    }
    graph
        .hub()
        .ok_or_else(|| Error::argument("--source", "the graph has no vertices to start from"))
}

fn run(engine: &Engine, graph: &Graph, arguments: &Arguments) -> Result<Answer> {
    let levels = hops(engine, graph, source(graph, arguments)?)?;
    Ok(Answer::new().vertices("level", levels))
}

gts_graph::register! {
    Algorithm::new("my-algorithm", "Hops from a source", run)
        .parameters(&[Parameter::vertex("source", "Vertex to start from, by its ID")
            .otherwise("the vertex with the most out-edges")])
        .outputs(&[Output::vertices("level", &[ScalarType::U32], "Hops from the source")
            .unreached("no path leads to the vertex")])
        .kernels(&[edge_kernel(expand)])
        // For `gts plan`: the shape of the run.
        .outline(|_, _| Ok(Outline::traverse_from_one(edge_kernel(expand))))
        .check(serial::check)
}

/// Links the algorithm into a program.
pub fn link() {}

// `@0` is the first vertex of each graph of the tests.
#[cfg(test)]
gts_graph::gts_conformance!(my_algorithm: "my-algorithm", with("source", "@0"));
