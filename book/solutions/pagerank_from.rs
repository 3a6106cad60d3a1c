//! Exercise: a surfer who always restarts at one of some vertices.

use gts_graph::prelude::*;

#[gts_attributes]
pub struct PageRank {
    #[ra(from = next)]
    pub rank: f64,
    #[wa(init = 0.0, merge = sum)]
    pub next: f64,
    /// Probability to restart at the vertex, set by the host.
    #[ra]
    pub restart: f64,
    #[global(merge = sum)]
    pub change: f64,
}

#[gts_kernel(scan)]
fn push(pr: &mut PageRank, src: Vertex, dst: Vertex) {
    pr.next[dst] += 0.85 * pr.rank[src] / src.out_degree() as f64;
}

#[gts_kernel(vertex)]
fn damp(pr: &mut PageRank, v: Vertex) {
    pr.next[v] += 0.15 * pr.restart[v];
    pr.change += (pr.next[v] - pr.rank[v]).abs();
}

fn pagerank_from(engine: &Engine, graph: &Graph, sources: &[u64]) -> Result<Vec<f64>> {
    let mut run = engine.start::<PageRank>(graph)?;
    for &source in sources {
        let source = graph.vertex(source)?;
        run.set(PageRank::RESTART, source, 1.0 / sources.len() as f64)?;
    }
    loop {
        run.scan(push)?;
        run.apply(damp)?;
        run.rotate(PageRank::RANK)?;
        if run.global(PageRank::CHANGE)? < 1e-9 {
            return run.take(PageRank::RANK);
        }
    }
}

/// Iterates 200 times over a list of edges.
fn serial(vertices: usize, edges: &[(u64, u64)], sources: &[u64]) -> Vec<f64> {
    let mut degree = vec![0.0; vertices];
    edges.iter().for_each(|&(src, _)| degree[src as usize] += 1.0);
    let mut rank = vec![0.0; vertices];
    for _ in 0..200 {
        let mut next = vec![0.0; vertices];
        sources.iter().for_each(|&source| next[source as usize] = 0.15 / sources.len() as f64);
        edges.iter().for_each(|&(src, dst)| next[dst as usize] += 0.85 * rank[src as usize] / degree[src as usize]);
        rank = next;
    }
    rank
}

#[test]
fn ranks_are_those_of_a_loop() -> Result<(), Box<dyn std::error::Error>> {
    let edges = super::random_edges(50, 100, 2);
    let graph = Graph::from_edges(edges.iter().copied())?;
    let ranks = pagerank_from(&Engine::cpu()?, &graph, &[3, 4, 40])?;
    for (rank, expected) in ranks.iter().zip(serial(50, &edges, &[3, 4, 40])) {
        assert!((rank - expected).abs() < 1e-8, "{rank} instead of {expected}");
    }
    Ok(())
}
