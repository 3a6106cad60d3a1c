//! Parts of lists, and two lists at once: the program of the book's chapter on them.

// ANCHOR: names
use gts_graph::prelude::*;
// ANCHOR_END: names

// ANCHOR: attributes
/// What is known of a vertex's surroundings.
#[gts_attributes]
pub struct Surroundings {
    /// Vertices that have this one among the neighbours looked at.
    #[wa(init = 0, merge = sum)]
    pub named: u32,
    /// Triangles that the vertex is in.
    #[wa(init = 0, merge = sum)]
    pub triangles: u64,
}
// ANCHOR_END: attributes

// ANCHOR: name
#[gts_kernel(scan)]
fn name(s: &mut Surroundings, src: Vertex, dst: Vertex) {
    s.named[dst] += 1;
}
// ANCHOR_END: name

// ANCHOR: first
/// How often each vertex is among the first two neighbours of another, and how often it is named at all.
fn named(engine: &Engine, graph: &Graph) -> Result<(Vec<u32>, Vec<u32>)> {
    let mut run = engine.start::<Surroundings>(graph)?;
    run.neighbors(..2).scan(name)?;
    let first = run.take(Surroundings::NAMED)?;
    run.neighbors(2..).scan(name)?;
    Ok((first, run.take(Surroundings::NAMED)?))
}
// ANCHOR_END: first

// ANCHOR: meet
#[gts_kernel(intersect, ordered)]
fn meet(s: &mut Surroundings, u: Vertex, v: Vertex, w: Vertex) {
    s.triangles[u] += 1;
    s.triangles[v] += 1;
    s.triangles[w] += 1;
}

/// The triangles that each vertex is in.
fn triangles(engine: &Engine, graph: &Graph) -> Result<Vec<u64>> {
    let mut run = engine.start::<Surroundings>(graph)?;
    run.intersect(meet)?;
    run.take(Surroundings::TRIANGLES)
}
// ANCHOR_END: meet

// ANCHOR: test
#[test]
fn a_square_with_a_diagonal() -> Result<(), Box<dyn std::error::Error>> {
    let edges = [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)];
    let graph = Graph::builder().edges(edges).symmetrise(true).build()?;
    // The lists are 0: 1 2 3, 1: 0 2, 2: 0 1 3, 3: 0 2.
    assert_eq!(named(&Engine::cpu()?, &graph)?, (vec![3, 2, 3, 0], vec![3, 2, 3, 2]));
    assert_eq!(triangles(&Engine::cpu()?, &graph)?, [2, 1, 2, 1]);
    Ok(())
}
// ANCHOR_END: test
