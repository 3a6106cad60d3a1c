//! Neighbours that two vertices share, and parts of lists.

// ANCHOR: names
use gts_graph::prelude::*;
// ANCHOR_END: names

// ANCHOR: attributes
/// Counts per vertex.
#[gts_attributes]
pub struct Surroundings {
    /// Triangles that contain the vertex.
    #[wa(init = 0, merge = sum)]
    pub triangles: u64,
    /// Lists in which the vertex was seen.
    #[wa(init = 0, merge = sum)]
    pub seen: u32,
}
// ANCHOR_END: attributes

// ANCHOR: meet
#[gts_kernel(intersect, ordered)]
fn meet(s: &mut Surroundings, u: Vertex, v: Vertex, w: Vertex) {
    s.triangles[u] += 1;
    s.triangles[v] += 1;
    s.triangles[w] += 1;
}

/// Returns the number of triangles that contain each vertex.
fn triangles(engine: &Engine, graph: &Graph) -> Result<Vec<u64>> {
    let mut run = engine.start::<Surroundings>(graph)?;
    run.intersect(meet)?;
    run.take(Surroundings::TRIANGLES)
}
// ANCHOR_END: meet

// ANCHOR: first
#[gts_kernel(scan)]
fn see(s: &mut Surroundings, src: Vertex, dst: Vertex) {
    s.seen[dst] += 1;
}

/// Returns how often each vertex is one of the first two neighbours of
/// another vertex, and how often it is a neighbour at all.
fn seen(engine: &Engine, graph: &Graph) -> Result<(Vec<u32>, Vec<u32>)> {
    let mut run = engine.start::<Surroundings>(graph)?;
    run.neighbors(..2).scan(see)?;
    let first = run.take(Surroundings::SEEN)?;
    run.neighbors(2..).scan(see)?;
    Ok((first, run.take(Surroundings::SEEN)?))
}
// ANCHOR_END: first

// ANCHOR: test
#[test]
fn a_square_with_a_diagonal() -> Result<(), Box<dyn std::error::Error>> {
    let edges = [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)];
    let graph = Graph::builder().edges(edges).symmetrise(true).build()?;
    assert_eq!(triangles(&Engine::cpu()?, &graph)?, [2, 1, 2, 1]);
    Ok(())
}
// ANCHOR_END: test

#[test]
fn the_first_neighbours_and_the_others_are_all() -> Result<(), Box<dyn std::error::Error>> {
    let edges = [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)];
    let graph = Graph::builder().edges(edges).symmetrise(true).build()?;
    // The lists are 0: 1 2 3, 1: 0 2, 2: 0 1 3, 3: 0 2.
    assert_eq!(seen(&Engine::cpu()?, &graph)?, (vec![3, 2, 3, 0], vec![3, 2, 3, 2]));
    Ok(())
}
