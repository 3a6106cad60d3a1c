//! Solution: mass that starts at two vertices.

use super::nibble::{Nibble, exact, push, settle};
use gts_graph::prelude::*;

/// Returns the mass that stays at each vertex if half of it starts at each source.
fn nibble_two(run: &mut Run<Nibble>, sources: [Vertex; 2]) -> Result<Vec<f64>> {
    for source in sources {
        run.set(Nibble::WAITING, source, 0.5)?;
        run.activate(source)?;
    }
    run.apply_active(settle)?;
    while run.frontier_size()? > 0 {
        run.advance(push)?;
        run.apply_active(settle)?;
    }
    run.take_dense(Nibble::KEPT)
}

#[test]
fn the_mass_is_the_mean_of_two_runs() -> Result<(), Box<dyn std::error::Error>> {
    let edges = (0..30u64).flat_map(|v| [(v, (v + 1) % 30), (v, v * v % 30)]);
    let graph = Graph::builder().edges(edges.filter(|(a, b)| a != b)).symmetrise(true).build()?;
    let sources = [graph.vertex(3)?, graph.vertex(17)?];
    let mut run = Engine::cpu()?.start::<Nibble>(&graph)?;
    let found = nibble_two(&mut run, sources)?;
    let [one, other] = [exact(&graph, sources[0], 0.15)?, exact(&graph, sources[1], 0.15)?];
    for v in graph.ids().in_original_order() {
        let lacking = (one[v.index()] + other[v.index()]) / 2.0 - found[v.index()];
        let allowed = 1e-4 * graph.out_degree(v) as f64;
        assert!((-1e-9..=allowed + 1e-9).contains(&lacking), "{v:?} lacks {lacking}");
    }
    Ok(())
}
