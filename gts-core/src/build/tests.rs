//! Tests that a built graph contains the edges of its input.

use super::*;
use crate::graph::{Graph, Kept, Key, Vertex, VertexError};
use crate::page::{EdgeValue, FormatError, IdWidth};
use gts_contract::{ScalarType, Side};
use proptest::prelude::*;
use std::collections::{BTreeMap, VecDeque};

/// The first two vertices.
const ZERO: Vertex = Vertex::from_dense(0);
const ONE: Vertex = Vertex::from_dense(1);

/// Checks that a graph has the expected edges between original IDs, and that its pages have a valid structure.
fn check<V: EdgeValue>(graph: &Graph, expected: &[(u64, u64, V)]) {
    graph.out_topology().check(None).unwrap();
    let original = |vertex| graph.original(vertex);
    let bits = |edges: &mut dyn Iterator<Item = (u64, u64, V)>| {
        let mut edges: Vec<_> = edges.map(|(src, dst, value)| (src, dst, value.to_bits())).collect();
        edges.sort_unstable();
        edges
    };
    let expected = bits(&mut expected.iter().copied());
    let stored = graph.weighted_edges::<V>().unwrap().map(Result::unwrap);
    assert_eq!(bits(&mut stored.map(|(src, dst, value)| (original(src), original(dst), value))), expected);

    let mut out_degrees = BTreeMap::new();
    let mut in_degrees = BTreeMap::new();
    for &(src, dst, _) in &expected {
        *out_degrees.entry(src).or_insert(0u64) += 1;
        *in_degrees.entry(dst).or_insert(0u64) += 1;
    }
    for dense in 0..graph.num_vertices() {
        let vertex = Vertex::from_dense(dense);
        assert_eq!(graph.vertex(graph.original(vertex)).ok(), Some(vertex));
        assert_eq!(graph.out_degree(vertex), out_degrees.get(&graph.original(vertex)).copied().unwrap_or(0));
        assert_eq!(graph.in_degree(vertex), in_degrees.get(&graph.original(vertex)).copied().unwrap_or(0));
        assert_eq!(graph.neighbors(vertex).count() as u64, graph.out_degree(vertex));
    }
    if let Some(incoming) = graph.topology(Side::In) {
        incoming.check(None).unwrap();
        assert_eq!(incoming.num_edges(), graph.num_edges());
        for dense in 0..graph.num_vertices() {
            let vertex = Vertex::from_dense(dense);
            let mut sources: Vec<_> = graph.in_neighbors(vertex).unwrap().map(|v| original(v.unwrap())).collect();
            sources.sort_unstable();
            let target = original(Vertex::from_dense(dense));
            let expected: Vec<_> =
                expected.iter().filter(|&&(_, dst, _)| dst == target).map(|&(src, _, _)| src).collect();
            assert_eq!(sources, expected);
        }
    }
}

/// Generates edges among few vertices with arbitrary IDs, so that duplicates and self-loops are frequent.
pub(super) fn edges() -> impl Strategy<Value = Vec<(u64, u64, u64)>> {
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

pub(super) fn order() -> impl Strategy<Value = OrderChoice> {
    prop_oneof![
        Just(VertexOrder::Original.into()),
        any::<u64>().prop_map(|seed| VertexOrder::Random { seed }.into()),
        Just(VertexOrder::Degree.into()),
        Just(OrderChoice::Auto),
    ]
}

fn width() -> impl Strategy<Value = Option<IdWidth>> {
    // Narrower page numbers cannot identify the pages of every graph in these tests.
    prop_oneof![
        Just(None),
        prop::sample::select(vec![(1, 1), (1, 2), (2, 1), (2, 2), (3, 3), (2, 4), (4, 2), (4, 4), (3, 1)])
            .prop_map(|(p, q)| IdWidth::new(p, q).ok())
    ]
}

fn page_size() -> impl Strategy<Value = Option<u32>> {
    prop::sample::select(vec![Some(256), Some(512), Some(4096), Some(65536), None])
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

/// Returns the edges of a graph as original IDs in ascending order.
fn original_edges(graph: &Graph) -> Vec<(u64, u64)> {
    let original = |vertex| graph.original(vertex);
    let mut edges: Vec<_> =
        graph.edges().map(Result::unwrap).map(|(src, dst)| (original(src), original(dst))).collect();
    edges.sort_unstable();
    edges
}

fn build_with(edges: &[(u64, u64)], options: BuildOptions) -> (Graph, BuildSummary) {
    Graph::builder().edges(edges.iter().copied()).options(options).build_with_summary().unwrap()
}

#[test]
fn everything_is_kept_unless_a_flag_drops_it() {
    let edges = [(1, 1), (1, 2), (1, 2), (2, 1)];
    let (graph, summary) = build_with(&edges, BuildOptions::default());
    assert_eq!(original_edges(&graph), edges);
    assert_eq!((summary.edges_read, summary.edges_stored), (4, 4));
    assert_eq!((summary.self_loops_dropped, summary.duplicates_dropped), (0, 0));
    assert_eq!((graph.properties().duplicates, graph.properties().self_loops), (Kept::Kept, Kept::Kept));

    let drop = BuildOptions { drop_self_loops: true, drop_duplicates: true, ..BuildOptions::default() };
    for order in [VertexOrder::Original.into(), VertexOrder::Degree.into(), OrderChoice::Auto] {
        let (graph, summary) = build_with(&edges, BuildOptions { order, ..drop.clone() });
        assert_eq!(original_edges(&graph), [(1, 2), (2, 1)]);
        assert_eq!((summary.self_loops_dropped, summary.duplicates_dropped), (1, 1));
        assert!(summary.to_string().contains("1 self-loop dropped, 1 duplicate edge dropped"), "{summary}");
    }
}

#[test]
fn of_duplicates_the_smallest_value_stays() {
    let edges = [(0, 1, 3.0f32), (0, 1, -0.0), (0, 1, 0.0), (1, 0, f32::INFINITY), (1, 0, -2.5), (1, 0, -2.0)];
    let graph = Graph::builder().weighted_edges(edges).drop_duplicates(true).build().unwrap();
    let kept: Vec<_> = graph
        .weighted_edges::<f32>()
        .unwrap()
        .map(Result::unwrap)
        .map(|(src, dst, value)| (src.dense(), dst.dense(), value.to_bits()))
        .collect();
    assert_eq!(kept, [(0, 1, (-0.0f32).to_bits()), (1, 0, (-2.5f32).to_bits())]);
    let edges = [(0, 1, -1i32), (0, 1, i32::MIN), (0, 1, i32::MAX)];
    let graph = Graph::builder().weighted_edges(edges).drop_duplicates(true).build().unwrap();
    assert_eq!(graph.weighted_edges::<i32>().unwrap().next().transpose().unwrap(), Some((ZERO, ONE, i32::MIN)));
}

#[test]
fn undirected_edges_are_stored_both_ways_and_loops_once() {
    let edges = [(0, 1), (1, 0), (2, 2)];
    let (graph, summary) = build_with(&edges, BuildOptions { undirected: true, ..BuildOptions::default() });
    assert_eq!(original_edges(&graph), [(0, 1), (0, 1), (1, 0), (1, 0), (2, 2)]);
    assert_eq!(summary.edges_reversed, 2);
    let (graph, summary) = build_with(&edges, BuildOptions { symmetrise: true, ..BuildOptions::default() });
    assert_eq!(original_edges(&graph), [(0, 1), (1, 0), (2, 2)]);
    assert_eq!(summary.duplicates_dropped, 2);
    assert!(graph.properties().symmetric);
    assert!(graph.topology(Side::In).is_some());
}

#[test]
fn symmetry_is_found_and_claims_of_it_are_checked() {
    let symmetric = |edges: &[(u64, u64, u32)]| {
        let graph = Graph::builder().weighted_edges(edges.iter().copied()).build().unwrap();
        graph.properties().symmetric
    };
    assert!(symmetric(&[]));
    assert!(symmetric(&[(0, 1, 5), (1, 0, 5), (2, 2, 1)]));
    assert!(!symmetric(&[(0, 1, 5), (1, 0, 6)]));
    assert!(!symmetric(&[(0, 1, 5), (1, 2, 5), (2, 0, 5)]));
    assert!(!symmetric(&[(0, 1, 5), (0, 1, 5), (1, 0, 5)]));

    let claimed = |edges: &[(u64, u64)]| {
        let declared = Declared { direction: Direction::Symmetric, ..Declared::default() };
        build(&mut Canned::new(edges, declared), &BuildOptions::default())
    };
    assert!(claimed(&[(0, 1), (1, 0)]).is_ok());
    assert!(matches!(claimed(&[(0, 1), (1, 2)]), Err(BuildError::NotSymmetric)));
}

/// A stream that returns a single batch.
struct Canned {
    batch: Option<EdgeBatch>,
    declared: Declared,
}

impl Canned {
    fn new(edges: &[(u64, u64)], declared: Declared) -> Self {
        let (src, dst) = edges.iter().copied().unzip();
        Self { batch: Some(EdgeBatch { src, dst, ..EdgeBatch::default() }), declared }
    }
}

impl EdgeStream for Canned {
    fn next(&mut self, batch: &mut EdgeBatch) -> Result<bool, crate::stream::ImportError> {
        *batch = self.batch.take().unwrap_or_default();
        Ok(!batch.src.is_empty())
    }

    fn declared(&self) -> Declared {
        self.declared.clone()
    }

    fn progress(&self) -> (u64, Option<u64>) {
        (0, None)
    }
}

#[test]
fn declared_vertices_exist_without_edges_and_bind() {
    let range = DeclaredVertices::Range { first: 1, count: 5 };
    let list = DeclaredVertices::List(vec![1, 4, 1 << 40, u64::MAX].into());
    for vertices in [range.clone(), list.clone()] {
        let graph = Graph::builder().edges([(1, 4)]).vertices(vertices.clone()).build().unwrap();
        assert_eq!(original_edges(&graph), [(1, 4)]);
        assert_eq!(graph.num_vertices(), if vertices == range { 5 } else { 4 });
        let refused = Graph::builder().edges([(1, 4), (4, 7), (8, 1)]).vertices(vertices).build();
        assert!(matches!(refused, Err(BuildError::Undeclared { edge: 1, vertex: Key::Number(7), .. })), "{refused:?}");
    }
    let (_, summary) = Graph::builder().vertices(list).build_with_summary().unwrap();
    assert_eq!((summary.vertices, summary.isolated), (4, 4));
    let disordered = Graph::builder().vertices(DeclaredVertices::List(vec![2, 2].into())).build();
    assert!(matches!(disordered, Err(BuildError::DeclaredOrder { found: 2, previous: 2 })));
    let beyond = Graph::builder().vertices(DeclaredVertices::Range { first: u64::MAX, count: 2 }).build();
    assert!(matches!(beyond, Err(BuildError::DeclaredRange { .. })));
    let last = Graph::builder().vertices(DeclaredVertices::Range { first: u64::MAX, count: 1 }).build().unwrap();
    assert_eq!(last.original(Vertex::from_dense(0)), u64::MAX);
    let many = Graph::builder().vertices(DeclaredVertices::Range { first: 0, count: 1 << 33 }).build();
    assert!(matches!(many, Err(BuildError::TooManyVertices { .. })));
}

#[test]
fn vertices_and_ids_stand_in_one_order_however_vertices_are_numbered() {
    for order in [VertexOrder::Original, VertexOrder::Random { seed: 3 }, VertexOrder::Degree] {
        for step in [1, 7] {
            let edges = (0..300u64).map(|id| (10 + id * step, 10 + id * id % 300 * step));
            let graph = Graph::builder().edges(edges).order(order).build().unwrap();
            let ids: Vec<u64> = graph.ids().ascending().collect();
            assert_eq!(ids, (0..300).map(|id| 10 + id * step).collect::<Vec<_>>());
            assert!(graph.ids().in_original_order().map(|vertex| graph.original(vertex)).eq(ids.iter().copied()));
            assert!(ids.iter().all(|&id| graph.ids().vertex(id).ok() == graph.vertex(id).ok()));
            let unknown = graph.ids().vertex(9).unwrap_err();
            let last = 10 + 299 * step;
            let VertexError::Unknown(unknown) = unknown else { panic!("{unknown:?}") };
            let bounds = Some(Box::new([Key::from(10), Key::from(last)]));
            assert_eq!((unknown.key, unknown.vertices, unknown.bounds), (Key::from(9), 300, bounds));
        }
    }
}

#[test]
fn original_order_is_that_of_the_ids() {
    let ids = [u64::MAX, 0, 1 << 32, (1 << 31) + 1, 17, 1 << 63];
    let graph = Graph::from_edges(ids.iter().map(|&id| (id, ids[0]))).unwrap();
    let mut sorted = ids;
    sorted.sort_unstable();
    assert!(sorted.iter().enumerate().all(|(dense, &id)| graph.original(Vertex::from_dense(dense as u64)) == id));
    assert!(graph.vertex(18).is_err());
    assert!(graph.vertex(u64::MAX - 1).is_err());
}

#[test]
fn degree_order_descends_and_is_transposed() {
    // Each vertex except 0 has about (1500 - src) / 30 edges, to itself and to the following vertices.
    let edges: Vec<_> =
        (0..1500u64).flat_map(|src| (0..(1500 - src) % 1500 / 30).map(move |i| (src, src + i))).collect();
    let options = BuildOptions { order: VertexOrder::Degree.into(), ..BuildOptions::default() };
    let (graph, _) = build_with(&edges, options);
    let degree = |dense: u64| {
        let vertex = Vertex::from_dense(dense);
        graph.out_degree(vertex) + graph.in_degree(vertex)
    };
    let place = |rank: u64| if rank < 1024 { (rank & 31) << 5 | rank >> 5 } else { rank };
    let by_rank: Vec<_> = (0..graph.num_vertices())
        .map(|rank| {
            let dense = place(rank);
            (std::cmp::Reverse(degree(dense)), graph.original(Vertex::from_dense(dense)))
        })
        .collect();
    assert!(by_rank.is_sorted());
    let heads = graph.heads().unwrap();
    for dense in 0..graph.num_vertices() {
        let first = graph.neighbors(Vertex::from_dense(dense)).next();
        assert_eq!(heads[dense as usize], first.map_or(u32::MAX, |vertex| vertex.unwrap().dense() as u32));
    }
}

/// Returns the layer of each original ID, computed by a serial search.
fn layers_of(edges: &[(u64, u64)], root: u64) -> BTreeMap<u64, usize> {
    let (mut layers, mut queue) = (BTreeMap::from([(root, 0)]), VecDeque::from([root]));
    while let Some(vertex) = queue.pop_front() {
        let next = layers[&vertex] + 1;
        for &(_, target) in edges.iter().filter(|edge| edge.0 == vertex) {
            layers.entry(target).or_insert_with(|| {
                queue.push_back(target);
                next
            });
        }
    }
    layers
}

proptest! {
    #[test]
    fn layers_follow_one_another_and_what_no_search_finds_comes_last(
        edges in edges(), at in any::<prop::sample::Index>(), symmetrise: bool,
    ) {
        let edges: Vec<_> = edges.into_iter().map(|(src, dst, _)| (src, dst)).collect();
        prop_assume!(!edges.is_empty());
        let root = edges[at.index(edges.len())].0;
        let options = BuildOptions { order: VertexOrder::Layers { root }.into(), symmetrise, ..BuildOptions::default() };
        let (graph, _) = build_with(&edges, options);
        let both_ways = edges.iter().copied().chain(edges.iter().filter(|_| symmetrise).map(|&(src, dst)| (dst, src)));
        let both_ways: Vec<_> = both_ways.collect();
        if !symmetrise {
            prop_assert_eq!(original_edges(&graph), { let mut edges = edges.clone(); edges.sort_unstable(); edges });
        }
        let layers = layers_of(&both_ways, root);
        let place = |dense| {
            let original = graph.original(Vertex::from_dense(dense));
            (layers.get(&original).copied().unwrap_or(usize::MAX), original)
        };
        let places: Vec<_> = (0..graph.num_vertices()).map(place).collect();
        prop_assert!(places.is_sorted());
        let deepest = layers.values().max().copied().unwrap_or(0);
        let starts = (0..=deepest).chain([usize::MAX]).map(|layer| places.partition_point(|place| place.0 < layer) as u32);
        prop_assert_eq!(&graph.properties().layers[..], starts.collect::<Vec<_>>());
    }
}

#[test]
fn a_search_of_many_vertices_by_all_threads_gives_the_same_layers() {
    let graph = |text: &str, root| {
        let options =
            BuildOptions { order: VertexOrder::Layers { root }.into(), symmetrise: true, ..Default::default() };
        build(&mut crate::generate::parse(text).unwrap(), &options).unwrap().0
    };
    let grid = graph("grid:40x50", 0);
    let diagonals: Vec<u32> =
        (0..89).map(|layer| (0..layer).map(|at: u32| (at + 1).min(40).min(89 - at)).sum()).collect();
    assert_eq!(grid.properties().layers[..], [&diagonals[..], &[2000]].concat());
    let star = graph("star:70000", 5);
    assert_eq!(star.properties().layers[..], [0, 1, 2, 70_000]);
    assert_eq!(star.original(Vertex::from_dense(0)), 5);
    let skewed = graph("rmat:14", 0);
    let reached = skewed.properties().layers.last().copied().unwrap();
    let has_edge = |dense: u32| skewed.out_degrees()[dense as usize] > 0;
    assert!(reached > 5000 && (0..reached).all(has_edge), "{:?}", skewed.properties().layers);
}

#[test]
fn a_search_from_nowhere_too_many_layers_and_layers_on_disk_are_refused() {
    let layers = |root| VertexOrder::Layers { root };
    let deep = BuildOptions { order: layers(0).into(), ..Default::default() };
    let chain = build(&mut crate::generate::parse("chain:1048577").unwrap(), &deep);
    assert!(matches!(chain, Err(BuildError::TooManyLayers { root: 0 })));
    let from = |root| Graph::builder().edges([(3, 4), (4, 9)]).order(layers(root)).build();
    assert!(matches!(from(5), Err(BuildError::NoRoot { root: 5 })) && from(9).is_ok());
    assert!(matches!(Graph::builder().order(layers(0)).build(), Err(BuildError::NoRoot { root: 0 })));
    let folder = tempfile::tempdir().unwrap();
    let options = BuildOptions { order: layers(0).into(), memory: Some(4 << 20), ..BuildOptions::default() };
    let mut stream = crate::generate::parse("rmat:16").unwrap();
    let path = folder.path().join("graph.gts");
    let built = build_store(&crate::store::io::FileSystem, &mut stream, &options, &path, &Default::default());
    let error = format!("{:?}", built.unwrap_err());
    assert!(error.contains("layers:0") && error.contains("`memory`") && !path.exists(), "{error}");
}

#[test]
fn a_shuffle_is_a_permutation_of_its_seed() {
    let ids = |seed| {
        let edges = (0..500u64).map(|id| (id, id));
        let graph = Graph::builder().edges(edges).order(VertexOrder::Random { seed }).build().unwrap();
        graph.ids().in_original_order().map(Vertex::dense).collect::<Vec<_>>()
    };
    assert_eq!(ids(1), ids(1));
    assert_ne!(ids(1), ids(2));
    let mut sorted = ids(1);
    assert_ne!(sorted, (0..500).collect::<Vec<_>>());
    sorted.sort_unstable();
    assert_eq!(sorted, (0..500).collect::<Vec<_>>());
}

#[test]
fn the_width_is_the_smallest_that_serves() {
    let width = |vertices, page_size| {
        let edges = (0..vertices).map(|id| (id, (id * 7) % vertices));
        let graph = Graph::builder().edges(edges).page_size(page_size).build().unwrap();
        graph.out_topology().format().width().to_string()
    };
    assert_eq!(width(40, 256), "1,1");
    // A page has room for about 30 vertices, so there are more than 255 pages.
    assert_eq!(width(20_000, 256), "2,1");
    assert_eq!(width(3_000_000, 256), "3,1");
    // All vertices fit in 20 pages. With one-byte slot numbers, hundreds of pages would be needed.
    assert_eq!(width(10_000, 4096), "1,2");
    // Vertices without edges use up the slots of their pages, but wider IDs would require more pages for all edges.
    let edges = (0..600_000u64).map(|i| (i % 1000, i * 7919 % 6000));
    let vertices = DeclaredVertices::Range { first: 0, count: 6000 };
    let graph = Graph::builder().edges(edges).vertices(vertices).page_size(4096).build().unwrap();
    assert_eq!(graph.out_topology().format().width().to_string(), "2,1");
}

#[test]
fn pages_that_slot_numbers_leave_empty_are_halved_unless_asked_for() {
    let width = Some(IdWidth::new(2, 2).unwrap());
    let chosen = |degrees: &[u32], page_size| {
        let order = VertexOrder::Original;
        super::paginate::choose_format(degrees, page_size, order, width, None).unwrap().page_size()
    };
    // 2^16 vertices with one edge each need 512 KiB.
    let sparse = vec![1; 400_000];
    assert_eq!(chosen(&sparse, None), 512 << 10);
    assert_eq!(chosen(&sparse, Some(1 << 20)), 1 << 20);
    assert_eq!(chosen(&vec![0; 1 << 20], None), 256 << 10);
    assert_eq!(chosen(&[vec![20; 400_000], vec![1; 1000]].concat(), None), 1 << 20);
}

#[test]
fn a_graph_of_one_page_gets_the_smallest_page_that_holds_it() {
    for order in [VertexOrder::Original, VertexOrder::Degree] {
        let chosen = |degrees: &[u32], page_size| {
            super::paginate::choose_format(degrees, page_size, order, None, None).unwrap().page_size()
        };
        assert_eq!((chosen(&[], None), chosen(&[3; 34], None)), (4 << 10, 4 << 10));
        // 1,000 lists of 20 entries of 2 bytes, and their slots.
        assert_eq!((chosen(&[20; 1000], None), chosen(&[20; 1000], Some(1 << 20))), (64 << 10, 1 << 20));
        // The list alone would need several smaller pages.
        assert_eq!(chosen(&[100_000], None), 256 << 10);
        assert_eq!(chosen(&[20; 100_000], None), 1 << 20);
    }
}

#[test]
fn what_record_ids_cannot_name_is_refused() {
    let edges = (0..20_000u64).map(|id| (id, 0));
    let built = Graph::builder().edges(edges).page_size(256).width(IdWidth::new(1, 2).unwrap()).build();
    assert!(matches!(built, Err(BuildError::TooManyPages { max: 255, .. })), "{built:?}");
    let built = Graph::builder().page_size(1000).build();
    assert!(matches!(built, Err(BuildError::Format(FormatError::PageSize(1000)))));
}

#[test]
fn values_are_converted_without_loss_or_refused() {
    let convert = |value: f64, to| {
        let options = BuildOptions { value_type: Some(to), ..BuildOptions::default() };
        Graph::builder().weighted_edges([(0, 1, value)]).options(options).build()
    };
    assert_eq!(
        convert(3.0, ScalarType::U32).unwrap().weighted_edges::<u32>().unwrap().next().transpose().unwrap(),
        Some((ZERO, ONE, 3))
    );
    assert_eq!(
        convert(-3.0, ScalarType::I32).unwrap().weighted_edges::<i32>().unwrap().next().transpose().unwrap(),
        Some((ZERO, ONE, -3))
    );
    assert_eq!(
        convert(0.1, ScalarType::F32).unwrap().weighted_edges::<f32>().unwrap().next().transpose().unwrap(),
        Some((ZERO, ONE, 0.1))
    );
    let refused = [
        (0.5, ScalarType::U32),
        (-1.0, ScalarType::U64),
        (4294967296.0, ScalarType::U32),
        (2147483648.0, ScalarType::I32),
        (18446744073709551616.0, ScalarType::U64),
        (f64::NAN, ScalarType::F64),
        (f64::NAN, ScalarType::U32),
        (f64::INFINITY, ScalarType::U32),
        (1e300, ScalarType::F32),
    ];
    for (value, to) in refused {
        let built = convert(value, to);
        assert!(matches!(built, Err(BuildError::Value { edge: 0, .. })), "{value} as {to}");
    }
    let none = Graph::builder()
        .edges([(0, 1)])
        .options(BuildOptions { value_type: Some(ScalarType::F32), ..BuildOptions::default() });
    assert!(matches!(none.build(), Err(BuildError::NoValues(ScalarType::F32))));
}

#[test]
fn a_budget_too_small_is_refused_with_what_is_needed() {
    let edges: Vec<_> = (0..10_000).map(|id| (id, id)).collect();
    let small =
        Graph::builder().edges(edges.clone()).options(BuildOptions { memory: Some(1000), ..Default::default() });
    assert!(matches!(small.build(), Err(BuildError::Budget { budget: 1000, .. })));
    let enough = BuildOptions { memory: Some(1 << 20), ..Default::default() };
    assert!(Graph::builder().edges(edges).options(enough).build().is_ok());
}

#[test]
fn what_is_declared_is_held_against_the_budget_before_the_first_edge() {
    let options = BuildOptions { memory: Some(1 << 30), ..BuildOptions::default() };
    let mut stream = crate::generate::parse("chain:4000000000").unwrap();
    let Err(BuildError::Budget { needed, .. }) = build(&mut stream, &options) else { panic!("a budget was kept") };
    assert_eq!(needed, 4_000_000_000 * 24 + 3_999_999_999 * 2 * 16);
    assert_eq!(stream.progress().0, 0);
}

#[test]
fn a_batch_of_unequal_columns_is_refused() {
    let mut stream = Canned::new(&[(0, 1)], Declared::default());
    stream.batch.as_mut().unwrap().dst.push(7);
    assert!(matches!(build(&mut stream, &BuildOptions::default()), Err(BuildError::Batch { src: 1, dst: 2, .. })));
    let declared = Declared { value_type: Some(ScalarType::U32), ..Declared::default() };
    let mut stream = Canned::new(&[(0, 1)], declared);
    assert!(matches!(build(&mut stream, &BuildOptions::default()), Err(BuildError::Batch { value: 0, .. })));
}

#[test]
fn skewed_and_large_inputs_come_back_sorted() {
    for text in ["rmat:14,weights=u32", "uniform:12,weights=f64", "star:70000", "complete:300"] {
        let mut generator = crate::generate::parse(text).unwrap();
        let (graph, summary) =
            build(&mut generator, &BuildOptions { page_size: Some(4096), ..Default::default() }).unwrap();
        graph.out_topology().check(None).unwrap();
        assert!(graph.edges().map(Result::unwrap).is_sorted());
        assert_eq!(graph.edges().count() as u64, summary.edges_read + summary.edges_reversed);
        assert_eq!(summary.times.len(), Phase::ALL.len());
    }
}
