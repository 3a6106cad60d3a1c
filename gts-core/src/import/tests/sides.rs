//! Files whose left and right ends are in two name spaces.

use crate::build::BuildOptions;
use crate::graph::{Graph, Key, KeyKind, VertexOrder};
use crate::read::{GraphReader, ReadError};
use crate::store::{self, SaveOptions, io::FileSystem};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The number that is added to right ends by hand.
const SHIFT: u64 = 1000;

fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

fn written(folder: &TempDir, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    path
}

fn text(edges: &[(u64, u64)], left: impl Fn(u64) -> String, right: impl Fn(u64) -> String) -> String {
    edges.iter().map(|&(src, dst)| format!("{} {}\n", left(src), right(dst))).collect()
}

/// The edges of a graph, by the ranks of their ends.
fn edges(graph: &Graph) -> Vec<(u64, u64)> {
    let rank = |vertex| graph.ids().rank(vertex).unwrap();
    let mut edges: Vec<_> = graph.edges().map(|edge| edge.map(|(src, dst)| (rank(src), rank(dst))).unwrap()).collect();
    edges.sort_unstable();
    edges
}

fn keys(graph: &Graph) -> Vec<String> {
    graph.ids().keys(0..graph.num_vertices()).map(|key| key.unwrap().to_string()).collect()
}

/// The files of a store.
fn contents(store: &Path) -> BTreeMap<String, Vec<u8>> {
    let files = std::fs::read_dir(store).unwrap().map(|entry| entry.unwrap().path());
    files.map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), std::fs::read(&path).unwrap())).collect()
}

fn options() -> impl Strategy<Value = BuildOptions> {
    let order =
        prop_oneof![Just(VertexOrder::Original), Just(VertexOrder::Degree), Just(VertexOrder::Random { seed: 7 })];
    (order, any::<(bool, bool, bool, bool)>()).prop_map(
        |(order, (in_edges, symmetrise, drop_self_loops, drop_duplicates))| BuildOptions {
            order: order.into(),
            in_edges,
            symmetrise,
            drop_self_loops,
            drop_duplicates,
            ..Default::default()
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]
    #[test]
    fn a_graph_with_sides_is_the_graph_whose_right_ends_are_shifted_by_hand(
        ends in prop::collection::vec((0u64..30, 0u64..40), 1..150),
        options in options(),
    ) {
        let folder = folder();
        let plain = |number: u64| number.to_string();
        let shifted = written(&folder, "shifted.txt", text(&ends, plain, |number| (number + SHIFT).to_string()));
        let expected = Graph::reader(&shifted).options(options.clone()).read().unwrap();
        let left = expected.ids().ascending().filter(|id| *id < SHIFT).count();
        let uuid = |number: u64| format!("00000000-0000-0000-0000-{number:012}");
        let signed = |number: u64| (number as i64 - 20).to_string();
        let name = |number: u64| format!("v{number:03}");
        for (kind, text) in [
            (KeyKind::Number, text(&ends, plain, plain)),
            (KeyKind::Signed, text(&ends, signed, signed)),
            (KeyKind::Uuid, text(&ends, uuid, uuid)),
            (KeyKind::Text, text(&ends, name, name)),
        ] {
            let path = written(&folder, "graph.txt", text);
            let reader = || Graph::reader(&path).keys(kind).header(false).bipartite(true).options(options.clone());
            let graph = reader().read().unwrap();
            prop_assert_eq!(edges(&graph), edges(&expected), "{}", kind);
            prop_assert_eq!(graph.properties().bipartite_rows, Some(left as u64));
            for (rank, key) in keys(&graph).iter().enumerate() {
                let side = if rank < left { "left:" } else { "right:" };
                prop_assert!(key.starts_with(side), "{} has the rank {} of {}", key, rank, left);
                let vertex = graph.vertex(graph.ids().parse_key(key).unwrap()).unwrap();
                prop_assert_eq!(graph.ids().rank(vertex), Some(rank as u64));
            }
            // The store is the same, whether or not it is built in memory.
            let (whole, spilled) = (folder.path().join("whole.gts"), folder.path().join("spilled.gts"));
            let save = |reader: GraphReader, store| {
                let options = SaveOptions { replace: true, ..SaveOptions::default() };
                reader.save(&FileSystem, store, &options).unwrap()
            };
            save(reader(), &whole);
            let read = Graph::read(&whole).unwrap();
            prop_assert_eq!((edges(&read), keys(&read)), (edges(&graph), keys(&graph)));
            prop_assert_eq!(read.content(), graph.content());
            store::verify(&whole, &|_, _| ()).unwrap();
            save(reader().memory(33 << 20), &spilled);
            prop_assert_eq!(contents(&whole), contents(&spilled));
        }
    }
}

#[test]
fn a_konect_graph_without_sizes_has_two_name_spaces() {
    let folder = folder();
    let unsized_file = written(&folder, "out.a", "% bip unweighted\n1 1\n4 2\n2 1\n");
    let graph = Graph::reader(&unsized_file).read().unwrap();
    assert_eq!(keys(&graph), ["left:1", "left:2", "left:4", "right:1", "right:2"]);
    assert!(graph.properties().symmetric);
    // Sizes are numbers of vertices, and targets are numbered after the sources unless sides are requested.
    let path = written(&folder, "out.b", "% bip unweighted\n% 3 4 2\n1 1\n4 2\n2 1\n");
    assert_eq!(keys(&Graph::read(&path).unwrap()), ["1", "2", "3", "4", "5", "6"]);
    let sided = Graph::reader(&path).bipartite(true).read().unwrap();
    assert_eq!(keys(&sided), ["left:1", "left:2", "left:3", "left:4", "right:1", "right:2"]);
    assert_eq!(edges(&sided), edges(&Graph::read(&path).unwrap()));
}

#[test]
fn rows_and_columns_of_a_matrix_are_sides() {
    let folder = folder();
    let matrix = |size: &str| format!("%%MatrixMarket matrix coordinate pattern general\n{size} 2\n1 2\n2 1\n");
    let square = written(&folder, "square.mtx", matrix("2 2"));
    let graph = Graph::reader(&square).bipartite(true).read().unwrap();
    assert_eq!(keys(&graph), ["left:1", "left:2", "right:1", "right:2"]);
    assert_eq!(edges(&graph), [(0, 3), (1, 2)]);
    let tall = written(&folder, "tall.mtx", matrix("3 2"));
    let graph = Graph::reader(&tall).bipartite(true).read().unwrap();
    assert_eq!(keys(&graph), ["left:1", "left:2", "left:3", "right:1", "right:2"]);
    assert_eq!(edges(&graph), edges(&Graph::read(&tall).unwrap()));
}

#[test]
fn vertices_without_sides_are_refused() {
    let folder = folder();
    let symmetric = "%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n";
    for (name, text, problem) in [
        ("a.graph", "2 1\n2\n1\n", "of format metis have no sides"),
        ("a.gr", "p sp 2 1\na 1 2 3\n", "of format dimacs have no sides"),
        ("a.mtx", symmetric, "the rows of this symmetry are its columns"),
        ("a.net", "*Vertices 2\n*Arcs\n1 2\n", "the network has one mode"),
        ("a.txt", "9223372036854775807 1\n", "too large for two name spaces"),
    ] {
        let path = written(&folder, name, text);
        let error = Graph::reader(&path).bipartite(true).read().unwrap_err();
        assert!(error.to_string().contains(problem), "{error}");
    }
    let error = Graph::reader("rmat:4").bipartite(true).read().unwrap_err();
    assert!(matches!(error, ReadError::Option { .. }), "{error}");
}

#[test]
fn a_key_needs_its_side_if_and_only_if_vertices_have_one() {
    let folder = folder();
    let path = written(&folder, "a.txt", "1 1\n2 1\n");
    let (sided, plain) = (Graph::reader(&path).bipartite(true).read().unwrap(), Graph::read(&path).unwrap());
    let [left, right] = [Key::Left(Box::new(2.into())), Key::Right(Box::new(2.into()))];
    assert!(sided.vertex(left.clone()).is_ok());
    assert_eq!(sided.vertex(right).unwrap_err().to_string(), "vertex right:2 is not in the graph");
    for (graph, key) in [(&sided, Key::from(2)), (&plain, left)] {
        assert!(graph.vertex(key).is_err());
    }
    assert!(sided.ids().parse_key("2").is_none() && sided.ids().parse_key("up:2").is_none());
}

#[test]
fn two_sides_may_share_names_in_a_list_of_keys() {
    // A table whose names have numbers: each occurs on one side or on both.
    let folder = folder();
    let path = written(&folder, "a.csv", "source,target\nx,x\nx,y\nz,x\n");
    let graph = Graph::reader(&path).bipartite(true).undirected(true).read().unwrap();
    assert_eq!(keys(&graph), ["left:x", "left:z", "right:x", "right:y"]);
    assert_eq!(edges(&graph), [(0, 2), (0, 3), (1, 2), (2, 0), (2, 1), (3, 0)]);
}

#[test]
fn a_line_without_edges_is_a_left_vertex() {
    let folder = folder();
    for (name, text, expected) in [
        ("n.adjlist", "-5 7\n8\n7 -5\n", ["left:-5", "left:7", "left:8", "right:-5", "right:7"]),
        ("t.adjlist", "a b\nc\nb a\n", ["left:a", "left:b", "left:c", "right:a", "right:b"]),
    ] {
        let path = written(&folder, name, text);
        let kind = if name == "n.adjlist" { KeyKind::Signed } else { KeyKind::Text };
        let graph = Graph::reader(&path).keys(kind).bipartite(true).read().unwrap();
        assert_eq!(keys(&graph), expected);
        assert_eq!(edges(&graph).len(), 2);
    }
}
