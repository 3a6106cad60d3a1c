//! PageRank: the program of the book's chapter on it.

// ANCHOR: names
use gts_graph::prelude::*;
// ANCHOR_END: names

// ANCHOR: attributes
#[gts_attributes]
pub struct PageRank {
    /// Rank after the last iteration.
    #[ra(from = next)]
    pub rank: f64,
    /// Rank that the vertex receives in this iteration.
    #[wa(init = 0.0, merge = sum)]
    pub next: f64,
    /// Rank that each vertex receives without an edge.
    #[param]
    pub base: f64,
    /// Sum of the changes of all ranks.
    #[global(merge = sum)]
    pub change: f64,
}
// ANCHOR_END: attributes

// ANCHOR: push
#[gts_kernel(scan)]
fn push(pr: &mut PageRank, src: Vertex, dst: Vertex) {
    pr.next[dst] += 0.85 * pr.rank[src] / src.out_degree() as f64;
}
// ANCHOR_END: push

// ANCHOR: damp
#[gts_kernel(vertex)]
fn damp(pr: &mut PageRank, v: Vertex) {
    pr.next[v] += pr.base;
    pr.change += (pr.next[v] - pr.rank[v]).abs();
}
// ANCHOR_END: damp

// ANCHOR: driver
/// The rank of every vertex, in ascending order of the IDs.
fn pagerank(engine: &Engine, graph: &Graph) -> Result<Vec<f64>> {
    let n = graph.num_vertices() as f64;
    let mut run = engine.start::<PageRank>(graph)?;
    run.fill(PageRank::RANK, 1.0 / n)?;
    run.set_param(PageRank::BASE, 0.15 / n)?;
    // ANCHOR: loop
    loop {
        run.scan(push)?;
        run.apply(damp)?;
        run.rotate(PageRank::RANK)?;
        if run.global(PageRank::CHANGE)? < 1e-6 {
            break;
        }
    }
    // ANCHOR_END: loop
    run.take(PageRank::RANK)
}
// ANCHOR_END: driver

// ANCHOR: test
#[test]
fn a_web_of_three_pages() -> Result<(), Box<dyn std::error::Error>> {
    let graph = Graph::from_edges([(1, 2), (2, 1), (3, 1)])?;
    let ranks = pagerank(&Engine::cpu()?, &graph)?;
    // The ranks solve a = 0.05 + 0.85 (b + c), b = 0.05 + 0.85 a, c = 0.05.
    for (rank, expected) in ranks.iter().zip([0.486_486, 0.463_514, 0.05]) {
        assert!((rank - expected).abs() < 1e-5, "{ranks:?}");
    }
    Ok(())
}
// ANCHOR_END: test
