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

/// The smallest of the nearest origins of each vertex.
#[gts_attributes]
pub struct Nearest {
    #[wa(init = UNREACHED, merge = min)]
    pub level: u32,
    #[wa(init = UNREACHED, merge = min)]
    pub first: VertexId,
}

#[gts_kernel(traverse)]
fn expand(nearest: &mut Nearest, src: Vertex, dst: Vertex) {
    if nearest.level[dst] == UNREACHED {
        nearest.level[dst] = step() + 1;
        activate(dst);
    }
}

// ANCHOR: finished
#[gts_kernel(traverse)]
fn hand_on(nearest: &mut Nearest, src: Vertex, dst: Vertex) {
    if nearest.level[src] < nearest.level[dst] {
        let first = nearest.first[src];
        if nearest.first[dst].fetch_min(first) > first {
            activate(dst);
        }
    }
}
// ANCHOR_END: finished

/// Returns the level of each vertex, and the smallest of its nearest origins.
fn nearest(graph: &Graph, origins: &[Vertex]) -> Result<[Vec<u64>; 2]> {
    let mut run = Engine::cpu()?.start::<Nearest>(graph)?;
    for &origin in origins {
        run.set(Nearest::LEVEL, origin, 0)?;
        run.set(Nearest::FIRST, origin, origin.into())?;
    }
    // ANCHOR: rounds
    origins.iter().try_for_each(|&origin| run.activate(origin))?;
    run.traverse(expand)?;
    // No vertex is active now: the second traversal begins like the first.
    origins.iter().try_for_each(|&origin| run.activate(origin))?;
    run.traverse(hand_on)?;
    // ANCHOR_END: rounds
    let levels = run.take(Nearest::LEVEL)?.into_iter().map(u64::from);
    let first = run.take(Nearest::FIRST)?.into_iter().map(u64::from);
    Ok([levels.collect(), first.collect()])
}

#[test]
fn the_smallest_of_the_nearest_origins_remains()
-> Result<(), Box<dyn std::error::Error>> {
    let graph =
        Graph::from_edges([(1, 2), (2, 3), (4, 5), (5, 3), (6, 3), (3, 7)])?;
    let origins = [4, 1, 6].map(|id| graph.vertex(id).expect("a vertex"));
    let [levels, first] = nearest(&graph, &origins[..2])?;
    let none = u64::MAX;
    assert_eq!(levels, [0, 1, 2, 0, 1, u64::from(u32::MAX), 3]);
    assert_eq!(first, [1, 1, 1, 4, 4, none, 1]);
    let [levels, first] = nearest(&graph, &origins)?;
    assert_eq!(levels, [0, 1, 1, 0, 1, 0, 2]);
    assert_eq!(first, [1, 1, 6, 4, 4, 6, 6]);
    Ok(())
}

#[test]
fn the_smallest_of_several_origins_remains()
-> Result<(), Box<dyn std::error::Error>> {
    let graph = Graph::from_edges([(5, 6), (3, 6), (6, 7), (7, 6), (8, 9)])?;
    let mut run = Engine::cpu()?.start::<Origins>(&graph)?;
    run.apply(begin)?;
    run.traverse(carry)?;
    let first: Vec<(String, u64)> = run
        .take_with_keys(Origins::FIRST)?
        .into_iter()
        .map(|(key, first)| (key.to_string(), first.into()))
        .collect();
    let expected = [(3, 3), (5, 5), (6, 3), (7, 3), (8, 8), (9, 8)];
    assert_eq!(first, expected.map(|(key, first)| (key.to_string(), first)));
    Ok(())
}
