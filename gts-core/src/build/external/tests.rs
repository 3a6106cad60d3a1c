//! Compares stores built with temporary files to stores of graphs that were built in memory.

mod names;

use super::super::tests::{edges, order};
use super::*;
use crate::build::{Declared, DeclaredVertices, Direction, EdgeBatch, OrderChoice, build};
use crate::graph::{Graph, VertexOrder};
use crate::page::IdWidth;
use crate::store::io::FileSystem;
use crate::store::{FailingIo, StoreError};
use crate::stream::ImportError;
use gts_contract::ScalarType;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use tempfile::TempDir;

/// A stream that returns edges in small batches.
#[derive(Clone)]
struct Batches {
    edges: Vec<(u64, u64, u64)>,
    declared: Declared,
    /// The storage type of values, which is declared after the last edge has been read.
    store_as: Option<ScalarType>,
    done: usize,
}

impl Batches {
    fn new(edges: &[(u64, u64, u64)], declared: Declared) -> Self {
        Self { edges: edges.to_vec(), store_as: declared.store_as, declared, done: 0 }
    }
}

impl EdgeStream for Batches {
    fn next(&mut self, batch: &mut EdgeBatch) -> Result<bool, ImportError> {
        let part = &self.edges[self.done..self.edges.len().min(self.done + 37)];
        *batch = EdgeBatch::default();
        for &(src, dst, value) in part {
            batch.src.push(src);
            batch.dst.push(dst);
            if self.declared.value_type.is_some() {
                batch.value.push(value);
            }
        }
        self.done += part.len();
        if part.is_empty() {
            self.declared.store_as = self.store_as;
        }
        Ok(!part.is_empty())
    }

    fn declared(&self) -> Declared {
        self.declared.clone()
    }

    fn progress(&self) -> (u64, Option<u64>) {
        (self.done as u64, Some(self.edges.len() as u64))
    }
}

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

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.directory.path()).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }
}

fn contents(path: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(path).unwrap().map(Result::unwrap);
    entries.map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap())).collect()
}

fn external(
    io: &dyn Io,
    stream: &mut dyn EdgeStream,
    options: &BuildOptions,
    path: &Path,
    work: u64,
) -> Result<BuildSummary, BuildError> {
    let reporter = Reporter::new(options);
    build_external(io, RawSource::new(stream), options, path, &SaveOptions::default(), Limits::tiny(work), reporter)
}

/// Builds a store with and without temporary files. Compares every byte and every count, or the errors.
fn compare(stream: &Batches, options: &BuildOptions, work: u64) {
    let place = Place::new();
    let (ours, theirs) = (place.directory.path().join("external.gts"), place.directory.path().join("memory.gts"));
    // This `Io` uses the page cache, which is faster for many small files.
    let io = FailingIo::once(FileSystem, u64::MAX, ErrorKind::Other);
    let found = external(&io, &mut stream.clone(), options, &ours, work);
    match build(&mut stream.clone(), options) {
        Ok((graph, expected)) => {
            graph.save(&theirs).unwrap();
            let found = found.unwrap();
            assert_eq!(
                BuildSummary { times: Vec::new(), spilled: 0, ..found },
                BuildSummary { times: Vec::new(), ..expected }
            );
            assert_eq!(contents(&ours), contents(&theirs));
        }
        Err(expected) => {
            assert_eq!(found.expect_err("the build in memory failed").to_string(), expected.to_string());
            assert_eq!(place.names(), [""; 0]);
        }
    }
}

/// Generates the types of the values: as read, as declared at the end, and as requested.
fn types() -> impl Strategy<Value = (Option<ScalarType>, Option<ScalarType>, Option<ScalarType>)> {
    use ScalarType::{F32, F64, I32, U32, U64};
    prop::sample::select(vec![
        (None, None, None),
        (Some(U32), Some(U32), None),
        (Some(I32), Some(I32), None),
        (Some(F64), Some(F32), None),
        (Some(U64), None, None),
        (Some(U64), Some(U64), Some(F64)),
        // Few values fit in this type, so nearly all of these builds fail.
        (Some(U64), Some(U64), Some(U32)),
    ])
}

fn vertices(edges: &[(u64, u64, u64)], declared: u8) -> DeclaredVertices {
    let mut ids: Vec<_> = edges.iter().flat_map(|&(src, dst, _)| [src, dst]).collect();
    ids.sort_unstable();
    ids.dedup();
    match declared {
        0 if ids.last().is_some_and(|&last| last < 100_000) => DeclaredVertices::Range { first: 0, count: 100 },
        1 => {
            // If there are more than 20 vertices, one of them is not declared.
            if ids.len() > 20 {
                ids.remove(7);
            }
            DeclaredVertices::List(ids.into())
        }
        2 => DeclaredVertices::List(ids.into()),
        _ => DeclaredVertices::FromEdges,
    }
}

proptest! {
    // Each case creates many small files.
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn stores_are_the_same_to_the_byte(
        edges in edges(),
        order in order(),
        types in types(),
        flags: [bool; 5],
        declared in 0u8..6,
        direction in prop::sample::select(vec![
            Direction::Directed, Direction::Undirected, Direction::Symmetric, Direction::Symmetrised,
        ]),
        work in prop::sample::select(vec![200u64, 1000, 5000, 100_000]),
        width in prop::sample::select(vec![None, Some((2, 2)), Some((3, 3))]),
    ) {
        let (value_type, store_as, wanted) = types;
        let finite = |bits: u64| match value_type {
            Some(ScalarType::F64) => ((bits >> 40) as f64).to_bits(),
            Some(ScalarType::U32 | ScalarType::I32) => bits & 0xff,
            _ => bits,
        };
        let mut edges: Vec<_> = edges.into_iter().map(|(src, dst, bits)| (src, dst, finite(bits))).collect();
        if direction == Direction::Symmetric {
            edges = edges.iter().flat_map(|&(src, dst, value)| [(src, dst, value), (dst, src, value)]).collect();
        }
        let early = store_as.filter(|_| flags[4]);
        let declared = Declared {
            vertices: vertices(&edges, declared), direction, value_type, store_as: early, ..Declared::default()
        };
        let stream = Batches { store_as, ..Batches::new(&edges, declared) };
        let options = BuildOptions {
            page_size: Some(4096),
            width: width.and_then(|(page, slot)| IdWidth::new(page, slot).ok()),
            order,
            in_edges: flags[0],
            symmetrise: flags[1],
            drop_self_loops: flags[2],
            drop_duplicates: flags[3],
            value_type: wanted,
            ..BuildOptions::default()
        };
        compare(&stream, &options, work);
    }
}

#[test]
fn a_graph_without_edges_is_the_same_to_the_byte() {
    for vertices in [
        DeclaredVertices::FromEdges,
        DeclaredVertices::List(Vec::new().into()),
        DeclaredVertices::List(vec![3, 9].into()),
    ] {
        for order in [VertexOrder::Original.into(), VertexOrder::Degree.into(), OrderChoice::Auto] {
            let declared = Declared { vertices: vertices.clone(), ..Declared::default() };
            let options = BuildOptions { page_size: Some(4096), order, in_edges: true, ..BuildOptions::default() };
            compare(&Batches::new(&[], declared), &options, 1000);
        }
    }
}

#[test]
fn generated_graphs_are_the_same_to_the_byte() {
    let mut flags = [(true, false), (false, true), (true, true)].into_iter().cycle();
    for (text, page_size) in [
        ("rmat:12,weights=u32", 4096),
        ("star:9000", 4096),
        ("grid:50x70", 4096),
        ("complete:150", 65536),
        ("rmat:13", 1 << 20),
    ] {
        let given =
            [VertexOrder::Original, VertexOrder::Random { seed: 3 }, VertexOrder::Degree].map(OrderChoice::Given);
        for order in given.into_iter().chain([OrderChoice::Auto]) {
            // Each graph is built in every order and with every pair of flags. All combinations would take three times
            // as long.
            let (in_edges, drop_duplicates) = flags.next().unwrap();
            let page_size = Some(page_size);
            let options = BuildOptions { page_size, order, in_edges, drop_duplicates, ..BuildOptions::default() };
            let place = Place::new();
            let (ours, theirs) = (place.directory.path().join("a"), place.directory.path().join("b"));
            let stream = || crate::generate::parse(text).unwrap();
            let found = external(&FileSystem, &mut stream(), &options, &ours, 100_000).unwrap();
            let (graph, expected) = build(&mut stream(), &options).unwrap();
            graph.save(&theirs).unwrap();
            assert!(found.spilled > 0);
            assert_eq!(found.duplicates_dropped, expected.duplicates_dropped);
            assert_eq!(contents(&ours), contents(&theirs), "{text} {options:?}");
        }
    }
}

/// Returns links between web pages with IDs that are multiples of `step`. A site consists of eight pages. Each page
/// links to the pages of its own site and of the first site. If `mixed` is true, the IDs of a site's pages are
/// scattered.
fn sites(pages: u64, step: u64, mixed: bool) -> Vec<(u64, u64, u64)> {
    let id = |page: u64| step * if mixed { page * 7919 % pages } else { page };
    let links = |page: u64| {
        let site = (page & !7..(page | 7) + 1).filter(move |other| *other != page && *other < pages);
        site.chain(0..8).map(move |other| (id(page), id(other), page))
    };
    (0..pages).flat_map(links).collect()
}

#[test]
fn auto_chooses_the_same_however_a_graph_is_built() {
    let options = BuildOptions { order: OrderChoice::Auto, page_size: Some(4096), ..BuildOptions::default() };
    for (step, mixed) in [(1, false), (1, true), (3, false), (3, true), (1 << 33, false), (1 << 33, true)] {
        // The number of pages is prime, and exceeds the number of sampled vertices.
        let edges = sites(2503, step, mixed);
        let chosen = if mixed { VertexOrder::Degree } else { VertexOrder::Original };
        let options = BuildOptions { drop_duplicates: step == 3, ..options.clone() };
        for threads in [1, 2, 7] {
            let pool = threads::pool("test", NonZeroUsize::new(threads)).unwrap();
            let (graph, summary) =
                pool.install(|| build(&mut Batches::new(&edges, Declared::default()), &options)).unwrap();
            assert_eq!((graph.properties().order, summary.order), (chosen, chosen), "{step} {mixed} {threads}");
        }
        for work in [50_000, 1_000_000] {
            compare(&Batches::new(&edges, Declared::default()), &options, work);
        }
    }
}

#[test]
fn what_fits_the_budget_is_built_in_memory() {
    let built = |text: &str, memory| {
        let place = Place::new();
        let options = BuildOptions { memory: Some(memory), ..BuildOptions::default() };
        let mut stream = crate::generate::parse(text).unwrap();
        let summary = build_store(&FileSystem, &mut stream, &options, place.store(), &SaveOptions::default()).unwrap();
        let graph = Graph::open(place.store()).unwrap();
        assert_eq!((graph.num_vertices(), graph.num_edges()), (summary.vertices, summary.edges_stored));
        assert_eq!(place.names(), ["graph.gts"]);
        summary.spilled
    };
    assert_eq!(built("rmat:12", 256 << 20), 0);
    assert!(built("rmat:17", 52 << 20) > 0);
}

/// The environment variable for the budget of a build that a child process of the following test runs.
#[cfg(target_os = "linux")]
const BUDGET: &str = "GTS_TEST_BUDGET";

/// A stream of copies of a single edge, in batches.
#[cfg(target_os = "linux")]
struct Copies(usize);

#[cfg(target_os = "linux")]
impl EdgeStream for Copies {
    fn next(&mut self, batch: &mut EdgeBatch) -> Result<bool, ImportError> {
        let count = self.0.min(1 << 15);
        self.0 -= count;
        *batch = EdgeBatch { src: vec![0; count], dst: vec![1; count], ..EdgeBatch::default() };
        Ok(count > 0)
    }

    fn declared(&self) -> Declared {
        Declared::default()
    }

    fn progress(&self) -> (u64, Option<u64>) {
        (0, None)
    }
}

#[cfg(target_os = "linux")]
#[test]
fn copies_of_an_edge_stay_within_the_budget() {
    if let Ok(budget) = std::env::var(BUDGET) {
        let place = Place::new();
        let options = BuildOptions { memory: budget.parse().ok(), ..BuildOptions::default() };
        let mut copies = Copies(5 << 20);
        build_store(&FileSystem, &mut copies, &options, place.store(), &SaveOptions::default()).unwrap();
        let status = fs::read_to_string("/proc/self/status").unwrap();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        println!("peak of {} bytes", peak.trim().trim_end_matches(" kB").parse::<u64>().unwrap() << 10);
        return;
    }
    let budget: u64 = 72 << 20;
    let mut command = std::process::Command::new(std::env::current_exe().unwrap());
    command.args(["copies_of_an_edge_stay_within_the_budget", "--nocapture", "--test-threads=1"]);
    let ended = command.env(BUDGET, budget.to_string()).env("RAYON_NUM_THREADS", "8").output().unwrap();
    let told = String::from_utf8_lossy(&ended.stdout);
    let peak = told.split("peak of ").nth(1).and_then(|rest| rest.split(' ').next());
    let peak: u64 = peak.unwrap_or_else(|| panic!("{ended:?}")).parse().unwrap();
    assert!(peak <= budget / 10 * 11, "{peak} bytes of {budget}");
}

#[test]
fn a_budget_too_small_for_the_vertices_is_refused_with_what_is_needed() {
    for (order, memory) in [(VertexOrder::Original, 64 << 20), (VertexOrder::Degree, 300_000_000)] {
        let place = Place::new();
        let options = BuildOptions { memory: Some(memory), order: order.into(), ..BuildOptions::default() };
        let mut stream = crate::generate::parse("rmat:24").unwrap();
        let built = build_store(&FileSystem, &mut stream, &options, place.store(), &SaveOptions::default());
        let Err(BuildError::Budget { needed, budget }) = built else { panic!("{built:?}") };
        assert_eq!(budget, memory);
        assert!((memory + 1..512 << 20).contains(&needed), "{needed}");
        assert_eq!(stream.progress().0, 0, "refused before the first edge");
        assert_eq!(place.names(), [""; 0]);
    }
}

#[test]
fn a_budget_too_small_for_the_pages_is_refused_with_what_is_needed() {
    let built = |memory, page_size, place: &Place| {
        let options = BuildOptions { memory: Some(memory), page_size: Some(page_size), ..BuildOptions::default() };
        let mut stream = crate::generate::parse("rmat:17").unwrap();
        let built = build_store(&FileSystem, &mut stream, &options, place.store(), &SaveOptions::default());
        (built, stream.progress().0)
    };
    for page_size in [64 << 20, 4 << 20] {
        let place = Place::new();
        let (refused, read) = built(52 << 20, page_size, &place);
        let Err(BuildError::Budget { needed, budget }) = refused else { panic!("{refused:?}") };
        assert_eq!((budget, read), (52 << 20, 0), "refused before the first edge");
        assert!((u64::from(2 * page_size)..u64::from(5 * page_size) + (48 << 20)).contains(&needed), "{needed}");
        assert_eq!(place.names(), [""; 0]);
        if page_size == 4 << 20 {
            assert!(built(needed, page_size, &place).0.unwrap().spilled > 0, "what is needed suffices");
        }
    }
}

/// Creates a stream that does not declare its vertices. IDs are consecutive, have gaps, or are far apart, depending on
/// `step`.
fn undeclared(vertices: u64, step: u64, values: bool) -> Batches {
    let edges: Vec<_> =
        (0..vertices + vertices / 4).map(|e| (e % vertices * step, e * 7919 % vertices * step, e)).collect();
    let value_type = values.then_some(ScalarType::U64);
    Batches::new(&edges, Declared { value_type, ..Declared::default() })
}

#[test]
fn an_advised_budget_suffices_at_once_and_not_much_less_does() {
    const FIXED: u64 = 48 << 20;
    for (vertices, step, values) in [(400_000, 1, false), (300_000, 3, true), (300_000, 1 << 33, false)] {
        let given =
            [VertexOrder::Original, VertexOrder::Degree, VertexOrder::Random { seed: 1 }].map(OrderChoice::Given);
        for order in given.into_iter().chain([OrderChoice::Auto]) {
            let built = |memory| {
                let place = Place::new();
                let in_edges = order.may_be_degree();
                let options = BuildOptions { memory: Some(memory), order, in_edges, ..BuildOptions::default() };
                let mut stream = undeclared(vertices, step, values);
                build_store(&FileSystem, &mut stream, &options, place.store(), &SaveOptions::default())
            };
            let mut refused = 0;
            // With these budgets, the build fails before the first edge, while IDs are collected, or after the vertices
            // are known.
            let all = [33 << 20, FIXED + (5 << 19), FIXED + (4 << 20)];
            for little in &all[..if order == VertexOrder::Original.into() { 3 } else { 1 }] {
                let case = format!("{vertices} by {step}, {order}, {little}");
                let Err(BuildError::Budget { needed, budget }) = built(*little) else { continue };
                refused += 1;
                assert_eq!(budget, *little, "{case}");
                assert_eq!(built(needed).map(|built| built.vertices).unwrap_or(0), vertices, "{case}: {needed}");
                let less = FIXED + (needed - FIXED) / 3;
                assert!(matches!(built(less), Err(BuildError::Budget { .. })), "{case}: {needed} is too much");
            }
            assert!(refused > 0, "{vertices} by {step}, {order}");
        }
    }
}

#[test]
fn an_advised_budget_in_memory_suffices_at_once() {
    for (vertices, step, values) in [(30_000, 1, false), (30_000, 5, true), (20_000, 1 << 33, false), (300, 3, false)] {
        for symmetrise in [false, true] {
            let built = |memory| {
                let options = BuildOptions { memory: Some(memory), symmetrise, ..BuildOptions::default() };
                build(&mut undeclared(vertices, step, values), &options).map(|(graph, _)| graph.num_vertices())
            };
            for little in [0, 10_000, 100_000, 500_000, 1_500_000] {
                let Err(BuildError::Budget { needed, .. }) = built(little) else { continue };
                assert_eq!(built(needed).unwrap(), vertices, "{vertices} by {step}, {little}: {needed}");
                assert!(matches!(built(needed / 2), Err(BuildError::Budget { .. })), "{vertices} by {step}: {needed}");
            }
        }
    }
}

#[test]
fn a_store_in_the_place_is_refused_before_the_work() {
    let place = Place::new();
    Graph::from_edges([(0, 1)]).unwrap().save(place.store()).unwrap();
    let mut stream = Batches::new(&[(0, 1, 0)], Declared::default());
    let options = BuildOptions::default();
    let built = build_store(&FileSystem, &mut stream, &options, place.store(), &SaveOptions::default());
    assert!(matches!(built, Err(BuildError::Store(StoreError::Exists { .. }))));
    assert_eq!(stream.done, 0);
}

/// Creates a stream and options that require every stage: IDs with gaps, degree order, dropped duplicates, and
/// in-edges.
fn demanding() -> (Batches, BuildOptions) {
    let edges: Vec<_> = (0..300u64).map(|i| (3 * (i % 41), 5 * (i % 29), i % 7)).collect();
    let declared = Declared { value_type: Some(ScalarType::U32), ..Declared::default() };
    let options = BuildOptions {
        page_size: Some(4096),
        order: VertexOrder::Degree.into(),
        in_edges: true,
        drop_duplicates: true,
        ..BuildOptions::default()
    };
    (Batches::new(&edges, declared), options)
}

#[test]
fn whatever_call_fails_nothing_is_left_and_what_was_there_stays() {
    let (stream, options) = demanding();
    let total = {
        let io = FailingIo::once(FileSystem, u64::MAX, ErrorKind::Other);
        external(&io, &mut stream.clone(), &options, &Place::new().store(), 2000).unwrap();
        io.calls()
    };
    assert!(total > 100, "{total}");
    for call in 0..total {
        let place = Place::new();
        let other = place.directory.path().join("other.gts");
        fs::write(&other, "kept").unwrap();
        let io = FailingIo::once(FileSystem, call, ErrorKind::StorageFull);
        let error = external(&io, &mut stream.clone(), &options, &place.store(), 2000).expect_err("a call failed");
        let BuildError::Store(error) = error else { panic!("call {call}: {error}") };
        assert!(matches!(&error, StoreError::Io { source, .. } if source.kind() == ErrorKind::StorageFull), "{error}");
        assert!(format!("{error:?}").contains("free some space"), "{error}");
        let mut names = place.names();
        names.retain(|name| name != "other.gts");
        // Files remain only if undoing the rename also fails, which requires a second failure.
        assert!(names.is_empty(), "call {call} of {total}: {names:?}");
        assert_eq!(fs::read(&other).unwrap(), b"kept");
    }
}

#[test]
fn a_temporary_file_that_changes_is_found() {
    let place = Place::new();
    let spill = Spill::create(&FileSystem, place.directory.path()).unwrap();
    let mut file = spill.begin().unwrap();
    let bytes: Vec<u8> = (0..3 * spill::BLOCK + 5).map(|i| (i % 251) as u8).collect();
    bytes.chunks(1000).for_each(|part| file.write(part).unwrap());
    let file = file.end().unwrap();
    let mut read = vec![0; bytes.len()];
    spill.open(&file).unwrap().read(&mut read).unwrap();
    assert!(read == bytes);
    let path = place.directory.path().join("spill/0");
    let mut changed = fs::read(&path).unwrap();
    changed[2 * spill::BLOCK + 1] ^= 4;
    fs::write(&path, changed).unwrap();
    let mut reader = spill.open(&file).unwrap();
    reader.read(&mut read[..2 * spill::BLOCK]).unwrap();
    assert!(matches!(reader.read(&mut read[..1]), Err(StoreError::Checksum { .. })));
    assert_eq!(spill.end().unwrap(), bytes.len() as u64);
}

/// A stream that returns vertices before its edges.
#[derive(Clone)]
struct WithVertices {
    vertices: Vec<u64>,
    edges: Batches,
}

impl EdgeStream for WithVertices {
    fn next(&mut self, batch: &mut EdgeBatch) -> Result<bool, ImportError> {
        let Some(vertex) = self.vertices.pop() else { return self.edges.next(batch) };
        *batch = EdgeBatch { vertices: vec![vertex], ..EdgeBatch::default() };
        Ok(true)
    }

    fn declared(&self) -> Declared {
        self.edges.declared()
    }

    fn progress(&self) -> (u64, Option<u64>) {
        self.edges.progress()
    }
}

#[test]
fn vertices_without_edges_are_kept() {
    let edges: Vec<_> = (0..200).map(|number| (3 * number % 50, number % 40, 0)).collect();
    let options = BuildOptions { page_size: Some(4096), in_edges: true, ..BuildOptions::default() };
    for (edges, vertices, expected) in [
        (&edges[..], vec![7, 60, 1 << 40, 60], 52),
        (&edges, vec![99], 51),
        (&[], vec![5, 3], 2),
        (&[], vec![1 << 60], 1),
        (&[(1 << 50, 4, 0)], vec![2], 3),
    ] {
        let stream = WithVertices { vertices, edges: Batches::new(edges, Declared::default()) };
        let (graph, _) = build(&mut stream.clone(), &options).unwrap();
        assert_eq!(graph.num_vertices(), expected);
        for work in [1_000, 1_000_000] {
            let place = Place::new();
            external(&FileSystem, &mut stream.clone(), &options, &place.store(), work).unwrap();
            let other = Place::new();
            graph.save(other.store()).unwrap();
            assert_eq!(contents(&place.store()), contents(&other.store()));
        }
    }
}
