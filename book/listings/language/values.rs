//! Weighted PageRank: the program of the book's chapter on the places of values.

// ANCHOR: attributes
use gts_graph::prelude::*;

/// Ranks that follow edges in proportion to their weights.
#[gts_attributes]
pub struct Weighted {
    /// Rank that the vertex receives in this iteration.
    #[wa(init = 0.0, merge = sum)]
    pub next: f32,
    /// Rank after the last iteration.
    #[ra(from = next)]
    pub rank: f32,
    /// Sum of the weights of the edges out of the vertex.
    #[wa(init = 0.0, merge = sum)]
    pub sum: f32,
    /// The same, once all edges were visited.
    #[ra(from = sum)]
    pub total: f32,
    /// Weight of an edge.
    #[edge(default = 1.0)]
    pub weight: f32,
    /// Probability to follow an edge.
    #[param(default = 0.85)]
    pub damping: f32,
    /// Number of vertices without edges out.
    #[global(merge = sum)]
    pub sinks: u64,
}
// ANCHOR_END: attributes

// ANCHOR: kernels
#[gts_kernel(scan)]
fn add_up(w: &mut Weighted, src: Vertex, dst: Vertex, e: Edge) {
    w.sum[src] += w.weight[e];
}

#[gts_kernel(scan)]
fn push(w: &mut Weighted, src: Vertex, dst: Vertex, e: Edge) {
    w.next[dst] += w.damping * w.rank[src] * w.weight[e] / w.total[src];
}

#[gts_kernel(vertex)]
fn damp(w: &mut Weighted, v: Vertex) {
    w.next[v] += (1.0 - w.damping) / num_vertices() as f32;
    if v.out_degree() == 0 {
        w.sinks += 1;
    }
}
// ANCHOR_END: kernels

// ANCHOR: driver
/// The rank of every vertex after some iterations, and the number of sinks.
fn weighted(engine: &Engine, graph: &Graph, iterations: u32) -> Result<(Vec<f32>, u64)> {
    let mut run = engine.start::<Weighted>(graph)?;
    run.scan(add_up)?;
    run.rotate(Weighted::TOTAL)?;
    run.fill(Weighted::RANK, 1.0 / graph.num_vertices() as f32)?;
    for _ in 0..iterations {
        run.scan(push)?;
        run.apply(damp)?;
        run.rotate(Weighted::RANK)?;
    }
    Ok((run.take(Weighted::RANK)?, run.global(Weighted::SINKS)?))
}
// ANCHOR_END: driver

// ANCHOR: test
#[test]
fn three_quarters_follow_the_heavy_edge() -> Result<(), Box<dyn std::error::Error>> {
    let edges = [(1, 2, 3.0f32), (1, 3, 1.0)];
    let graph = Graph::builder().weighted_edges(edges).build()?;
    let (ranks, sinks) = weighted(&Engine::cpu()?, &graph, 2)?;
    // 1 has the base of 0.15 / 3, and hands on 0.85 of it: 3 parts to 2, 1 to 3.
    let expected = [0.05, 0.05 + 0.75 * 0.0425, 0.05 + 0.25 * 0.0425];
    for (rank, expected) in ranks.iter().zip(expected) {
        assert!((rank - expected).abs() < 1e-6, "{ranks:?}");
    }
    assert_eq!(sinks, 2);
    Ok(())
}
// ANCHOR_END: test
