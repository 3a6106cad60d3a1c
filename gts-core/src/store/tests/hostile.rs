//! Tests that a store with right checksums and wrong contents is rejected without a panic.

use super::*;
use crate::graph::{IdMapError, PageId};
use crate::page::PageError;
use gts_contract::Side;
use proptest::prelude::*;
use xxhash_rust::xxh3::xxh3_64;

/// Writes the files of a store, with updated checksums.
fn write_sealed(path: &Path, files: &BTreeMap<String, Vec<u8>>) {
    let mut files = files.clone();
    for side in ["out", "in"] {
        if let Some(pages) = files.get(&format!("{side}.pages")) {
            let sums = pages.chunks(4096).flat_map(|page| xxh3_64(page).to_le_bytes()).collect();
            files.insert(format!("{side}.sums"), sums);
        }
    }
    let manifest = String::from_utf8_lossy(&files["manifest"]).into_owned();
    let mut lines: Vec<String> = manifest.lines().map(str::to_owned).collect();
    for line in &mut lines {
        let words: Vec<_> = line.split(' ').collect();
        if let ["file", name, bytes, _] = words[..] {
            let table = files.get(&name.replace(".pages", ".sums")).map_or(&[][..], Vec::as_slice);
            *line = format!("file {name} {bytes} {:016x}", xxh3_64(table));
        }
    }
    files.insert("manifest".to_owned(), sealed(&lines.join("\n")));
    for (name, bytes) in files {
        fs::write(path.join(name), bytes).unwrap();
    }
}

/// Returns the text of a manifest followed by its right checksum. A checksum in `text` is replaced.
fn sealed(text: &str) -> Vec<u8> {
    let body = text.split("checksum ").next().unwrap_or_default();
    let body = if body.ends_with('\n') { body.to_owned() } else { format!("{body}\n") };
    format!("{body}checksum {:016x}\n", xxh3_64(body.as_bytes())).into_bytes()
}

/// Opens a store whose files have been modified by `change`. The checksums are updated.
fn open_changed(graph: &Graph, change: impl FnOnce(&mut BTreeMap<String, Vec<u8>>)) -> Result<Graph, StoreError> {
    let place = Place::new();
    graph.save(place.store()).unwrap();
    let mut files = contents(&place.store());
    change(&mut files);
    write_sealed(&place.store(), &files);
    let opened = open_store(&place.store());
    if opened.is_ok() {
        let _ = verify(place.store(), &|_, _| ());
    }
    opened
}

fn set_u32(files: &mut BTreeMap<String, Vec<u8>>, name: &str, at: usize, value: u32) {
    files.get_mut(name).unwrap()[at..at + 4].copy_from_slice(&value.to_le_bytes());
}

#[test]
fn sealing_alone_changes_nothing() {
    for graph in [sample(), plain()] {
        open_changed(&graph, |_| ()).unwrap();
    }
}

#[test]
fn a_page_must_be_sound() {
    // The sample page contains 3 vertices and 4 edges. Records of (1,1) bytes begin at offset 16, and slots extend
    // backwards from the end.
    let page_error = |change: fn(&mut BTreeMap<String, Vec<u8>>)| match open_changed(&plain(), change) {
        Err(StoreError::Page { source, .. }) => source,
        other => panic!("{other:?}"),
    };
    assert!(matches!(page_error(|files| set_u32(files, "out.pages", 0, 1)), PageError::StartVertex { .. }));
    assert!(matches!(page_error(|files| set_u32(files, "out.pages", 8, 4)), PageError::Slots { .. }));
    assert!(matches!(page_error(|files| set_u32(files, "out.pages", 12, u32::MAX)), PageError::Overfull { .. }));
    assert!(matches!(page_error(|files| set_u32(files, "out.pages", 12, 5)), PageError::Slot { .. }));
    assert!(matches!(page_error(|files| set_u32(files, "out.pages", 4096 - 4, 1)), PageError::Slot { .. }));
    assert!(matches!(page_error(|files| set_u32(files, "out.pages", 4096 - 8, 9)), PageError::Slot { .. }));
    assert!(matches!(page_error(|files| files.get_mut("out.pages").unwrap()[16] = 1), PageError::Record { .. }));
    assert!(matches!(page_error(|files| files.get_mut("out.pages").unwrap()[17] = 3), PageError::Record { .. }));
    assert!(matches!(page_error(|files| files.get_mut("out.pages").unwrap()[21] = 2), PageError::Order { .. }));
}

/// Opens a store on `threads` threads.
fn open_on(path: &Path, threads: usize) -> Result<Graph, StoreError> {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(|| open_store(path))
}

#[test]
fn of_several_faults_the_first_is_told_on_any_number_of_threads() {
    // Each list has three edges, and the lists span many pages.
    let edges = (0..20_000u64).flat_map(|src| (1..4).map(move |step| (src, (src + step) % 20_000)));
    let graph = Graph::builder().edges(edges).page_size(4096).build().unwrap();
    let last = graph.out_topology().num_pages() as usize - 1;
    assert!(last > 40);
    let place = Place::new();
    graph.save(place.store()).unwrap();
    let files = contents(&place.store());
    let errors = |sealed: &[(&str, usize, u32)], flipped: &[usize]| {
        let mut files = files.clone();
        sealed.iter().for_each(|&(name, at, value)| set_u32(&mut files, name, at, value));
        write_sealed(&place.store(), &files);
        let mut pages = fs::read(place.store().join("out.pages")).unwrap();
        flipped.iter().for_each(|&page| pages[4096 * page + 100] ^= 1);
        fs::write(place.store().join("out.pages"), pages).unwrap();
        [1, 2, 5].map(|threads| open_on(&place.store(), threads).unwrap_err())
    };
    let slots = |page: usize| ("out.pages", 4096 * page + 8, 0);
    let degree = ("out.degrees", 0, 2);
    for page in [0, last] {
        for error in errors(&[], &[page]) {
            assert!(matches!(error, StoreError::PageChecksum { page: PageId(found), .. } if found as usize == page));
        }
        for error in errors(&[slots(page), degree], &[]) {
            let StoreError::Page { page: found, source, .. } = error else { panic!("{error}") };
            assert!(found.0 as usize == page && matches!(source, PageError::Slots { found: 0, .. }));
        }
    }
    // A wrong checksum is reported before an invalid page, and an invalid page before a table.
    for error in errors(&[slots(0), degree], &[last, last - 7]) {
        assert!(matches!(error, StoreError::PageChecksum { page: PageId(found), .. } if found as usize == last - 7));
    }
    for error in errors(&[slots(last), slots(9), degree], &[]) {
        assert!(matches!(error, StoreError::Page { page: PageId(9), .. }), "{error}");
    }
    for error in errors(&[degree], &[]) {
        assert!(matches!(error, StoreError::Table { vertex: 0, found: 2, expected: 3, .. }), "{error}");
    }
}

#[test]
fn tables_must_agree_with_the_pages() {
    let changed = |name: &str, value| open_changed(&sample(), |files| set_u32(files, name, 0, value));
    assert!(matches!(changed("out.degrees", 77), Err(StoreError::Table { .. })));
    assert!(matches!(changed("in.degrees", 77), Err(StoreError::Table { .. })));
    assert!(matches!(changed("heads", 3), Err(StoreError::Table { .. })));
    assert!(matches!(changed("order", 1), Err(StoreError::Ids { .. })));
    assert!(matches!(changed("order", u32::MAX), Err(StoreError::Ids { .. })));
    assert!(matches!(changed("ids", u32::MAX), Err(StoreError::Ids { .. })));
    assert!(matches!(changed("out.start-vids", 1), Err(StoreError::Rvt { .. })));
    assert!(matches!(changed("out.lp-ranges", 9), Err(StoreError::Rvt { .. })));
    assert!(matches!(changed("in.lp-ranges", u32::MAX), Err(StoreError::Rvt { .. })));
}

/// Verifies a store whose files have been modified by `change`. The checksums are updated.
fn verify_changed(graph: &Graph, change: impl FnOnce(&mut BTreeMap<String, Vec<u8>>)) -> Result<(), StoreError> {
    let place = Place::new();
    graph.save(place.store()).unwrap();
    let mut files = contents(&place.store());
    change(&mut files);
    write_sealed(&place.store(), &files);
    verify(place.store(), &|_, _| ()).map(drop)
}

#[test]
fn imbalance_that_the_degrees_contradict_is_found_by_verify_alone() {
    let graph = both_sides(&[(0, 1), (1, 2), (2, 0), (2, 1)]);
    for (side, name) in [("out.imbalance", "out"), ("in.imbalance", "in")] {
        let change = |files: &mut BTreeMap<String, Vec<u8>>| files.get_mut(side).unwrap()[2] ^= 1;
        let error = verify_changed(&graph, change).unwrap_err();
        assert!(matches!(error, StoreError::Imbalance { page: PageId(0), .. }), "{name}: {error}");
        assert!(open_changed(&graph, change).is_ok());
    }
}

/// Builds a small graph with in-edges. Each direction has one page, with records of (1,1) bytes from offset 16.
fn both_sides(edges: &[(u64, u64)]) -> Graph {
    Graph::builder().edges(edges.iter().copied()).in_edges(true).page_size(4096).build().unwrap()
}

#[test]
fn a_store_whose_sides_differ_is_refused() {
    // The lists of in-edges are 2 into 0; 0 and 2 into 1; 1 into 2.
    let graph = both_sides(&[(0, 1), (1, 2), (2, 0), (2, 1)]);
    verify_changed(&graph, |_| ()).unwrap();
    let error = verify_changed(&graph, |files| files.get_mut("in.pages").unwrap()[17] = 1).unwrap_err();
    assert!(matches!(error, StoreError::Sides { vertex: 0, .. }), "{error}");
    assert!(
        error.to_string().contains("in.pages: page 0: the in-edges of vertex 0 are not the out-edges that lead to it"),
        "{error}"
    );
    // One out-edge gets a different target, so that two vertices exchange their in-degrees.
    let error = verify_changed(&graph, |files| files.get_mut("out.pages").unwrap()[17] = 0).unwrap_err();
    assert!(matches!(error, StoreError::Sides { vertex: 0, .. }), "{error}");
}

#[test]
fn a_value_of_one_side_is_not_that_of_another_edge() {
    let edges = [(0, 1, 5.0f32), (1, 0, 7.0), (0, 2, 7.0)];
    let graph = Graph::builder().weighted_edges(edges).in_edges(true).page_size(4096).build().unwrap();
    // The page contains three records of (1,1) bytes, padding up to offset 24, and the values. The first value belongs
    // to the edge from 1 to 0.
    let swap = |files: &mut BTreeMap<String, Vec<u8>>| {
        let pages = files.get_mut("in.pages").unwrap();
        (24..28).for_each(|at| pages.swap(at, at + 4));
    };
    let error = verify_changed(&graph, swap).unwrap_err();
    assert!(matches!(error, StoreError::Sides { vertex: 0, .. }), "{error}");
    let graph = Graph::builder().weighted_edges([(0, 1, 5u32), (1, 0, 5)]).page_size(4096).build().unwrap();
    assert!(graph.properties().symmetric);
    let error = verify_changed(&graph, |files| set_u32(files, "out.pages", 20, 6)).unwrap_err();
    assert!(matches!(error, StoreError::Property { what: "symmetric", .. }), "{error}");
}

#[test]
fn in_degrees_that_out_pages_contradict_are_refused() {
    let graph = Graph::builder().edges([(0, 1), (0, 2), (2, 1), (2, 2)]).page_size(4096).build().unwrap();
    verify_changed(&graph, |_| ()).unwrap();
    // One vertex gains an in-edge, another loses one, and both keep at least one. Only a check of all edges detects
    // this.
    let change = |files: &mut BTreeMap<String, Vec<u8>>| {
        set_u32(files, "in.degrees", 4, 1);
        set_u32(files, "in.degrees", 8, 3);
        let manifest = String::from_utf8(files["manifest"].clone()).unwrap();
        let manifest = manifest.replacen("largest-in-degree 2", "largest-in-degree 3", 1);
        files.insert("manifest".to_owned(), manifest.into_bytes());
    };
    open_changed(&graph, change).unwrap();
    let error = verify_changed(&graph, change).unwrap_err();
    assert!(matches!(error, StoreError::Table { vertex: 1, found: 1, expected: 2, .. }), "{error}");
}

#[test]
fn an_edge_whose_end_has_degree_0_on_the_other_side_is_refused_at_its_page() {
    let no_edge = |result: Result<Graph, StoreError>, file: &str| {
        let error = result.unwrap_err();
        assert!(error.to_string().contains(&format!("{file}: page 0: record ID 0 names vertex")), "{error}");
        let StoreError::Page { source: PageError::NoEdge { vertex, side, .. }, .. } = error else { panic!("{error}") };
        (vertex, side)
    };
    let graph = both_sides(&[(0, 1), (0, 2)]);
    // The edge from 2 to 1 begins at a vertex without out-edges. The edge from 0 to itself ends at a vertex without
    // in-edges.
    let found = open_changed(&graph, |files| files.get_mut("in.pages").unwrap()[17] = 2);
    assert_eq!(no_edge(found, "in.pages"), (2, Side::Out));
    let found = open_changed(&graph, |files| files.get_mut("out.pages").unwrap()[17] = 0);
    assert_eq!(no_edge(found, "out.pages"), (0, Side::In));
    // The table of in-degrees assigns one edge to a different vertex.
    let graph = Graph::builder().edges([(0, 1), (0, 2)]).page_size(4096).build().unwrap();
    let moved = |files: &mut BTreeMap<String, Vec<u8>>| {
        set_u32(files, "in.degrees", 0, 1);
        set_u32(files, "in.degrees", 4, 0);
    };
    assert_eq!(no_edge(open_changed(&graph, moved), "out.pages"), (1, Side::In));
}

#[test]
fn lists_of_several_pages_ascend_across_them() {
    let spokes = (1..=2100).map(|spoke| (0, spoke));
    let graph = Graph::builder().edges(spokes).drop_duplicates(true).page_size(4096).build().unwrap();
    let format = graph.out_topology().format();
    let (bytes, full) = (format.width().bytes(), format.large_page_edges() as usize);
    let first_page = graph.out_topology().large_pages()[0].0 as usize * 4096;
    assert_eq!(graph.out_topology().large_pages().len(), 2);
    // The last edge of the first page becomes equal to the first or the second edge of the second page.
    let moved = |to: usize| {
        verify_changed(&graph, |files| {
            let record = |page: usize, entry: usize| {
                let at = first_page + page * 4096 + 16 + entry * bytes;
                at..at + bytes
            };
            files.get_mut("out.pages").unwrap().copy_within(record(1, to), record(0, full - 1).start);
            // The spokes are numbered from 1.
            set_u32(files, "in.degrees", 4 * full, 0);
            set_u32(files, "in.degrees", 4 * (full + 1 + to), 2);
            let text = String::from_utf8(files["manifest"].clone()).unwrap();
            let text = text.replacen("largest-in-degree 1", "largest-in-degree 2", 1);
            files.insert("manifest".to_owned(), text.into_bytes());
        })
    };
    let error = moved(0).unwrap_err();
    assert!(matches!(error, StoreError::Property { what: "duplicates", .. }), "{error}");
    let error = moved(1).unwrap_err();
    assert!(matches!(error, StoreError::Page { source: PageError::Order { entry: 0, .. }, .. }), "{error}");
}

#[test]
fn numbers_in_another_order_than_is_stated_are_refused() {
    for order in [VertexOrder::Degree, VertexOrder::Random { seed: 5 }] {
        let spokes = (0..30u64).map(|spoke| (7, 100 + spoke)).chain([(100, 7), (101, 7)]);
        let graph = Graph::builder().edges(spokes).order(order).page_size(4096).build().unwrap();
        verify_changed(&graph, |_| ()).unwrap();
        let swap = |files: &mut BTreeMap<String, Vec<u8>>| {
            let numbers = files.get_mut("order").unwrap();
            (8..12).for_each(|at| numbers.swap(at, at + 8));
        };
        open_changed(&graph, swap).unwrap();
        let error = verify_changed(&graph, swap).unwrap_err();
        let numbering = matches!(error, StoreError::Ids { source: IdMapError::Numbering { rank: 2, .. }, .. });
        assert!(numbering, "{order}: {error}");
    }
}

#[test]
fn edges_lead_between_rows_and_columns_where_these_are_stated() {
    let graph = Graph::builder().edges([(0, 2), (1, 3), (2, 0), (3, 1)]).page_size(4096).build().unwrap();
    let stated = |rows: u64| {
        verify_changed(&graph, |files| {
            let text = String::from_utf8(files["manifest"].clone()).unwrap();
            let text = text.replacen("bipartite-rows none", &format!("bipartite-rows {rows}"), 1);
            files.insert("manifest".to_owned(), text.into_bytes());
        })
    };
    stated(2).unwrap();
    let error = stated(3).unwrap_err();
    assert!(matches!(error, StoreError::Property { what: "bipartite-rows", .. }), "{error}");
}

#[test]
fn statements_must_agree_with_the_edges() {
    let place = Place::new();
    plain().save(place.store()).unwrap();
    let files = contents(&place.store());
    let text = String::from_utf8(files["manifest"].clone()).unwrap();
    // Opening a store performs the cheap checks, and `verify` the others.
    for (from, to) in [
        ("largest-out-degree 2", "largest-out-degree 3"),
        ("largest-in-degree 2", "largest-in-degree 1"),
        ("edges 4", "edges 5"),
    ] {
        fs::write(place.store().join("manifest"), sealed(&text.replacen(from, to, 1))).unwrap();
        assert!(open_store(&place.store()).is_err(), "{to}");
    }

    let looped = Graph::builder().edges([(0, 0), (0, 1), (0, 1)]).page_size(4096).build().unwrap();
    for (from, to) in [("duplicates kept", "duplicates dropped"), ("self-loop-count 1", "self-loop-count 0")] {
        let change = |files: &mut BTreeMap<String, Vec<u8>>| {
            let text = String::from_utf8(files["manifest"].clone()).unwrap().replacen(from, to, 1);
            files.insert("manifest".to_owned(), text.into_bytes());
        };
        let place = Place::new();
        looped.save(place.store()).unwrap();
        let mut files = contents(&place.store());
        change(&mut files);
        write_sealed(&place.store(), &files);
        let error = verify(place.store(), &|_, _| ()).unwrap_err();
        assert!(matches!(error, StoreError::Property { .. }), "{error}");
    }
}

#[test]
fn a_hostile_manifest_is_refused() {
    let place = Place::new();
    plain().save(place.store()).unwrap();
    let files = contents(&place.store());
    let text = String::from_utf8(files["manifest"].clone()).unwrap();
    let replaced = [
        ("vertices 3", "vertices 9223372036854775808"),
        ("vertices 3", "vertices 18446744073709551616"),
        ("vertices 3", "vertices 4294967295"),
        ("vertices 3", "vertices -3"),
        ("vertices 3", "vertices +3"),
        ("vertices 3", "vertices 03"),
        ("vertices 3", "vertices"),
        ("vertices 3", "vertices 3 "),
        ("vertices 3", "vertices 3\nvertices 3"),
        ("edges 4", "edges 18446744073709551615"),
        ("order original", "order degree"),
        ("order original", "order sideways"),
        ("symmetric no", "symmetric perhaps"),
        ("sorted yes", "sorted no"),
        ("self-loop-count 0", "self-loop-count 5"),
        ("self-loops kept\nself-loop-count 0", "self-loops dropped\nself-loop-count 1"),
        ("symmetric no", "symmetric yes"),
        ("stripes 0", "stripes 65"),
        ("notes 0", "notes 17"),
        ("notes 0", "notes 1\nnote a\tb"),
        ("notes 0", "notes 2\nnote a"),
        ("values none", "values f16"),
        ("bipartite-rows none", "bipartite-rows 4"),
        ("ids from 0", "ids from 18446744073709551615"),
        ("ids from 0", "ids list"),
        ("page-size 4096", "page-size 0"),
        ("page-size 4096", "page-size 4097"),
        ("page-size 4096", "page-size 256"),
        ("page-size 4096", "page-size 2147483648"),
        ("page-size 4096", "page-size 8192"),
        ("out 1,1 1", "out 0,1 1"),
        ("out 1,1 1", "out 1,5 1"),
        ("out 1,1 1", "out 4,4 4294967295"),
        ("out 1,1 1", "out 1,1 256"),
        ("out 1,1 1", "out 1,1 2"),
        ("out 1,1 1", "out 1,1 0"),
        ("in none", "in 1,1 1"),
        ("file out.pages", "file ../out.pages"),
        ("file out.pages", "file /etc/passwd"),
        ("file out.pages", "file out.pages\0"),
        ("file out.pages 4096", "file out.pages 9223372036854775807"),
        ("file out.degrees", "file out.sums"),
    ];
    for (from, to) in replaced {
        let hostile = text.replacen(from, to, 1);
        assert_ne!(hostile, text, "{from}");
        fs::write(place.store().join("manifest"), sealed(&hostile)).unwrap();
        let error = open_store(&place.store()).expect_err(to);
        assert!(error.to_string().len() < 1024, "{error}");
    }
    let long = format!("gts store 5\n{}", "x".repeat(1 << 20));
    let whole: [&[u8]; 8] = [
        b"",
        b"\n",
        b"gts store 5",
        b"gts store 5\n",
        b"\xff\xfe",
        b"gts store x\n",
        b"gts store 0\n",
        long.as_bytes(),
    ];
    for bytes in whole {
        fs::write(place.store().join("manifest"), bytes).unwrap();
        open_store(&place.store()).unwrap_err();
        if let Ok(text) = std::str::from_utf8(bytes) {
            fs::write(place.store().join("manifest"), sealed(text)).unwrap();
            open_store(&place.store()).unwrap_err();
        }
    }
}

proptest! {
    /// For any change of any bytes with updated checksums, the store is rejected or the graph can be read completely.
    #[test]
    fn sealed_changes_never_panic(file in any::<prop::sample::Index>(), changes in prop::collection::vec(
        (any::<prop::sample::Index>(), any::<u8>()), 1..4,
    )) {
        let opened = open_changed(&sample(), |files| {
            let mut tables: Vec<_> = files.iter_mut().filter(|(name, _)| *name != "manifest").collect();
            let at = file.index(tables.len());
            let (_, bytes) = &mut tables[at];
            for (at, value) in &changes {
                let at = at.index(bytes.len());
                bytes[at] = *value;
            }
        });
        if let Ok(graph) = opened {
            prop_assert_eq!(graph.edges().count() as u64, graph.num_edges());
        }
    }

    #[test]
    fn manifests_of_any_text_never_panic(text in "(gts store 5\n)?([a-z-]{1,12} [0-9a-z ]{0,12}\n){0,20}") {
        let place = Place::new();
        fs::create_dir(place.store()).unwrap();
        fs::write(place.store().join("manifest"), sealed(&text)).unwrap();
        prop_assert!(open_store(&place.store()).is_err());
    }
}
