//! The number of walks of a given length that end at each vertex.

mod serial;

use gts_graph::algorithm::{
    Algorithm, Answer, Arguments, Outline, Output, Parameter, Value, edge_kernel,
};
use gts_graph::contract::ScalarType;
use gts_graph::prelude::*;

/// The values of each vertex.
#[gts_attributes]
pub struct WalkCounts {
    /// Walks that ended at the vertex before this pass. Read only: streamed beside the pages of edges.
    #[ra(from = after)]
    pub before: u64,
    /// Walks that end at the vertex, one edge later. The sum of the walks that come over each edge.
    #[wa(init = 0, merge = sum)]
    pub after: u64,
}

/// Runs for each edge. Every walk that ended at `src` goes on to `dst`.
#[gts_kernel(scan)]
pub fn lengthen(walks: &mut WalkCounts, src: Vertex, dst: Vertex) {
    walks.after[dst] += walks.before[src];
}

/// Returns the number of walks of `length` edges that end at each vertex, in ascending order of the IDs.
pub fn walks(engine: &Engine, graph: &Graph, length: u64) -> Result<Vec<u64>> {
    let mut run = engine.start::<WalkCounts>(graph)?;
    // One walk without edges ends at each vertex.
    run.fill(WalkCounts::AFTER, 1)?;
    for _ in 0..length {
        // The values of `after` become those of `before`, and `after` begins at 0.
        run.rotate(WalkCounts::BEFORE)?;
        run.scan(lengthen)?;
    }
    run.take(WalkCounts::AFTER)
}

fn run(engine: &Engine, graph: &Graph, arguments: &Arguments) -> Result<Answer> {
    let ending = walks(engine, graph, arguments.integer("length")?)?;
    Ok(Answer::new().vertices("walks", ending))
}

gts_graph::register! {
    Algorithm::new("my-algorithm", "Walks of a given length that end at each vertex", run)
        .parameters(&[Parameter::integer("length", "Edges of a walk").within(0, 64).default(Value::Integer(2))])
        .outputs(&[Output::vertices("walks", &[ScalarType::U64], "Walks that end at the vertex")])
        .kernels(&[edge_kernel(lengthen)])
        // For `gts plan`: the shape of the run.
        .outline(|arguments, _| Ok(Outline::repeat(arguments.integer("length")?, [edge_kernel(lengthen)])))
        .check(serial::check)
}

/// Links the algorithm into a program.
pub fn link() {}

#[cfg(test)]
gts_graph::gts_conformance!(my_algorithm: "my-algorithm");
