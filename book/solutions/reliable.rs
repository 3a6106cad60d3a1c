//! Exercise: the most reliable path from a root, if each edge works with some probability.

use gts_graph::prelude::*;

#[gts_attributes]
pub struct Reliable {
    /// Probability of the best path found.
    #[wa(init = 0.0, merge = max)]
    pub best: f64,
    #[edge]
    pub works: f64,
}

#[gts_kernel(traverse)]
fn improve(r: &mut Reliable, src: Vertex, dst: Vertex, e: Edge) {
    let through = r.best[src] * r.works[e];
    if r.best[dst].fetch_max(through) < through {
        activate(dst);
    }
}

fn most_reliable(engine: &Engine, graph: &Graph, root: u64) -> Result<Vec<f64>> {
    let root = graph.vertex(root)?;
    let mut run = engine.start::<Reliable>(graph)?;
    run.set(Reliable::BEST, root, 1.0)?;
    run.activate(root)?;
    run.traverse(improve)?;
    run.take(Reliable::BEST)
}

#[test]
fn paths_are_those_of_repeated_improvement() -> Result<(), Box<dyn std::error::Error>> {
    // Powers of two multiply exactly.
    let works = |i: i32| 0.5f64.powi(i * 37 % 11);
    let edges: Vec<_> = (0..).zip(super::random_edges(50, 100, 8)).map(|(i, (a, b))| (a, b, works(i))).collect();
    let root = edges[0].0;
    let mut best = vec![0.0; 50];
    best[root as usize] = 1.0;
    for _ in 0..50 {
        for &(src, dst, works) in &edges {
            best[dst as usize] = f64::max(best[dst as usize], best[src as usize] * works);
        }
    }
    let graph = Graph::builder().weighted_edges(edges).build()?;
    assert_eq!(most_reliable(&Engine::cpu()?, &graph, root)?, best);
    Ok(())
}
