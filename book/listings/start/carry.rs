//! A value that travels along whole paths.

use gts_graph::prelude::*;

/// The smallest vertex with a path to each vertex.
#[gts_attributes]
pub struct Origins {
    #[wa(init = UNREACHED, merge = min)]
    pub first: VertexId,
}

// ANCHOR: begin
#[gts_kernel(vertex)]
fn begin(origins: &mut Origins, v: Vertex) {
    origins.first[v] = v;
    activate(v);
}
// ANCHOR_END: begin

// ANCHOR: carry
#[gts_kernel(traverse)]
fn carry(origins: &mut Origins, src: Vertex, dst: Vertex) {
    let first = origins.first[src];
    if origins.first[dst].fetch_min(first) > first {
        activate(dst);
    }
}
// ANCHOR_END: carry

#[test]
fn the_smallest_of_several_origins_remains()
-> Result<(), Box<dyn std::error::Error>> {
    let graph = Graph::from_edges([(5, 6), (3, 6), (6, 7), (7, 6), (8, 9)])?;
    let mut run = Engine::cpu()?.start::<Origins>(&graph)?;
    run.apply(begin)?;
    run.traverse(carry)?;
    let first: Vec<(u64, u64)> = run
        .take_with_ids(Origins::FIRST)?
        .into_iter()
        .map(|(id, first)| (id, first.into()))
        .collect();
    assert_eq!(first, [(3, 3), (5, 5), (6, 3), (7, 3), (8, 8), (9, 8)]);
    Ok(())
}
