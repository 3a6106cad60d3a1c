//! Hops from a vertex: the program of the book's first chapter.

// ANCHOR: names
use gts_graph::prelude::*;
// ANCHOR_END: names

// ANCHOR: attributes
/// Hops from a root.
#[gts_attributes]
pub struct Hops {
    /// Hops from the root to the vertex, or `UNREACHED`.
    #[wa(init = UNREACHED, merge = min)]
    pub level: u32,
}
// ANCHOR_END: attributes

// ANCHOR: kernel
#[gts_kernel(traverse)]
fn expand(hops: &mut Hops, src: Vertex, dst: Vertex) {
    if hops.level[dst] == UNREACHED {
        hops.level[dst] = step() + 1;
        activate(dst);
    }
}
// ANCHOR_END: kernel

// ANCHOR: driver
/// The hops from `root` to every vertex, in the order of the vertices' IDs.
fn hops(engine: &Engine, graph: &Graph, root: u64) -> Result<Vec<u32>> {
    let root = graph.vertex(root)?;
    let mut run = engine.start::<Hops>(graph)?;
    run.set(Hops::LEVEL, root, 0)?;
    run.activate(root)?;
    run.traverse(expand)?;
    run.take(Hops::LEVEL)
}
// ANCHOR_END: driver

// ANCHOR: test
#[test]
fn a_square_with_a_tail() -> Result<(), Box<dyn std::error::Error>> {
    let graph = Graph::from_edges([(1, 2), (1, 3), (2, 4), (3, 4), (4, 5), (9, 1)])?;
    let levels = hops(&Engine::cpu()?, &graph, 1)?;
    //                   1  2  3  4  5  9
    assert_eq!(levels, [0, 1, 1, 2, 3, u32::MAX]);
    Ok(())
}
// ANCHOR_END: test
