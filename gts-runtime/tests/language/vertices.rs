//! Vertices as values: a `Vertex` is an ID where one is expected, and an ID is an index.

use super::{engine, mixed};
use gts_graph::prelude::*;

#[gts_attributes]
pub struct Spelled {
    #[wa(init = UNREACHED, merge = min)]
    pub least: VertexId,
    #[wa(init = UNREACHED, merge = any)]
    pub parent: VertexId,
    #[wa(init = 0, merge = any)]
    pub grandparent: VertexId,
    #[wa(init = 0, merge = any)]
    pub number: u64,
    #[wa(init = 0, merge = any)]
    pub drawn: u64,
    #[wa(init = 0, merge = sum)]
    pub children: u32,
    #[wa(init = 0, merge = any)]
    pub ends: [VertexId; 2],
    #[global(merge = sum)]
    pub loops: u64,
}

/// Returns a number of a vertex that no neighbour shares.
#[gts_fn]
fn key(u: Vertex) -> u64 {
    (u as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ u.id() as u64
}

/// Returns the vertex with the smaller key; `second` if there is no first.
#[gts_fn]
fn before(first: VertexId, second: Vertex) -> VertexId {
    let chosen: VertexId = second;
    if first == UNREACHED || first == second {
        return chosen;
    }
    if first as u64 % 16 < key(second) % 16 && second != first { first } else { (second) as VertexId }
}

/// Whether 7 stands for a missing number.
#[gts_const]
const NONE: bool = UNREACHED == 7u64;

/// Returns the smaller number, or the other one if one is missing.
#[gts_fn]
fn smaller(a: u32, b: u32) -> u32 {
    if a == UNREACHED || UNREACHED - 1 < a || NONE {
        return b;
    }
    assert!(a != UNREACHED);
    if b == (UNREACHED) { a } else { a.min(b) }
}

#[test]
fn a_missing_number_is_compared_on_the_host() {
    assert_eq!([smaller(3, u32::MAX), smaller(u32::MAX, 5), smaller(7, 5)], [3, 5, 5]);
}

/// Returns whether two vertices are one, and its number as a float.
#[gts_fn]
fn same(a: Vertex, b: Vertex) -> f32 {
    if a == b { a as u64 as f32 } else { -1.0 }
}

#[gts_kernel(scan)]
fn least(s: &mut Spelled, src: Vertex, dst: Vertex) {
    s.least[dst].fetch_min(src);
    if src == dst {
        s.loops += 1;
    }
}

#[gts_kernel(vertex)]
fn begin(s: &mut Spelled, v: Vertex) {
    s.number[v] = v as u64;
    s.drawn[v] = key(v) + before(s.least[v], v) as u64 + same(v, v) as u64;
    s.parent[v] = if v == s.least[v] || s.least[v] == UNREACHED { v } else { s.least[v] };
    let low = s.least[v].min(v);
    let both = [low, v];
    s.ends[v][0] = both[0];
    s.ends[v][1] = both[1];
}

#[gts_kernel(vertex)]
fn count(s: &mut Spelled, v: Vertex) {
    s.children[s.parent[v]] += 1;
    let parent = s.parent[v];
    s.grandparent[v] = s.parent[parent];
}

#[test]
fn vertices_are_ids_where_ids_are_expected_and_ids_are_indices() -> Result<()> {
    const VERTICES: u64 = 3000;
    let edges: Vec<(u64, u64)> =
        (0..VERTICES).map(|v| (v, v)).chain((0..VERTICES).map(|v| (mixed(v) % VERTICES, v))).collect();
    let graph = Graph::from_edges(edges.iter().copied()).expect("sound edges");
    let mut run = engine().start::<Spelled>(&graph)?;
    run.scan(least)?;
    assert_eq!(run.global(Spelled::LOOPS)?, edges.iter().filter(|(a, b)| a == b).count() as u64);
    run.apply(begin)?;
    run.apply(count)?;
    let mut least: Vec<u64> = (0..VERTICES).collect();
    edges.iter().for_each(|&(a, b)| least[b as usize] = least[b as usize].min(a));
    let number = |ids: Vec<VertexId>| ids.into_iter().map(u64::from).collect::<Vec<_>>();
    assert_eq!(number(run.take(Spelled::PARENT)?), least);
    let twice: Vec<u64> = least.iter().map(|&parent| least[parent as usize]).collect();
    assert_eq!(number(run.take(Spelled::GRANDPARENT)?), twice);
    let mut children = vec![0; VERTICES as usize];
    least.iter().for_each(|&parent| children[parent as usize] += 1);
    assert_eq!(run.take(Spelled::CHILDREN)?, children);
    assert_eq!(run.take(Spelled::NUMBER)?, (0..VERTICES).collect::<Vec<_>>());
    let ends = run.take(Spelled::ENDS)?;
    let drawn = run.take(Spelled::DRAWN)?;
    for (v, ends) in ends.into_iter().enumerate() {
        assert_eq!(ends.map(u64::from), [least[v], v as u64]);
        let vertex = graph.vertex(v as u64).expect("it is in the graph");
        let chosen = before(VertexId::from_bits(least[v]), vertex);
        assert_eq!(
            drawn[v],
            key(vertex) + u64::from(chosen) + same(vertex, vertex) as u64,
            "the host's functions agree"
        );
    }
    Ok(())
}

#[gts_kernel(gather)]
fn smallest(s: &mut Spelled, v: Vertex) {
    let smallest = v.neighbors().filter(|dst| dst != v).min(|dst| dst);
    s.parent[v] = smallest;
}

#[test]
fn neighbours_are_reduced_as_ids() -> Result<()> {
    let graph = Graph::from_edges([(0, 3), (0, 2), (0, 0), (1, 1), (3, 1)]).expect("sound edges");
    let mut run = engine().start::<Spelled>(&graph)?;
    run.gather(smallest)?;
    let found: Vec<u64> = run.take(Spelled::PARENT)?.into_iter().map(u64::from).collect();
    assert_eq!(found, [2, u64::MAX, u64::MAX, 1]);
    Ok(())
}

#[gts_kernel(vertex, racy)]
fn beyond(s: &mut Spelled, v: Vertex) {
    s.number[v] = s.number[s.parent[v]] + 1;
}

#[test]
fn an_id_that_is_no_vertex_is_no_index() -> Result<()> {
    let graph = super::isolated(10);
    let mut run = engine().start::<Spelled>(&graph)?;
    let error = run.apply(beyond).expect_err("no vertex has a parent").to_string();
    assert!(error.contains("beyond") && error.contains("vertex"), "{error}");
    Ok(())
}

#[test]
fn ids_and_vertices_convert_on_the_host() {
    let vertex = Vertex::from_dense(7);
    assert_eq!(VertexId::from(vertex), vertex.id());
    assert_eq!(Vertex::try_from(vertex.id()), Ok(vertex));
    assert_eq!((u64::from(vertex), u64::from(vertex.id())), (7, 7));
    let error = Vertex::try_from(VertexId::UNREACHED).expect_err("UNREACHED is no vertex");
    assert_eq!(error.to_string(), "UNREACHED stands for no vertex");
}
