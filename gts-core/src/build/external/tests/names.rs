//! Stores whose keys are names or UUIDs, built with temporary files.

use super::*;
use crate::graph::KeyKind;
use crate::stream::keyed::Keyed;
use std::collections::BTreeSet;

/// The contents of a store that is built with `work` bytes beside its tables, or in memory.
fn stored(stream: &Keyed, options: &BuildOptions, work: Option<u64>, threads: usize) -> BTreeMap<String, Vec<u8>> {
    let place = Place::new();
    let io = FailingIo::once(FileSystem, u64::MAX, ErrorKind::Other);
    crate::threads::pool("build", std::num::NonZeroUsize::new(threads)).unwrap().install(|| match work {
        Some(work) => drop(external(&io, &mut stream.clone(), options, &place.store(), work).unwrap()),
        None => build(&mut stream.clone(), options).unwrap().0.save(place.store()).unwrap(),
    });
    contents(&place.store())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]
    #[test]
    fn stores_do_not_depend_on_memory_threads_or_the_order_of_edges(
        keys in prop::collection::btree_set("(https://a/)?[a-c\t\"',é😀]{1,8}", 1..60),
        ends in prop::collection::vec(any::<(prop::sample::Index, prop::sample::Index)>(), 0..300),
        order in order(),
        (in_edges, drop_duplicates, weighted, has_sides) in any::<(bool, bool, bool, bool)>(),
        threads in 1usize..5,
    ) {
        let keys: Vec<Vec<u8>> = keys.into_iter().map(String::into_bytes).collect();
        let edges: Vec<_> = ends.iter().map(|(src, dst)| (src.index(keys.len()), dst.index(keys.len()))).collect();
        let mut stream = Keyed::new(KeyKind::Text, keys, edges);
        stream.value_type = weighted.then_some(ScalarType::U32);
        stream.has_sides = has_sides;
        let options = BuildOptions { page_size: Some(4096), order, in_edges, drop_duplicates, ..BuildOptions::default() };
        let expected = stored(&stream, &options, None, 1);
        for work in [1_000, 60_000, 100_000, 10_000_000] {
            prop_assert_eq!(&stored(&stream, &options, Some(work), threads), &expected);
        }
        stream.edges.reverse();
        stream.batch = 11;
        prop_assert_eq!(&stored(&stream, &options, None, threads), &expected);
        prop_assert_eq!(&stored(&stream, &options, Some(1_000), threads), &expected);
    }

    #[test]
    fn a_graph_with_names_is_that_of_their_ranks(
        ends in prop::collection::vec((0usize..40, 0usize..40), 1..200),
        uuids: bool,
    ) {
        // Every key occurs in an edge, so that numbers are ranks.
        let used: BTreeSet<usize> = ends.iter().flat_map(|&(src, dst)| [src, dst]).collect();
        let rank = |key: usize| used.iter().position(|&used| used == key).unwrap();
        let (kind, key): (_, fn(usize) -> Vec<u8>) = match uuids {
            true => (KeyKind::Uuid, |key| ((key as u128) << 90).to_be_bytes().to_vec()),
            false => (KeyKind::Text, |key| format!("key {key:03}").into_bytes()),
        };
        let keys = (0..40).map(key).collect();
        let (named, _) = build(&mut Keyed::new(kind, keys, ends.clone()), &BuildOptions::default()).unwrap();
        let numbered = ends.iter().map(|&(src, dst)| (rank(src) as u64, rank(dst) as u64));
        let numbered = Graph::from_edges(numbered).unwrap();
        let edges = |graph: &Graph| graph.edges().collect::<Result<Vec<_>, _>>().unwrap();
        prop_assert_eq!(edges(&named), edges(&numbered));
        for (rank, &key) in used.iter().enumerate() {
            let vertex = numbered.vertex(rank).unwrap();
            let found = named.key(vertex).unwrap();
            prop_assert_eq!(named.vertex(found).unwrap(), vertex);
            let _ = key;
        }
    }
}

/// A stream that returns vertices before its edges, with them, and after them.
#[derive(Clone)]
struct Lonely {
    edges: Keyed,
    vertices: Vec<Vec<u8>>,
}

impl EdgeStream for Lonely {
    fn next(&mut self, batch: &mut EdgeBatch) -> Result<bool, ImportError> {
        if self.vertices.len() > 60 {
            batch.clear();
        } else {
            self.edges.next(batch)?;
        }
        if let Some(vertex) = self.vertices.pop() {
            let place = batch.add_key(&vertex);
            batch.vertices.push(place);
        }
        Ok(!batch.is_empty())
    }

    fn declared(&self) -> Declared {
        self.edges.declared()
    }

    fn progress(&self) -> (u64, Option<u64>) {
        self.edges.progress()
    }
}

#[test]
fn names_without_edges_are_kept() {
    let name = |number: usize| format!("name {number:04}").into_bytes();
    for (edges, lonely, expected) in [(200, 150, 350), (200, 20, 220), (0, 90, 90), (1, 0, 1)] {
        let edges = (0..edges).map(|edge| (edge, 7 * edge % 200)).collect();
        let mut vertices: Vec<_> = (200..200 + lonely).map(name).collect();
        vertices.extend(vertices.first().cloned());
        let stream = Lonely { edges: Keyed::new(KeyKind::Text, (0..200).map(name).collect(), edges), vertices };
        let options = BuildOptions { page_size: Some(4096), ..BuildOptions::default() };
        let (graph, _) = build(&mut stream.clone(), &options).unwrap();
        assert_eq!(graph.num_vertices(), expected);
        for work in [1_000, 60_000, 10_000_000] {
            let (place, other) = (Place::new(), Place::new());
            external(&FileSystem, &mut stream.clone(), &options, &place.store(), work).unwrap();
            graph.save(other.store()).unwrap();
            assert_eq!(contents(&place.store()), contents(&other.store()));
        }
    }
}

#[test]
fn whatever_call_fails_while_names_are_sorted_nothing_is_left() {
    let keys = (0..24).map(|key| format!("name {key}").into_bytes()).collect();
    let edges = (0..24).map(|key| (key, 7 * key % 24)).collect();
    let stream = Keyed::new(KeyKind::Text, keys, edges);
    let options = BuildOptions { page_size: Some(4096), ..BuildOptions::default() };
    let io = FailingIo::once(FileSystem, u64::MAX, ErrorKind::Other);
    external(&io, &mut stream.clone(), &options, &Place::new().store(), 500).unwrap();
    assert!(io.calls() > 100, "{}", io.calls());
    for call in 0..io.calls() {
        let place = Place::new();
        let io = FailingIo::once(FileSystem, call, ErrorKind::StorageFull);
        let error = external(&io, &mut stream.clone(), &options, &place.store(), 500).expect_err("a call failed");
        assert!(matches!(error, BuildError::Store(StoreError::Io { .. })), "call {call}: {error}");
        assert!(place.names().is_empty(), "call {call}: {:?}", place.names());
    }
}

#[test]
fn errors_contain_keys() {
    let keys = vec![b"a".to_vec(), b"b\x1b".to_vec()];
    let mut stream = Keyed::new(KeyKind::Text, keys, vec![(0, 1), (1, 0)]);
    stream.value_type = Some(ScalarType::U64);
    let options = BuildOptions { value_type: Some(ScalarType::U32), ..BuildOptions::default() };
    let expected = "edge 0, from `a` to `b\\u{1b}`: value 18446744073709551615 is no u32";
    assert_eq!(build(&mut stream.clone(), &options).unwrap_err().to_string(), expected);
    let place = Place::new();
    let error = external(&FileSystem, &mut stream.clone(), &options, &place.store(), 1_000).unwrap_err();
    assert_eq!(error.to_string(), expected);
    let layers = BuildOptions { order: VertexOrder::Layers { root: 0 }.into(), ..BuildOptions::default() };
    let error = build(&mut stream, &layers).unwrap_err();
    assert_eq!(error.to_string(), "order layers:0: the keys are names");
    let vertices = DeclaredVertices::Range { first: 0, count: 2 };
    let declared = Declared { keys: KeyKind::Text, vertices, ..Declared::default() };
    let error = build(&mut Batches::new(&[], declared), &BuildOptions::default()).unwrap_err();
    assert!(matches!(error, BuildError::DeclaredKeys { keys: KeyKind::Text }), "{error}");
}
