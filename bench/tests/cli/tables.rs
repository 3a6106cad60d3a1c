//! The tables in the repository are equal to the generated ones.

use gts_bench::tables;
use gts_graph::algorithm::{self, Algorithm, Answer, Arguments, Cells, Column, Effect, Values};
use gts_graph::prelude::*;
use std::fs;

#[test]
fn tables_are_up_to_date() {
    for (name, table) in tables::all().expect("the sources of the algorithms") {
        let kept = fs::read_to_string(tables::folder().join(name)).expect("the table is in the tree");
        assert_eq!(kept, table, "{name}: make it again with `cargo run -p gts-bench -- tables`");
    }
}

#[test]
fn every_algorithm_has_kernels_or_a_driver_and_a_registration() {
    gts_graph::algorithms::link();
    for size in tables::sizes().expect("the sources of the algorithms") {
        assert!(size.ours.algorithm() > 0 && size.ours.registration > 0, "{size:?}");
    }
}

/// Parameters without a default, and those whose default depends on the degrees.
const PARAMETERS: [(&str, &[(&str, &str)]); 13] = [
    ("bfs", &[("source", "1")]),
    ("cross-edges", &[("from", "0,1,2,3,4"), ("to", "2,3,4,5,6,7")]),
    ("egonet", &[("source", "1")]),
    ("induced-subgraph", &[("vertices", "0,1,2,3,4,5,6")]),
    ("k-hop", &[("source", "1"), ("hops", "2")]),
    ("match", &[("count", "true")]),
    ("personalised-pagerank", &[("source", "1")]),
    ("random-walk-with-restart", &[("source", "1")]),
    ("random-walks", &[("walkers", "40"), ("length", "20")]),
    ("sssp", &[("source", "1")]),
    ("sssp-near-far", &[("source", "1")]),
    ("st-connectivity", &[("source", "1"), ("target", "7")]),
    ("who-to-follow", &[("source", "1"), ("circle", "3")]),
];
/// Source, target and weight.
type WeightedEdge = (u64, u64, f64);

const VERTICES: u64 = 12;
const GRAPHS: u64 = 6;

/// Returns the edges of a graph in which every vertex has one. Some vertices have no out-edges, and 11 is not reached.
fn edges(seed: u64) -> Vec<WeightedEdge> {
    let mut state = seed;
    let mut next = |below: u64| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) % below
    };
    let mut edges: Vec<_> = (0..VERTICES - 1).map(|vertex| (11 - vertex % 4, vertex)).collect();
    edges.extend((0..2 * VERTICES).map(|_| (next(VERTICES - 3), next(VERTICES - 1))));
    edges.retain(|(source, target)| source != target);
    edges.sort_unstable();
    edges.dedup();
    edges.into_iter().map(|(source, target)| (source, target, (1 + (source * 7 + target) % 5) as f64)).collect()
}

fn answer(algorithm: &'static Algorithm, edges: &[WeightedEdge]) -> Answer {
    let graph = Graph::builder()
        .weighted_edges(edges.iter().copied())
        .in_edges(true)
        .undirected(algorithm.needs.symmetric)
        .build()
        .expect("sound edges");
    let given = PARAMETERS.iter().find(|(name, _)| *name == algorithm.name).map_or(&[][..], |(_, given)| *given);
    let arguments =
        given.iter().try_fold(Arguments::of(algorithm), |arguments, (name, text)| arguments.with(name, text));
    let engine = Engine::cpu().expect("the CPU");
    algorithm.run(&engine, &graph, &arguments.expect("sound parameters")).expect(algorithm.name)
}

/// Returns whether the values of all vertices are equal, and otherwise the scalars. Floats may differ by rounding.
fn are_equal(one: &Answer, other: &Answer) -> bool {
    let near = |one: f64, other: f64| one == other || (one - other).abs() <= 1e-6 * one.abs().max(other.abs());
    let values = |one: &Values, other: &Values| match (one, other) {
        (Values::F32(one), Values::F32(other)) => {
            one.iter().zip(other).all(|(one, other)| near((*one).into(), (*other).into()))
        }
        (Values::F64(one), Values::F64(other)) => one.iter().zip(other).all(|(one, other)| near(*one, *other)),
        _ => one == other,
    };
    let (one, other) = (one.tables(), other.tables());
    let are_equal = |(one, other): (&Column<'_>, &Column<'_>)| match (one.cells, other.cells) {
        (Cells::Values(one), Cells::Values(other)) => values(one, other),
        (one, other) => one == other,
    };
    one[0].columns.iter().zip(&other[0].columns).all(are_equal)
}

#[test]
fn self_loops_and_parallel_edges_count_as_the_book_says() {
    gts_graph::algorithms::link();
    for algorithm in algorithm::all() {
        let definition = algorithm.definition.expect("every algorithm has a definition");
        let changes = |more: fn(&[WeightedEdge]) -> Vec<WeightedEdge>| {
            let differ = |seed| {
                let edges = edges(seed);
                let larger = [edges.clone(), more(&edges)].concat();
                !are_equal(&answer(algorithm, &edges), &answer(algorithm, &larger))
            };
            if (1..=GRAPHS).any(differ) { Effect::Counted } else { Effect::Ignored }
        };
        let self_loops = changes(|_| (0..VERTICES / 2).map(|vertex| (vertex, vertex, 1.0)).collect());
        let parallel = changes(|edges| {
            edges.iter().step_by(2).map(|&(source, target, weight)| (source, target, weight + 1.0)).collect()
        });
        let found = (self_loops, parallel);
        assert_eq!(found, (definition.self_loops, definition.parallel), "{}", algorithm.name);
    }
}
