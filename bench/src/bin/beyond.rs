//! A graph larger than the memory of the GPU and of the host: what comes out is compared with a run in memory.
//!
//! ```text
//! beyond STORE --device-memory SIZE --host-memory SIZE [--only ALGORITHM] [--json]
//! ```
//!
//! PageRank, BFS, SSSP where the store has weights of u32, and WCC where it has in-edges, first within the budgets, then
//! with all pages in the GPU's memory. Memory of the host is the process's peak up to the end of the runs within budgets,
//! their answers included. The rate of pages is stated beside that of a plain direct read of the same file.

use bytesize::ByteSize;
use gts_algorithms::{bfs, pagerank, sssp, wcc};
use gts_bench::{disk, graphs, measure};
use gts_core::contract::ScalarType;
use gts_core::graph::{Graph, Side, Vertex};
use gts_core::store::OpenOptions;
use gts_runtime::prelude::{DeviceChoice, Engine};
use serde_json::json;
use std::error::Error;
use std::path::PathBuf;
use std::time::Duration;

/// Iterations of PageRank.
const ITERATIONS: u64 = 5;
/// How far ranks may differ, relative to the larger.
const RANKS_DIFFER: f32 = 1e-4;

type Failure = Box<dyn Error>;

/// An answer that can be compared.
enum Answer {
    Ranks(Vec<f32>),
    Numbers(Vec<u32>),
    Names(Vec<u64>),
}

impl Answer {
    fn agrees(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Ranks(a), Self::Ranks(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() <= RANKS_DIFFER * a.abs().max(b.abs()))
            }
            (Self::Numbers(a), Self::Numbers(b)) => a == b,
            (Self::Names(a), Self::Names(b)) => a == b,
            _ => false,
        }
    }
}

/// One run of an algorithm.
struct Done {
    algorithm: &'static str,
    answer: Answer,
    time: Duration,
    read: u64,
    copied: u64,
    device_peak: u64,
}

fn main() -> Result<(), Failure> {
    let path = std::env::args().nth(1).map(PathBuf::from).ok_or("usage: beyond STORE --device-memory SIZE ...")?;
    let size = |name| -> Result<u64, Failure> {
        let text = measure::option(name).ok_or_else(|| format!("{name} is missing"))?;
        Ok(text.parse::<ByteSize>()?.as_u64())
    };
    let (device, host) = (size("--device-memory")?, size("--host-memory")?);
    let graph = Graph::open_with(&path, &OpenOptions { host_memory: Some(host), ..OpenOptions::default() })?;
    println!(
        "{} edges, {} of out-edges' pages, budgets: device {}, host {}",
        graph.num_edges(),
        ByteSize(graph.out_topology().bytes()),
        ByteSize(device),
        ByteSize(host)
    );
    let plain = disk::plain_read(&path, graph.out_topology().bytes())?;
    let source = graphs::hub(&graph);
    let within = all(&graph, source, Some(device))?;
    let peak = measure::peak_memory().unwrap_or(0);
    drop(graph);

    let graph = Graph::open(&path)?;
    let mut wrong = false;
    for (budgeted, resident) in within.iter().zip(&all(&graph, source, None)?) {
        let same = budgeted.answer.agrees(&resident.answer);
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
    println!("host peak {}", ByteSize(peak));
    if wrong { Err("answers differ".into()) } else { Ok(()) }
}

/// Every algorithm that the graph allows, on one GPU.
fn all(graph: &Graph, source: Vertex, memory: Option<u64>) -> Result<Vec<Done>, Failure> {
    let only = measure::option("--only");
    let wanted = |name: &str| only.as_deref().is_none_or(|only| only == name);
    let mut done = Vec::new();
    if wanted("pagerank") {
        let options = pagerank::Options { damping: 0.85, iterations: ITERATIONS, tolerance: None };
        done.push(one("pagerank", memory, |engine| {
            Ok(Answer::Ranks(pagerank::pagerank_f32(&mut engine.start(graph)?, &options)?.ranks))
        })?);
    }
    if wanted("bfs") {
        done.push(one("bfs", memory, |engine| Ok(Answer::Numbers(bfs::bfs(&mut engine.start(graph)?, source)?)))?);
    }
    if wanted("sssp") && graph.properties().value_type == Some(ScalarType::U32) {
        done.push(one("sssp", memory, |engine| {
            Ok(Answer::Numbers(sssp::sssp_u32(&mut engine.start(graph)?, source)?))
        })?);
    }
    if wanted("wcc") && graph.topology(Side::In).is_some() {
        done.push(one("wcc", memory, |engine| Ok(Answer::Names(wcc::wcc(&mut engine.start(graph)?)?)))?);
    }
    Ok(done)
}

/// One algorithm on an engine of its own.
fn one(
    algorithm: &'static str,
    memory: Option<u64>,
    run: impl FnOnce(&Engine) -> Result<Answer, Failure>,
) -> Result<Done, Failure> {
    let mut builder = Engine::builder().device(DeviceChoice::Cuda(0));
    if let Some(bytes) = memory {
        builder = builder.device_memory(bytes);
    }
    let engine = builder.build()?;
    let answer = run(&engine)?;
    let report = engine.take_report();
    let device_peak = engine.memory_taken().iter().map(|taken| taken.peak).max().unwrap_or(0);
    Ok(Done { algorithm, answer, time: report.time(), read: report.read(), copied: report.copied(), device_peak })
}
