//! Compares kernels that intersect lists with sets of edges: every direction, order, kind of graph and form.

use super::{device, engine, mixed};
use gts_core::graph::VertexOrder;
use gts_graph::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

#[gts_attributes]
pub struct Met {
    #[wa(init = 0, merge = sum)]
    pub at_u: u64,
    #[wa(init = 0, merge = sum)]
    pub at_v: u64,
    #[wa(init = 0, merge = sum)]
    pub at_w: u64,
    #[wa(init = 0, merge = max)]
    pub most: u64,
    #[param]
    pub factor: u64,
    #[global(merge = sum)]
    pub count: u64,
    #[global(merge = sum)]
    pub hash: u64,
}

#[gts_kernel(intersect)]
fn out(m: &mut Met, u: Vertex, v: Vertex, w: Vertex) {
    m.at_u[u] += 1;
    m.at_v[v] += m.factor;
    m.at_w[w] += 1;
    m.most[w].fetch_max(u.id() as u64);
    m.count += 1;
    m.hash += triple(u.id() as u64, v.id() as u64, w.id() as u64);
}

#[gts_kernel(intersect(in))]
fn incoming(m: &mut Met, u: Vertex, v: Vertex, w: Vertex) {
    m.at_u[u] += 1;
    m.at_v[v] += m.factor;
    m.at_w[w] += 1;
    m.most[w].fetch_max(u.id() as u64);
    m.count += 1;
    m.hash += triple(u.id() as u64, v.id() as u64, w.id() as u64);
}

#[gts_kernel(intersect(both))]
fn both(m: &mut Met, u: Vertex, v: Vertex, w: Vertex) {
    m.at_u[u] += 1;
    m.at_v[v] += m.factor;
    m.at_w[w] += 1;
    m.most[w].fetch_max(u.id() as u64);
    m.count += 1;
    m.hash += triple(u.id() as u64, v.id() as u64, w.id() as u64);
}

#[gts_kernel(intersect, ordered)]
fn ordered(m: &mut Met, u: Vertex, v: Vertex, w: Vertex) {
    m.at_u[u] += 1;
    m.at_v[v] += m.factor;
    m.at_w[w] += 1;
    m.most[w].fetch_max(u.id() as u64);
    m.count += 1;
    m.hash += triple(u.id() as u64, v.id() as u64, w.id() as u64);
}

/// Returns a hash of three vertices, so that the sum over a pass identifies the ones met.
#[gts_fn]
fn triple(u: u64, v: u64, w: u64) -> u64 {
    let x = u.wrapping_mul(0x9e37_79b9_7f4a_7c15)
        ^ v.wrapping_mul(0xbf58_476d_1ce4_e5b9).wrapping_add(1)
        ^ w.wrapping_mul(0x94d0_49bb_1331_11eb).wrapping_add(2);
    (x ^ x >> 29).wrapping_mul(0xff51_afd7_ed55_8ccd) >> 24
}

#[gts_kernel(intersect)]
fn out_neighbours(m: &mut Met, u: Vertex, v: Vertex) {
    m.at_u[u] += 1;
    m.at_v[v] += m.factor;
    m.count += 1;
}

#[gts_kernel(intersect(both))]
fn neighbours(m: &mut Met, u: Vertex, v: Vertex) {
    m.at_u[u] += 1;
    m.at_v[v] += m.factor;
    m.count += 1;
}

#[gts_kernel(intersect)]
fn wake(m: &mut Met, u: Vertex, v: Vertex, w: Vertex) {
    if u.out_degree() > v.out_degree() {
        activate(w);
    }
}

pub(super) type Sets = BTreeMap<u64, BTreeSet<u64>>;

/// Results of a pass: at_u, at_v, at_w, most, count, hash.
#[derive(Debug, PartialEq)]
struct Answer {
    columns: [Vec<u64>; 4],
    count: u64,
    hash: u64,
}

/// Returns the answer by sets: for every u, v of `neighbours[u]` and w of both that and `between[v]`.
fn oracle(vertices: u64, neighbours: &Sets, between: &Sets, wanted: impl Fn(u64, u64, u64) -> bool) -> Answer {
    let mut columns = [(); 4].map(|()| vec![0; vertices as usize]);
    let (mut count, mut hash) = (0, 0u64);
    for (&u, of_u) in neighbours {
        for &v in of_u {
            let Some(of_v) = between.get(&v) else { continue };
            for &w in of_u.intersection(of_v).filter(|&&w| wanted(u, v, w)) {
                columns[0][u as usize] += 1;
                columns[1][v as usize] += 3;
                columns[2][w as usize] += 1;
                columns[3][w as usize] = columns[3][w as usize].max(u);
                count += 1;
                let a = |x: u64, by: u64| x.wrapping_mul(by);
                let x = a(u, 0x9e37_79b9_7f4a_7c15)
                    ^ a(v, 0xbf58_476d_1ce4_e5b9).wrapping_add(1)
                    ^ a(w, 0x94d0_49bb_1331_11eb).wrapping_add(2);
                hash += (x ^ x >> 29).wrapping_mul(0xff51_afd7_ed55_8ccd) >> 24;
            }
        }
    }
    Answer { columns, count, hash }
}

/// Returns edges as sets of neighbours, by dense numbers, without loops.
pub(super) fn sets(graph: &Graph, edges: impl IntoIterator<Item = (u64, u64)>) -> Sets {
    let mut sets = Sets::new();
    for (src, dst) in edges {
        let (src, dst) = (graph.vertex(src).unwrap().dense(), graph.vertex(dst).unwrap().dense());
        if src != dst {
            sets.entry(src).or_default().insert(dst);
        }
    }
    sets
}

fn answer(graph: &Graph, pass: impl FnOnce(&mut Run<Met>)) -> Answer {
    let mut run = engine().start::<Met>(graph).unwrap();
    run.set_param(Met::FACTOR, 3).unwrap();
    pass(&mut run);
    let columns = [Met::AT_U, Met::AT_V, Met::AT_W, Met::MOST].map(|column| run.take_dense(column).unwrap());
    // Only kernels over triangles update the hash.
    Answer { columns, count: run.global(Met::COUNT).unwrap(), hash: run.global(Met::HASH).unwrap_or(0) }
}

/// Returns edges dense enough for triangles, with loops and parallel edges.
fn random(vertices: u64, edges: u64, salt: u64) -> Vec<(u64, u64)> {
    let end = |x: u64| mixed(x ^ salt << 32) % vertices;
    (0..edges).map(|edge| (end(2 * edge), end(2 * edge + 1))).collect()
}

/// Returns small graphs of every kind.
fn kinds() -> Vec<(&'static str, Vec<(u64, u64)>)> {
    let complete = (0..20).flat_map(|u| (0..20).map(move |v| (u, v))).collect();
    // Two hubs whose lists take many pages of 256 bytes and several windows of a warp, connected with each other and
    // with leaves.
    let leaves = 2..702u64;
    let hubs = leaves.clone().flat_map(|leaf| [(0, leaf), (leaf, 0), (1, leaf), (leaf, 1), (leaf, leaf % 700 + 2)]);
    let twice = hubs.clone().filter(|&(src, dst)| (src + dst) % 3 == 0);
    vec![
        ("a loop alone", vec![(4, 4)]),
        ("an edge", vec![(0, 1)]),
        ("a triangle", vec![(0, 1), (1, 2), (2, 0)]),
        ("a chain", (0..50).map(|v| (v, v + 1)).collect()),
        ("bipartite", (0..10).flat_map(|u| (10..20).map(move |v| (u, v))).collect()),
        ("complete", complete),
        ("random", random(60, 700, 1)),
        ("sparse", random(300, 900, 2)),
        ("hubs", hubs.clone().chain(twice).chain([(0, 1), (1, 0), (0, 0)]).collect()),
    ]
}

pub(super) fn graphs() -> impl Iterator<Item = (String, Graph, Vec<(u64, u64)>)> {
    let orders = [VertexOrder::Original, VertexOrder::Degree, VertexOrder::Random { seed: 5 }];
    kinds().into_iter().flat_map(move |(name, edges)| {
        orders.into_iter().flat_map(move |order| {
            let edges = edges.clone();
            [256, 4096].into_iter().map(move |page_size| {
                let built = Graph::builder().edges(edges.clone()).order(order).page_size(page_size).in_edges(true);
                let graph = built.width(gts_core::page::IdWidth::new(2, 2).unwrap()).build().unwrap();
                (format!("{name}, {order:?}, pages of {page_size}"), graph, edges.clone())
            })
        })
    })
}

fn reversed(edges: &[(u64, u64)]) -> Vec<(u64, u64)> {
    edges.iter().map(|&(src, dst)| (dst, src)).collect()
}

#[test]
fn directed_lists_meet_as_sets_do() {
    for (name, graph, edges) in graphs() {
        let n = graph.num_vertices();
        let (forth, back) = (sets(&graph, edges.iter().copied()), sets(&graph, reversed(&edges)));
        let either = sets(&graph, edges.iter().copied().chain(reversed(&edges)));
        let all = |_, _, _| true;
        let found = answer(&graph, |run| run.intersect(out).unwrap());
        assert_eq!(found, oracle(n, &forth, &forth, all), "out: {name}");
        let found = answer(&graph, |run| run.intersect(incoming).unwrap());
        assert_eq!(found, oracle(n, &back, &back, all), "in: {name}");
        let found = answer(&graph, |run| run.intersect(both).unwrap());
        assert_eq!(found, oracle(n, &either, &forth, all), "both: {name}");
    }
}

#[test]
fn neighbours_come_once_however_many_edges_lead_there() {
    for (name, graph, edges) in graphs() {
        let forth = sets(&graph, edges.iter().copied());
        let either = sets(&graph, edges.iter().copied().chain(reversed(&edges)));
        let count = |sets: &Sets| sets.values().map(|set| set.len() as u64).sum::<u64>();
        let degrees = |sets: &Sets| -> Vec<u64> {
            (0..graph.num_vertices()).map(|v| sets.get(&v).map_or(0, |set| set.len() as u64)).collect()
        };
        let found = answer(&graph, |run| run.intersect(out_neighbours).unwrap());
        assert_eq!((found.count, &found.columns[0]), (count(&forth), &degrees(&forth)), "out: {name}");
        let found = answer(&graph, |run| run.intersect(neighbours).unwrap());
        assert_eq!((found.count, &found.columns[0]), (count(&either), &degrees(&either)), "both: {name}");
        let three_times: Vec<u64> = degrees(&either).iter().map(|degree| 3 * degree).collect();
        assert_eq!(found.columns[1], three_times, "both: {name}");
    }
}

#[test]
fn in_order_each_triangle_of_a_symmetric_graph_comes_once() {
    for (name, _, edges) in graphs().step_by(2) {
        for order in [VertexOrder::Original, VertexOrder::Degree] {
            // `undirected` keeps parallel edges.
            let builder = Graph::builder().edges(edges.clone()).order(order).page_size(256);
            let symmetrise = order == VertexOrder::Original;
            let graph = builder.symmetrise(symmetrise).undirected(!symmetrise).build().unwrap();
            let either = sets(&graph, edges.iter().copied().chain(reversed(&edges)));
            let rank = |v: u64| (graph.out_degree(Vertex::from_dense(v)), v);
            let ascend = |u, v, w| rank(u) < rank(v) && rank(v) < rank(w);
            let found = answer(&graph, |run| run.intersect(ordered).unwrap());
            let expected = oracle(graph.num_vertices(), &either, &either, ascend);
            assert_eq!(found, expected, "{name}, {order:?}");
            let all = oracle(graph.num_vertices(), &either, &either, |_, _, _| true);
            assert_eq!(all.count, 6 * found.count, "{name}, {order:?}");
            let found = answer(&graph, |run| run.intersect(both).unwrap());
            assert_eq!(found, all, "both ways: {name}, {order:?}");
        }
    }
}

#[test]
fn in_order_few_neighbours_are_found_in_a_long_list() {
    let (all, vertices) = (150u64, 400u64);
    let clique = (0..all).flat_map(|a| (0..a).map(move |b| (a, b)));
    let beside = (all..vertices).flat_map(|v| (0..2 + v % 3).map(move |n| (v, mixed(4 * v + n) % all)));
    let edges: Vec<_> = clique.chain(beside).collect();
    let graph = Graph::builder().edges(edges.clone()).symmetrise(true).page_size(256).build().unwrap();
    let either = sets(&graph, edges.iter().copied().chain(reversed(&edges)));
    let rank = |v: u64| (graph.out_degree(Vertex::from_dense(v)), v);
    let ascend = |u, v, w| rank(u) < rank(v) && rank(v) < rank(w);
    let found = answer(&graph, |run| run.intersect(ordered).unwrap());
    assert!(found.count > all * (all - 1) * (all - 2) / 6);
    assert_eq!(found, oracle(graph.num_vertices(), &either, &either, ascend));
}

#[gts_attributes]
pub struct Halves {
    #[wa(init = 0.0, merge = sum)]
    pub at_v: f32,
    #[wa(init = 0.0, merge = sum)]
    pub at_w: f32,
}

#[gts_kernel(intersect)]
fn halves(m: &mut Halves, u: Vertex, v: Vertex, w: Vertex) {
    m.at_v[v] += 3.0;
    m.at_w[w] += 0.5;
}

#[test]
fn an_intersection_sums_fractions() {
    for (name, graph, edges) in graphs() {
        let forth = sets(&graph, edges);
        let expected = oracle(graph.num_vertices(), &forth, &forth, |_, _, _| true);
        let mut run = engine().start::<Halves>(&graph).unwrap();
        run.intersect(halves).unwrap();
        for (found, times, column) in [(Halves::AT_V, 1.0, 1), (Halves::AT_W, 0.5, 2)] {
            let expected: Vec<f32> = expected.columns[column].iter().map(|&sum| times * sum as f32).collect();
            assert_eq!(run.take_dense(found).unwrap(), expected, "{name}");
        }
    }
}

#[test]
fn an_intersection_activates() {
    let edges = random(80, 900, 4);
    let graph = Graph::from_edges(edges.clone()).unwrap();
    let forth = sets(&graph, edges);
    let mut expected: BTreeSet<u64> = BTreeSet::new();
    for (&u, of_u) in &forth {
        for &v in of_u.iter().filter(|v| forth.contains_key(v)) {
            let degree = |v| graph.out_degree(Vertex::from_dense(v));
            if degree(u) > degree(v) {
                expected.extend(of_u.intersection(&forth[&v]));
            }
        }
    }
    let mut run = engine().start::<Met>(&graph).unwrap();
    run.intersect(wake).unwrap();
    assert!(!expected.is_empty());
    assert_eq!(run.frontier_size().unwrap(), expected.len() as u64);
}

#[test]
fn lists_that_do_not_fit_on_a_device_are_met_in_host_memory() {
    let (vertices, hubs) = (2_000u64, 3u64);
    let spokes = (0..hubs).flat_map(|hub| (hubs..vertices).flat_map(move |leaf| [(hub, leaf), (leaf, hub)]));
    let edges: Vec<_> = spokes.chain(random(vertices, 3_000, 9)).collect();
    let graph = Graph::builder().edges(edges.clone()).page_size(1024).build().unwrap();
    let forth = sets(&graph, edges);
    let builder = Engine::builder().device(device());
    let builder = match builder.clone().device_memory(1).build().unwrap().start::<Met>(&graph) {
        // Room for the degrees, which the pass reads at any vertex, but not for the pages.
        Err(gts_graph::Error::OutOfMemory { needed, .. }) => builder.device_memory(needed + (16 << 10)),
        _ => builder,
    };
    let mut run = builder.build().unwrap().start::<Met>(&graph).unwrap();
    run.set_param(Met::FACTOR, 3).unwrap();
    run.intersect(out).unwrap();
    let expected = oracle(graph.num_vertices(), &forth, &forth, |_, _, _| true);
    assert_eq!((run.global(Met::COUNT).unwrap(), run.global(Met::HASH).unwrap()), (expected.count, expected.hash));
    assert_eq!(run.take_dense(Met::AT_W).unwrap(), expected.columns[2]);
}

#[test]
fn pages_left_in_a_store_are_refused_where_the_device_cannot_hold_them() {
    let folder = std::env::temp_dir().join(format!("gts-intersect-{}", std::process::id()));
    let edges = random(4_000, 100_000, 6);
    Graph::builder().edges(edges).page_size(4096).build().unwrap().save(&folder).unwrap();
    let graph = Graph::reader(&folder).host_memory(128 << 10).read().unwrap();
    assert!(!graph.topology(gts_contract::Side::Out).unwrap().is_resident());
    let mut run = engine().start::<Met>(&graph).unwrap();
    run.set_param(Met::FACTOR, 3).unwrap();
    let met = run.intersect(out);
    if device() == DeviceChoice::Cpu {
        let error = format!("{:?}", met.unwrap_err());
        assert!(
            error.contains("`out` needs all pages in memory") && error.contains("leave `host_memory` out"),
            "{error}"
        );
    } else {
        met.unwrap();
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn what_an_intersection_lacks_is_said() {
    let directed = Graph::from_edges(random(30, 100, 1)).unwrap();
    let mut run = engine().start::<Met>(&directed).unwrap();
    run.set_param(Met::FACTOR, 3).unwrap();
    run.intersect(out).unwrap();
    let error = format!("{:?}", run.intersect(ordered).unwrap_err());
    assert!(error.contains("`ordered`") && error.contains("`symmetrise`"), "{error}");
    let error = run.intersect(incoming).unwrap_err().to_string();
    assert!(error.contains("in-edges"), "{error}");
    let error = run.intersect(both).unwrap_err().to_string();
    assert!(error.contains("in-edges"), "{error}");
}
