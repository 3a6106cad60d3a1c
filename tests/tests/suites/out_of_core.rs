//! Runs over pages that stay on disk: the same answers as in memory, or an error that contains the cause.
// Tests start threads directly: if a thread does not start, the test may fail.
#![allow(clippy::disallowed_methods)]

use gts_core::build::BuildOptions;
use gts_core::graph::{Graph, Vertex, VertexOrder};
use gts_core::read::ReadError;
use gts_core::store::io::{DirectoryLock, FileSystem, Io, Reader, Writer};
use gts_core::store::reads::{Done, Read, ReadQueue};
use gts_core::store::{self, FailingIo, OpenOptions, StoreError};
use gts_graph::algorithms::{bfs, pagerank, sssp, wcc};
use gts_graph::prelude::*;
use gts_graph::{EngineBuilder, RunProgress};
use gts_tests::compare;
use std::ffi::OsString;
use std::io::{self, ErrorKind};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};
use tempfile::TempDir;

const PAGE: u32 = 4096;
const ITERATIONS: u64 = 6;

/// Both forms of a merging scan, and the pages that each reads.
const WAYS: [(Propagation, &str); 2] = [(Propagation::Push, "out.pages"), (Propagation::Pull, "in.pages")];

/// A store, and the same graph in memory.
struct Stored {
    _directory: TempDir,
    path: PathBuf,
    graph: Graph,
}

impl Stored {
    fn new(order: VertexOrder) -> Self {
        Self::generated("rmat:13,weights=u32", order)
    }

    fn generated(text: &str, order: VertexOrder) -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let path = directory.path().join("graph.gts");
        let options =
            BuildOptions { page_size: Some(PAGE), in_edges: true, order: order.into(), ..BuildOptions::default() };
        let graph = Graph::reader(text).options(options).read().expect("a graph");
        graph.save(&path).expect("a store");
        Self { _directory: directory, path, graph }
    }

    /// Returns the least host memory with which the store opens.
    fn least(&self) -> u64 {
        match Graph::reader(&self.path).host_memory(0).read() {
            Err(ReadError::Store(StoreError::HostMemory { least, .. })) => least,
            other => panic!("opened with no memory: {other:?}"),
        }
    }

    /// Opens the store with room for `pages` pages.
    fn open(&self, io: impl Io + 'static, pages: u64) -> Graph {
        let io: Arc<dyn Io> = Arc::new(io);
        let host_memory = Some(self.least() + (pages - 2) * u64::from(PAGE));
        let options = OpenOptions { host_memory, ..OpenOptions::default() };
        let graph = store::open_with(&io, &self.path, &options, &|_, _| ()).expect("an undamaged store");
        assert!(!graph.is_resident());
        graph
    }
}

fn engine(threads: usize) -> EngineBuilder {
    let threads = NonZeroUsize::new(threads).expect("not zero");
    Engine::builder().device(DeviceChoice::Cpu).threads(threads)
}

/// Answers of the algorithms.
#[derive(Debug)]
struct Answers {
    ranks: Vec<f64>,
    levels: Vec<u32>,
    distances: Vec<u32>,
    components: Vec<u64>,
}

fn ranks(engine: &Engine, graph: &Graph) -> Result<Vec<f64>> {
    let options = pagerank::Options { damping: 0.85, iterations: ITERATIONS, tolerance: None };
    Ok(pagerank::pagerank_f64(&mut engine.start(graph)?, &options)?.ranks)
}

fn answers(engine: &Engine, graph: &Graph) -> Result<Answers> {
    let hub = (0..graph.num_vertices()).max_by_key(|&v| graph.out_degree(Vertex::from_dense(v)));
    let source = Vertex::from_dense(hub.expect("a vertex"));
    Ok(Answers {
        ranks: ranks(engine, graph)?,
        levels: bfs::bfs(&mut engine.start(graph)?, source)?,
        distances: sssp::sssp_u32(&mut engine.start(graph)?, source)?,
        components: wcc::wcc(&mut engine.start(graph)?)?,
    })
}

#[track_caller]
fn assert_same(found: &Answers, expected: &Answers, what: &str) {
    compare::close(&found.ranks, &expected.ranks, 1e-9).unwrap_or_else(|why| panic!("{what}: ranks: {why}"));
    compare::equal(&found.levels, &expected.levels).unwrap_or_else(|why| panic!("{what}: levels: {why}"));
    compare::equal(&found.distances, &expected.distances).unwrap_or_else(|why| panic!("{what}: distances: {why}"));
    compare::equal(&found.components, &expected.components).unwrap_or_else(|why| panic!("{what}: components: {why}"));
}

#[test]
fn answers_are_those_of_memory_whatever_the_budget() -> Result<()> {
    for order in [VertexOrder::Original, VertexOrder::Degree] {
        let stored = Stored::new(order);
        let expected = answers(&engine(1).build()?, &stored.graph)?;
        for threads in [1, 3] {
            let engine = engine(threads).build()?;
            for pages in [2, 7, 60, 400] {
                let graph = stored.open(FileSystem, pages);
                let found = answers(&engine, &graph)?;
                assert_same(&found, &expected, &format!("{order}, {threads} threads, room for {pages} pages"));
            }
        }
        store::verify(&stored.path, &|_, _| ())?;
    }
    Ok(())
}

#[test]
fn engines_share_the_room_of_one_graph() -> Result<()> {
    let stored = Stored::new(VertexOrder::Original);
    let expected = answers(&engine(1).build()?, &stored.graph)?;
    for pages in [2, 5, 24] {
        let graph = stored.open(FileSystem, pages);
        std::thread::scope(|scope| {
            let run = |threads| {
                let graph = &graph;
                scope.spawn(move || answers(&engine(threads).build()?, graph))
            };
            for run in [1, 2, 2].map(run) {
                let found = run.join().expect("no panic")?;
                assert_same(&found, &expected, &format!("room for {pages} pages"));
            }
            Ok::<_, Error>(())
        })?;
    }
    Ok(())
}

#[test]
fn traversals_read_no_more_than_they_visit() -> Result<()> {
    let stored = Stored::new(VertexOrder::Original);
    let graph = stored.open(FileSystem, 8);
    let engine = engine(2).build()?;
    let source = (0..graph.num_vertices()).map(Vertex::from_dense).find(|&v| graph.out_degree(v) == 1);
    bfs::bfs(&mut engine.start(&graph)?, source.expect("a vertex of one edge"))?;
    let report = engine.take_report();
    assert!(report.read() > 0 && report.read() <= report.bytes(), "{} of {}", report.read(), report.bytes());
    Ok(())
}

#[test]
fn a_search_from_the_root_of_layers_reads_each_page_once() -> Result<()> {
    for text in ["grid:120x80", "rmat:13"] {
        let stored = Stored::generated(text, VertexOrder::Layers { root: 0 });
        let root = stored.graph.vertex(0).expect("the root");
        assert_eq!(root, Vertex::from_dense(0));
        let graph = stored.open(FileSystem, 8);
        let engine = engine(2).propagation(Propagation::Push).build()?;
        let levels = bfs::bfs(&mut engine.start(&graph)?, root)?;
        let report = engine.take_report();
        let pages = graph.out_topology().bytes();
        assert!(report.read() > 0 && report.read() <= pages, "{text}: {} of {pages}", report.read());
        compare::equal(&levels, &bfs::bfs(&mut engine.start(&stored.graph)?, root)?).expect("the levels of memory");
    }
    Ok(())
}

#[test]
fn whichever_read_fails_a_run_ends_with_the_error() -> Result<()> {
    for (propagation, pages) in WAYS {
        every_failing_read_ends_a_run(&engine(2).propagation(propagation).build()?, pages)?;
    }
    Ok(())
}

fn every_failing_read_ends_a_run(engine: &Engine, pages: &str) -> Result<()> {
    let stored = Stored::new(VertexOrder::Original);
    let expected = ranks(engine, &stored.graph)?;
    let open = |io: Arc<FailingIo<FileSystem>>| {
        let io: Arc<dyn Io> = io;
        let options =
            OpenOptions { host_memory: Some(stored.least() + 30 * u64::from(PAGE)), ..OpenOptions::default() };
        store::open_with(&io, &stored.path, &options, &|_, _| ())
    };
    // File system calls until the store is open, and until a run on it is over.
    let io = Arc::new(FailingIo::once(FileSystem, u64::MAX, ErrorKind::Other));
    let graph = open(Arc::clone(&io))?;
    let opened = io.calls();
    ranks(engine, &graph)?;
    let total = io.calls();
    assert!(total > opened + 500, "{total} calls");
    for call in (opened..total - 100).step_by((total - opened) as usize / 8) {
        let graph = open(Arc::new(FailingIo::once(FileSystem, call, ErrorKind::Other)))?;
        match ranks(engine, &graph) {
            Err(Error::Store(error)) => {
                assert!(matches!(&*error, StoreError::ReadPages { .. } | StoreError::Io { .. }), "{error}");
                assert!(error.to_string().contains(pages), "{error}");
            }
            other => panic!("call {call}: {:?}", other.map(|ranks| ranks.len())),
        }
        // The engine, the graph and the store are intact.
        compare::close(&ranks(engine, &graph)?, &expected, 1e-9).expect("a later run is right");
    }
    store::verify(&stored.path, &|_, _| ())?;
    Ok(())
}

/// Runs PageRank with little memory, and has `damage` change the file of pages during the run.
fn damaged_run(propagation: Propagation, pages: &str, damage: impl Fn(&Path) + Send + Sync + 'static) -> StoreError {
    let stored = Stored::new(VertexOrder::Original);
    let graph = stored.open(FileSystem, 12);
    let file = stored.path.join(pages);
    let passes = AtomicU32::new(0);
    let progress = move |_: &RunProgress| {
        if passes.fetch_add(1, Ordering::Relaxed) == 3 {
            damage(&file);
        }
    };
    let engine = engine(2).propagation(propagation).progress(Arc::new(progress)).build().expect("an engine");
    match ranks(&engine, &graph) {
        Err(Error::Store(error)) => Arc::into_inner(error).expect("the only one"),
        other => panic!("{propagation:?}: {:?}", other.map(|ranks| ranks.len())),
    }
}

#[test]
fn a_bit_that_flips_while_running_is_found() {
    for (propagation, pages) in WAYS {
        let error = damaged_run(propagation, pages, |file| {
            // One bit in every page: chance determines which pages stay in the buffer and are not read again.
            let mut bytes = std::fs::read(file).expect("pages");
            bytes.chunks_exact_mut(PAGE as usize).for_each(|page| page[1000] ^= 1);
            std::fs::write(file, bytes).expect("written");
        });
        assert!(matches!(&error, StoreError::PageChecksum { .. }), "{error}");
    }
}

#[test]
fn a_file_cut_short_while_running_is_found() {
    let short = |source: &io::Error| source.kind() == ErrorKind::UnexpectedEof;
    for (propagation, pages) in WAYS {
        let error = damaged_run(propagation, pages, |file| {
            let file = std::fs::OpenOptions::new().write(true).open(file).expect("pages");
            file.set_len(9 * u64::from(PAGE)).expect("cut");
        });
        assert!(matches!(&error, StoreError::ReadPages { source, .. } if short(source)), "{error}");
    }
}

/// A file system on which reads of pages never end.
struct Stuck;

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

impl Io for Stuck {
    fn exists(&self, path: &Path) -> io::Result<bool> {
        FileSystem.exists(path)
    }
    fn create_dir(&self, path: &Path) -> io::Result<()> {
        FileSystem.create_dir(path)
    }
    fn create(&self, path: &Path) -> io::Result<Box<dyn Writer>> {
        FileSystem.create(path)
    }
    fn open(&self, path: &Path) -> io::Result<Box<dyn Reader>> {
        FileSystem.open(path)
    }
    fn read_queue(&self, _: usize) -> io::Result<Box<dyn ReadQueue>> {
        Ok(Box::new(StuckQueue(Vec::new())))
    }
    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        FileSystem.sync_dir(path)
    }
    fn rename_dir(&self, from: &Path, to: &Path) -> io::Result<()> {
        FileSystem.rename_dir(from, to)
    }
    fn remove_dir_all(&self, path: &Path) -> io::Result<()> {
        FileSystem.remove_dir_all(path)
    }
    fn remove_file(&self, path: &Path) -> io::Result<()> {
        FileSystem.remove_file(path)
    }
    fn names(&self, path: &Path) -> io::Result<Vec<OsString>> {
        FileSystem.names(path)
    }
    fn lock_dir(&self, path: &Path) -> io::Result<Option<DirectoryLock>> {
        FileSystem.lock_dir(path)
    }
}

#[test]
fn a_run_that_waits_for_storage_can_be_interrupted() -> Result<()> {
    let stored = Stored::new(VertexOrder::Original);
    let graph = stored.open(Stuck, 8);
    let engine = engine(2).build()?;
    let begun = Instant::now();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(100));
            engine.interrupt();
        });
        assert!(matches!(ranks(&engine, &graph), Err(Error::Interrupted)));
    });
    assert!(begun.elapsed() < Duration::from_secs(5));
    Ok(())
}

#[test]
fn a_run_that_waits_for_storage_keeps_its_time_limit() -> Result<()> {
    let stored = Stored::new(VertexOrder::Original);
    let graph = stored.open(Stuck, 8);
    let begun = Instant::now();
    let engine = engine(1).time_limit(Duration::from_millis(100)).build()?;
    assert!(matches!(ranks(&engine, &graph), Err(Error::TimeLimit { .. })));
    assert!(begun.elapsed() < Duration::from_secs(5));
    Ok(())
}
