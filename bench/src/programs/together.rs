//! Compares whole runs on several GPUs with runs on one GPU.
//!
//! ```text
//! together SCALE DEVICES [--json]    BFS, SSSP, WCC and PageRank by Strategy-P, in GPU memory and streamed
//! ```
//!
//! The measured time is the total time of a run's passes, including merges. If the graph fits into the devices' memory,
//! an uncounted first run loads the graph. Runs on one GPU and on all GPUs alternate, and each time is the median of
//! five. If pages are streamed, each GPU has one GiB of memory in addition to attributes.
//!
//! Integer answers must be identical. Sums of f32 depend on the order of the additions, so ranks may differ by a
//! millionth of the largest rank if the devices pull, and by a ten-thousandth if they push.

use crate::measure::middle;
use crate::{graphs, measure};
use gts_core::build::BuildOptions;
use gts_core::cost::Strategy;
use gts_core::graph::Graph;
use gts_graph::algorithms::{bfs, pagerank, sssp, wcc};
use gts_graph::device::CacheChoice;
use gts_graph::prelude::DeviceChoice;
use gts_graph::{Engine, Result as GtsResult, RunReport};
use serde_json::json;
use std::error::Error;
use std::num::NonZeroUsize;
use std::time::Duration;

/// Upper bound on the bytes per vertex for attributes, degrees and sets.
const A_VERTEX: u64 = 17;
/// Additional bytes of device memory if pages are streamed.
const STREAMED: u64 = 1 << 30;

type Failure = Box<dyn Error>;

/// Answer of a run: integers that must be equal, or ranks that must be close.
#[derive(Debug)]
enum Answer {
    Numbers(Vec<u32>),
    Names(Vec<u64>),
    Ranks(Vec<f32>),
}

impl Answer {
    /// Returns whether two answers are equal or, for ranks, differ by at most `tolerance` times the largest rank.
    fn agrees(&self, other: &Self, tolerance: f32) -> bool {
        match (self, other) {
            (Self::Numbers(one), Self::Numbers(other)) => one == other,
            (Self::Names(one), Self::Names(other)) => one == other,
            (Self::Ranks(one), Self::Ranks(other)) => {
                let most = one.iter().copied().fold(0.0, f32::max);
                one.iter().zip(other).all(|(a, b)| (a - b).abs() <= tolerance * most)
            }
            _ => false,
        }
    }
}

/// An algorithm's name, and a function that runs the algorithm.
type Algorithm = (&'static str, fn(&Engine, &Graph) -> GtsResult<Answer>);

const ALGORITHMS: [Algorithm; 4] = [
    ("bfs", |engine, graph| Ok(Answer::Numbers(bfs::bfs(&mut engine.start(graph)?, graphs::hub(graph))?))),
    ("sssp", |engine, graph| Ok(Answer::Numbers(sssp::sssp_u32(&mut engine.start(graph)?, graphs::hub(graph))?))),
    ("wcc", |engine, graph| Ok(Answer::Names(wcc::wcc(&mut engine.start(graph)?)?))),
    ("pagerank", |engine, graph| {
        let options = pagerank::Options { damping: 0.85, iterations: 10, tolerance: None };
        Ok(Answer::Ranks(pagerank::pagerank_f32(&mut engine.start(graph)?, &options)?.ranks))
    }),
];

pub(super) fn main() -> Result<(), Failure> {
    let [scale, devices] = measure::numbers(&[24, 2])[..] else {
        return Err(measure::usage("together"));
    };
    let all = NonZeroUsize::new(devices as usize).ok_or("at least one device")?;
    let options = BuildOptions { symmetrise: true, ..BuildOptions::default() };
    let graph = graphs::generated(&format!("rmat:{scale},weights=u32"), &options)?;
    for streamed in [false, true] {
        let memory = streamed.then(|| A_VERTEX * graph.num_vertices() + STREAMED);
        let engines = [engine(NonZeroUsize::MIN, memory)?, engine(all, memory)?];
        for (name, run) in ALGORITHMS {
            compare(name, run, &engines, &graph, all.get(), streamed)?;
        }
    }
    Ok(())
}

fn engine(devices: NonZeroUsize, memory: Option<u64>) -> GtsResult<Engine> {
    let builder = Engine::builder().device(DeviceChoice::Cuda(0)).devices(devices).strategy(Some(Strategy::Pages));
    match memory {
        Some(bytes) => builder.device_memory(bytes).cache(CacheChoice::Off).build(),
        None => builder.build(),
    }
}

/// Runs an algorithm on one device and on all devices, alternately.
fn compare(
    name: &str,
    run: fn(&Engine, &Graph) -> GtsResult<Answer>,
    engines: &[Engine; 2],
    graph: &Graph,
    devices: usize,
    streamed: bool,
) -> Result<(), Failure> {
    let mut times: [Vec<Duration>; 2] = Default::default();
    let mut merging = Vec::new();
    let mut reports: [RunReport; 2] = Default::default();
    let mut answers: [Option<Answer>; 2] = Default::default();
    for round in 0..=measure::RUNS {
        for (place, engine) in engines.iter().enumerate() {
            engine.take_report();
            answers[place] = Some(run(engine, graph)?);
            let report = engine.take_report();
            // The first run loads pages and compiles kernels, so it does not count.
            if round > 0 {
                times[place].push(report.time());
                if place == 1 {
                    merging.push(report.kernels.iter().map(|kernel| kernel.merge_time).sum::<Duration>());
                }
            }
            reports[place] = report;
        }
    }
    let [Some(one), Some(other)] = &answers else { return Err("both have run".into()) };
    let [one_time, all_time] = times.map(middle);
    let sum = |of: fn(&gts_graph::KernelReport) -> u64| reports[1].kernels.iter().map(of).sum::<u64>();
    let (merged, at_most) = (sum(|kernel| kernel.merged), sum(|kernel| kernel.merged_at_most));
    let speedup = one_time.as_secs_f64() / all_time.as_secs_f64();
    let part = merged as f64 / (at_most as f64).max(1.0);
    let merging = middle(merging);
    let pulled = reports.iter().all(|report| report.kernels.iter().any(|kernel| kernel.pulled));
    let agrees = one.agrees(other, if pulled { 1e-6 } else { 1e-4 });
    let place = if streamed { "streamed" } else { "in GPU memory" };
    measure::print(
        &json!({
            "program": "together", "algorithm": name, "devices": devices, "streamed": streamed, "speedup": speedup,
            "one_seconds": one_time.as_secs_f64(), "all_seconds": all_time.as_secs_f64(),
            "merge_seconds": merging.as_secs_f64(), "merged_bytes": merged, "merged_bytes_at_most": at_most,
            "agrees": agrees, "edges": reports[1].edges(), "passes": sum(|kernel| kernel.passes),
        }),
        &format!(
            "{name}, {place}: {:.2} ms on one GPU, {:.2} ms on {devices}, {speedup:.2} x; merging {:.2} ms in {} passes, {part:.3} \
             of all values; answers {}",
            one_time.as_secs_f64() * 1e3,
            all_time.as_secs_f64() * 1e3,
            merging.as_secs_f64() * 1e3,
            sum(|kernel| kernel.passes),
            if agrees { "agree" } else { "DIFFER" },
        ),
    );
    if agrees { Ok(()) } else { Err(format!("{name}, {place}: the answers differ").into()) }
}
