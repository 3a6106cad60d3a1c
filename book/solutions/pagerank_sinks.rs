//! Exercise: vertices without edges out spread their rank evenly.

use gts_graph::prelude::*;

#[gts_attributes]
pub struct PageRank {
    #[ra(from = next)]
    pub rank: f64,
    #[wa(init = 0.0, merge = sum)]
    pub next: f64,
    #[param]
    pub base: f64,
    #[global(merge = sum)]
    pub change: f64,
    /// Rank of the vertices without edges out.
    #[global(merge = sum)]
    pub dangling: f64,
}

#[gts_kernel(scan)]
fn push(pr: &mut PageRank, src: Vertex, dst: Vertex) {
    pr.next[dst] += 0.85 * pr.rank[src] / src.out_degree() as f64;
}

#[gts_kernel(vertex)]
fn damp(pr: &mut PageRank, v: Vertex) {
    pr.next[v] += pr.base;
    pr.change += (pr.next[v] - pr.rank[v]).abs();
    if v.out_degree() == 0 {
        pr.dangling += pr.next[v];
    }
}

fn pagerank(engine: &Engine, graph: &Graph) -> Result<Vec<f64>> {
    let n = graph.num_vertices() as f64;
    let mut run = engine.start::<PageRank>(graph)?;
    run.fill(PageRank::RANK, 1.0 / n)?;
    let mut dangling = graph.num_sinks() as f64 / n;
    loop {
        run.set_param(PageRank::BASE, (0.15 + 0.85 * dangling) / n)?;
        run.scan(push)?;
        run.apply(damp)?;
        run.rotate(PageRank::RANK)?;
        dangling = run.global(PageRank::DANGLING)?;
        if run.global(PageRank::CHANGE)? < 1e-9 {
            return run.take(PageRank::RANK);
        }
    }
}

/// Iterates 200 times over a list of edges.
fn serial(vertices: usize, edges: &[(u64, u64)]) -> Vec<f64> {
    let mut degree = vec![0.0; vertices];
    edges.iter().for_each(|&(src, _)| degree[src as usize] += 1.0);
    let mut rank = vec![1.0 / vertices as f64; vertices];
    for _ in 0..200 {
        let held: f64 = (0..vertices).filter(|&v| degree[v] == 0.0).map(|v| rank[v]).sum();
        let mut next = vec![(0.15 + 0.85 * held) / vertices as f64; vertices];
        edges.iter().for_each(|&(src, dst)| next[dst as usize] += 0.85 * rank[src as usize] / degree[src as usize]);
        rank = next;
    }
    rank
}

#[test]
fn ranks_sum_to_one_and_are_those_of_a_loop() -> Result<(), Box<dyn std::error::Error>> {
    let edges = super::random_edges(50, 100, 1);
    let ranks = pagerank(&Engine::cpu()?, &Graph::from_edges(edges.iter().copied())?)?;
    assert!((ranks.iter().sum::<f64>() - 1.0).abs() < 1e-9);
    for (rank, expected) in ranks.iter().zip(serial(50, &edges)) {
        assert!((rank - expected).abs() < 1e-8, "{rank} instead of {expected}");
    }
    Ok(())
}
