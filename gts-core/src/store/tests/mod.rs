//! Tests of stores: round trips, damage, hostile contents, and failing file systems.
// Tests may start threads directly, because a test may fail if a thread does not start.
#![allow(clippy::disallowed_methods)]

mod damage;
mod demand;
mod failing_io;
mod hostile;
mod leftovers;
mod names;
mod replaced;
mod striped;

use super::io::FileSystem;
use super::*;
use crate::advice::{Reader, explain_within};
use crate::graph::VertexOrder;
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use tempfile::TempDir;

impl Graph {
    /// Opens a store and loads it entirely into memory.
    pub(crate) fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        Self::open_with(path, &OpenOptions::default())
    }

    /// Opens a store with the given options.
    pub(crate) fn open_with(path: impl AsRef<Path>, options: &OpenOptions) -> Result<Self, StoreError> {
        let io: Arc<dyn Io> = Arc::new(FileSystem);
        open_with(&io, path, options, &|_, _| ())
    }
}

/// Opens a store through the given file system, and loads it entirely into memory.
pub(super) fn open(io: &dyn Io, path: impl AsRef<Path>, progress: StoreProgress<'_>) -> Result<Graph, StoreError> {
    with_store(io, path.as_ref(), |directory, manifest| {
        open::open(&StoreFiles::new(io, directory, manifest)?, &Residence::Memory, progress, None)
    })
}

#[test]
fn opening_can_be_stopped() {
    let place = Place::new();
    plain().save(place.store()).unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    let options = OpenOptions { stop: Some(Arc::clone(&stop)), ..OpenOptions::default() };
    Graph::open_with(place.store(), &options).unwrap();
    stop.store(true, Ordering::Relaxed);
    assert!(matches!(Graph::open_with(place.store(), &options), Err(StoreError::Stopped)));
}

/// A temporary directory for stores, and the path of a store in this directory.
struct Place {
    directory: TempDir,
}

impl Place {
    fn new() -> Self {
        Self { directory: tempfile::tempdir().unwrap() }
    }

    fn store(&self) -> PathBuf {
        self.directory.path().join("graph.gts")
    }

    /// Returns the names of the directory's entries.
    fn names(&self) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(self.directory.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

/// Creates a weighted graph with every table that a store can have: degree order, in-edges, IDs with gaps, and large
/// pages.
fn sample() -> Graph {
    let spokes = (0..1500u32).map(|i| (7, 1000 + 3 * u64::from(i % 90), i as f32));
    let rim = (0..40u32).map(|i| (1000 + 3 * u64::from(i), 7 + u64::from(i % 2), 0.5));
    Graph::builder()
        .weighted_edges(spokes.chain(rim))
        .order(VertexOrder::Degree)
        .page_size(4096)
        .in_edges(true)
        .build()
        .unwrap()
}

#[test]
fn a_store_lists_as_many_layers_as_a_build_makes() {
    let place = Place::new();
    let deep = |vertices: u64| {
        let edges = (1..vertices).map(|v| (v - 1, v));
        Graph::builder().edges(edges).order(VertexOrder::Layers { root: 0 }).build().unwrap()
    };
    for vertices in [20_000, crate::graph::MOST_LAYERS as u64] {
        let graph = deep(vertices);
        assert_eq!(graph.properties().layers.len() as u64, vertices + 1);
        graph.save(place.store()).unwrap();
        assert_eq!(Graph::open(place.store()).unwrap().properties().layers, graph.properties().layers);
        fs::remove_dir_all(place.store()).unwrap();
    }
}

/// Creates a small graph without in-edges, without values, and with consecutive IDs.
fn plain() -> Graph {
    Graph::builder().edges([(0, 1), (1, 2), (2, 0), (2, 1)]).page_size(4096).build().unwrap()
}

fn open_store(path: &Path) -> Result<Graph, StoreError> {
    Graph::open(path)
}

fn contents(path: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(path).unwrap().map(Result::unwrap);
    entries.map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap())).collect()
}

#[track_caller]
fn assert_same(a: &Graph, b: &Graph) {
    assert_eq!(a.properties(), b.properties());
    assert_eq!(a.ids(), b.ids());
    assert_eq!(a.out_degrees(), b.out_degrees());
    assert_eq!(a.in_degrees(), b.in_degrees());
    assert_eq!(a.heads(), b.heads());
    for side in [gts_contract::Side::Out, gts_contract::Side::In] {
        match (a.topology(side), b.topology(side)) {
            (Some(a), Some(b)) => {
                assert_eq!(a.rvt(), b.rvt());
                assert_eq!(a.source().resident(), b.source().resident());
            }
            (a, b) => assert_eq!(a.is_some(), b.is_some()),
        }
    }
}

#[track_caller]
fn assert_cleaned(found: &Cleaned, expected: &Cleaned) {
    assert_eq!(format!("{found:?}"), format!("{expected:?}"));
}

#[test]
fn a_graph_comes_back_as_it_was_saved() {
    let empty = Graph::builder().page_size(4096).build().unwrap();
    let undirected = Graph::builder().edges([(5, 6), (6, 900)]).undirected(true).page_size(8192).build().unwrap();
    let shuffled =
        Graph::builder().edges([(1, 2), (3, 4)]).order(VertexOrder::Random { seed: 9 }).page_size(4096).build();
    let layered =
        Graph::builder().edges([(1, 2), (2, 7), (9, 3)]).order(VertexOrder::Layers { root: 2 }).page_size(4096);
    for graph in [sample(), plain(), empty, undirected, shuffled.unwrap(), layered.build().unwrap()] {
        let place = Place::new();
        graph.save(place.store()).unwrap();
        assert_same(&graph, &open_store(&place.store()).unwrap());
        assert_eq!(place.names(), ["graph.gts"]);
        let report = verify(place.store(), &|_, _| ()).unwrap();
        assert_eq!((report.vertices, report.edges), (graph.num_vertices(), graph.num_edges()));
        let info = info(place.store()).unwrap();
        assert_eq!(&info.properties, graph.properties());
    }
}

#[test]
fn a_store_has_the_same_bytes_on_any_number_of_threads() {
    let save = |threads| {
        let place = Place::new();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut stream = crate::generate::parse("rmat:12,weights=f32").unwrap();
            let options = crate::build::BuildOptions {
                page_size: Some(4096),
                order: VertexOrder::Degree.into(),
                in_edges: true,
                drop_duplicates: true,
                ..Default::default()
            };
            let (graph, _) = crate::build::build(&mut stream, &options).unwrap();
            graph.save(place.store()).unwrap();
        });
        contents(&place.store())
    };
    let one = save(1);
    assert!(one == save(2) && one == save(7));
}

#[test]
fn a_store_is_replaced_only_when_asked() {
    let place = Place::new();
    plain().save(place.store()).unwrap();
    assert!(matches!(sample().save(place.store()), Err(StoreError::Exists { .. })));
    assert_same(&plain(), &open_store(&place.store()).unwrap());
    sample().save_with(place.store(), &SaveOptions { replace: true, ..SaveOptions::default() }).unwrap();
    assert_same(&sample(), &open_store(&place.store()).unwrap());
    assert_eq!(place.names(), ["graph.gts"]);
}

#[test]
fn what_is_no_store_is_never_replaced() {
    let place = Place::new();
    fs::create_dir(place.store()).unwrap();
    fs::write(place.store().join("thesis"), "ten years").unwrap();
    let saved = plain().save_with(place.store(), &SaveOptions { replace: true, ..SaveOptions::default() });
    assert!(matches!(saved, Err(StoreError::NotReplaced { .. })));
    assert_eq!(contents(&place.store()).len(), 1);

    let file = place.directory.path().join("file");
    fs::write(&file, "text").unwrap();
    assert!(matches!(plain().save(&file), Err(StoreError::Exists { .. })));
    let saved = plain().save_with(&file, &SaveOptions { replace: true, ..SaveOptions::default() });
    assert!(matches!(saved, Err(StoreError::NotReplaced { .. })));
    assert_eq!(place.names(), ["file", "graph.gts"]);
}

#[test]
fn a_store_with_foreign_files_is_not_replaced() {
    let place = Place::new();
    let replace = SaveOptions { replace: true, ..SaveOptions::default() };
    sample().save(place.store()).unwrap();
    let good = contents(&place.store());
    // Every file of a store is recognised as such, even if the new store has no such file.
    plain().save_with(place.store(), &replace).unwrap();
    sample().save_with(place.store(), &replace).unwrap();
    assert!(contents(&place.store()) == good);
    fs::create_dir(place.store().join("drafts")).unwrap();
    fs::write(place.store().join("notes.txt"), "ten years").unwrap();
    let error = plain().save_with(place.store(), &replace).unwrap_err();
    let told = explain_within(&error, Reader::CommandLine);
    assert!(told.contains("\"drafts\", \"notes.txt\"; move them elsewhere"), "{told}");
    assert_eq!(place.names(), ["graph.gts"]);
    assert_eq!(contents(&place.store().join("drafts")).len(), 0);
    open_store(&place.store()).unwrap();
}

#[test]
#[cfg(unix)]
fn a_link_to_a_store_stays_when_the_store_is_replaced() {
    let place = Place::new();
    let elsewhere = tempfile::tempdir().unwrap();
    let real = elsewhere.path().join("real.gts");
    plain().save(&real).unwrap();
    std::os::unix::fs::symlink(&real, place.store()).unwrap();
    assert!(matches!(sample().save(place.store()), Err(StoreError::Exists { .. })));
    let replace = SaveOptions { replace: true, ..SaveOptions::default() };
    sample().save_with(place.store(), &replace).unwrap();
    assert!(place.store().is_symlink());
    assert_same(&sample(), &open_store(&real).unwrap());
    assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 1);
    // A dangling link is not a store.
    fs::remove_dir_all(&real).unwrap();
    assert!(matches!(sample().save_with(place.store(), &replace), Err(StoreError::NotReplaced { .. })));
}

#[test]
#[cfg(target_os = "linux")]
fn a_name_that_is_too_long_is_said_to_be() {
    let place = Place::new();
    for length in [250, 300] {
        let error = plain().save(place.directory.path().join("x".repeat(length))).unwrap_err();
        assert!(format!("{error:?}").contains("choose a shorter name"), "{error}");
    }
}

#[test]
fn pages_too_small_for_direct_reads_are_not_stored() {
    let place = Place::new();
    let graph = Graph::builder().edges([(0, 1)]).page_size(256).build().unwrap();
    assert!(matches!(graph.save(place.store()), Err(StoreError::PageSize { found: 256, least: 4096 })));
    assert!(place.names().is_empty());
}

#[test]
fn a_store_of_few_pages_asks_for_no_more_memory_than_it_has_bytes() {
    let place = Place::new();
    plain().save(place.store()).unwrap();
    let open =
        |bytes| Graph::open_with(place.store(), &OpenOptions { host_memory: Some(bytes), ..OpenOptions::default() });
    let error = open(1000).unwrap_err();
    let StoreError::HostMemory { least, .. } = error else { panic!("{error}") };
    let bytes: u64 = info(place.store()).unwrap().files.iter().map(|(_, bytes)| bytes).sum();
    assert_eq!(least, bytes);
    let needed = format!("1000 B of host memory are too little, {} ({least} bytes)", crate::units::bytes(least));
    assert!(error.to_string().contains(&needed), "{error}");
    assert!(matches!(open(least - 1), Err(StoreError::HostMemory { .. })));
    assert!(open(least).unwrap().is_resident());
}

#[test]
fn an_unfinished_store_does_not_open_by_its_name() {
    let place = Place::new();
    let left = place.directory.path().join(".graph.gts.gts-tmp-17-0");
    plain().save(place.store()).unwrap();
    fs::rename(place.store(), &left).unwrap();
    assert!(matches!(open_store(&left), Err(StoreError::Unfinished { .. })));
}

#[test]
fn the_file_system_follows_its_contract() {
    let place = Place::new();
    let full = place.directory.path().join("full");
    let other = place.directory.path().join("other");
    FileSystem.create_dir(&full).unwrap();
    FileSystem.create_dir(&other).unwrap();
    fs::write(full.join("file"), "").unwrap();
    assert!(FileSystem.create_dir(&full).is_err());
    assert!(FileSystem.create(&full.join("file")).is_err());
    assert!(FileSystem.rename_dir(&other, &full).is_err());
    assert!(FileSystem.open(&full).is_err());
    assert_eq!(FileSystem.lock_dir(&full.join("file")).unwrap_err().kind(), std::io::ErrorKind::NotADirectory);
    match FileSystem.exchange_dirs(&other, &full) {
        Ok(()) => assert!(other.join("file").exists() && !full.join("file").exists()),
        Err(error) => assert_eq!(error.kind(), std::io::ErrorKind::Unsupported),
    }
}

#[test]
fn of_builds_that_race_for_a_name_one_wins() {
    for _ in 0..20 {
        let place = Place::new();
        let graph = plain();
        let saved: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(|| graph.save(place.store()))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(saved.iter().filter(|saved| saved.is_ok()).count(), 1);
        assert!(saved.iter().all(|saved| matches!(saved, Ok(()) | Err(StoreError::Exists { .. }))), "{saved:?}");
        assert_same(&open_store(&place.store()).unwrap(), &graph);
        assert_eq!(place.names(), ["graph.gts"]);
    }
}

#[test]
fn builds_that_replace_a_store_at_once_all_succeed() {
    let replace = SaveOptions { replace: true, ..SaveOptions::default() };
    for exchanges in [true, false] {
        for round in 0..6 {
            let place = Place::new();
            let graph = plain();
            // In every other round, there is no store at the beginning.
            if round % 2 == 0 {
                graph.save(place.store()).unwrap();
            }
            let build = || {
                let io = FailingIo::once(FileSystem, u64::MAX, std::io::ErrorKind::Other);
                let io = if exchanges { io } else { io.without_exchange() };
                save(&io, &graph, place.store(), &replace).unwrap();
            };
            std::thread::scope(|scope| {
                let threads: Vec<_> = (0..6).map(|_| scope.spawn(build)).collect();
                threads.into_iter().for_each(|thread| thread.join().unwrap());
            });
            assert_same(&open_store(&place.store()).unwrap(), &graph);
            assert_eq!(place.names(), ["graph.gts"]);
        }
    }
}
