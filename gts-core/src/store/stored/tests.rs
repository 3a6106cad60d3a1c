//! Tests that pages from files either equal the pages written or cause an error, for any budget and failure.
// Tests may start threads directly, because a test may fail if a thread does not start.
#![allow(clippy::disallowed_methods)]

mod sharing;

use crate::advice::{Reader as Told, explain_within};
use crate::graph::{Graph, PageId, Vertex};
use crate::page::{PageGroup, PageRun, Topology};
use crate::store::io::{DirectoryLock, FileSystem, Io, Reader, Writer};
use crate::store::reads::{Done, Read, ReadQueue};
use crate::store::{FailingIo, OpenOptions, StoreError, open_with};
use gts_contract::Side;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tempfile::TempDir;

const PAGE: u64 = 4096;

/// Creates a graph with about fifty pages in each direction, including large pages.
fn sample() -> Graph {
    let mut stream = crate::generate::parse("rmat:12,weights=f32").unwrap();
    let options = crate::build::BuildOptions { page_size: Some(PAGE as u32), in_edges: true, ..Default::default() };
    let (graph, _) = crate::build::build(&mut stream, &options).unwrap();
    assert!(graph.out_topology().num_pages() > 100 && !graph.out_topology().large_pages().is_empty());
    graph
}

fn saved(graph: &Graph) -> (TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("graph.gts");
    graph.save(&path).unwrap();
    (directory, path)
}

/// Returns the minimum host memory budget with which a store opens.
fn least(path: &Path) -> u64 {
    match Graph::open_with(path, &OpenOptions { host_memory: Some(0), ..OpenOptions::default() }) {
        Err(StoreError::HostMemory { least, .. }) => least,
        other => panic!("{other:?}"),
    }
}

/// Opens a store with a budget for `pages` pages.
fn open(io: impl Io + 'static, path: &Path, pages: u64) -> Result<Graph, StoreError> {
    let io: Arc<dyn Io> = Arc::new(io);
    let options = OpenOptions { host_memory: Some(least(path) + (pages - 2) * PAGE), ..OpenOptions::default() };
    open_with(&io, path, &options, &|_, _| ())
}

#[test]
fn edges_are_folded_alike_from_memory_and_from_storage() {
    let graph = sample();
    let (_directory, path) = saved(&graph);
    let sums = |graph: &Graph| {
        let fold = |(edges, sum, largest): (u64, u64, f32), src: Vertex, dst: Vertex, value: f32| {
            (edges + 1, sum.wrapping_add(src.dense() * 31 + dst.dense()), largest.max(value))
        };
        let join = |a: (u64, u64, f32), b: (u64, u64, f32)| (a.0 + b.0, a.1.wrapping_add(b.1), a.2.max(b.2));
        graph.reduce_edges(|| (0, 0, 0.0), fold, join).expect("the values are f32").unwrap()
    };
    let expected = graph.weighted_edges::<f32>().unwrap().map(Result::unwrap).fold((0, 0, 0.0), |sums, edge| {
        let (src, dst, value) = edge;
        (sums.0 + 1, u64::wrapping_add(sums.1, src.dense() * 31 + dst.dense()), f32::max(sums.2, value))
    });
    assert_eq!(sums(&graph), expected);
    assert_eq!(sums(&open(FileSystem, &path, 8).unwrap()), expected);
    assert!(graph.reduce_edges(|| (), |(), _, _, _: u32| (), |(), ()| ()).is_none());
}

/// Returns all pages of a feed by number. Holds one group at a time.
fn collect(topology: &Topology, runs: &[PageRun], group: usize) -> Result<BTreeMap<u32, Vec<u8>>, StoreError> {
    let mut feed = topology.source().feed(runs, group)?;
    let mut pages = BTreeMap::new();
    while let Some(given) = feed.next()? {
        assert!(given.run().count == 1 || given.bytes().len() <= group);
        assert_eq!(topology.pages_in(&given).len(), given.run().count as usize);
        for (page, bytes) in given.run().pages().zip(given.bytes().chunks(PAGE as usize)) {
            assert!(pages.insert(page.0, bytes.to_vec()).is_none(), "{page} came twice");
        }
    }
    assert!(feed.next()?.is_none());
    Ok(pages)
}

fn whole(topology: &Topology) -> PageRun {
    PageRun::of(0..topology.num_pages())
}

/// Returns the pages of runs in a topology whose pages are in memory.
fn expected(topology: &Topology, runs: &[PageRun]) -> BTreeMap<u32, Vec<u8>> {
    let all = topology.source().resident().unwrap();
    let page = |page: PageId| all[page.0 as usize * PAGE as usize..][..PAGE as usize].to_vec();
    runs.iter().flat_map(|run| run.pages()).map(|number| (number.0, page(number))).collect()
}

#[test]
fn every_budget_gives_the_same_pages() {
    let graph = sample();
    let (_directory, path) = saved(&graph);
    for pages in [2, 3, 5, 17, 64, 131, 100_000] {
        let stored = open(FileSystem, &path, pages).unwrap();
        assert_eq!(stored.is_resident(), pages == 100_000);
        for _ in 0..3 {
            for side in [Side::Out, Side::In] {
                let (ours, theirs) = (stored.topology(side).unwrap(), graph.topology(side).unwrap());
                let runs = [whole(theirs)];
                assert!(collect(ours, &runs, 3 * PAGE as usize).unwrap() == expected(theirs, &runs), "{pages} pages");
            }
        }
        let edges = |graph: &Graph| -> Vec<_> { graph.weighted_edges::<f32>().unwrap().map(Result::unwrap).collect() };
        assert_eq!(edges(&stored), edges(&graph));
        let copy = path.with_file_name(format!("copy-{pages}"));
        stored.save(&copy).unwrap();
        assert_eq!(edges(&Graph::open(copy).unwrap()), edges(&graph));
    }
}

#[test]
fn what_fits_is_read_once() {
    let graph = sample();
    let (_directory, path) = saved(&graph);
    let pages = graph.out_topology().num_pages() + graph.topology(Side::In).unwrap().num_pages();
    // The budget is one page less than all pages. The store stays in its files, but each topology fits.
    let io = Arc::new(FailingIo::once(FileSystem, u64::MAX, ErrorKind::Other));
    let shared: Arc<dyn Io> = io.clone();
    let options =
        OpenOptions { host_memory: Some(least(&path) + u64::from(pages - 3) * PAGE), ..OpenOptions::default() };
    let stored = open_with(&shared, &path, &options, &|_, _| ()).unwrap();
    assert!(!stored.is_resident());
    let out = stored.out_topology();
    collect(out, &[whole(out)], 1 << 20).unwrap();
    let calls = io.calls();
    for _ in 0..3 {
        collect(out, &[whole(out)], 1 << 20).unwrap();
    }
    assert_eq!(io.calls(), calls);
}

#[test]
fn a_budget_too_small_says_what_is_needed() {
    let graph = sample();
    let (_directory, path) = saved(&graph);
    let least = least(&path);
    let error =
        Graph::open_with(&path, &OpenOptions { host_memory: Some(least - 1), ..OpenOptions::default() }).unwrap_err();
    assert!(
        matches!(error, StoreError::HostMemory { budget, least: found, .. } if budget == least - 1 && found == least)
    );
    assert!(error.to_string().contains(&least.to_string()), "{error}");
    let stored = Graph::open_with(&path, &OpenOptions { host_memory: Some(least), ..OpenOptions::default() }).unwrap();
    assert_eq!(stored.edges().count() as u64, graph.num_edges());
    assert!((1..=least).contains(&stored.host_bytes()), "{} of {least}", stored.host_bytes());
    assert_eq!(graph.host_bytes(), graph.bytes());
}

#[test]
fn groups_are_held_while_others_come() {
    let graph = sample();
    let (_directory, path) = saved(&graph);
    for pages in [2, 3, 9, 40] {
        let stored = open(FileSystem, &path, pages).unwrap();
        let topology = stored.out_topology();
        let all = expected(graph.out_topology(), &[whole(topology)]);
        let mut feed = topology.source().feed(&[whole(topology)], 0).unwrap();
        let mut held: std::collections::VecDeque<PageGroup> = Default::default();
        while let Some(group) = feed.next().unwrap() {
            held.push_back(group);
            for group in &held {
                assert!(group.bytes() == all[&group.run().first.0]);
            }
            if held.len() >= feed.most_held() {
                held.pop_front();
            }
        }
    }
}

#[test]
fn feeds_run_side_by_side() {
    let graph = sample();
    let (_directory, path) = saved(&graph);
    let stored = open(FileSystem, &path, 24).unwrap();
    std::thread::scope(|scope| {
        for number in 0..6 {
            let (stored, graph) = (&stored, &graph);
            scope.spawn(move || {
                let side = [Side::Out, Side::In][number % 2];
                let (ours, theirs) = (stored.topology(side).unwrap(), graph.topology(side).unwrap());
                for _ in 0..4 {
                    let runs = [whole(theirs)];
                    assert!(collect(ours, &runs, 1 << 14).unwrap() == expected(theirs, &runs));
                }
            });
        }
    });
}

#[test]
fn pages_of_another_source_are_not_visited() {
    let graph = sample();
    let (_directory, path) = saved(&graph);
    let stored = open(FileSystem, &path, 4).unwrap();
    let group = stored.out_topology().source().feed(&[PageRun::of(0..1)], 0).unwrap().next().unwrap().unwrap();
    assert_eq!(stored.out_topology().pages_in(&group).len(), 1);
    assert_eq!(graph.out_topology().pages_in(&group).len(), 0);
    assert_eq!(stored.topology(Side::In).unwrap().pages_in(&group).len(), 0);
    assert!(stored.out_topology().page(PageId(0)).is_none());
}

#[test]
fn pages_that_are_not_there_are_refused() {
    let (_directory, path) = saved(&sample());
    let stored = open(FileSystem, &path, 4).unwrap();
    let topology = stored.out_topology();
    let beyond = PageRun { first: PageId(topology.num_pages()), count: 1 };
    assert!(matches!(collect(topology, &[beyond], 0), Err(StoreError::PageRange { .. })));
    assert!(topology.page(beyond.first).is_none());
    let mut small = [0; 100];
    assert!(matches!(topology.source().read(PageId(0), 1, &mut small), Err(StoreError::PageRange { .. })));
}

#[test]
fn a_bit_flipped_after_opening_is_found() {
    let graph = sample();
    let (_directory, path) = saved(&graph);
    let stored = open(FileSystem, &path, 8).unwrap();
    let topology = stored.out_topology();
    collect(topology, &[whole(topology)], 0).unwrap();
    let file = path.join("out.pages");
    let mut bytes = std::fs::read(&file).unwrap();
    let page = topology.num_pages() / 2;
    bytes[page as usize * PAGE as usize + 99] ^= 4;
    std::fs::write(&file, &bytes).unwrap();
    let error = collect(topology, &[whole(topology)], 0).unwrap_err();
    assert!(matches!(&error, StoreError::PageChecksum { page: found, path, .. } if found.0 == page && *path == file));
    assert!(error.to_string().contains("out.pages") && error.to_string().contains(&page.to_string()), "{error}");
}

#[test]
fn a_file_cut_short_after_opening_is_found() {
    let (_directory, path) = saved(&sample());
    let stored = open(FileSystem, &path, 8).unwrap();
    let topology = stored.out_topology();
    let file = std::fs::OpenOptions::new().write(true).open(path.join("out.pages")).unwrap();
    file.set_len(topology.bytes() / 2).unwrap();
    let error = collect(topology, &[whole(topology)], 0).unwrap_err();
    let cut = |source: &io::Error| source.kind() == ErrorKind::UnexpectedEof;
    assert!(matches!(&error, StoreError::ReadPages { source, .. } if cut(source)), "{error}");
    assert!(format!("{error:?}").contains("cut short"), "{error}");
}

#[test]
fn whichever_read_fails_the_next_feed_is_whole() {
    let graph = sample();
    let (_directory, path) = saved(&graph);
    let io = FailingIo::once(FileSystem, u64::MAX, ErrorKind::Other);
    let opening = {
        let io = Arc::new(io);
        let shared: Arc<dyn Io> = io.clone();
        let options = OpenOptions { host_memory: Some(least(&path) + 9 * PAGE), ..OpenOptions::default() };
        open_with(&shared, &path, &options, &|_, _| ()).unwrap();
        io.calls()
    };
    let all = expected(graph.out_topology(), &[whole(graph.out_topology())]);
    for call in opening..opening + all.len() as u64 {
        let stored = open(FailingIo::once(FileSystem, call, ErrorKind::Other), &path, 11).unwrap();
        let topology = stored.out_topology();
        match collect(topology, &[whole(topology)], 0) {
            Err(StoreError::ReadPages { source, .. } | StoreError::Io { source, .. }) => {
                assert_eq!(source.kind(), ErrorKind::Other);
            }
            other => panic!("call {call}: {:?}", other.map(|pages| pages.len())),
        }
        assert!(collect(topology, &[whole(topology)], 0).unwrap() == all);
    }
}

#[test]
fn hostile_pages_are_refused_when_they_come() {
    let graph = sample();
    let (_directory, path) = saved(&graph);
    let file = path.join("out.pages");
    let good = std::fs::read(&file).unwrap();
    for (at, value) in [(0, 9), (8, 200), (12, 255), (16, 255), (PAGE as usize - 8, 255)] {
        let mut bad = good.clone();
        bad[7 * PAGE as usize + at] = value;
        reseal(&path, &bad);
        let stored = open(FileSystem, &path, 8).unwrap();
        let error = collect(stored.out_topology(), &[whole(stored.out_topology())], 0).unwrap_err();
        let named = matches!(&error, StoreError::Page { page, path, .. } if page.0 == 7 && *path == file);
        assert!(named || matches!(error, StoreError::Table { .. }), "{error}");
    }
}

/// Writes pages and updates all checksums.
fn reseal(store: &Path, pages: &[u8]) {
    use xxhash_rust::xxh3::xxh3_64;
    std::fs::write(store.join("out.pages"), pages).unwrap();
    let sums: Vec<u8> = pages.chunks(PAGE as usize).flat_map(|page| xxh3_64(page).to_le_bytes()).collect();
    std::fs::write(store.join("out.sums"), &sums).unwrap();
    let text = std::fs::read_to_string(store.join("manifest")).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with("checksum")).map(|line| {
        let words: Vec<_> = line.split(' ').collect();
        match words[..] {
            ["file", name @ ("out.pages" | "out.sums"), bytes, _] => {
                format!("file {name} {bytes} {:016x}\n", xxh3_64(&sums))
            }
            _ => format!("{line}\n"),
        }
    });
    let body: String = lines.collect();
    std::fs::write(store.join("manifest"), format!("{body}checksum {:016x}\n", xxh3_64(body.as_bytes()))).unwrap();
}

/// A file system on which page reads never end.
struct Stuck(FileSystem);

struct StuckQueue(Vec<Read>);

impl ReadQueue for StuckQueue {
    fn begin(&mut self, read: Read) {
        self.0.push(read);
    }

    fn end(&mut self, patience: Duration) -> Option<Done> {
        std::thread::sleep(patience);
        None
    }

    fn under_way(&self) -> usize {
        self.0.len()
    }
}

impl Drop for StuckQueue {
    fn drop(&mut self) {
        // The system may still write to the memory of these reads.
        std::mem::forget(std::mem::take(&mut self.0));
    }
}

impl Io for Stuck {
    fn exists(&self, path: &Path) -> io::Result<bool> {
        self.0.exists(path)
    }
    fn create_dir(&self, path: &Path) -> io::Result<()> {
        self.0.create_dir(path)
    }
    fn create(&self, path: &Path) -> io::Result<Box<dyn Writer>> {
        self.0.create(path)
    }
    fn open(&self, path: &Path) -> io::Result<Box<dyn Reader>> {
        self.0.open(path)
    }
    fn read_queue(&self, _: usize) -> io::Result<Box<dyn ReadQueue>> {
        Ok(Box::new(StuckQueue(Vec::new())))
    }
    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        self.0.sync_dir(path)
    }
    fn rename_dir(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.0.rename_dir(from, to)
    }
    fn remove_dir_all(&self, path: &Path) -> io::Result<()> {
        self.0.remove_dir_all(path)
    }
    fn remove_file(&self, path: &Path) -> io::Result<()> {
        self.0.remove_file(path)
    }
    fn names(&self, path: &Path) -> io::Result<Vec<OsString>> {
        self.0.names(path)
    }
    fn lock_dir(&self, path: &Path) -> io::Result<Option<DirectoryLock>> {
        self.0.lock_dir(path)
    }
}

#[test]
fn waiting_for_storage_can_be_stopped() {
    let (_directory, path) = saved(&sample());
    let stored = open(Stuck(FileSystem), &path, 8).unwrap();
    let mut feed = stored.out_topology().source().feed(&[PageRun::of(0..4)], 0).unwrap();
    let begun = Instant::now();
    let stopped = || begun.elapsed() > Duration::from_millis(100);
    assert!(matches!(feed.next_unless(&stopped), Err(StoreError::Stopped)));
    assert!(begun.elapsed() < Duration::from_secs(5));
    assert!(feed.next().unwrap().is_none());
}

#[test]
fn a_disk_that_answers_no_read_ends_the_wait_with_file_page_and_seconds() {
    let (_directory, path) = saved(&sample());
    let io: Arc<dyn Io> = Arc::new(Stuck(FileSystem));
    let options = OpenOptions {
        host_memory: Some(least(&path) + 6 * PAGE),
        stall_limit: Some(Duration::from_millis(1100)),
        ..OpenOptions::default()
    };
    let stored = open_with(&io, &path, &options, &|_, _| ()).unwrap();
    // The second feed finds that abandoned reads of the first feed occupy frames indefinitely.
    for _ in 0..8 {
        let begun = Instant::now();
        let mut feed = stored.out_topology().source().feed(&[PageRun::of(3..9)], 0).unwrap();
        let Err(error) = feed.next() else { panic!("a page came") };
        let StoreError::Stalled { path: file, page, seconds } = &error else { panic!("{error}") };
        assert!((1..5).contains(&begun.elapsed().as_secs()), "{:?}", begun.elapsed());
        assert_eq!((file, page, seconds), (&path.join("out.pages"), &PageId(3), &1));
        let text = explain_within(&error, Told::CommandLine);
        assert!(text.contains("no read has ended for 1 s; check the disk, or give a longer --stall-limit"), "{text}");
        assert!(feed.next().unwrap().is_none());
    }
}

proptest! {
    #[test]
    fn any_pages_come_once_each(
        wanted in prop::collection::vec(prop::collection::vec(any::<bool>(), 128), 1..6),
        pages in 2u64..40,
        group in 0usize..40_000,
    ) {
        thread_local!(static SAMPLE: (Graph, (TempDir, PathBuf)) = {
            let graph = sample();
            let saved = saved(&graph);
            (graph, saved)
        });
        SAMPLE.with(|(graph, (_, path))| {
            let stored = open(FileSystem, path, pages).unwrap();
            for wanted in &wanted {
                let numbers = (0..graph.out_topology().num_pages()).zip(wanted).filter(|(_, wanted)| **wanted);
                let runs = PageRun::join(numbers.map(|(page, _)| PageId(page)));
                let found = collect(stored.out_topology(), &runs, group).unwrap();
                prop_assert!(found == expected(graph.out_topology(), &runs));
            }
            Ok(())
        })?;
    }
}
