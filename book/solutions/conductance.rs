//! Exercise: the conductance of a set of vertices, the share of its edges that lead out of it.

use gts_graph::prelude::*;

#[gts_attributes]
pub struct Cut {
    /// Whether the vertex is in the set.
    #[wa(init = false, merge = or)]
    pub inside: bool,
    /// Edges that leave a vertex of the set.
    #[global(merge = sum)]
    pub volume: u64,
    /// Those of them that leave the set.
    #[global(merge = sum)]
    pub cut: u64,
}

#[gts_kernel(scan)]
fn measure(c: &mut Cut, src: Vertex, dst: Vertex) {
    if c.inside[src] {
        c.volume += 1;
        if !c.inside[dst] {
            c.cut += 1;
        }
    }
}

/// The conductance of a set in a symmetric graph: the edges that leave the set, divided by the edges of the smaller
/// side.
fn conductance(engine: &Engine, graph: &Graph, set: impl Fn(u64) -> bool + Sync) -> Result<f64> {
    let mut run = engine.start::<Cut>(graph)?;
    run.set_by(Cut::INSIDE, |v| set(graph.original(v)))?;
    run.scan(measure)?;
    let volume = run.global(Cut::VOLUME)?;
    let smaller = volume.min(graph.num_edges() - volume);
    Ok(run.global(Cut::CUT)? as f64 / smaller as f64)
}

#[test]
fn conductance_is_that_of_a_loop() -> Result<(), Box<dyn std::error::Error>> {
    let edges = super::both_ways(&super::random_edges(50, 50, 13));
    let set = |id: u64| id.is_multiple_of(3);
    let cut = edges.iter().filter(|edge| set(edge.0) && !set(edge.1)).count() as f64;
    let [inside, outside] = [true, false].map(|side| edges.iter().filter(|edge| set(edge.0) == side).count() as f64);
    let found = conductance(&Engine::cpu()?, &Graph::from_edges(edges.iter().copied())?, set)?;
    assert_eq!(found, cut / inside.min(outside));
    Ok(())
}
