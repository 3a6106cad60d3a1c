//! Friends of friends: the program of the book's chapter on scans.

// ANCHOR: attributes
use gts_graph::prelude::*;

/// How many friends the friends of each vertex have.
#[gts_attributes]
pub struct Friends {
    /// Sum of the degrees of the vertex's friends.
    #[wa(init = 0, merge = sum)]
    pub total: u64,
    /// Friends with fewer friends than this do not count.
    #[param(default = 0)]
    pub least: u64,
    /// Vertices whose friends have more friends than they, on average.
    #[global(merge = sum)]
    pub outdone: u64,
}
// ANCHOR_END: attributes

// ANCHOR: push
#[gts_kernel(scan)]
fn add(friends: &mut Friends, src: Vertex, dst: Vertex) {
    if src.out_degree() >= friends.least {
        friends.total[dst] += src.out_degree();
    }
}
// ANCHOR_END: push

// ANCHOR: compare
#[gts_kernel(vertex)]
fn compare(friends: &mut Friends, v: Vertex) {
    if friends.total[v] > v.out_degree() * v.out_degree() {
        friends.outdone += 1;
    }
}
// ANCHOR_END: compare

// ANCHOR: driver
/// The number of vertices whose friends have more friends on average.
fn outdone(engine: &Engine, graph: &Graph) -> Result<u64> {
    let mut run = engine.start::<Friends>(graph)?;
    run.scan(add)?;
    run.apply(compare)?;
    run.global(Friends::OUTDONE)
}
// ANCHOR_END: driver

// ANCHOR: popular
/// The sum of the degrees of friends who have at least `least` friends.
fn popular(engine: &Engine, graph: &Graph, least: u64) -> Result<Vec<u64>> {
    let mut run = engine.start::<Friends>(graph)?;
    run.set_param(Friends::LEAST, least)?;
    run.scan(add)?;
    run.take(Friends::TOTAL)
}
// ANCHOR_END: popular

// ANCHOR: source
#[gts_kernel(scan)]
fn followed(friends: &mut Friends, src: Vertex, dst: Vertex) {
    friends.total[src] += dst.in_degree();
}
// ANCHOR_END: source

// ANCHOR: in
#[gts_kernel(scan(in))]
fn following(friends: &mut Friends, src: Vertex, dst: Vertex) {
    friends.total[src] += dst.out_degree();
}
// ANCHOR_END: in

// ANCHOR: first
/// The sum of the in-degrees of the first two neighbours in each list.
fn first_two(engine: &Engine, graph: &Graph) -> Result<Vec<u64>> {
    let mut run = engine.start::<Friends>(graph)?;
    run.neighbors(..2).scan(followed)?;
    run.take(Friends::TOTAL)
}
// ANCHOR_END: first

// ANCHOR: test
#[test]
fn a_star_with_a_ring() -> Result<(), Box<dyn std::error::Error>> {
    let engine = Engine::cpu()?;
    let edges = [(0, 1), (0, 2), (0, 3), (0, 4), (1, 2)];
    let graph = Graph::builder().edges(edges).symmetrise(true).build()?;
    // The degrees are 4, 2, 2, 1 and 1.
    assert_eq!(outdone(&engine, &graph)?, 4);
    assert_eq!(popular(&engine, &graph, 2)?, [4, 6, 6, 4, 4]);
    Ok(())
}
// ANCHOR_END: test

#[test]
fn both_ends_of_arcs() -> Result<(), Box<dyn std::error::Error>> {
    let engine = Engine::cpu()?;
    let graph = Graph::builder().edges([(0, 1), (0, 2), (0, 3), (1, 3), (2, 3)]).in_edges(true).build()?;
    let mut run = engine.start::<Friends>(&graph)?;
    run.scan(followed)?;
    assert_eq!(run.take(Friends::TOTAL)?, [5, 3, 3, 0]);
    run.fill(Friends::TOTAL, 0)?;
    run.scan(following)?;
    assert_eq!(run.take(Friends::TOTAL)?, [0, 3, 3, 5]);
    assert_eq!(first_two(&engine, &graph)?, [2, 3, 3, 0]);
    Ok(())
}
