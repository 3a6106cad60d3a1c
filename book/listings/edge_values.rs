//! A value for each edge: the program of the book's chapter on them.

// ANCHOR: names
use gts_graph::prelude::*;
// ANCHOR_END: names

// ANCHOR: attributes
/// How well an edge is embedded.
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
/// The edges whose ends have no neighbour in common, by original IDs.
fn lone_edges(engine: &Engine, graph: &Graph) -> Result<Vec<(u64, u64)>> {
    let mut run = engine.start::<Embedding>(graph)?;
    run.intersect(share)?;
    let mut lone = Vec::new();
    for (edge, shared) in graph.edges().zip(run.take_edges(Embedding::SHARED)?) {
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
fn the_edge_between_two_triangles_is_alone() -> Result<(), Box<dyn std::error::Error>> {
    let triangles = [(1, 2), (2, 3), (3, 1), (4, 5), (5, 6), (6, 4)];
    let graph = Graph::builder().edges(triangles.into_iter().chain([(3, 4)])).symmetrise(true).build()?;
    assert_eq!(lone_edges(&Engine::cpu()?, &graph)?, [(3, 4)]);
    Ok(())
}
// ANCHOR_END: test
