//! Components by smallest labels, for readers who have written them for Pregel.

use gts_graph::prelude::*;

// ANCHOR: kernels
/// The component of each vertex.
#[gts_attributes]
pub struct Components {
    /// The smallest vertex that has reached this one.
    #[wa(init = UNREACHED, merge = min)]
    pub smallest: VertexId,
}

#[gts_kernel(vertex)]
fn begin(c: &mut Components, v: Vertex) {
    c.smallest[v] = v;
    activate(v);
}

#[gts_kernel(traverse)]
fn send(c: &mut Components, src: Vertex, dst: Vertex) {
    let smallest = c.smallest[src];
    if c.smallest[dst].fetch_min(smallest) > smallest {
        activate(dst);
    }
}
// ANCHOR_END: kernels

// ANCHOR: driver
/// Returns the smallest ID in the component of each vertex.
fn components(engine: &Engine, graph: &Graph) -> Result<Vec<u64>> {
    let mut run = engine.start::<Components>(graph)?;
    run.apply(begin)?;
    run.traverse(send)?;
    // A store may number vertices in another order than their IDs.
    run.relabel(Components::SMALLEST)
}
// ANCHOR_END: driver

#[test]
fn components_are_those_of_a_union() -> Result<(), Box<dyn std::error::Error>> {
    let edges = [(0, 1), (2, 1), (4, 3), (5, 6), (6, 7), (7, 5)];
    let graph = Graph::builder().edges(edges).symmetrise(true).build()?;
    let mut expected: Vec<u64> = (0..8).collect();
    for _ in 0..edges.len() {
        for (one, other) in edges {
            let least = expected[one as usize].min(expected[other as usize]);
            (expected[one as usize], expected[other as usize]) = (least, least);
        }
    }
    assert_eq!(components(&Engine::cpu()?, &graph)?, expected);
    Ok(())
}
