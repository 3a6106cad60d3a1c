//! A custom algorithm with the whole command line of GTS.
//!
//! Estimates for each vertex the share of all vertices with a path to it, from a sample. Among Debian's packages that
//! is the share of the distribution that depends on a package, directly or indirectly:
//!
//! ```text
//! cargo run -p dependents -- run dependents examples/data/debian-12-dependencies.tsv.gz --top 10
//! ```

use gts_graph::algorithm::{Algorithm, Answer, Arguments, Outline, Output, Parameter, Value, edge_kernel};
use gts_graph::contract::ScalarType;
use gts_graph::prelude::*;

/// Sampled vertices that reach a vertex.
#[gts_attributes]
pub struct Dependents {
    /// One bit per sampled vertex.
    #[wa(init = 0, merge = or)]
    pub seen: u64,
}

#[gts_kernel(traverse)]
fn spread(dependents: &mut Dependents, src: Vertex, dst: Vertex) {
    let seen = dependents.seen[src];
    if seen & !dependents.seen[dst].fetch_or(seen) != 0 {
        activate(dst);
    }
}

fn run(engine: &Engine, graph: &Graph, arguments: &Arguments) -> Result<Answer> {
    let mut run = engine.start::<Dependents>(graph)?;
    let samples = arguments.integer("samples")?.clamp(1, graph.num_vertices().max(1));
    let vertices = graph.ids().in_original_order();
    let spacing = (graph.num_vertices() / samples).max(1) as usize;
    for (bit, vertex) in vertices.step_by(spacing).take(samples as usize).enumerate() {
        run.set(Dependents::SEEN, vertex, 1 << bit)?;
        run.activate(vertex)?;
    }
    run.traverse(spread)?;
    let share = |seen: u64| seen.count_ones() as f32 / samples as f32;
    Ok(Answer::new().vertices("share", run.take(Dependents::SEEN)?.into_iter().map(share).collect::<Vec<_>>()))
}

gts_graph::register! {
    Algorithm::new("dependents", "Share of the vertices from which a path leads to each vertex, from a sample", run)
        .parameters(&[Parameter::integer("samples", "Vertices to sample").within(1, 64).default(Value::Integer(64))])
        .outputs(&[Output::vertices("share", &[ScalarType::F32], "Share of the sampled vertices that reach the vertex")])
        .kernels(&[edge_kernel(spread)])
        .outline(|_, _| Ok(Outline::traverse_from_one(edge_kernel(spread))))
}

fn main() -> std::process::ExitCode {
    gts_graph::cli::main()
}
