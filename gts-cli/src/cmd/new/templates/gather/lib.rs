//! The number of neighbours with more edges than the vertex itself.

mod serial;

use gts_graph::algorithm::{
    Algorithm, Answer, Arguments, Outline, Output, gather_block, gather_edges,
};
use gts_graph::contract::ScalarType;
use gts_graph::prelude::*;

/// The values of each vertex.
#[gts_attributes]
pub struct Larger {
    /// Neighbours with a larger out-degree.
    #[wa(init = 0, merge = any)]
    pub count: u32,
}

/// Runs for each vertex. Reduces the list of its neighbours to one value, and stores it.
#[gts_kernel(gather)]
pub fn compare(larger: &mut Larger, v: Vertex) {
    let count = v.neighbors().count(|dst| dst.out_degree() > v.out_degree());
    larger.count[v] = count as u32;
}

/// Returns the number of neighbours with a larger out-degree for each vertex, in ascending order of the IDs.
pub fn larger(engine: &Engine, graph: &Graph) -> Result<Vec<u32>> {
    let mut run = engine.start::<Larger>(graph)?;
    run.gather(compare)?;
    run.take(Larger::COUNT)
}

fn run(engine: &Engine, graph: &Graph, _: &Arguments) -> Result<Answer> {
    Ok(Answer::new().vertices("count", larger(engine, graph)?))
}

gts_graph::register! {
    Algorithm::new("my-algorithm", "Neighbours with more edges than the vertex", run)
        .outputs(&[Output::vertices("count", &[ScalarType::U32], "Neighbours with a larger out-degree")])
        .kernels(&[gather_edges(compare), gather_block(compare)])
        // For `gts plan`: the shape of the run.
        .outline(|_, _| Ok(Outline::repeat(1, [gather_edges(compare), gather_block(compare)])))
        .check(serial::check)
}

/// Links the algorithm into a program.
pub fn link() {}

#[cfg(test)]
gts_graph::gts_conformance!(my_algorithm: "my-algorithm");
