//! Compares predictions with measurements, and reports the cost per edge as graphs grow.
//!
//! ```text
//! plan cpu SCALE...     [--json]   in memory, and from a store, with host memory for half and a quarter of its pages
//! plan cuda SCALE...    [--json]   resident, streamed with a cache of half of the pages, and without a cache
//! ```
//!
//! The machine must have been measured by `gts devices --measure`, because the default constants do not describe it.
//! Steps are timed on an engine that has already run once, so the times exclude loading and page-locking. Times are
//! medians of five.

use crate::{graphs, measure};
use gts_core::build::BuildOptions;
use gts_core::cost::{
    AlgorithmShape, CachePolicy, MachineConstants, Prediction, ProcessorConstants, ProcessorKind, RunConfiguration,
    Steps, memory_plan, predict,
};
use gts_core::graph::{Graph, GraphShape};
use gts_graph::algorithm::{Algorithm, Arguments, find};
use gts_graph::device::CacheChoice;
use gts_graph::{DeviceChoice, Engine};
use serde_json::json;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The measured algorithms: a scan and a traversal.
const ALGORITHMS: [&str; 2] = ["pagerank", "bfs"];
/// Host memory in addition to the store's tables, as fractions of the total page size.
const HOST_SHARES: [f64; 2] = [0.5, 0.25];

/// A graph and a configuration whose run time is predicted and measured.
struct Case {
    name: &'static str,
    configuration: RunConfiguration,
    graph: Graph,
}

pub(super) fn main() -> Result<(), Box<dyn Error>> {
    gts_graph::algorithms::link();
    let constants = gts_graph::measure::load()?.ok_or("measure this machine first: gts devices --measure")?;
    let kind = match measure::arguments().next().as_deref() {
        Some("cpu") => ProcessorKind::Cpu,
        Some("cuda") => ProcessorKind::Cuda,
        _ => return Err(measure::usage("plan")),
    };
    let processor = constants.processors.iter().find(|processor| processor.kind == kind);
    let processor = processor.ok_or("this processor was not measured: gts devices --measure")?;
    if !measure::flag("--json") {
        println!("| algorithm | graph | pages | ns an edge | predicted a step | measured | off | bound |");
        println!("|---|---|---|---|---|---|---|---|");
    }
    for scale in measure::numbers(&[20]) {
        let graph = graphs::generated(&format!("rmat:{scale}"), &BuildOptions::default())?;
        let folder = Folder::new()?;
        for name in ALGORITHMS {
            let algorithm = find(name).ok_or("a shipped algorithm is registered")?;
            for case in cases(&graph, algorithm, processor, &constants, &folder.0)? {
                compare(&constants, processor, algorithm, scale, &case)?;
            }
        }
    }
    Ok(())
}

/// Returns the configurations to compare for an algorithm on a graph.
fn cases(
    graph: &Graph,
    algorithm: &'static Algorithm,
    processor: &ProcessorConstants,
    constants: &MachineConstants,
    folder: &Path,
) -> Result<Vec<Case>, Box<dyn Error>> {
    let case = |name, configuration| Case { name, configuration, graph: graph.clone() };
    if processor.kind == ProcessorKind::Cpu {
        let mut all = vec![case("in memory", RunConfiguration::default())];
        let store = folder.join("graph.gts");
        if !store.exists() {
            graph.save(&store)?;
        }
        let files = gts_core::store::info(&store)?.files;
        let tables: u64 = files.iter().filter(|(name, _)| !name.ends_with(".pages")).map(|(_, bytes)| bytes).sum();
        for (name, share) in ["half from disk", "three quarters from disk"].into_iter().zip(HOST_SHARES) {
            let budget = tables + (graph.out_topology().bytes() as f64 * share) as u64;
            let graph = Graph::reader(&store).host_memory(budget).read()?;
            let configuration =
                RunConfiguration { stored: true, warm: true, host_memory: Some(budget), ..RunConfiguration::default() };
            all.push(Case { name, configuration, graph });
        }
        return Ok(all);
    }
    let (shape, outline) = (GraphShape::of(graph), outlined(algorithm, graph)?);
    let plain = RunConfiguration::default();
    let plan = memory_plan(&shape, &outline, processor, constants.host.memory, &plain)?;
    let fixed: u64 = plan.device.iter().filter(|need| need.what != "staging").map(|need| need.bytes).sum();
    let staging = 4 * plain.group + (1 << 20);
    let within =
        |pages: u64, cache| RunConfiguration { device_memory: Some(fixed + staging + pages), cache, ..plain.clone() };
    let mut all = vec![case("resident", plain.clone()), case("streamed", within(0, CachePolicy::Off))];
    // Skip searches: the prediction does not include cache hits on pages that an earlier search has loaded.
    if matches!(outline.steps, Steps::Fixed(_)) {
        all.push(case("half cached", within(plan.pages / 2, CachePolicy::Auto)));
    }
    Ok(all)
}

/// Runs a case and prints its prediction and measurement.
fn compare(
    constants: &MachineConstants,
    processor: &ProcessorConstants,
    algorithm: &'static Algorithm,
    scale: u32,
    case: &Case,
) -> Result<(), Box<dyn Error>> {
    let (shape, outline) = (GraphShape::of(&case.graph), outlined(algorithm, &case.graph)?);
    let found = predict(&shape, &outline, &constants.host, processor, &case.configuration)?;
    let (predicted, steps) = step_time(&found, outline.steps);
    let engine = engine(processor.kind, &case.configuration)?;
    let arguments = Arguments::of(algorithm);
    let run = || algorithm.run(&engine, &case.graph, &arguments);
    run()?;
    engine.take_report();
    let mut times = Vec::with_capacity(measure::RUNS);
    for _ in 0..measure::RUNS {
        run()?;
        times.push(engine.take_report().time());
    }
    times.sort_unstable();
    let measured = times[measure::RUNS / 2].as_secs_f64() / steps;
    let walked = found.steps.iter().map(|step| step.edges * step.repeats).sum::<f64>() / steps;
    let off = 100.0 * (predicted / measured - 1.0);
    let bound = found.bound().map_or("", |bound| bound.name());
    let line = json!({
        "algorithm": algorithm.name,
        "scale": scale,
        "pages": case.name,
        "predicted_seconds": predicted,
        "measured_seconds": measured,
        "nanoseconds_an_edge": measured / walked * 1e9,
        "bound": bound,
    });
    let time = |seconds: f64| format!("{:?}", Duration::from_secs_f64((seconds * 1e6).round() / 1e6));
    let text = format!(
        "| {} | rmat:{scale} | {} | {:.4} | {} | {} | {off:+.1} % | {bound} |",
        algorithm.name,
        case.name,
        measured / walked * 1e9,
        time(predicted),
        time(measured)
    );
    measure::print(&line, &text);
    Ok(())
}

/// Returns the predicted time of a step on an engine that has already run, and the number of steps per run. All steps
/// of a scan are equal; a search counts as a single step.
fn step_time(found: &Prediction, steps: Steps) -> (f64, f64) {
    let times = found.steps.iter().map(|step| step.seconds.total() * step.repeats);
    match (steps, found.steps.last()) {
        (Steps::Fixed(count), Some(later)) => (later.seconds.total(), count as f64),
        _ => (times.sum(), 1.0),
    }
}

fn outlined(algorithm: &'static Algorithm, graph: &Graph) -> Result<AlgorithmShape, Box<dyn Error>> {
    let outline = algorithm.outline.ok_or("a shipped algorithm has an outline")?;
    let outline = outline(&Arguments::of(algorithm), &graph.into())?;
    Ok(outline.shape(algorithm, &GraphShape::of(graph)))
}

fn engine(kind: ProcessorKind, configuration: &RunConfiguration) -> gts_graph::Result<Engine> {
    let builder = Engine::builder();
    let builder = match kind {
        ProcessorKind::Cpu => builder.device(DeviceChoice::Cpu),
        ProcessorKind::Cuda => builder.device(DeviceChoice::Cuda(0)),
    };
    let builder = builder.cache(match configuration.cache {
        CachePolicy::Auto => CacheChoice::Auto,
        CachePolicy::Lru => CacheChoice::Lru,
        CachePolicy::Scan => CacheChoice::Scan,
        CachePolicy::Off => CacheChoice::Off,
    });
    match configuration.device_memory {
        Some(bytes) => builder.device_memory(bytes).build(),
        None => builder.build(),
    }
}

/// A folder for stores, removed when this value is dropped.
struct Folder(PathBuf);

impl Folder {
    fn new() -> std::io::Result<Self> {
        let path = PathBuf::from(format!("gts-bench-plan-{}", std::process::id()));
        std::fs::create_dir(&path)?;
        Ok(Self(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // Ignore a failed removal: the measurements are valid, and the files stay visible in the current directory.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
