//! Stores with changed words and correct checksums: `verify` refuses exactly the stores that a second reader refuses,
//! and stores that both accept have the same answer by push and by pull.
//!
//! `GTS_FORGED_STORES` sets their number; the default is a few hundred.

use gts_contract::Side;
use gts_core::graph::{Graph, Vertex, VertexOrder};
use gts_core::page::IdWidth;
use gts_core::read::ReadError;
use gts_core::store::{self, StoreError};
use gts_graph::algorithms::{bfs, pagerank};
use gts_graph::prelude::*;
use gts_tests::compare;
use gts_tests::second::{self, Change, Draws, Files};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Default number of stores, if `GTS_FORGED_STORES` is not set.
const STORES: u64 = 400;

/// A sound store.
struct Original {
    name: &'static str,
    _directory: TempDir,
    path: PathBuf,
    files: Files,
}

impl Original {
    fn new(name: &'static str, graph: &Graph) -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let path = directory.path().join("graph.gts");
        graph.save(&path).expect("a store");
        let files = Files::read(&path).expect("its files");
        second::check(&files).unwrap_or_else(|why| panic!("{name}: the second reader refuses a sound store: {why}"));
        store::verify(&path, &|_, _| ()).unwrap_or_else(|error| panic!("{name}: {error}"));
        Self { name, _directory: directory, path, files }
    }
}

/// Returns edges between `vertices` IDs, a tenth of them without out-edges and another without in-edges, and a hub.
fn edges(vertices: u64, count: usize, hub: usize) -> Vec<(u64, u64)> {
    let mut draws = Draws::new(vertices);
    let mut end = |without: u64| loop {
        let vertex = draws.below(vertices as usize) as u64;
        if vertex % 10 != without {
            return vertex;
        }
    };
    let mut edges: Vec<_> = (0..count).map(|_| (end(3), end(7))).collect();
    edges.extend((0..hub).map(|_| (2, end(7))).collect::<Vec<_>>());
    edges.extend((0..hub).map(|_| (end(3), 5)).collect::<Vec<_>>());
    edges
}

/// Returns small stores of many kinds, of one page and of several, with and without large vertices.
fn originals() -> Vec<Original> {
    let sparse = |edges: Vec<(u64, u64)>| edges.into_iter().map(|(src, dst)| (1000 + 3 * src, 1000 + 3 * dst));
    let width = |p, q| IdWidth::new(p, q).expect("a width");
    let whole = |(place, (src, dst)): (usize, (u64, u64))| (src, dst, 1 + place as u32 % 50);
    let real = |(place, (src, dst)): (usize, (u64, u64))| (src, dst, 0.25 * (1 + place % 50) as f32);
    let builder = Graph::builder;
    let graphs = [
        ("out-edges alone", builder().edges(edges(60, 300, 0)).page_size(4096)),
        ("out-edges of IDs with gaps", builder().edges(sparse(edges(80, 400, 0))).page_size(4096).width(width(2, 2))),
        ("both sides", builder().edges(edges(60, 300, 0)).page_size(4096).in_edges(true)),
        (
            "both sides with values, and hubs",
            builder()
                .weighted_edges(edges(300, 900, 900).into_iter().enumerate().map(whole))
                .page_size(4096)
                .width(width(3, 1))
                .in_edges(true),
        ),
        (
            "both sides by degree",
            builder()
                .weighted_edges(sparse(edges(1100, 2500, 40)).enumerate().map(real))
                .order(VertexOrder::Degree)
                .page_size(8192)
                .width(width(2, 4))
                .in_edges(true)
                .drop_duplicates(true),
        ),
        (
            "symmetric",
            builder()
                .edges(edges(90, 300, 0))
                .undirected(true)
                .drop_self_loops(true)
                .page_size(8192)
                .width(width(3, 3)),
        ),
        (
            "symmetric by degree, with values and hubs",
            builder()
                .weighted_edges(edges(200, 500, 500).into_iter().enumerate().map(whole))
                .undirected(true)
                .order(VertexOrder::Degree)
                .page_size(4096)
                .width(width(2, 2)),
        ),
    ];
    graphs.into_iter().map(|(name, builder)| Original::new(name, &builder.build().expect("a graph"))).collect()
}

/// Results for the changed stores.
#[derive(Default)]
struct Counts {
    accepted: u64,
    refused_when_opened: u64,
    refused_by_verify_alone: u64,
    compared: u64,
    by_change: BTreeMap<Change, [u64; 2]>,
}

#[test]
fn verify_agrees_with_a_second_reader_on_forged_stores() {
    let stores = std::env::var("GTS_FORGED_STORES").map_or(STORES, |count| count.parse().expect("a number of stores"));
    let originals = originals();
    let mut counts = Counts::default();
    for number in 0..stores {
        let original = &originals[number as usize % originals.len()];
        let mut draws = Draws::new(number);
        let first = Change::ALL[draws.below(Change::ALL.len())];
        let mut files = original.files.clone();
        first.apply(&mut files, &mut draws);
        // One in four has a second change.
        if draws.below(4) == 0 {
            Change::ALL[draws.below(Change::ALL.len())].apply(&mut files, &mut draws);
        }
        files.reseal();
        let what = format!("store {number}, {}, {first:?}", original.name);
        files.write(&original.path, &original.files).expect("files");
        let accepted = judge(&original.path, &files, &what, &mut counts);
        counts.by_change.entry(first).or_default()[usize::from(accepted)] += 1;
        original.files.write(&original.path, &files).expect("files");
    }
    println!(
        "{stores} stores: {} refused when they are opened, {} by verify alone, {} accepted, {} of them run both ways",
        counts.refused_when_opened, counts.refused_by_verify_alone, counts.accepted, counts.compared
    );
    for (change, [refused, accepted]) in &counts.by_change {
        println!("{change:?}: {refused} refused, {accepted} accepted");
    }
    assert!(counts.accepted > stores / 50 && counts.refused_by_verify_alone > stores / 50);
    assert!(counts.by_change.len() == Change::ALL.len() || stores < 200, "changes that never came");
}

/// Returns the files of the store of these edges.
fn stored(edges: &[(u64, u64)], in_edges: bool) -> Original {
    let builder = Graph::builder().edges(edges.iter().copied()).page_size(4096).in_edges(in_edges);
    Original::new("a few edges", &builder.build().expect("a graph"))
}

/// Returns the verdict of `verify` on changed files, whose checksums are corrected.
fn verified(original: &Original, mut files: Files) -> Result<Files, StoreError> {
    files.reseal();
    files.write(&original.path, &original.files).expect("files");
    store::verify(&original.path, &|_, _| ()).map(|_| files)
}

#[test]
fn an_id_that_still_ascends_makes_the_store_of_another_graph() {
    let original = stored(&[(10, 20), (20, 30), (30, 10)], false);
    let changed = |id: u64| {
        let mut files = original.files.clone();
        files.0.get_mut("ids").expect("a table")[8..16].copy_from_slice(&id.to_le_bytes());
        verified(&original, files)
    };
    // Nothing in it shows that the ID was changed: it equals that graph's store.
    let files = changed(25).expect("a sound store");
    assert!(files == stored(&[(10, 25), (25, 30), (30, 10)], false).files);
    for taken in [10, 30, 5, u64::MAX] {
        let error = changed(taken).expect_err("IDs that do not ascend");
        assert!(matches!(error, StoreError::Ids { .. }), "{taken}: {error}");
    }
}

#[test]
fn an_edge_that_moves_with_its_in_degrees_makes_the_store_of_another_graph_unless_in_pages_tell() {
    let edges = [(0, 1), (0, 2), (1, 0), (1, 2), (2, 3)];
    let moved = [(0, 1), (0, 2), (1, 0), (1, 3), (2, 3)];
    let changed = |original: &Original, end: u8| {
        let mut files = original.files.clone();
        // The record ID of the fourth edge, and the in-degrees of its ends before and after: one less and one more.
        files.0.get_mut("out.pages").expect("pages")[16 + 2 * 3 + 1] = end;
        let degrees = files.0.get_mut("in.degrees").expect("a table");
        degrees[4 * 2] -= 1;
        degrees[4 * usize::from(end)] += 1;
        verified(original, files)
    };
    let files = changed(&stored(&edges, false), 3).expect("a sound store");
    assert!(files == stored(&moved, false).files);
    let error = changed(&stored(&edges, true), 3).expect_err("in-pages of other edges");
    assert!(matches!(error, StoreError::Table { .. }), "{error}");
    let error = changed(&stored(&edges, false), 1).expect_err("a self-loop that the manifest does not count");
    assert!(matches!(error, StoreError::Property { .. }), "{error}");
}

/// Compares the verdicts of both readers, and runs algorithms on what opens. Returns whether both accept.
fn judge(path: &Path, files: &Files, what: &str, counts: &mut Counts) -> bool {
    let first = store::verify(path, &|_, _| ());
    let second = second::check(files);
    match (&first, &second) {
        (Ok(_), Ok(())) | (Err(_), Err(_)) => {}
        (Ok(_), Err(why)) => panic!("{what}: verify accepts what the second reader refuses: {why}"),
        (Err(error), Ok(())) => panic!("{what}: verify refuses what the second reader accepts: {error}"),
    }
    let opened = Graph::read(path);
    assert_eq!(streamed(path).is_ok(), opened.is_ok(), "{what}: pages are judged otherwise when they stream");
    let graph = match opened {
        Ok(graph) => graph,
        Err(error) => {
            assert!(first.is_err(), "{what}: verify accepts what does not open: {error}");
            counts.refused_when_opened += 1;
            return false;
        }
    };
    let ways = runs(&graph).unwrap_or_else(|error| panic!("{what}: {error}"));
    for Answers { ranks, .. } in &ways {
        assert!(ranks.iter().all(|rank| rank.is_finite()), "{what}: ranks that are no numbers");
    }
    if first.is_err() {
        counts.refused_by_verify_alone += 1;
        return false;
    }
    counts.accepted += 1;
    if let [push, pull] = &*ways {
        counts.compared += 1;
        compare::close(&pull.ranks, &push.ranks, 1e-9).unwrap_or_else(|why| panic!("{what}: ranks: {why}"));
        compare::equal(&pull.levels, &push.levels).unwrap_or_else(|why| panic!("{what}: levels: {why}"));
    }
    true
}

/// Opens a store with the least possible memory, and reads the pages of all sides.
fn streamed(path: &Path) -> Result<(), ReadError> {
    let open = |bytes| Graph::reader(path).host_memory(bytes).read();
    let graph = match open(0) {
        Err(ReadError::Store(StoreError::HostMemory { least, .. })) => open(least)?,
        other => other?,
    };
    graph.edges().try_for_each(|edge| edge.map(drop))?;
    if graph.topology(Side::In).is_some() {
        let mut all = (0..graph.num_vertices()).filter_map(|vertex| graph.in_neighbors(Vertex::from_dense(vertex)));
        all.try_for_each(|mut list| list.try_for_each(|edge| edge.map(drop)))?;
    }
    Ok(())
}

struct Answers {
    ranks: Vec<f64>,
    levels: Vec<u32>,
}

/// Returns the answers by push, and by pull if there are in-edges.
fn runs(graph: &Graph) -> Result<Vec<Answers>> {
    let both = [Propagation::Push, Propagation::Pull];
    let ways = if graph.topology(Side::In).is_some() { &both[..] } else { &both[..1] };
    let run = |&way: &Propagation| {
        let threads = std::num::NonZeroUsize::MIN;
        let engine = Engine::builder().device(DeviceChoice::Cpu).threads(threads).propagation(way).build()?;
        let options = pagerank::Options { damping: 0.85, iterations: 10, tolerance: None };
        Ok(Answers {
            ranks: pagerank::pagerank_f64(&mut engine.start(graph)?, &options)?.ranks,
            levels: bfs::bfs(&mut engine.start(graph)?, Vertex::from_dense(2))?,
        })
    };
    ways.iter().map(run).collect()
}
