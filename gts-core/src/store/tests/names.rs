//! Stores whose keys are names, UUIDs or signed numbers.

use super::*;
use crate::build::{BuildOptions, build};
use crate::graph::{Key, KeyKind};
use crate::stream::keyed::Keyed;
use xxhash_rust::xxh3::xxh3_64;

fn graph(kind: KeyKind, keys: Vec<Vec<u8>>) -> Graph {
    let count = keys.len();
    let edges: Vec<_> = (0..count).map(|src| (src, (7 * src + 1) % count)).collect();
    build(&mut Keyed::new(kind, keys, edges), &BuildOptions::default()).unwrap().0
}

fn names(count: usize) -> Vec<Vec<u8>> {
    (0..count).map(|number| format!("https://a.example/{}/é", number * number).into_bytes()).collect()
}

fn uuids(count: usize) -> Vec<Vec<u8>> {
    (0..count as u128).map(|number| (number.wrapping_mul(0x9e37_79b9_7f4a_7c15 << 64)).to_be_bytes().into()).collect()
}

fn all_keys(graph: &Graph) -> Result<Vec<Key<'static>>, StoreError> {
    graph.ids().keys(0..graph.num_vertices()).collect()
}

#[test]
fn keys_come_back_from_a_store_and_are_found_there() {
    for graph in [graph(KeyKind::Text, names(1000)), graph(KeyKind::Uuid, uuids(200)), graph(KeyKind::Text, names(64))]
    {
        let place = Place::new();
        graph.save(place.store()).unwrap();
        let stored = Graph::open(place.store()).unwrap();
        assert_eq!((stored.ids(), stored.content()), (graph.ids(), graph.content()));
        let keys = all_keys(&stored).unwrap();
        assert_eq!(keys, all_keys(&graph).unwrap());
        assert!(keys.is_sorted());
        for (rank, key) in (0..).zip(&keys) {
            let vertex = stored.vertex(key.clone()).unwrap();
            assert_eq!(stored.ids().rank(vertex), Some(rank));
            assert_eq!(&stored.key(vertex).unwrap(), key);
        }
        verify(place.store(), &|_, _| ()).unwrap();
        let again = Place::new();
        stored.save(again.store()).unwrap();
        assert_eq!(contents(&again.store()), contents(&place.store()));
        assert_eq!(info(place.store()).unwrap().keys, graph.ids().kind());
    }
}

#[test]
fn a_missing_name_is_refused_with_its_neighbours() {
    let place = Place::new();
    graph(KeyKind::Text, names(1000)).save(place.store()).unwrap();
    let stored = Graph::open(place.store()).unwrap();
    let error = stored.vertex("https://a.example/99").unwrap_err();
    let message = explain_within(&error, Reader::CommandLine);
    assert_eq!(
        message,
        "vertex `https://a.example/99` is not in the graph; give one of its 1000 names, `https://a.example/0/é` to \
         `https://a.example/99856/é`; the nearest is `https://a.example/990025/é`"
    );
    assert!(stored.vertex(7).unwrap_err().to_string().contains("vertex 7 is not in the graph"));
}

#[test]
fn every_flipped_or_cut_byte_of_the_names_is_refused() {
    for graph in [graph(KeyKind::Text, names(150)), graph(KeyKind::Uuid, uuids(70))] {
        let place = Place::new();
        graph.save(place.store()).unwrap();
        let files = contents(&place.store());
        for name in ["names", "names.index"] {
            let (path, bytes) = (place.store().join(name), &files[name]);
            for at in 0..bytes.len() {
                let mut damaged = bytes.clone();
                damaged[at] ^= 1 << (at % 8);
                fs::write(&path, &damaged).unwrap();
                let error = Graph::open(place.store()).and_then(|graph| all_keys(&graph)).unwrap_err();
                assert!(matches!(error, StoreError::Checksum { .. }), "{error}");
                assert!(error.to_string().contains(name), "{error}");
                assert!(verify(place.store(), &|_, _| ()).is_err());
                fs::write(&path, &bytes[..at]).unwrap();
                assert!(matches!(Graph::open(place.store()), Err(StoreError::Size { .. })));
            }
            fs::write(&path, bytes).unwrap();
        }
        verify(place.store(), &|_, _| ()).unwrap();
    }
}

#[test]
fn a_wrong_number_of_left_vertices_is_refused() {
    for (kind, keys) in [(KeyKind::Text, names(150)), (KeyKind::Uuid, uuids(70))] {
        let edges = (0..keys.len()).map(|src| (src, (7 * src + 1) % keys.len())).collect();
        let mut stream = Keyed { has_sides: true, ..Keyed::new(kind, keys, edges) };
        let graph = build(&mut stream, &BuildOptions::default()).unwrap().0;
        let place = Place::new();
        graph.save(place.store()).unwrap();
        verify(place.store(), &|_, _| ()).unwrap();
        let path = place.store().join("manifest");
        let text = fs::read_to_string(&path).unwrap();
        let rows = graph.properties().bipartite_rows.unwrap();
        for (wrong, opens) in [((rows - 1).to_string(), true), ((rows + 1).to_string(), true), ("none".into(), false)] {
            let text = text.replace(&format!("bipartite-rows {rows}\n"), &format!("bipartite-rows {wrong}\n"));
            let body = &text[..text.rfind("checksum ").unwrap()];
            fs::write(&path, format!("{body}checksum {:016x}\n", xxh3_64(body.as_bytes()))).unwrap();
            assert_eq!(Graph::open(place.store()).is_ok(), opens, "{wrong}");
            assert!(verify(place.store(), &|_, _| ()).is_err(), "{wrong}");
        }
    }
}

/// Replaces bytes of the names, and every checksum that depends on them.
fn seal(place: &Place, change: impl Fn(&mut Vec<u8>, &mut [u64])) {
    let files = contents(&place.store());
    let mut names = files["names"].clone();
    let mut index: Vec<u64> = bytemuck::pod_collect_to_vec(&files["names.index"]);
    change(&mut names, &mut index);
    let offsets: Vec<usize> = index.chunks(2).map(|block| block[0] as usize).collect();
    for (block, &start) in offsets.iter().enumerate() {
        let end = offsets.get(block + 1).copied().unwrap_or(names.len());
        index[2 * block + 1] = names.get(start..end).map_or(0, xxh3_64);
    }
    let sums: &[u8] = bytemuck::cast_slice(&index);
    fs::write(place.store().join("names"), &names).unwrap();
    fs::write(place.store().join("names.index"), sums).unwrap();
    let text = String::from_utf8(files["manifest"].clone()).unwrap();
    let (old, new) = (xxh3_64(&files["names.index"]), xxh3_64(sums));
    let text = text.replace(&format!("{old:016x}"), &format!("{new:016x}"));
    let body = &text[..text.rfind("checksum ").unwrap()];
    fs::write(place.store().join("manifest"), format!("{body}checksum {:016x}\n", xxh3_64(body.as_bytes()))).unwrap();
}

#[test]
fn sealed_changes_of_the_names_are_typed_errors_and_never_panic() {
    let place = Place::new();
    graph(KeyKind::Text, names(70)).save(place.store()).unwrap();
    let kept = contents(&place.store());
    let restore = || kept.iter().for_each(|(name, bytes)| fs::write(place.store().join(name), bytes).unwrap());
    let check = || match Graph::open(place.store()).and_then(|graph| all_keys(&graph).map(|_| graph)) {
        Ok(graph) => {
            let _ = graph.vertex("https://a.example/1/é");
        }
        Err(error) => assert!(matches!(error, StoreError::Ids { .. } | StoreError::Io { .. }), "{error}"),
    };
    for at in 0..kept["names"].len() {
        seal(&place, |names, _| names[at] ^= 1 << (at % 8));
        check();
        restore();
    }
    for offset in [0, 1, 5000, u64::MAX] {
        for block in 0..2 {
            seal(&place, |_, index| index[2 * block] = offset);
            check();
            restore();
        }
    }
    seal(&place, |names, _| names.swap(2, 20));
    assert!(verify(place.store(), &|_, _| ()).is_err());
}
