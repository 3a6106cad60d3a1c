//! Solution: the weight of all edges into each vertex, for two types of weights.

use gts_graph::prelude::*;

/// Weights of edges into each vertex.
#[gts_attributes(T = f32 | f64)]
pub struct Weights<T> {
    /// The sum of the weights.
    #[wa(init = 0.0, merge = sum)]
    pub total: T,
    /// Weight of the edge.
    #[edge]
    pub weight: T,
}

#[gts_kernel(scan)]
fn add<T>(w: &mut Weights<T>, src: Vertex, dst: Vertex, e: Edge) {
    w.total[dst] += w.weight[e];
}

#[test]
fn totals_are_those_of_a_loop() -> Result<(), Box<dyn std::error::Error>> {
    let engine = Engine::cpu()?;
    let edges: Vec<(u64, u64, u64)> = (0..60).map(|v| (v % 20, v * 7 % 20, v)).collect();
    let mut expected = [0u64; 20];
    edges.iter().for_each(|&(_, dst, weight)| expected[dst as usize] += weight);

    // The weights and their sums are exact in both types.
    let singles = edges.iter().map(|&(src, dst, weight)| (src, dst, weight as f32));
    let graph = Graph::builder().weighted_edges(singles).build()?;
    let mut run = engine.start::<Weights<f32>>(&graph)?;
    run.scan(add)?;
    assert_eq!(run.take(Weights::TOTAL)?, expected.map(|total| total as f32));

    let halves = edges.iter().map(|&(src, dst, weight)| (src, dst, weight as f64 / 2.0));
    let graph = Graph::builder().weighted_edges(halves).build()?;
    let mut run = engine.start::<Weights<f64>>(&graph)?;
    run.scan(add)?;
    assert_eq!(run.take(Weights::TOTAL)?, expected.map(|total| total as f64 / 2.0));
    Ok(())
}
