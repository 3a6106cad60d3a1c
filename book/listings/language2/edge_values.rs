//! A value per edge.

use gts_graph::prelude::*;

// ANCHOR: attributes
/// How well an edge is embedded in its surroundings.
#[gts_attributes]
pub struct Embedding {
    /// Neighbours that both ends of the edge have.
    #[wa(per = edge, init = 0, merge = sum)]
    pub shared: u32,
}
// ANCHOR_END: attributes

// ANCHOR: kernel
#[gts_kernel(intersect)]
fn share(m: &mut Embedding, u: Vertex, v: Vertex, w: Vertex, e: Edge) {
    m.shared[e] += 1;
}
// ANCHOR_END: kernel

// ANCHOR: driver
/// Returns the edges whose ends share no neighbour, by original IDs.
fn lone_edges(engine: &Engine, graph: &Graph) -> Result<Vec<(u64, u64)>> {
    let mut run = engine.start::<Embedding>(graph)?;
    run.intersect(share)?;
    let mut lone = Vec::new();
    let shared = run.take_edges(Embedding::SHARED)?;
    for (edge, shared) in graph.edges().zip(shared) {
        let (src, dst) = edge?;
        if src < dst && shared == 0 {
            let [src, dst] = [src, dst].map(|end| graph.original(end));
            memory::push("lone edges", &mut lone, (src, dst))?;
        }
    }
    Ok(lone)
}
// ANCHOR_END: driver

// ANCHOR: test
#[test]
fn a_bridge_is_alone() -> Result<(), Box<dyn std::error::Error>> {
    let edges = [(1, 2), (2, 3), (3, 1), (4, 5), (5, 6), (6, 4), (3, 4)];
    let graph = Graph::builder().edges(edges).symmetrise(true).build()?;
    assert_eq!(lone_edges(&Engine::cpu()?, &graph)?, [(3, 4)]);
    Ok(())
}
// ANCHOR_END: test
