//! Solution: the smallest toll from the nearest of several depots.

use gts_graph::prelude::*;

/// Tolls on the way to each vertex.
#[gts_attributes]
pub struct Tolls {
    /// The smallest known toll, or `UNREACHED`.
    #[wa(init = UNREACHED, merge = min)]
    pub paid: u32,
    /// Toll of the edge.
    #[edge]
    pub toll: u32,
}

#[gts_kernel(traverse)]
fn pay(tolls: &mut Tolls, src: Vertex, dst: Vertex, e: Edge) {
    let paid = tolls.paid[src] + tolls.toll[e];
    if tolls.paid[dst].fetch_min(paid) > paid {
        activate(dst);
    }
}

#[gts_kernel(priority)]
fn nearness(tolls: &mut Tolls, v: Vertex) -> u32 {
    tolls.paid[v]
}

/// Returns the smallest toll to every vertex from one of the depots.
fn from_depots(engine: &Engine, graph: &Graph, depots: &[u64], width: u32) -> Result<Vec<u32>> {
    let mut run = engine.start::<Tolls>(graph)?;
    for &depot in depots {
        let depot = graph.vertex(depot)?;
        run.set(Tolls::PAID, depot, 0)?;
        run.activate(depot)?;
    }
    run.traverse_near(pay, nearness, width)?;
    run.take(Tolls::PAID)
}

#[test]
fn tolls_are_those_of_a_loop_over_all_edges() -> Result<(), Box<dyn std::error::Error>> {
    let edges = (0..50u64).flat_map(|v| [(v, (v + 1) % 50, 1 + (v * 7 % 11) as u32), (v, v * 3 % 50, (v % 13) as u32)]);
    let edges: Vec<(u64, u64, u32)> = edges.collect();
    let mut expected = [u32::MAX; 50];
    [expected[4], expected[31]] = [0, 0];
    for _ in 0..50 {
        for &(src, dst, toll) in &edges {
            let through = expected[src as usize].saturating_add(toll);
            expected[dst as usize] = expected[dst as usize].min(through);
        }
    }
    let graph = Graph::builder().weighted_edges(edges).build()?;
    for width in [0, 5, 1000] {
        assert_eq!(from_depots(&Engine::cpu()?, &graph, &[4, 31], width)?, expected);
    }
    Ok(())
}
