//! Compares steps started by a device with steps started by the host.

use gts_core::build::BuildOptions;
use gts_graph::RunProgress;
use gts_graph::algorithms::{scc, sssp, wcc};
use gts_graph::device::StepsRun;
use gts_graph::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// Result of a check. An error describes the difference.
pub type Outcome<T = ()> = std::result::Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// Graphs with short lists and with hubs, with few steps and with many, directed and undirected. On the last graph, a
/// loop on the device leaves some steps to the host.
pub const GRAPHS: [&str; 8] = [
    "chain:700,weights=f32",
    "grid:30x40,weights=f32",
    "complete:60,weights=f32",
    "star:2000,weights=f32",
    "uniform:12,edge-factor=3,weights=f32",
    "uniform:12,edge-factor=1,weights=f32",
    "rmat:12,weights=f32",
    "rmat:17,edge-factor=8,weights=f32",
];

/// Similar graphs that are small enough for a sanitizer.
pub const SMALL_GRAPHS: [&str; 4] =
    ["chain:20,weights=f32", "grid:5x6,weights=f32", "star:70,weights=f32", "rmat:6,weights=f32"];

/// Hops from a source, and the parents that lead back to it.
#[gts_attributes]
pub struct Search {
    /// Hops from the source, or `UNREACHED`.
    #[wa(init = UNREACHED, merge = min)]
    pub level: u32,
    /// A neighbour that is one hop nearer to the source.
    #[wa(init = UNREACHED, merge = any)]
    pub parent: VertexId,
}

#[gts_kernel(traverse)]
fn search(search: &mut Search, src: Vertex, dst: Vertex) {
    if search.level[dst] == UNREACHED {
        search.level[dst] = step() + 1;
        search.parent[dst] = src;
        activate(dst);
    }
}

/// Builds the graph of a generator specification with a page size.
///
/// # Errors
///
/// The specification is malformed, or the graph cannot be built.
pub fn graph(spec: &str, page_size: u32) -> Outcome<Graph> {
    let options = BuildOptions { in_edges: true, page_size: Some(page_size), ..BuildOptions::default() };
    Ok(Graph::reader(spec).options(options).read()?)
}

/// Returns an engine with these options.
///
/// # Errors
///
/// As for [`EngineBuilder::build`](gts_graph::EngineBuilder::build).
pub fn engine(device: DeviceChoice, steps_by: StepsBy, propagation: Propagation) -> Result<Engine> {
    Engine::builder().device(device).steps_by(steps_by).propagation(propagation).build()
}

/// Result and statistics of a search.
#[derive(Debug)]
pub struct Found {
    /// Hops of each vertex from the source; empty if the search ran without checks.
    pub levels: Vec<u32>,
    /// Number of steps.
    pub steps: u32,
    /// Number of steps started by the device, and how they ran.
    pub on_device: (u64, Option<StepsRun>),
    /// Number of edges for which the kernel body may have run.
    pub edges: u64,
    /// Whether any step pulled. Such steps count all edges of the pages they visit.
    pub pulled: bool,
    /// Time from setting the first value to the end of the last step.
    pub time: Duration,
}

/// Searches from a vertex. Returns levels only if `checks` is set.
///
/// # Errors
///
/// The engine fails, or a parent is not one hop nearer to the source.
pub fn searched(engine: &Engine, run: &mut Run<Search>, source: Vertex, checks: bool) -> Outcome<Found> {
    engine.take_report();
    let begun = Instant::now();
    run.fill(Search::LEVEL, u32::MAX)?;
    run.set(Search::LEVEL, source, 0)?;
    run.activate(source)?;
    let steps = run.traverse(search)?;
    let time = begun.elapsed();
    let report = engine.take_report();
    let kernel = report.kernels.iter().find(|kernel| kernel.kernel == "search");
    let on_device = kernel.map_or((0, None), |kernel| (kernel.steps_on_device, kernel.steps_run));
    let passes = kernel.map_or(0, |kernel| kernel.passes);
    let pulled = kernel.is_some_and(|kernel| kernel.pulled);
    if passes != u64::from(steps) {
        return Err(format!("{passes} of {steps} steps were told of").into());
    }
    let edges = report.edges();
    if !checks {
        return Ok(Found { levels: Vec::new(), steps, on_device, edges, pulled, time });
    }
    let levels = run.take_dense(Search::LEVEL)?;
    let parents = run.take_dense(Search::PARENT)?;
    for (v, (&level, parent)) in levels.iter().zip(&parents).enumerate() {
        let nearer = level == 0 || level == u32::MAX || levels[parent.to_bits() as usize] == level - 1;
        if !nearer {
            return Err(
                format!("vertex {v} has level {level}, and its parent {}", levels[parent.to_bits() as usize]).into()
            );
        }
    }
    Ok(Found { levels, steps, on_device, edges, pulled, time })
}

/// Compares all traversal algorithms on two engines, from `sources` sources: the host starts the steps on one engine,
/// the device on the other if possible. Returns the number of steps started by the device.
///
/// # Errors
///
/// The answers differ, or an engine fails.
pub fn compare(by_host: &Engine, by_device: &Engine, graph: &Graph, sources: u64) -> Outcome<u64> {
    let mut begun = 0;
    let vertices = graph.num_vertices();
    let (mut one, mut other) = (by_host.start::<Search>(graph)?, by_device.start::<Search>(graph)?);
    for number in 0..sources {
        let source = Vertex::from_dense(number * vertices / sources);
        let expected = searched(by_host, &mut one, source, true)?;
        let found = searched(by_device, &mut other, source, true)?;
        same("levels", &expected.levels, &found.levels)?;
        same("steps", &expected.steps, &found.steps)?;
        // Steps that push count the edges of active vertices, whichever side starts them.
        if !expected.pulled && !found.pulled {
            same("edges", &expected.edges, &found.edges)?;
        }
        begun += found.on_device.0;
        if graph.value_type().is_some() {
            let distances = |engine: &Engine| -> Result<Vec<u32>> {
                let distances = sssp::sssp_f32(&mut engine.start(graph)?, source)?;
                Ok(distances.into_iter().map(f32::to_bits).collect())
            };
            let expected = distances(by_host)?;
            by_device.take_report();
            same("distances", &expected, &distances(by_device)?)?;
            begun += by_device.take_report().kernels.iter().map(|kernel| kernel.steps_on_device).sum::<u64>();
        }
    }
    let components = |engine: &Engine| wcc::wcc(&mut engine.start(graph)?);
    same("components", &components(by_host)?, &components(by_device)?)?;
    let strong = |engine: &Engine| scc::scc(&mut engine.start(graph)?);
    same("strongly connected components", &strong(by_host)?, &strong(by_device)?)?;
    begun += by_device.take_report().kernels.iter().map(|kernel| kernel.steps_on_device).sum::<u64>();
    Ok(begun)
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, expected: &T, found: &T) -> Outcome {
    if expected == found {
        return Ok(());
    }
    let (expected, found) = (format!("{expected:?}"), format!("{found:?}"));
    let cut = |text: &str| text.chars().take(200).collect::<String>();
    Err(format!("{what} differ: {} and {}", cut(&expected), cut(&found)).into())
}

/// Checks that the step limit, the time limit and an interrupt end steps started by the device, and that each step is
/// reported. The time limit and the interrupt must take effect within `within`.
///
/// # Errors
///
/// A check or the engine fails.
pub fn limits_hold(device: DeviceChoice, vertices: u64, within: Duration) -> Outcome {
    let graph = graph(&format!("chain:{vertices}"), 64 << 10)?;
    let source = Vertex::from_dense(0);
    let start = |engine: &Engine| -> Result<Run<Search>> {
        let mut run = engine.start::<Search>(&graph)?;
        run.set(Search::LEVEL, source, 0)?;
        run.activate(source)?;
        Ok(run)
    };
    let builder = || Engine::builder().device(device).steps_by(StepsBy::Device);
    let engine = builder().max_steps(100).build()?;
    let mut run = start(&engine)?;
    match run.traverse(search) {
        Err(Error::StepLimit { steps: 100, .. }) => {}
        other => return Err(format!("100 steps at most, and then {other:?}").into()),
    }
    // The active vertices are still active.
    same("active vertices", &1, &run.frontier_size()?)?;
    same("the level of the hundredth vertex", &100, &run.get(Search::LEVEL, Vertex::from_dense(100))?)?;
    same("the level of the next one", &u32::MAX, &run.get(Search::LEVEL, Vertex::from_dense(101))?)?;

    let told = Arc::new(AtomicU64::new(0));
    let count = Arc::clone(&told);
    let limit = Duration::from_millis(300);
    let counting = move |_: &RunProgress| {
        count.fetch_add(1, Relaxed);
    };
    let engine = builder().time_limit(limit).progress(Arc::new(counting)).build()?;
    // Compile before the measurement begins.
    start(&builder().max_steps(1).build()?)?.traverse(search).err();
    let mut run = start(&engine)?;
    let begun = Instant::now();
    let outcome = run.traverse(search);
    let over = begun.elapsed().saturating_sub(limit);
    if !matches!(outcome, Err(Error::TimeLimit { .. })) || over > within {
        return Err(format!("a limit of {limit:?} was passed by {over:?}, with {outcome:?}").into());
    }
    if told.load(Relaxed) < 100 {
        return Err(format!("{} steps were told of", told.load(Relaxed)).into());
    }

    let interrupted = Arc::new(OnceLock::<Engine>::new());
    let asked = Arc::new(OnceLock::new());
    let (known, noted) = (Arc::clone(&interrupted), Arc::clone(&asked));
    let interrupting = move |told: &RunProgress| {
        if told.step >= 1000
            && let Some(engine) = known.get()
        {
            noted.get_or_init(Instant::now);
            engine.interrupt();
        }
    };
    let engine = builder().progress(Arc::new(interrupting)).build()?;
    let mut run = start(&engine)?;
    interrupted.set(engine.clone()).map_err(|_| "an engine is known already")?;
    let outcome = run.traverse(search);
    let ended = Instant::now();
    let (Err(Error::Interrupted), Some(&asked)) = (&outcome, asked.get()) else {
        return Err(format!("an interrupt did not end the steps: {outcome:?}").into());
    };
    let over = ended.saturating_duration_since(asked);
    if over > within {
        return Err(format!("an interrupt was passed by {over:?}").into());
    }
    Ok(())
}

/// Returns the median pass times of shortest paths from a vertex on several engines, which take turns. The first turn
/// does not count.
///
/// # Errors
///
/// The answers differ, or an engine fails.
pub fn times_of_paths(engines: &[&Engine], graph: &Graph, source: Vertex, repeats: u32) -> Outcome<Vec<Duration>> {
    let mut times = vec![Vec::new(); engines.len()];
    let mut expected: Option<Vec<u32>> = None;
    for repeat in 0..=repeats {
        for (engine, times) in engines.iter().zip(&mut times) {
            engine.take_report();
            let distances = sssp::sssp_f32(&mut engine.start(graph)?, source)?;
            let time = engine.take_report().time();
            if repeat == 0 {
                let bits: Vec<u32> = distances.into_iter().map(f32::to_bits).collect();
                same("distances", expected.get_or_insert_with(|| bits.clone()), &bits)?;
            } else {
                times.push(time);
            }
        }
    }
    times.iter_mut().for_each(|times| times.sort_unstable());
    Ok(times.iter().map(|times| times[times.len() / 2]).collect())
}

/// Returns the median times of searches from the same sources on several engines, which take turns. The first turn does
/// not count.
///
/// # Errors
///
/// The answers differ, or an engine fails.
pub fn times(engines: &[&Engine], graph: &Graph, sources: &[Vertex], repeats: u32) -> Outcome<Vec<(Duration, Found)>> {
    let mut runs = engines.iter().map(|engine| engine.start::<Search>(graph)).collect::<Result<Vec<_>>>()?;
    let mut times = vec![Vec::new(); engines.len()];
    let mut last: Vec<Option<Found>> = engines.iter().map(|_| None).collect();
    for source in sources {
        let mut levels: Option<Vec<u32>> = None;
        for repeat in 0..=repeats {
            for (way, (engine, run)) in engines.iter().zip(&mut runs).enumerate() {
                let found = searched(engine, run, *source, repeat == 0)?;
                if repeat == 0 {
                    same("levels", levels.get_or_insert_with(|| found.levels.clone()), &found.levels)?;
                } else {
                    times[way].push(found.time);
                    last[way] = Some(found);
                }
            }
        }
    }
    times.iter_mut().for_each(|times| times.sort_unstable());
    let median = |times: &Vec<Duration>| times[times.len() / 2];
    Ok(times.iter().zip(last).filter_map(|(times, last)| Some((median(times), last?))).collect())
}
