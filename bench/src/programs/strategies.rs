//! Measures all strategies of neighbour iteration on many graphs: each direction of propagation with each technique.
//!
//! ```text
//! strategies [GRAPH]... [--runs N] [--technique NAME,..] [--json]    PageRank, BFS, SSSP and WCC on device `auto`
//! ```
//!
//! A graph is a store, or a generator specification followed by `@` and an order: `rmat:20@degree`. The default is a
//! list of generated graphs. All pages are on the device.
//!
//! The first strategy is the device's default. A run with another strategy is aborted if it takes longer than both
//! `LIMIT` times the default's time and `LEAST_LIMIT`. The first run of each strategy does not count. `--technique`
//! restricts the strategies to the named techniques; `auto` names the device's default.

use crate::{graphs, measure};
use gts_contract::Technique;
use gts_core::build::BuildOptions;
use gts_core::graph::{Graph, VertexOrder};
use gts_graph::algorithms::{bfs, pagerank, sssp, wcc};
use gts_graph::device::Propagation;
use gts_graph::{DeviceChoice, Engine};
use serde_json::json;
use std::error::Error;
use std::path::Path;
use std::time::{Duration, Instant};

/// Graphs with at least 2^24 edges, then smaller ones. The suffix `#pagerank` marks a graph that is measured only with
/// PageRank, because traversals of the graph would require many steps.
const GRAPHS: [&str; 22] = [
    "rmat:20@random",
    "rmat:20@degree",
    "rmat:20@original",
    "rmat:22@degree",
    "rmat:21,edge-factor=8@random",
    "rmat:19,edge-factor=64@degree",
    "rmat:24,edge-factor=1@random",
    "rmat:22,edge-factor=4@degree",
    "uniform:20@original",
    "uniform:22,edge-factor=4@original",
    "uniform:18,edge-factor=128@original",
    "uniform:23@original",
    "star:16777216@original",
    "complete:4096@original",
    "torus:2^20@original",
    "torus:4^10@original",
    "grid:2048x2048@original#pagerank",
    "chain:8388608@original#pagerank",
    "star:1048576@original",
    "grid:512x512@original",
    "rmat:16@random",
    "uniform:16@original",
];
/// Duration above which a run is not repeated.
const LONG: Duration = Duration::from_millis(50);
/// A run is aborted if it takes longer than both this multiple of the default strategy's time and `LEAST_LIMIT`.
const LIMIT: u32 = 20;
const LEAST_LIMIT: Duration = Duration::from_secs(3);
/// Iterations of PageRank.
const ITERATIONS: u64 = 10;

/// A strategy: direction of propagation, and technique.
type Way = (Propagation, Option<Technique>);
/// A function that runs an algorithm once on a graph.
type Algorithm = fn(&Engine, &Graph) -> Result<(), gts_graph::Error>;

const ALGORITHMS: [(&str, Algorithm); 4] = [
    ("pagerank", |engine, graph| {
        let options = pagerank::Options { damping: 0.85, iterations: ITERATIONS, tolerance: None };
        pagerank::pagerank_f32(&mut engine.start(graph)?, &options).map(|_| ())
    }),
    ("bfs", |engine, graph| bfs::bfs(&mut engine.start(graph)?, graphs::hub(graph)).map(|_| ())),
    ("sssp", |engine, graph| sssp::sssp_f32(&mut engine.start(graph)?, graphs::hub(graph)).map(|_| ())),
    ("wcc", |engine, graph| wcc::wcc(&mut engine.start(graph)?).map(|_| ())),
];

pub(super) fn main() -> Result<(), Box<dyn Error>> {
    let mut named = Vec::new();
    let mut arguments = measure::arguments();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--runs" | "--technique" => drop(arguments.next()),
            "--json" => {}
            _ => named.push(argument),
        }
    }
    if named.is_empty() {
        named = GRAPHS.map(str::to_owned).to_vec();
    }
    let runs = measure::option("--runs").map_or(Ok(measure::RUNS), |runs| runs.parse())?;
    let push = Technique::ALL.map(|technique| (Propagation::Push, Some(technique)));
    // Edge lists support only push.
    let pull = Technique::of_pages().map(|technique| (Propagation::Pull, Some(technique)));
    let mut ways: Vec<Way> = std::iter::once((Propagation::Auto, None)).chain(push).chain(pull).collect();
    if let Some(only) = measure::option("--technique") {
        let names: Vec<&str> = only.split(',').collect();
        ways.retain(|(_, technique)| names.contains(&technique.map_or("auto", Technique::name)));
    }
    for name in named {
        let (spec, only) = name.split_once('#').map_or((name.as_str(), None), |(spec, only)| (spec, Some(only)));
        let graph = made(spec)?;
        for (algorithm, run) in ALGORITHMS.into_iter().filter(|(name, _)| only.is_none_or(|only| only == *name)) {
            let mut limit = None;
            for &way in &ways {
                let whole = cell(spec, &graph, (algorithm, run), way, (runs, limit))?;
                let of_choice = whole.filter(|_| way.1.is_none());
                limit = limit.or(of_choice.map(|time| (LIMIT * time).max(LEAST_LIMIT)));
            }
        }
    }
    Ok(())
}

/// Opens a store, or builds a generated graph with weights and in-edges.
fn made(spec: &str) -> Result<Graph, Box<dyn Error>> {
    if Path::new(spec).exists() {
        return Ok(Graph::read(spec)?);
    }
    let (generator, order) = spec.split_once('@').unwrap_or((spec, "original"));
    let order: VertexOrder = match order {
        "random" => VertexOrder::Random { seed: 1 },
        "degree" => VertexOrder::Degree,
        "original" => VertexOrder::Original,
        _ => return Err(format!("no order is called `{order}`").into()),
    };
    let undirected = ["star", "chain", "grid", "torus"].iter().any(|family| generator.starts_with(family));
    let options =
        BuildOptions { order: order.into(), in_edges: !undirected, symmetrise: undirected, ..BuildOptions::default() };
    graphs::generated(&format!("{generator},weights=f32"), &options)
}

/// Runs one strategy and reports its times. Returns the time of a whole run, or `None` if the first run fails, for
/// example because the device rejects the strategy or the time limit passes.
fn cell(
    spec: &str,
    graph: &Graph,
    (algorithm, run): (&str, Algorithm),
    (propagation, technique): Way,
    (runs, limit): (usize, Option<Duration>),
) -> Result<Option<Duration>, Box<dyn Error>> {
    let mut builder = Engine::builder().device(DeviceChoice::Auto).propagation(propagation).technique(technique);
    if let Some(limit) = limit {
        builder = builder.time_limit(limit);
    }
    let engine = builder.build()?;
    let technique = technique.map_or("auto", Technique::name);
    let what = format!("{spec} {algorithm} {} {technique}", propagation.name());
    if let Err(error) = run(&engine, graph) {
        let line = json!({ "graph": spec, "algorithm": algorithm, "propagation": propagation.name(),
            "technique": technique, "error": error.to_string() });
        measure::print(&line, &format!("{what}: {error}"));
        return Ok(None);
    }
    engine.take_report();
    let (mut whole, mut passes, mut kernels): (Vec<Duration>, Vec<_>, Vec<_>) = Default::default();
    // A long run is not repeated.
    while whole.len() < runs && whole.iter().all(|time| *time < LONG) {
        let start = Instant::now();
        run(&engine, graph)?;
        whole.push(start.elapsed());
        let report = engine.take_report();
        passes.push(report.time());
        kernels.push(report.kernels.iter().filter_map(|kernel| kernel.kernel_time).sum::<Duration>());
    }
    let middle = measure::middle(whole);
    let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
    let [whole, passes, kernels] = [middle, measure::middle(passes), measure::middle(kernels)].map(milliseconds);
    let line = json!({ "program": "strategies", "graph": spec, "vertices": graph.num_vertices(),
        "edges": graph.num_edges(), "algorithm": algorithm, "propagation": propagation.name(), "technique": technique,
        "runs": runs, "whole_ms": whole, "passes_ms": passes, "kernels_ms": kernels });
    measure::print(&line, &format!("{what}: whole {whole:.3} ms, passes {passes:.3} ms, kernels {kernels:.3} ms"));
    Ok(Some(middle))
}
