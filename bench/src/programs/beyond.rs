//! Runs algorithms on a graph larger than GPU and host memory, and compares the answers with runs in memory.
//!
//! ```text
//! beyond STORE --device-memory SIZE --host-memory SIZE [--only ALGORITHM] [--json]
//! ```
//!
//! Runs PageRank and BFS. Also runs SSSP if the store has weights of type u32, and WCC if it has in-edges. Each
//! algorithm runs twice: first within the memory budgets, then with all pages in GPU memory.
//!
//! The host memory budget covers the whole process: the driver, one answer, and the graph's tables and pages. Answers
//! are stored in files next to the store until they are compared. Peak memory is recorded after the runs within the
//! budgets. The rate of page reads is compared with that of a plain direct read of the same file.

use crate::{disk, graphs, measure};
use bytesize::ByteSize;
use gts_contract::{ScalarType, Side};
use gts_core::graph::{Graph, Vertex};
use gts_core::store;
use gts_graph::algorithms::{bfs, pagerank, sssp, wcc};
use gts_graph::prelude::{DeviceChoice, Engine};
use serde_json::json;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Iterations of PageRank.
const ITERATIONS: u64 = 5;
/// Tolerance of PageRank values, relative to the larger value.
const RANKS_DIFFER: f32 = 1e-4;
/// Bytes per vertex needed to construct the largest answer: component numbers, the smallest vertex of each component,
/// and the answer.
const ANSWER: u64 = 20;
/// Bytes reserved for the process itself, including the driver.
const PROCESS: u64 = 768 << 20;

type Failure = Box<dyn Error>;

/// An answer in a form that can be compared.
enum Answer {
    Ranks(Vec<f32>),
    Numbers(Vec<u32>),
    Names(Vec<u64>),
}

impl Answer {
    fn bytes(&self) -> &[u8] {
        match self {
            Self::Ranks(values) => bytemuck::cast_slice(values),
            Self::Numbers(values) => bytemuck::cast_slice(values),
            Self::Names(values) => bytemuck::cast_slice(values),
        }
    }

    /// Returns whether the answer equals the one stored in the file `kept`. PageRank values may differ by
    /// [`RANKS_DIFFER`].
    fn agrees(&self, kept: &Path) -> Result<bool, Failure> {
        let kept = std::fs::read(kept)?;
        let Self::Ranks(ranks) = self else { return Ok(self.bytes() == kept) };
        let same = |(rank, kept): (&f32, &[u8])| {
            let kept: f32 = bytemuck::pod_read_unaligned(kept);
            (rank - kept).abs() <= RANKS_DIFFER * rank.abs().max(kept.abs())
        };
        Ok(kept.len() == size_of_val(&ranks[..]) && ranks.iter().zip(kept.chunks_exact(4)).all(same))
    }
}

/// Measurements of one algorithm's run.
struct Done {
    algorithm: &'static str,
    time: Duration,
    read: u64,
    copied: u64,
    device_peak: u64,
}

pub(super) fn main() -> Result<(), Failure> {
    let path = measure::arguments().next().map(PathBuf::from).ok_or_else(|| measure::usage("beyond"))?;
    let size = |name| -> Result<u64, Failure> {
        let text = measure::option(name).ok_or_else(|| format!("{name} is missing"))?;
        Ok(text.parse::<ByteSize>()?.as_u64())
    };
    let (device, host) = (size("--device-memory")?, size("--host-memory")?);
    let beside = ANSWER * store::info(&path)?.vertices + PROCESS;
    let host_memory = host.saturating_sub(beside);
    let graph = Graph::reader(&path).host_memory(host_memory).read()?;
    println!(
        "{} edges, {} of out-edges' pages, budgets: device {}, host {}",
        graph.num_edges(),
        ByteSize(graph.out_topology().bytes()),
        ByteSize(device),
        ByteSize(host)
    );
    let plain = disk::plain_read(&path, graph.out_topology().bytes())?;
    let source = graphs::hub(&graph);
    let kept = tempfile::tempdir_in(path.parent().unwrap_or(Path::new(".")))?;
    let within = all(&graph, source, Some(device), |done, answer| {
        std::fs::write(kept.path().join(done.algorithm), answer.bytes())?;
        Ok(done)
    })?;
    let peak = measure::peak_memory().unwrap_or(0);
    drop(graph);

    let graph = Graph::read(&path)?;
    let mut wrong = false;
    let resident = all(&graph, source, None, |done, answer| {
        let same = answer.agrees(&kept.path().join(done.algorithm))?;
        Ok((done, same))
    })?;
    for (budgeted, (resident, same)) in within.iter().zip(resident) {
        wrong |= !same;
        let rate = budgeted.read as f64 / budgeted.time.as_secs_f64();
        measure::print(
            &json!({
                "program": "beyond", "algorithm": budgeted.algorithm, "edges": graph.num_edges(), "same": same,
                "seconds": budgeted.time.as_secs_f64(), "resident_seconds": resident.time.as_secs_f64(),
                "read_bytes": budgeted.read, "copied_bytes": budgeted.copied, "plain_bytes_per_second": plain,
                "read_over_plain": rate / plain, "device_peak_bytes": budgeted.device_peak, "device_budget_bytes": device,
                "host_peak_bytes": peak, "host_budget_bytes": host,
            }),
            &format!(
                "{}: {} in {:.2?} ({:.2?} in memory), {} read at {:.2} of a plain direct read ({}/s), {} copied, device \
                 peak {}",
                budgeted.algorithm,
                if same { "the same answer" } else { "ANOTHER ANSWER" },
                budgeted.time,
                resident.time,
                ByteSize(budgeted.read),
                rate / plain,
                ByteSize(plain as u64),
                ByteSize(budgeted.copied),
                ByteSize(budgeted.device_peak),
            ),
        );
    }
    println!("host peak {} of {}", ByteSize(peak), ByteSize(host));
    wrong |= peak > host || within.iter().any(|done| done.device_peak > device);
    if wrong { Err("answers differ, or more memory was taken".into()) } else { Ok(()) }
}

/// Runs the requested algorithms that the graph supports on one GPU, and passes each answer to `then`.
fn all<T>(
    graph: &Graph,
    source: Vertex,
    memory: Option<u64>,
    then: impl Fn(Done, Answer) -> Result<T, Failure>,
) -> Result<Vec<T>, Failure> {
    let only = measure::option("--only");
    let wanted = |name: &str| only.as_deref().is_none_or(|only| only == name);
    let mut done = Vec::new();
    if wanted("pagerank") {
        let options = pagerank::Options { damping: 0.85, iterations: ITERATIONS, tolerance: None };
        let (one, answer) = one("pagerank", memory, |engine| {
            Ok(Answer::Ranks(pagerank::pagerank_f32(&mut engine.start(graph)?, &options)?.ranks))
        })?;
        done.push(then(one, answer)?);
    }
    if wanted("bfs") {
        let (one, answer) =
            one("bfs", memory, |engine| Ok(Answer::Numbers(bfs::bfs(&mut engine.start(graph)?, source)?)))?;
        done.push(then(one, answer)?);
    }
    if wanted("sssp") && graph.properties().value_type == Some(ScalarType::U32) {
        let (one, answer) =
            one("sssp", memory, |engine| Ok(Answer::Numbers(sssp::sssp_u32(&mut engine.start(graph)?, source)?)))?;
        done.push(then(one, answer)?);
    }
    if wanted("wcc") && graph.topology(Side::In).is_some() {
        let (one, answer) = one("wcc", memory, |engine| Ok(Answer::Names(wcc::wcc(&mut engine.start(graph)?)?)))?;
        done.push(then(one, answer)?);
    }
    Ok(done)
}

/// Runs one algorithm on its own engine.
fn one(
    algorithm: &'static str,
    memory: Option<u64>,
    run: impl FnOnce(&Engine) -> Result<Answer, Failure>,
) -> Result<(Done, Answer), Failure> {
    let mut builder = Engine::builder().device(DeviceChoice::Cuda(0));
    if let Some(bytes) = memory {
        builder = builder.device_memory(bytes);
    }
    let engine = builder.build()?;
    let answer = run(&engine)?;
    let report = engine.take_report();
    let device_peak = engine.memory_taken().iter().map(|taken| taken.peak).max().unwrap_or(0);
    let (time, read, copied) = (report.time(), report.read(), report.copied());
    Ok((Done { algorithm, time, read, copied, device_peak }, answer))
}
