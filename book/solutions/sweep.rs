//! Solution: a cluster from the mass of the vertices, by a sweep.

use super::nibble::{Nibble, nibble};
use gts_graph::prelude::*;
use std::collections::BTreeSet;

/// Returns the cluster around `source`, by original IDs in ascending order: of the vertices in the order of mass per
/// edge, the first few with the smallest conductance.
fn cluster(engine: &Engine, graph: &Graph, source: Vertex) -> Result<Vec<u64>> {
    let mut run = engine.start::<Nibble>(graph)?;
    let kept = nibble(&mut run, source)?;
    let mut order = Vec::new();
    for (v, kept) in graph.ids().in_original_order().zip(kept) {
        if kept > 0.0 {
            memory::push("vertices with mass", &mut order, (kept / graph.out_degree(v) as f64, v))?;
        }
    }
    order.sort_by(|one, other| other.0.total_cmp(&one.0));
    let mut place = memory::filled("places", graph.num_vertices() as usize, usize::MAX)?;
    for (rank, (_, v)) in order.iter().enumerate() {
        place[v.index()] = rank;
    }
    // An edge leaves the set of the first `rank + 1` vertices for every rank from its earlier end to its later end.
    let mut changes = memory::filled("changes", order.len() + 1, 0i64)?;
    for edge in graph.edges() {
        let (src, dst) = edge?;
        let (first, last) = (place[src.index()], place[dst.index()]);
        if first < last {
            changes[first] += 1;
            changes[last.min(order.len())] -= 1;
        }
    }
    let (mut cut, mut volume, mut best) = (0, 0, (f64::INFINITY, 0));
    for (rank, (_, v)) in order.iter().enumerate() {
        cut += changes[rank];
        volume += graph.out_degree(*v);
        let smaller = volume.min(graph.num_edges() - volume);
        if smaller > 0 && (cut as f64 / smaller as f64) < best.0 {
            best = (cut as f64 / smaller as f64, rank + 1);
        }
    }
    let mut found: Vec<u64> = order[..best.1].iter().map(|(_, v)| graph.original(*v)).collect();
    found.sort_unstable();
    Ok(found)
}

/// Returns the conductance of a set of vertices.
fn conductance(edges: &[(u64, u64)], set: &BTreeSet<u64>) -> f64 {
    let inside = |v: &u64| set.contains(v);
    let cut = edges.iter().filter(|(a, b)| inside(a) != inside(b)).count();
    let volume = edges.iter().map(|(a, b)| usize::from(inside(a)) + usize::from(inside(b))).sum::<usize>();
    cut as f64 / volume.min(2 * edges.len() - volume) as f64
}

#[test]
fn the_cluster_is_one_of_two_that_a_bridge_joins() -> Result<(), Box<dyn std::error::Error>> {
    let clique = |first: u64| (first..first + 6).flat_map(move |a| (first..a).map(move |b| (a, b)));
    let edges: Vec<(u64, u64)> = clique(10).chain(clique(20)).chain([(15, 20)]).collect();
    let graph = Graph::builder().edges(edges.iter().copied()).symmetrise(true).build()?;
    let found = cluster(&Engine::cpu()?, &graph, graph.vertex(12)?)?;
    assert_eq!(found, (10..16).collect::<Vec<u64>>());

    // No other set of vertices has a smaller conductance.
    let ids: Vec<u64> = (10..16).chain(20..26).collect();
    let sets =
        (1u32..(1 << 12) - 1).map(|bits| (0..12).filter(move |place| bits >> place & 1 == 1).map(|place| ids[place]));
    let least = sets.map(|set| conductance(&edges, &set.collect())).fold(f64::INFINITY, f64::min);
    assert_eq!(conductance(&edges, &found.into_iter().collect()), least);
    Ok(())
}
