//! Shortest paths, for readers who have written them with Gunrock.

use gts_graph::prelude::*;

// ANCHOR: kernel
/// Distances from a source.
#[gts_attributes]
pub struct Paths {
    /// Distance of the vertex, or `UNREACHED`.
    #[wa(init = UNREACHED, merge = min)]
    pub distance: f32,
    /// Weight of the edge.
    #[edge]
    pub weight: f32,
}

#[gts_kernel(traverse)]
fn relax(paths: &mut Paths, src: Vertex, dst: Vertex, e: Edge) {
    let through = paths.distance[src] + paths.weight[e];
    if paths.distance[dst].fetch_min(through) > through {
        activate(dst);
    }
}
// ANCHOR_END: kernel

// ANCHOR: driver
/// Returns the distance of each vertex, in the order of their IDs.
fn distances(engine: &Engine, graph: &Graph, source: u64) -> Result<Vec<f32>> {
    let source = graph.vertex(source)?;
    let mut run = engine.start::<Paths>(graph)?;
    run.set(Paths::DISTANCE, source, 0.0)?;
    run.activate(source)?;
    run.traverse(relax)?;
    run.take(Paths::DISTANCE)
}
// ANCHOR_END: driver

#[test]
fn distances_are_those_of_all_paths() -> Result<(), Box<dyn std::error::Error>> {
    let edges = [(1, 2, 4.0f32), (1, 3, 0.5), (3, 2, 0.5), (2, 4, 1.0), (5, 1, 1.0)];
    let graph = Graph::builder().weighted_edges(edges).build()?;
    let mut expected = [f32::INFINITY; 6];
    expected[1] = 0.0;
    for _ in 0..expected.len() {
        for (source, target, weight) in edges {
            expected[target as usize] = expected[target as usize].min(expected[source as usize] + weight);
        }
    }
    assert_eq!(distances(&Engine::cpu()?, &graph, 1)?, expected[1..]);
    Ok(())
}
