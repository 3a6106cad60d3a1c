//! The program of `ways.rs` with IDs as values: of several vertices, the one with the smallest ID counts.

use super::ways::serial;
use gts_graph::algorithm::{
    Algorithm, Answer, Arguments, Output, Parameter, Values, edge_kernel,
};
use gts_graph::contract::ScalarType;
use gts_graph::prelude::*;

// ANCHOR: attributes
#[gts_attributes]
pub struct Ways {
    #[wa(init = UNREACHED, merge = min)]
    pub level: u32,
    /// The ID of the vertex.
    #[ra]
    pub id: u64,
    /// The smallest ID of a vertex before this one.
    #[wa(init = UNREACHED, merge = min)]
    pub before: u64,
}
// ANCHOR_END: attributes

#[gts_kernel(traverse)]
fn expand(ways: &mut Ways, src: Vertex, dst: Vertex) {
    if ways.level[dst] == UNREACHED {
        ways.level[dst] = step() + 1;
        activate(dst);
    }
}

// ANCHOR: scan
#[gts_kernel(scan)]
fn look_back(ways: &mut Ways, src: Vertex, dst: Vertex) {
    if ways.level[src] < ways.level[dst] {
        ways.before[dst].fetch_min(ways.id[src]);
    }
}
// ANCHOR_END: scan

fn run(
    engine: &Engine,
    graph: &Graph,
    arguments: &Arguments,
) -> Result<Answer> {
    let mut run = engine.start::<Ways>(graph)?;
    // ANCHOR: set
    run.set_by(Ways::ID, |vertex| graph.original(vertex))?;
    // ANCHOR_END: set
    for source in arguments.vertices(graph, "sources")? {
        run.set(Ways::LEVEL, source, 0)?;
        run.activate(source)?;
    }
    run.traverse(expand)?;
    run.scan(look_back)?;
    // ANCHOR: answer
    Ok(Answer::new()
        .vertices("level", run.take(Ways::LEVEL)?)
        .vertices("before", Values::Vertex(run.take(Ways::BEFORE)?)))
    // ANCHOR_END: answer
}

gts_graph::register! {
    Algorithm::new("ways-by-id", "Hops from the nearest source, and the vertex before each one", run)
        .parameters(&[Parameter::vertices("sources", "Vertices to start from")])
        // ANCHOR: outputs
        .outputs(&[
            Output::vertices("level", &[ScalarType::U32], "Hops to the vertex")
                .unreached("no path"),
            Output::vertices("before", &[ScalarType::VertexId], "Vertex before it")
                .unreached("no path"),
        ])
        // ANCHOR_END: outputs
        .kernels(&[edge_kernel(expand), edge_kernel(look_back)])
}

// ANCHOR: conformance
gts_graph::gts_conformance!(
    by_id: "ways-by-id",
    with("sources", "@0,@7"),
    oracle(serial),
    any_valid("before")
);
// ANCHOR_END: conformance
