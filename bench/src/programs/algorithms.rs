//! Measures every algorithm on in-memory RMAT graphs and prints one table.
//!
//! ```text
//! algorithms cpu|cuda SCALE... [--only NAME,NAME...] [--json]
//! ```
//!
//! Each algorithm runs on the symmetrised graph without self-loops or parallel edges. Unless an algorithm requires a
//! symmetric graph, it runs on the generated directed graph too. The first run on a graph is not counted because it
//! compiles the kernels; three more runs follow. The table contains two median times: that of the whole run, including
//! the copy of the answer to host memory, and that of the passes over edges and vertices. If a run takes more than
//! three seconds, no further run follows. If this run is the first, it counts. Parameters have their default values,
//! except those in [`PARAMETERS`].

use crate::{graphs, measure};
use gts_contract::ScalarType;
use gts_core::build::BuildOptions;
use gts_core::graph::{Graph, Vertex};
use gts_graph::algorithm::{self, Algorithm, Arguments};
use gts_graph::prelude::{DeviceChoice, Engine};
use serde_json::json;
use std::collections::BTreeMap;
use std::error::Error;
use std::time::{Duration, Instant};

/// Number of runs per median, and the duration above which no further run follows.
const RUNS: usize = 3;
const LONG: Duration = Duration::from_secs(3);
/// Time limit of a run.
const LIMIT: Duration = Duration::from_secs(40);

/// Values of parameters that have no default, or whose default is unsuitable for these graphs. `HUBS:A..B` selects
/// vertices by their rank in descending order of out-degree.
const PARAMETERS: [(&str, &str, &str); 9] = [
    ("betweenness", "samples", "4"),
    ("closeness", "samples", "64"),
    ("cross-edges", "from", "HUBS:0..500"),
    ("cross-edges", "to", "HUBS:500..1000"),
    ("eccentricity", "samples", "64"),
    ("induced-subgraph", "vertices", "HUBS:0..1000"),
    ("k-truss", "k", "16"),
    ("random-walks", "length", "10"),
    ("st-connectivity", "target", "HUBS:1000..1001"),
];

/// Graph properties that an algorithm requires. Algorithms with the same requirements share a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Wish {
    symmetric: bool,
    in_edges: bool,
    weights: Option<&'static str>,
}

impl Wish {
    fn of(algorithm: &Algorithm, symmetric: bool) -> Self {
        let weights = match algorithm.needs.weights {
            [] => None,
            types if types.contains(&ScalarType::U32) => Some("u32"),
            _ => Some("f32"),
        };
        Self { symmetric, in_edges: algorithm.needs.in_edges, weights }
    }

    fn graph(self, scale: u32) -> Result<Graph, Box<dyn Error>> {
        let weights = self.weights.map_or(String::new(), |ty| format!(",weights={ty}"));
        let options = BuildOptions {
            in_edges: self.in_edges,
            symmetrise: self.symmetric,
            drop_self_loops: self.symmetric,
            drop_duplicates: self.symmetric,
            ..BuildOptions::default()
        };
        graphs::generated(&format!("rmat:{scale}{weights}"), &options)
    }

    fn name(self) -> &'static str {
        if self.symmetric { "undirected" } else { "directed" }
    }
}

/// Measurements of one algorithm.
struct Measured {
    whole: Duration,
    passes: Duration,
    number: u64,
    edges: u64,
}

pub(super) fn main() -> Result<(), Box<dyn Error>> {
    let device: DeviceChoice = match measure::arguments().next() {
        Some(device) => device.parse()?,
        None => return Err(measure::usage("algorithms")),
    };
    let only = measure::option("--only");
    let wanted = |algorithm: &&&Algorithm| match &only {
        Some(names) => names.split(',').any(|name| name == algorithm.name),
        None => true,
    };
    gts_graph::algorithms::link();
    if !measure::flag("--json") {
        println!("| algorithm | graph | whole run | passes | number | edges | G edges/s |");
        println!("|---|---|---:|---:|---:|---:|---:|");
    }
    for scale in measure::numbers(&[20]) {
        let mut by_wish: BTreeMap<Wish, Vec<&'static Algorithm>> = BTreeMap::new();
        for algorithm in algorithm::all().iter().filter(wanted) {
            by_wish.entry(Wish::of(algorithm, true)).or_default().push(algorithm);
            if !algorithm.needs.symmetric {
                by_wish.entry(Wish::of(algorithm, false)).or_default().push(algorithm);
            }
        }
        for (wish, algorithms) in by_wish {
            let graph = wish.graph(scale)?;
            let hubs = hubs(&graph);
            // All algorithms share one engine, because an engine keeps pages on its device between runs.
            let engine = Engine::builder().device(device).time_limit(LIMIT).build()?;
            for algorithm in algorithms {
                let measured = arguments(&graph, algorithm, &hubs)
                    .and_then(|arguments| run(&engine, &graph, algorithm, &arguments));
                report(algorithm.name, &format!("rmat:{scale}, {}", wish.name()), measured);
            }
        }
    }
    Ok(())
}

/// Returns the original IDs of the vertices with the highest out-degrees, in descending order of degree.
fn hubs(graph: &Graph) -> Vec<u64> {
    let degrees = graph.out_degrees();
    let mut hubs: Vec<u64> = (0..degrees.len() as u64).collect();
    let first = hubs.len().min(2000);
    let key = |&vertex: &u64| (std::cmp::Reverse(degrees[vertex as usize]), vertex);
    if first > 0 {
        hubs.select_nth_unstable_by_key(first - 1, key);
    }
    hubs.truncate(first);
    hubs.sort_unstable_by_key(key);
    hubs.into_iter().map(|vertex| graph.original(Vertex::from_dense(vertex))).collect()
}

fn arguments(graph: &Graph, algorithm: &'static Algorithm, hubs: &[u64]) -> Result<Arguments, Box<dyn Error>> {
    let mut arguments = Arguments::of(algorithm);
    for (_, name, text) in PARAMETERS.into_iter().filter(|(of, ..)| *of == algorithm.name) {
        let text = match text.strip_prefix("HUBS:").and_then(|range| range.split_once("..")) {
            None => text.to_owned(),
            Some((from, to)) => {
                let chosen =
                    hubs.get(from.parse()?..to.parse()?).ok_or_else(|| format!("{} vertices", graph.num_vertices()))?;
                chosen.iter().map(u64::to_string).collect::<Vec<_>>().join(",")
            }
        };
        arguments.set(name, &text)?;
    }
    arguments.complete()?;
    Ok(arguments)
}

fn run(
    engine: &Engine,
    graph: &Graph,
    algorithm: &Algorithm,
    arguments: &Arguments,
) -> Result<Measured, Box<dyn Error>> {
    let mut all = Vec::new();
    loop {
        let begun = Instant::now();
        algorithm.run(engine, graph, arguments)?;
        let whole = begun.elapsed();
        let report = engine.take_report();
        let number = report.kernels.iter().map(|kernel| kernel.passes).sum();
        all.push(Measured { whole, passes: report.time(), number, edges: report.edges() });
        if all.len() > RUNS || whole > LONG {
            break;
        }
    }
    if all.len() > 1 {
        all.remove(0);
    }
    all.sort_by_key(|measured| measured.whole);
    Ok(all.swap_remove(all.len() / 2))
}

fn report(algorithm: &str, graph: &str, measured: Result<Measured, Box<dyn Error>>) {
    let measured = match measured {
        Ok(measured) => measured,
        Err(error) => {
            let failed = json!({ "algorithm": algorithm, "graph": graph, "error": error.to_string() });
            measure::print(&failed, &format!("| {algorithm} | {graph} | {error} | | | | |"));
            return;
        }
    };
    let Measured { whole, passes, number, edges } = measured;
    let rate = measure::rate(edges, passes);
    let found = json!({
        "algorithm": algorithm, "graph": graph, "seconds": whole.as_secs_f64(), "pass_seconds": passes.as_secs_f64(),
        "passes": number, "edges": edges, "edges_per_second": rate,
    });
    let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
    let (whole, passes, rate) = (milliseconds(whole), milliseconds(passes), rate / 1e9);
    measure::print(
        &found,
        &format!("| {algorithm} | {graph} | {whole:.2} ms | {passes:.2} ms | {number} | {edges} | {rate:.2} |"),
    );
}
