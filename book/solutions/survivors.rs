//! Solution: undirected edges that each survive with some chance, both directions together.

use super::random_formula::bits;
use gts_graph::prelude::*;

/// Edges that survive.
#[gts_attributes]
pub struct Survivors {
    /// Surviving edges of the vertex.
    #[wa(init = 0, merge = sum)]
    pub edges: u64,
    /// The chance that an edge survives.
    #[param]
    pub chance: f64,
}

#[gts_kernel(scan)]
fn survive(s: &mut Survivors, src: Vertex, dst: Vertex) {
    let low = (src as u64).min(dst as u64);
    let high = (src as u64).max(dst as u64);
    if random_f64(low * num_vertices() + high, 0) < s.chance {
        s.edges[dst] += 1;
    }
}

/// Returns the surviving edges of every vertex.
fn survivors(engine: &Engine, graph: &Graph, chance: f64) -> Result<Vec<u64>> {
    let mut run = engine.start::<Survivors>(graph)?;
    run.set_param(Survivors::CHANCE, chance)?;
    run.scan(survive)?;
    run.take(Survivors::EDGES)
}

#[test]
fn both_directions_survive_together() -> Result<(), Box<dyn std::error::Error>> {
    let ring: Vec<(u64, u64)> = (0..100).flat_map(|v| [(v, (v + 1) % 100), (v, (v + 7) % 100)]).collect();
    let graph = Graph::builder().edges(ring.iter().copied()).symmetrise(true).build()?;
    let engine = Engine::builder().device(DeviceChoice::Cpu).seed(5).build()?;
    let mut expected = vec![0; 100];
    for (a, b) in ring {
        let number = bits(5, 0, 0, (a.min(b) * 100 + a.max(b), u64::MAX - 1), 0) >> 11;
        if (number as f64 / (1u64 << 53) as f64) < 0.6 {
            expected[a as usize] += 1;
            expected[b as usize] += 1;
        }
    }
    assert_eq!(survivors(&engine, &graph, 0.6)?, expected);
    assert_eq!(survivors(&engine, &graph, 1.0)?, vec![4; 100]);
    Ok(())
}
