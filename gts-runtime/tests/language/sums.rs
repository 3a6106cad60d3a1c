//! Tests of float sums at a vertex with many neighbours, and of sums over the steps of a traversal.

use super::engine;
use gts_graph::prelude::*;

/// Neighbours of the hub.
const LEAVES: u64 = 300_000;

#[gts_attributes]
pub struct Hub {
    #[wa(init = 0.0, merge = sum)]
    pub total: f32,
    #[wa(init = 0.0, merge = sum)]
    pub taken: f32,
    #[param]
    pub term: f32,
}

#[gts_kernel(scan)]
fn sum_up(hub: &mut Hub, src: Vertex, dst: Vertex) {
    hub.total[dst] += hub.term;
    hub.taken[dst] -= hub.term;
}

#[test]
fn many_equal_terms_lose_little_by_rounding() -> Result<()> {
    // Leaves 1.. point to the hub 0.
    let graph = Graph::from_edges((1..=LEAVES).map(|leaf| (leaf, 0))).expect("sound edges");
    let hub = graph.vertex(0).expect("the hub");
    // A plain sum of f32 is off by up to 3e-3.
    for term in [0.1, 1.0 / 3.0, 2.7e-9, 1e30 / 7.0] {
        let mut run = engine().start::<Hub>(&graph)?;
        run.set_param(Hub::TERM, term)?;
        run.scan(sum_up)?;
        let expected = f64::from(term) * LEAVES as f64;
        for (found, sign) in [(run.get(Hub::TOTAL, hub)?, 1.0), (run.get(Hub::TAKEN, hub)?, -1.0)] {
            let off = (sign * f64::from(found) - expected).abs() / expected;
            assert!(off < 1e-4, "{LEAVES} x {term:e}: {found}, off by {off:.1e}");
        }
    }
    Ok(())
}

#[gts_attributes]
pub struct Walked {
    #[wa(init = UNREACHED, merge = min)]
    pub level: u32,
    #[global(merge = sum)]
    pub edges: u64,
    #[global(merge = max)]
    pub farthest: u32,
}

#[gts_kernel(traverse)]
fn walk(w: &mut Walked, src: Vertex, dst: Vertex) {
    w.edges += 1;
    w.farthest.fetch_max(step());
    if w.level[dst] == UNREACHED {
        w.level[dst] = step() + 1;
        activate(dst);
    }
}

#[test]
fn a_traversal_counts_every_edge_that_it_walks() -> Result<()> {
    const DEGREE: u64 = 16;
    for vertices in [40, 700, 4096] {
        let edges = (0..vertices).flat_map(|v| (0..DEGREE).map(move |i| (v, super::mixed(v * DEGREE + i) % vertices)));
        let graph = Graph::from_edges(edges).expect("sound edges");
        let mut run = engine().start::<Walked>(&graph)?;
        let first = graph.vertex(0)?;
        run.set(Walked::LEVEL, first, 0)?;
        run.activate(first)?;
        let steps = run.traverse(walk)?;
        let reached = run.take(Walked::LEVEL)?.iter().filter(|&&level| level != u32::MAX).count() as u64;
        assert_eq!((run.global(Walked::EDGES)?, run.global(Walked::FARTHEST)?), (DEGREE * reached, steps - 1));
    }
    Ok(())
}
