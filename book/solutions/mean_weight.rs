//! Exercise: vertices whose edges in weigh more than a limit on average.

use gts_graph::prelude::*;

#[gts_attributes]
pub struct Means {
    #[wa(init = 0.0, merge = sum)]
    pub sum: f64,
    #[edge]
    pub weight: f32,
    #[param]
    pub limit: f64,
    #[global(merge = sum)]
    pub heavy: u64,
}

#[gts_kernel(scan)]
fn add_up(m: &mut Means, src: Vertex, dst: Vertex, e: Edge) {
    m.sum[dst] += m.weight[e] as f64;
}

#[gts_kernel(vertex)]
fn compare(m: &mut Means, v: Vertex) {
    if m.sum[v] > m.limit * v.in_degree() as f64 {
        m.heavy += 1;
    }
}

/// The number of such vertices for each limit.
fn heavy(engine: &Engine, graph: &Graph, limits: &[f64]) -> Result<Vec<u64>> {
    let mut run = engine.start::<Means>(graph)?;
    run.scan(add_up)?;
    let mut counts = Vec::new();
    for &limit in limits {
        run.set_param(Means::LIMIT, limit)?;
        run.apply(compare)?;
        counts.push(run.global(Means::HEAVY)?);
    }
    Ok(counts)
}

#[test]
fn counts_are_those_of_a_loop() -> Result<(), Box<dyn std::error::Error>> {
    // Quarters add up exactly.
    let weight = |i: u32| (i * 37 % 101) as f32 / 4.0;
    let edges: Vec<_> = (0..).zip(super::random_edges(50, 100, 5)).map(|(i, (a, b))| (a, b, weight(i))).collect();
    let graph = Graph::builder().weighted_edges(edges.iter().copied()).build()?;
    let limits = [0.0, 8.0, 12.5, 20.0, 30.0];
    let is_heavy = |v: u64, limit: f64| {
        let weights: Vec<f64> = edges.iter().filter(|edge| edge.1 == v).map(|edge| f64::from(edge.2)).collect();
        weights.iter().sum::<f64>() > limit * weights.len() as f64
    };
    let expected: Vec<u64> = limits.map(|limit| (0..50).filter(|&v| is_heavy(v, limit)).count() as u64).to_vec();
    assert!(expected[1] > expected[3], "{expected:?}");
    assert_eq!(heavy(&Engine::cpu()?, &graph, &limits)?, expected);
    Ok(())
}
