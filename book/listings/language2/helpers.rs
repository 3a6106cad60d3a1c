//! Functions and constants that kernels share, structs of other crates, and generic structs.

// ANCHOR: names
use gts_graph::algorithms::bfs::{Bfs, bfs};
use gts_graph::algorithms::priority::priority;
use gts_graph::prelude::*;
// ANCHOR_END: names

// ANCHOR: helpers
/// Bits of a score below the degree.
#[gts_const]
const RANDOM_BITS: u32 = 32;

/// Returns the score of a vertex: its degree, then random bits.
#[gts_fn]
fn score(v: Vertex, degree: u64, seed: u64) -> u64 {
    let low = priority(seed, v as u64) >> RANDOM_BITS;
    degree << RANDOM_BITS | low
}
// ANCHOR_END: helpers

// ANCHOR: kernel
/// Vertices that lead their neighbourhood.
#[gts_attributes]
pub struct Leaders {
    /// Whether the vertex has a larger score than its neighbours.
    #[wa(init = false, merge = any)]
    pub leads: bool,
    /// Seed of the scores.
    #[param]
    pub seed: u64,
}

#[gts_kernel(gather)]
fn elect(l: &mut Leaders, v: Vertex) {
    let seed = l.seed;
    let most = v.neighbors().max(|w| score(w, w.out_degree(), seed));
    l.leads[v] = score(v, v.out_degree(), seed) > most;
}
// ANCHOR_END: kernel

// ANCHOR: test
#[test]
fn a_leader_has_the_largest_score() -> Result<(), Box<dyn std::error::Error>> {
    let edges = [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2), (4, 5)];
    let graph = Graph::builder().edges(edges).symmetrise(true).build()?;
    let mut run = Engine::cpu()?.start::<Leaders>(&graph)?;
    run.set_param(Leaders::SEED, 7)?;
    run.gather(elect)?;
    let leads = run.take_dense(Leaders::LEADS)?;
    for edge in graph.edges() {
        let (v, w) = edge?;
        let [of_v, of_w] = [v, w].map(|x| score(x, graph.out_degree(x), 7));
        assert!(!leads[v.index()] || of_v > of_w);
    }
    assert_eq!(leads.iter().filter(|leads| **leads).count(), 2);
    Ok(())
}
// ANCHOR_END: test

// ANCHOR: other
/// Forgets the levels of vertices beyond a number of hops.
#[gts_kernel(vertex)]
fn forget_far(bfs: &mut Bfs, v: Vertex) {
    if bfs.level[v] > NEAR {
        bfs.level[v] = UNREACHED;
    }
}

#[gts_const]
const NEAR: u32 = 2;

/// Returns the level of every vertex within two hops of `source`.
fn near(engine: &Engine, graph: &Graph, source: u64) -> Result<Vec<u32>> {
    let mut run = engine.start::<Bfs>(graph)?;
    bfs(&mut run, graph.vertex(source)?)?;
    run.apply(forget_far)?;
    run.take(Bfs::LEVEL)
}
// ANCHOR_END: other

#[test]
fn far_vertices_are_forgotten() -> Result<(), Box<dyn std::error::Error>> {
    let graph = Graph::from_edges([(0, 1), (1, 2), (2, 3), (3, 4)])?;
    assert_eq!(near(&Engine::cpu()?, &graph, 0)?, [0, 1, 2, u32::MAX, u32::MAX]);
    Ok(())
}

// ANCHOR: generic
/// The smallest weight of an edge into each vertex.
#[gts_attributes(T = f32 | u32)]
pub struct Cheapest<T> {
    /// The smallest weight, or `UNREACHED`.
    #[wa(init = UNREACHED, merge = min)]
    pub least: T,
    /// Weight of the edge.
    #[edge]
    pub weight: T,
}

#[gts_kernel(scan)]
fn compare<T>(c: &mut Cheapest<T>, src: Vertex, dst: Vertex, e: Edge) {
    c.least[dst].fetch_min(c.weight[e]);
}
// ANCHOR_END: generic

// ANCHOR: instances
#[test]
fn two_types_of_weights() -> Result<(), Box<dyn std::error::Error>> {
    let engine = Engine::cpu()?;
    let tolls = [(0, 1, 9u32), (2, 1, 4), (1, 0, 5)];
    let graph = Graph::builder().weighted_edges(tolls).build()?;
    let mut run = engine.start::<Cheapest<u32>>(&graph)?;
    run.scan(compare)?;
    assert_eq!(run.take(Cheapest::LEAST)?, [5, 4, u32::MAX]);

    let miles = [(0, 1, 0.5f32), (2, 1, 0.25)];
    let graph = Graph::builder().weighted_edges(miles).build()?;
    let mut run = engine.start::<Cheapest<f32>>(&graph)?;
    run.scan(compare)?;
    let none = f32::INFINITY;
    assert_eq!(run.take(Cheapest::LEAST)?, [none, 0.25, none]);
    Ok(())
}
// ANCHOR_END: instances
