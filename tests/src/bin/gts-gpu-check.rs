//! Checks the answers of a device against oracles and reference data.
//!
//! ```text
//! gts-gpu-check DEVICE product       every graph, algorithm, technique, width and page size
//! gts-gpu-check DEVICE small         the same on a few small graphs and small pages, for a sanitizer
//! gts-gpu-check DEVICE stream [ARCS] with too little device memory; graphs of at most ARCS arcs
//! gts-gpu-check cuda several DEVICES [ARCS]
//!                                    by both strategies on DEVICES GPUs, also with attributes in parts; graphs of at
//!                                    most ARCS arcs
//! gts-gpu-check cuda nccl            values of ranks by NCCL: a single rank, and ranks that share the GPU, with every
//!                                    type and merge
//! gts-gpu-check DEVICE algorithms [ARCS [FILTER [SECONDS]]]
//!                                    every algorithm on every graph, in all ways of running, and the published outputs
//!                                    of LDBC Graphalytics; graphs of at most ARCS arcs, or `all`; only if
//!                                    `ALGORITHM on GRAPH` contains FILTER; cells that do not begin within SECONDS
//!                                    seconds are missing
//! gts-gpu-check DEVICE sessions [small]
//!                                    values by every path to the host, successive and concurrent runs, and that a warm
//!                                    run requests no memory from the driver; with fewer values for an emulated GPU
//! gts-gpu-check DEVICE plans         that plans and runs have the same parts at twelve budgets, and runs keep to them
//! gts-gpu-check DEVICE steps         steps begun by the device against steps begun by the host, and their limits
//! gts-gpu-check DEVICE steps small   the same on a few small graphs, for a sanitizer
//! gts-gpu-check DEVICE search SPEC ORDER SOURCES
//!                                    the same from SOURCES sources of one graph, and the times of both
//! gts-gpu-check DEVICE once DEVICES [BYTES]
//!                                    three searches on DEVICES GPUs, with pages that stream through BYTES bytes of
//!                                    memory; an error ends it, and nothing stays allocated
//! gts-gpu-check DEVICE repeat [RUNS] the same answers repeatedly, with every technique
//! gts-gpu-check entries              lists the entry points of all shipped kernels, each with its program's heading
//! ```
//!
//! DEVICE is `cpu`, `cuda` or `cuda:NUMBER`. For `algorithms`, DEVICE can also be `cpu+cuda`, numbers of GPUs
//! (`cuda-devices:NUMBER,..`), or groups of ranks: `ranks:NUMBER,..` on CPU threads, `local-ranks:NUMBER,..` on CPU
//! threads connected by sockets, or `cuda-ranks:NUMBER,..` on the first GPU. The data is in a folder next to the
//! workspace or in `GTS_TEST_DATA`. Exits with 1 if any check fails.

use gts_core::build;
use gts_graph::algorithm;
use gts_graph::algorithms::{bfs, sssp, wcc};
use gts_graph::device::cuda::nccl::{self, rehearsal::rehearse};
use gts_graph::device::cuda::{CudaDevice, Entry, Variant, program_text};
use gts_graph::device::distributed::DistributedDevice;
use gts_graph::group::threads;
use gts_graph::prelude::*;
use gts_tests::algorithms::{self, Scope as Cells};
use gts_tests::data::{Data, DataError};
use gts_tests::graphalytics;
use gts_tests::plans;
use gts_tests::product::{self, Case, PAGE_SIZES, Scope};
use gts_tests::sessions;
use gts_tests::steps;
use std::num::{NonZeroU32, NonZeroUsize};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Maximum number of arcs of a graph for a sanitizer. With the smallest pages, these graphs still have large vertices.
const SMALL: usize = 600;
/// Page sizes in bytes for a sanitizer.
const SMALL_PAGES: [u32; 2] = [256, 4 << 10];
/// Page sizes in bytes for streaming.
const STREAMED_PAGES: [u32; 2] = [256, 4 << 10];
/// Default number of repeated runs.
const REPEATS: u32 = 1_000;
/// Maximum number of failures listed.
const SHOWN: usize = 20;
/// The graph for which plans are compared.
const PLANNED: &str = "rmat:18,weights=f32";
/// The graph of the repeated runs. At its hubs, many updates collide.
const REPEATED: &str = "rmat:12,weights=f32";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let start = Instant::now();
    let outcome = match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [device, "product"] => check_product(device, usize::MAX, &PAGE_SIZES),
        [device, "small"] => check_product(device, SMALL, &SMALL_PAGES),
        [device, "stream"] => check_streams(device, usize::MAX),
        [device, "stream", arcs] => arcs.parse().map_err(Into::into).and_then(|arcs| check_streams(device, arcs)),
        ["cuda", "several", devices] => {
            devices.parse().map_err(Into::into).and_then(|devices| check_several(devices, usize::MAX))
        }
        ["cuda", "several", devices, arcs] => match (devices.parse(), arcs.parse()) {
            (Ok(devices), Ok(arcs)) => check_several(devices, arcs),
            (Err(error), _) | (_, Err(error)) => Err(error.into()),
        },
        ["cuda", "nccl"] => check_nccl(),
        [device, "algorithms", chosen @ ..] if chosen.len() <= 3 => check_algorithms(device, chosen),
        ["entries"] => Ok(print_entries()),
        [device, "sessions"] => check_sessions(device, &SESSIONS),
        [device, "sessions", "small"] => check_sessions(device, &SMALL_SESSIONS),
        [device, "plans"] => check_plans(device),
        [device, "steps"] => check_steps(device, &steps::GRAPHS, SOURCES, Some(CHAIN)),
        [device, "steps", "small"] => check_steps(device, &steps::SMALL_GRAPHS, 1, None),
        [device, "search", spec, order, sources] => {
            sources.parse().map_err(Into::into).and_then(|sources| check_search(device, spec, order, sources))
        }
        [device, "once", devices] => devices.parse().map_err(Into::into).and_then(|devices| check_once(device, devices, None)),
        [device, "once", devices, bytes] => match (devices.parse(), bytes.parse()) {
            (Ok(devices), Ok(bytes)) => check_once(device, devices, Some(bytes)),
            (Err(error), _) | (_, Err(error)) => Err(error.into()),
        },
        [device, "repeat"] => check_repeats(device, REPEATS),
        [device, "repeat", runs] => runs.parse().map_err(Into::into).and_then(|runs| check_repeats(device, runs)),
        _ => Err(
            "usage: gts-gpu-check DEVICE product | small | stream [ARCS] | several DEVICES [ARCS] | nccl | algorithms [ARCS [FILTER [SECONDS]]] | \
             sessions [small] | plans | steps [small] | search SPEC ORDER SOURCES | once DEVICES [BYTES] | repeat [RUNS], or gts-gpu-check entries"
                .into(),
        ),
    };
    match outcome {
        Ok(true) => {
            println!("passed in {:.1?}", start.elapsed());
            ExitCode::SUCCESS
        }
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn data() -> Result<Data, DataError> {
    Ok(Data::locate().ok_or("no test graphs: set GTS_TEST_DATA to their folder")?)
}

/// Returns the cases with at most `largest` arcs.
fn cases(largest: usize) -> Result<Vec<Case>, DataError> {
    Case::all(&data()?, largest)
}

fn check_streams(device: &str, largest: usize) -> Result<bool, DataError> {
    let (report, streaming) =
        product::streamed(device.parse()?, &cases(largest)?, &STREAMED_PAGES, |line| println!("{line}"))?;
    print!("{report}");
    println!("pages streamed in {streaming} of {} cells", report.run());
    Ok(report.failures().is_empty() && streaming > 0)
}

fn check_several(devices: NonZeroUsize, largest: usize) -> Result<bool, DataError> {
    let (report, in_turns) = product::several(devices, &cases(largest)?, &STREAMED_PAGES, |line| println!("{line}"))?;
    print!("{report}");
    println!("parts took turns in {in_turns} of {} cells", report.run());
    // The attributes of small graphs are too few for parts to take turns.
    Ok(report.failures().is_empty() && (in_turns > 0 || largest != usize::MAX))
}

fn check_product(device: &str, largest: usize, page_sizes: &'static [u32]) -> Result<bool, DataError> {
    let cases = cases(largest)?;
    let scope = Scope { page_sizes, ..Scope::everything(device.parse()?) };
    let report = product::product(&scope, &cases, |line| println!("{line}"))?;
    print!("{report}");
    Ok(report.failures().is_empty())
}

/// Runs every algorithm. `chosen` contains up to three values: the maximum number of arcs, the filter of cells, and the
/// time in seconds after which no cell begins.
fn check_algorithms(device: &str, chosen: &[&str]) -> Result<bool, DataError> {
    let arcs = match chosen.first() {
        None | Some(&"all") => u64::MAX,
        Some(arcs) => arcs.parse()?,
    };
    let filter = chosen.get(1).copied().unwrap_or_default();
    let seconds = chosen.get(2).map(|seconds| seconds.parse()).transpose()?;
    let data = data()?;
    let ways = algorithms::ways_of(device)?;
    let until = seconds.map(|seconds| Instant::now() + Duration::from_secs(seconds));
    let cells = Cells { ways: &ways, vertices: u64::MAX, arcs, filter, until };
    let report = algorithms::run(&data, &cells, |line| println!("{line}"))?;
    let in_time = until.is_none_or(|until| Instant::now() < until);
    println!("{report}");
    let engine = Engine::builder().device(algorithms::alone(device)?).build()?;
    let matches = graphalytics::matches(&data, &engine, filter)?;
    let mut differing = 0;
    for found in &matches {
        if let Err(why) = &found.outcome {
            println!("differs from published {}: {why}", found.file);
            differing += 1;
        }
    }
    println!("outputs published by LDBC Graphalytics: {} compared, {} match", matches.len(), matches.len() - differing);
    Ok(report.failures().is_empty() && report.run() > 0 && differing == 0 && in_time)
}

/// Prints the entry points of all kernels of GTS. Always returns true.
fn print_entries() -> bool {
    gts_graph::algorithms::link();
    let kernels = algorithm::all().into_iter().flat_map(|algorithm| algorithm.kernels);
    for kernel in kernels {
        for entry in Entry::of(kernel) {
            let text = program_text(kernel, None, Variant::whole(4), &[entry]);
            let heading = text.lines().next().unwrap_or_default();
            println!("{} of {}", entry.symbol(kernel), heading.trim_start_matches("// "));
        }
    }
    true
}

fn check_plans(device: &str) -> Result<bool, DataError> {
    gts_graph::algorithms::link();
    let options = build::BuildOptions { in_edges: true, page_size: Some(16 << 10), ..build::BuildOptions::default() };
    let graph = Graph::reader(PLANNED).options(options).read()?;
    plans::compare(device.parse()?, &graph, &["pagerank", "bfs", "sssp"], |line| println!("{line}"))
}

/// Number of vertices of a chain so long that a limit ends the search first.
const CHAIN: u64 = 8_000_000;
/// Number of source vertices per small graph.
const SOURCES: u64 = 24;
/// Number of steps after which a loop on the device returns to the host.
const FEW_STEPS: NonZeroU32 = NonZeroU32::MIN.saturating_add(2);
/// Maximum time between a limit and the end of the steps.
const LIMIT_HOLDS: Duration = Duration::from_millis(200);

fn check_steps(device: &str, graphs: &[&str], sources: u64, chain: Option<u64>) -> Result<bool, DataError> {
    let device: DeviceChoice = device.parse()?;
    let mut passed = true;
    // If the device only pushes, every step runs in a loop on the device.
    for propagation in [Propagation::Auto, Propagation::Push] {
        let engine = |steps_by| steps::engine(device, steps_by, propagation);
        let by_host = engine(StepsBy::Host)?;
        // A loop that returns every few steps must continue from the state of the previous one.
        for steps_by in [StepsBy::Device, StepsBy::DeviceFor(FEW_STEPS)] {
            let by_device = engine(steps_by)?;
            for (spec, page_size) in graphs.iter().flat_map(|spec| SMALL_PAGES.map(|page_size| (spec, page_size))) {
                let graph = steps::graph(spec, page_size)?;
                let outcome = steps::compare(&by_host, &by_device, &graph, sources);
                let found = match &outcome {
                    Ok(begun) => format!("{begun} steps begun by the device"),
                    Err(error) => error.to_string(),
                };
                println!("{spec}, pages of {page_size}, {steps_by}, {}: {found}", propagation.name());
                passed &= outcome.is_ok();
            }
        }
    }
    if let Some(chain) = chain {
        let limits = steps::limits_hold(device, chain, LIMIT_HOLDS);
        println!("limits: {}", limits.as_ref().map_or_else(ToString::to_string, |()| "as they should be".to_owned()));
        passed &= limits.is_ok();
    }
    Ok(passed)
}

fn check_search(device: &str, spec: &str, order: &str, sources: u64) -> Result<bool, DataError> {
    let device: DeviceChoice = device.parse()?;
    let options = build::BuildOptions { order: order.parse()?, symmetrise: true, ..build::BuildOptions::default() };
    let graph = Graph::reader(spec).options(options).read()?;
    let vertices = graph.num_vertices();
    let width = graph.out_topology().format().width();
    println!("{spec}: {vertices} vertices, {} edges, record IDs of {width}", graph.num_edges());
    let ways = StepsBy::ALL.map(|steps_by| steps::engine(device, steps_by, Propagation::Auto));
    let ways: Vec<Engine> = ways.into_iter().collect::<Result<_>>()?;
    let engines: Vec<&Engine> = ways.iter().collect();
    let with_edges = |v: u64| (v..vertices).map(Vertex::from_dense).find(|&v| graph.out_degree(v) > 0);
    let of = |number: u64| with_edges(number * vertices / sources);
    let corner_and_centre = [Some(Vertex::from_dense(0)), with_edges(vertices / 2 + vertices.isqrt() / 2)];
    for (name, sources) in [
        ("corner", corner_and_centre[..1].to_vec()),
        ("centre", corner_and_centre[1..].to_vec()),
        ("all sources", (0..sources).map(of).collect()),
    ] {
        let sources: Vec<Vertex> = sources.into_iter().flatten().collect();
        let repeats = if sources.len() == 1 { 5 } else { 1 };
        for (steps_by, (median, last)) in StepsBy::ALL.iter().zip(steps::times(&engines, &graph, &sources, repeats)?) {
            let (steps, (begun, how)) = (last.steps, last.on_device);
            let how = how.map_or("", |how| how.name());
            println!("{name}, {}: {median:.3?}, {steps} steps, {begun} begun by the device {how}", steps_by.name());
        }
    }
    if graph.value_type().is_some() {
        let times = steps::times_of_paths(&engines, &graph, Vertex::from_dense(0), 3)?;
        for (steps_by, median) in StepsBy::ALL.iter().zip(times) {
            println!("shortest paths, {}: {median:.3?}", steps_by.name());
        }
    }
    Ok(true)
}

fn check_repeats(device: &str, runs: u32) -> Result<bool, DataError> {
    let device = device.parse()?;
    let options = build::BuildOptions { in_edges: true, page_size: Some(4 << 10), ..build::BuildOptions::default() };
    let graph = Graph::reader(REPEATED).options(options).read()?;
    let mut same = true;
    for technique in Technique::ALL {
        let engine = Engine::builder().device(device).technique(Some(technique)).build()?;
        let expected = answers(&engine, &graph)?;
        let mut differing = 0;
        for _ in 1..runs {
            differing += u32::from(answers(&engine, &graph)? != expected);
        }
        println!("{technique}: bfs, sssp and wcc {runs} times, {differing} with other bits");
        same &= differing == 0;
    }
    Ok(same)
}

/// Sizes of the checks of sessions.
struct SessionSizes {
    /// Numbers of vertices of the chains whose values are checked. The largest values take several pieces in every ring.
    chains: [u64; 3],
    /// Scale of the graphs on which sessions run.
    scale: u32,
    /// Bytes of device memory with which pages stream and the vertex order does not fit.
    small_budget: u64,
    /// Bytes of device memory for the pages of one such graph and the attributes of three runs.
    middling_budget: u64,
}

const SESSIONS: SessionSizes =
    SessionSizes { chains: [2, 10_000, 3_000_000], scale: 16, small_budget: 6 << 20, middling_budget: 24 << 20 };
/// Sizes for an emulated GPU.
const SMALL_SESSIONS: SessionSizes =
    SessionSizes { chains: [2, 10_000, 300_000], scale: 15, small_budget: 5 << 20, middling_budget: 12 << 20 };

fn check_nccl() -> Result<bool, DataError> {
    let library = nccl::nccl()?;
    println!("NCCL {}, {}", library.version, library.path.display());
    let found = rehearse(&CudaDevice::new(0)?)?;
    println!("{} collectives, {} of them differ from those in the host's memory", found.cells, found.failures.len());
    found.failures.iter().take(SHOWN).for_each(|failure| println!("  {failure}"));
    let options = build::BuildOptions { in_edges: true, ..build::BuildOptions::default() };
    let graph = Graph::reader(REPEATED).options(options).read()?;
    let expected = answers(&Engine::cpu()?, &graph)?;
    let alone = threads::ranks(1, |group| {
        let device = Arc::new(CudaDevice::new(0)?);
        let device = DistributedDevice::with_collectives(device, Arc::new(group), Collectives::Nccl)?;
        let engine = Engine::builder().custom_device(Arc::new(device)).build()?;
        let same = answers(&engine, &graph)? == expected;
        let calls = engine.ranks()?.first().map_or(0, |work| work.by_nccl.exchanges);
        let way = engine.between_ranks().map_or_else(String::new, |way| way.to_string());
        println!("runs of one rank by {way}: {calls} collectives, {}", if same { "right" } else { "WRONG" });
        Ok(same && calls > 0)
    })?;
    Ok(alone == [true] && found.cells > 0 && found.failures.is_empty())
}

fn check_sessions(device: &str, sizes: &SessionSizes) -> Result<bool, DataError> {
    let device: DeviceChoice = device.parse()?;
    let engine = |budget: Option<u64>| {
        let builder = Engine::builder().device(device);
        budget.map_or(builder.clone(), |bytes| builder.device_memory(bytes)).build()
    };
    let mut passed = true;
    let mut told = |what: &str, outcome: sessions::Outcome| {
        println!("{what}: {}", outcome.as_ref().map_or_else(ToString::to_string, |()| "as it should be".to_owned()));
        passed &= outcome.is_ok();
    };
    let free = engine(None)?;
    for vertices in sizes.chains {
        told(&format!("values of {vertices} vertices"), sessions::answers_by_every_path(&free, vertices));
    }
    let tight = engine(Some(sizes.small_budget))?;
    told("values in a small budget", sessions::answers_by_every_path(&tight, 50_000));
    let middling = engine(Some(sizes.middling_budget))?;
    for (name, engine) in [("all memory", &free), ("a small budget", &tight), ("a middling budget", &middling)] {
        told(&format!("sessions in turn, {name}"), sessions::sessions_come_and_go(engine, sizes.scale));
    }
    // Concurrent runs hold their memory at the same time, so skip the small budget.
    for (name, engine) in [("all memory", &free), ("a middling budget", &middling)] {
        told(&format!("sessions side by side, {name}"), sessions::runs_live_side_by_side(engine, sizes.scale));
    }
    let fresh = engine(None)?;
    let warm = sessions::warm_runs_allocate_nothing(&fresh, sizes.scale).map(|calls| {
        println!("the first runs asked the driver {calls} times for memory");
    });
    told("warm runs", warm);
    Ok(passed)
}

/// Runs three searches. If `memory` is given, device memory has this size and pages must stream.
fn check_once(device: &str, devices: NonZeroUsize, memory: Option<u64>) -> Result<bool, DataError> {
    let options = build::BuildOptions { in_edges: true, page_size: Some(4 << 10), ..build::BuildOptions::default() };
    let graph = Graph::reader(REPEATED).options(options).read()?;
    let expected = answers(&Engine::cpu()?, &graph)?;
    let builder = Engine::builder().device(device.parse()?).devices(devices);
    let engine = memory.map_or_else(|| builder.clone(), |bytes| builder.clone().device_memory(bytes)).build()?;
    let same = answers(&engine, &graph)? == expected;
    let streamed = engine.take_report().link_busy().is_some();
    println!("{}, pages {}", if same { "right" } else { "WRONG" }, if streamed { "stream" } else { "stay" });
    // Without a memory limit, pages may stream or stay.
    Ok(same && (streamed || memory.is_none()))
}

/// Levels, bits of the distances, and components.
type Answers = (Vec<u32>, Vec<u32>, Vec<u64>);

fn answers(engine: &Engine, graph: &Graph) -> Result<Answers> {
    let source = Vertex::from_dense(0);
    let levels = bfs::bfs(&mut engine.start(graph)?, source)?;
    let distances = sssp::sssp_f32(&mut engine.start(graph)?, source)?;
    let components = wcc::wcc(&mut engine.start(graph)?)?;
    Ok((levels, distances.into_iter().map(f32::to_bits).collect(), components))
}
