//! Edges in, pages, edges out.

use super::*;
use crate::graph::{Graph, Side, Vertex};
use crate::page::{EdgeValue, IdWidth};
use proptest::prelude::*;
use std::collections::BTreeMap;

/// Checks a graph against the edges that it should hold, in original IDs, and the structure of its pages.
fn check<V: EdgeValue>(graph: &Graph, expected: &[(u64, u64, V)]) {
    graph.out_topology().check().unwrap();
    let original = |dense| graph.original(Vertex::from_dense(dense));
    let bits = |edges: &mut dyn Iterator<Item = (u64, u64, V)>| {
        let mut edges: Vec<_> = edges.map(|(src, dst, value)| (src, dst, value.to_bits())).collect();
        edges.sort_unstable();
        edges
    };
    let expected = bits(&mut expected.iter().copied());
    let stored = graph.weighted_edges::<V>().unwrap();
    assert_eq!(bits(&mut stored.map(|(src, dst, value)| (original(src), original(dst), value))), expected);

    let mut out_degrees = BTreeMap::new();
    let mut in_degrees = BTreeMap::new();
    for &(src, dst, _) in &expected {
        *out_degrees.entry(src).or_insert(0u64) += 1;
        *in_degrees.entry(dst).or_insert(0u64) += 1;
    }
    for dense in 0..graph.num_vertices() {
        let vertex = Vertex::from_dense(dense);
        assert_eq!(graph.vertex(graph.original(vertex)), Ok(vertex));
        assert_eq!(graph.out_degree(vertex), out_degrees.get(&graph.original(vertex)).copied().unwrap_or(0));
        assert_eq!(graph.in_degree(vertex), in_degrees.get(&graph.original(vertex)).copied().unwrap_or(0));
        assert_eq!(graph.neighbours(vertex).count() as u64, graph.out_degree(vertex));
    }
    if let Some(incoming) = graph.topology(Side::In) {
        incoming.check().unwrap();
        assert_eq!(incoming.num_edges(), graph.num_edges());
        for dense in 0..graph.num_vertices() {
            let vertex = Vertex::from_dense(dense);
            let mut sources: Vec<_> = graph.in_neighbours(vertex).unwrap().map(|v| original(v.dense())).collect();
            sources.sort_unstable();
            let target = original(dense);
            let expected: Vec<_> =
                expected.iter().filter(|&&(_, dst, _)| dst == target).map(|&(src, _, _)| src).collect();
            assert_eq!(sources, expected);
        }
    }
}

/// Edges among few vertices of arbitrary IDs: duplicates and self-loops are frequent.
fn edges() -> impl Strategy<Value = Vec<(u64, u64, u64)>> {
    let ids = prop_oneof![
        prop::collection::vec(0u64..50, 1..40),
        prop::collection::vec(any::<u64>(), 1..40),
        prop::collection::vec((0u64..40).prop_map(|id| u64::MAX - id), 1..40),
    ];
    ids.prop_flat_map(|ids| {
        let id = prop::sample::select(ids);
        prop::collection::vec((id.clone(), id, any::<u64>()), 0..400)
    })
}

fn order() -> impl Strategy<Value = VertexOrder> {
    prop_oneof![
        Just(VertexOrder::Original),
        any::<u64>().prop_map(|seed| VertexOrder::Random { seed }),
        Just(VertexOrder::Degree)
    ]
}

fn width() -> impl Strategy<Value = Option<IdWidth>> {
    // Narrower page numbers cannot name the pages of every graph tried here.
    prop_oneof![
        Just(None),
        prop::sample::select(vec![(2, 1), (2, 2), (3, 3), (2, 4), (4, 2), (4, 4), (3, 1)])
            .prop_map(|(p, q)| IdWidth::new(p, q).ok())
    ]
}

fn page_size() -> impl Strategy<Value = u32> {
    prop::sample::select(vec![256, 512, 4096, 65536, 1 << 20])
}

fn round_trip<V: EdgeValue>(edges: &[(u64, u64, u64)], value: impl Fn(u64) -> V, options: &BuildOptions) {
    let edges: Vec<_> = edges.iter().map(|&(src, dst, bits)| (src, dst, value(bits))).collect();
    let graph = Graph::builder().weighted_edges(edges.iter().copied()).options(options.clone()).build().unwrap();
    check(&graph, &edges);
}

proptest! {
    #[test]
    fn edges_survive_every_format(
        edges in edges(), order in order(), width in width(), page_size in page_size(), in_edges: bool, kind in 0..6,
    ) {
        let options = BuildOptions { order, width, page_size, in_edges, ..BuildOptions::default() };
        match kind {
            0 => round_trip(&edges, |_| (), &options),
            1 => round_trip(&edges, |bits| bits as u32, &options),
            2 => round_trip(&edges, |bits| bits as i32, &options),
            3 => round_trip(&edges, |bits| (bits as i32) as f32, &options),
            4 => round_trip(&edges, |bits| bits, &options),
            _ => round_trip(&edges, |bits| (bits as i64) as f64, &options),
        }
    }
}
