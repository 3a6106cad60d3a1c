//! Tests pages that are read into memory on first use.

use super::{Place, sample};
use crate::graph::{Graph, PageId, Vertex};
use crate::page::{PageRun, Topology};
use crate::store::{OpenOptions, StoreError};
use gts_contract::Side;
use proptest::prelude::*;
use std::fs;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

fn on_demand(path: &Path) -> Result<Graph, StoreError> {
    Graph::open_with(path, &OpenOptions { on_demand: Some(NonZeroUsize::MIN), ..OpenOptions::default() })
}

/// Creates a store with pages of 4 KiB, some of them large pages.
fn stored() -> (Place, Graph) {
    let (place, graph) = (Place::new(), sample());
    graph.save(place.store()).expect("a store");
    (place, graph)
}

fn bytes_of(topology: &Topology, page: PageId) -> &[u8] {
    let size = topology.format().page_size() as usize;
    &topology.source().resident().expect("pages in memory")[page.0 as usize * size..][..size]
}

#[test]
fn only_what_is_asked_for_is_read() {
    let (place, graph) = stored();
    let opened = on_demand(&place.store()).expect("a graph");
    assert!(opened.is_resident());
    let (ours, theirs) = (opened.out_topology(), graph.out_topology());
    assert!(ours.num_pages() > 3);
    assert_eq!(ours.pages_in_memory(), 0);
    assert!(ours.page(PageId(1)).is_none());
    let told = AtomicUsize::new(0);
    let done = |bytes| {
        told.fetch_add(bytes, Relaxed);
    };
    assert!(ours.load_telling(&[PageRun::of(1..3)], &done).expect("sound pages"));
    assert!(ours.load_telling(&[PageRun::of(2..3)], &done).expect("sound pages"));
    assert_eq!((ours.pages_in_memory(), told.into_inner()), (2, 2 * 4096));
    assert!(ours.page(PageId(0)).is_none() && ours.page(PageId(2)).is_some());
    assert_eq!(opened.topology(Side::In).expect("in-edges").pages_in_memory(), 0);
    let beyond = PageRun::of(0..ours.num_pages() + 1);
    assert!(matches!(ours.load(&[beyond]), Err(StoreError::PageRange { .. })));
    assert!(theirs.load_all().expect("pages in memory"));
}

#[test]
fn the_memory_of_pages_is_told_in_pieces_that_stay() {
    let (place, graph) = stored();
    let opened = on_demand(&place.store()).expect("a graph");
    let (topology, bytes) = (opened.out_topology(), |pieces: &[&[u8]]| pieces.iter().map(|piece| piece.len()).sum());
    assert!(topology.source().held().is_empty());
    topology.load(&[PageRun::of(1..3)]).expect("sound pages");
    let held = topology.source().held();
    assert_eq!((held.len(), bytes(&held)), (1, 2 * 4096));
    topology.load_all().expect("sound pages");
    let all = topology.source().held();
    assert_eq!((all.len(), bytes(&all)), (2, topology.bytes() as usize));
    assert!(all.iter().any(|piece| piece.as_ptr() == held[0].as_ptr()));
    let mut feed = topology.source().feed(&[PageRun::of(0..topology.num_pages())], 8 * 4096).expect("pages");
    while let Some(group) = feed.next().expect("pages") {
        let range = group.bytes().as_ptr_range();
        assert!(all.iter().any(|piece| piece.as_ptr() <= range.start && range.end <= piece.as_ptr_range().end));
    }
    let resident = graph.out_topology();
    assert_eq!(bytes(&resident.source().held()), resident.bytes() as usize);
}

#[test]
fn pages_that_are_asked_for_twice_at_once_count_once() {
    let (place, _) = stored();
    let opened = on_demand(&place.store()).expect("a graph");
    let topology = opened.out_topology();
    let all = topology.num_pages();
    assert!(topology.load(&[PageRun::of(1..3), PageRun::of(0..2)]).expect("sound pages"));
    assert_eq!(topology.pages_in_memory(), 3);
    let overlapping: Vec<PageRun> = (0..all - 1).rev().map(|page| PageRun::of(page..page + 2)).collect();
    assert!(topology.load(&overlapping[1..]).expect("sound pages"));
    assert_eq!(topology.pages_in_memory(), all - 1);
    assert!(topology.load_all().expect("sound pages") && topology.page(PageId(all - 1)).is_some());
}

#[test]
fn a_part_that_fits_is_kept_in_memory_and_no_more() {
    let (place, graph) = stored();
    let half = NonZeroUsize::new(2).expect("two parts");
    let open = |host_memory| {
        let options = OpenOptions { host_memory: Some(host_memory), on_demand: Some(half), ..OpenOptions::default() };
        Graph::open_with(place.store(), &options).expect("a graph")
    };
    let pages: u64 = [Side::Out, Side::In].map(|side| graph.topology(side).expect("pages").bytes()).iter().sum();
    let files = fs::read_dir(place.store()).expect("a store").map(|entry| entry.expect("a file"));
    let tables =
        files.filter(|file| !["manifest", "out.pages", "in.pages"].contains(&&*file.file_name().to_string_lossy()));
    let tables: u64 = tables.map(|file| file.metadata().expect("a file").len()).sum();
    // An order is stored in memory together with its inverse.
    let tables = tables + 4 * graph.num_vertices();
    let opened = open(tables + pages / 2 + 4096);
    assert!(opened.is_resident());
    let topology = opened.out_topology();
    let fits = ((pages / 2) / 4096) as u32;
    let out = topology.num_pages().min(fits);
    assert!(topology.load(&[PageRun::of(0..out)]).expect("room"));
    let error = opened.topology(Side::In).expect("pages").load_all().expect_err("too little room");
    assert!(matches!(error, StoreError::HostMemory { .. }), "{error}");
    assert!(!open(tables + pages / 2 - 4096).is_resident());
}

#[test]
fn a_graph_on_demand_gives_the_same_edges() {
    let (place, graph) = stored();
    let edges = |graph: &Graph| -> Vec<(Vertex, Vertex, f32)> {
        graph.weighted_edges::<f32>().expect("values").map(|edge| edge.expect("an edge")).collect()
    };
    assert_eq!(edges(&on_demand(&place.store()).expect("a graph")), edges(&graph));
    let opened = on_demand(&place.store()).expect("a graph");
    assert_eq!(
        opened.value_extremes::<f32>().transpose().expect("sound pages"),
        graph.value_extremes::<f32>().transpose().expect("sound pages")
    );
    let opened = on_demand(&place.store()).expect("a graph");
    let part = |graph: &Graph| graph.subgraph(|edge| edge.number % 3 == 0).expect("a graph").num_edges();
    assert_eq!(part(&opened), part(&graph));
    // Reading a list loads only its pages.
    let opened = on_demand(&place.store()).expect("a graph");
    let last = crate::graph::Vertex::from_dense(graph.num_vertices() - 1);
    let list = |graph: &Graph| -> Vec<_> { graph.neighbors(last).map(|found| found.expect("an edge")).collect() };
    assert_eq!(list(&opened), list(&graph));
    assert!(opened.out_topology().pages_in_memory() < opened.out_topology().num_pages());
    // The graph can be saved like any other graph.
    let copy = place.store().with_file_name("copy");
    opened.save(&copy).expect("a store");
    assert_eq!(edges(&Graph::open(&copy).expect("a graph")), edges(&graph));
}

#[test]
fn other_graphs_have_other_contents() {
    let (place, graph) = stored();
    let content = on_demand(&place.store()).expect("a graph").content();
    assert_eq!(graph.content(), content, "of the graph in memory that was saved");
    assert_eq!(Graph::open(place.store()).expect("a graph").content(), content);
    let other = graph.weighted_edges::<f32>().expect("values").map(|edge| edge.expect("an edge"));
    let other: Vec<(u64, u64, f32)> = other.map(|(src, dst, value)| (src.dense(), dst.dense(), value + 1.0)).collect();
    let other = Graph::builder().weighted_edges(other).page_size(4096).in_edges(true).build().expect("a graph");
    let path = place.store().with_file_name("other");
    other.save(&path).expect("a store");
    assert_ne!(other.content(), content, "only values differ");
    assert_eq!(Graph::open(path).expect("a graph").content(), other.content());
}

#[test]
fn damage_is_found_when_its_page_is_asked_for() {
    let (place, graph) = stored();
    let file = place.store().join("out.pages");
    let mut bytes = fs::read(&file).expect("pages");
    bytes[2 * 4096 + 100] ^= 1;
    fs::write(&file, bytes).expect("a file");
    let opened = on_demand(&place.store()).expect("sound tables");
    let topology = opened.out_topology();
    assert!(topology.load(&[PageRun::of(0..2), PageRun::of(3..4)]).expect("sound pages"));
    for _ in 0..2 {
        let error = topology.load_all().expect_err("a damaged page");
        assert!(matches!(error, StoreError::PageChecksum { page: PageId(2), .. }), "{error}");
    }
    assert!(opened.edges().any(|edge| edge.is_err()));
    // Pages that were read earlier are still in memory.
    assert_eq!(topology.pages_in_memory(), 3);
    assert!(topology.page(PageId(3)).is_some_and(|page| page.num_entries() > 0));
    assert_eq!(bytes_of(graph.out_topology(), PageId(3)).len(), 4096);
}

#[test]
fn threads_that_ask_for_the_same_pages_read_them_once() {
    let (place, _) = stored();
    let opened = on_demand(&place.store()).expect("a graph");
    let topology = opened.out_topology();
    let read = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for first in 0..4 {
            let read = &read;
            scope.spawn(move || {
                let done = |bytes| {
                    read.fetch_add(bytes, Relaxed);
                };
                topology.load_telling(&[PageRun::of(first..topology.num_pages())], &done).expect("sound pages");
            });
        }
    });
    assert_eq!(read.into_inner() as u64, topology.bytes());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn any_order_of_requests_gives_the_same_pages(
        requests in proptest::collection::vec((any::<bool>(), 0u32..40, 1u32..40, 0usize..20_000), 1..8),
    ) {
        let (place, graph) = stored();
        let opened = on_demand(&place.store()).expect("a graph");
        for (incoming, first, count, group) in requests {
            let side = if incoming { Side::In } else { Side::Out };
            let (ours, theirs) = (opened.topology(side).expect("pages"), graph.topology(side).expect("pages"));
            let first = first % ours.num_pages();
            let run = PageRun::of(first..ours.num_pages().min(first + count));
            let mut feed = ours.source().feed(&[run], group).expect("pages");
            let mut found = Vec::new();
            while let Some(given) = feed.next().expect("a group") {
                prop_assert!(given.run().count == 1 || given.bytes().len() <= group);
                prop_assert_eq!(ours.pages_in(&given).len(), given.run().count as usize);
                for (page, bytes) in given.run().pages().zip(given.bytes().chunks(4096)) {
                    prop_assert_eq!(bytes, bytes_of(theirs, page));
                    found.push(page);
                }
            }
            prop_assert_eq!(found, run.pages().collect::<Vec<_>>());
        }
    }
}
