//! Measures a GPU on graphs whose pages are streamed from host memory.
//!
//! ```text
//! streaming scan SCALE [ORDER ...] [--json]        PageRank, cache off, beside plain copies of the same bytes
//! streaming traverse SCALE [ORDER ...] [--json]    BFS and SSSP by each way of transfer, beside plain copies of
//!                                                  the same bytes and a hand-written zero-copy BFS; `bfs` or `sssp`
//!                                                  measures that algorithm only
//! streaming travel SCALE [ORDER ...] [--json]      PageRank with memory for WA and 1 GiB, less below scale 28,
//!                                                  beside plain copies of the same bytes: RA and degrees travel
//!                                                  with the pages
//! streaming cache SCALE [ORDER ...] [--json]       PageRank and BFS with caches of a quarter of the graph to all of it
//! ```
//!
//! Orders are original, random and degree. By default, scans are measured in all three orders, and everything else in
//! degree order.

use crate::csr::Csr;
use crate::measure::middle;
use crate::{graphs, measure, peer};
use gts_core::build::BuildOptions;
use gts_core::graph::{Graph, Vertex, VertexOrder};
use gts_graph::algorithms::{bfs, pagerank, sssp};
use gts_graph::device::cuda::CudaDevice;
use gts_graph::device::{CacheChoice, CudaOptions, TransferChoice};
use gts_graph::device::{Device, PageShare};
use gts_graph::{Engine, RunReport, tuning};
use serde_json::json;
use std::error::Error;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Iterations per PageRank run.
const ITERATIONS: u64 = 5;
/// CUDA source of the baseline for traversals.
const ZERO_COPY: &str = include_str!("../../cuda/bfs_zero_copy.cu");
/// Upper bound on the bytes per vertex for attributes, degrees and sets. In a small budget, the rest is for staging.
const A_VERTEX: u64 = 17;
/// Bytes of device memory for `travel` in addition to WA, on a graph of scale `WHOLE_SCALE`. The number is halved for
/// each step below that scale.
const BESIDE_WA: u64 = 1 << 30;
const WHOLE_SCALE: u32 = 28;
/// Bytes for staging and tables.
const STAGING: u64 = 96 << 20;

type Failure = Box<dyn Error>;

pub(super) fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = measure::arguments().collect();
    let scale = measure::numbers(&[24])[0];
    let given: Vec<VertexOrder> = arguments.iter().filter_map(|text| order(text)).collect();
    let or = |default: &[&str]| match given.as_slice() {
        [] => default.iter().filter_map(|text| order(text)).collect(),
        given => given.to_vec(),
    };
    match arguments.first().map(String::as_str) {
        Some("scan") => or(&["original", "random", "degree"]).into_iter().try_for_each(|order| scan(scale, order)),
        Some("traverse") => or(&["degree"]).into_iter().try_for_each(|order| traverse(scale, order)),
        Some("travel") => or(&["degree"]).into_iter().try_for_each(|order| travel(scale, order)),
        Some("cache") => or(&["degree"]).into_iter().try_for_each(|order| caches(scale, order)),
        _ => Err(measure::usage("streaming")),
    }
}

fn order(text: &str) -> Option<VertexOrder> {
    match text {
        "original" => Some(VertexOrder::Original),
        "random" => Some(VertexOrder::Random { seed: 1 }),
        "degree" => Some(VertexOrder::Degree),
        _ => None,
    }
}

fn graph(scale: u32, weights: &str, order: VertexOrder) -> Result<Graph, Failure> {
    let begun = Instant::now();
    let options = BuildOptions { order: order.into(), ..BuildOptions::default() };
    let graph = graphs::generated(&format!("rmat:{scale}{weights}"), &options)?;
    let bytes = graph.out_topology().bytes();
    println!(
        "rmat:{scale}{weights}, order {order}: {} vertices, {} edges, {:.2} GB of pages of {} KiB, {:.2} bytes an edge, made in \
         {:.1} s",
        graph.num_vertices(),
        graph.num_edges(),
        bytes as f64 / 1e9,
        graph.out_topology().format().page_size() >> 10,
        bytes as f64 / graph.num_edges() as f64,
        begun.elapsed().as_secs_f64()
    );
    Ok(graph)
}

/// Returns the size in bytes of the device memory for attributes and staging, without a cache.
fn least_memory(graph: &Graph) -> u64 {
    A_VERTEX * graph.num_vertices() + STAGING
}

/// An engine on the first GPU, and a record of completed passes.
struct Rig {
    device: Arc<CudaDevice>,
    engine: Engine,
    passes: Arc<Mutex<Vec<Pass>>>,
}

/// A completed pass.
#[derive(Clone, Copy)]
struct Pass {
    kernel: &'static str,
    time: Duration,
    /// Time of completion. `cpu` is this process's CPU time on completion.
    ended: Instant,
    cpu: Option<Duration>,
}

impl Rig {
    fn new(options: CudaOptions) -> Result<Self, Failure> {
        let device = Arc::new(CudaDevice::with_options(0, options)?);
        let passes: Arc<Mutex<Vec<Pass>>> = Arc::default();
        let seen = Arc::clone(&passes);
        let engine = Engine::builder()
            .custom_device(Arc::clone(&device) as Arc<dyn Device>)
            .progress(Arc::new(move |progress| {
                let (ended, cpu) = (Instant::now(), measure::cpu_time());
                let pass = Pass { kernel: progress.kernel, time: progress.time, ended, cpu };
                seen.lock().unwrap_or_else(PoisonError::into_inner).push(pass);
            }))
            .build()?;
        Ok(Self { device, engine, passes })
    }

    /// Returns the median time of a kernel's passes since the last call, and clears the record.
    fn median_pass(&self, kernel: &str) -> Duration {
        let passes = std::mem::take(&mut *self.passes.lock().unwrap_or_else(PoisonError::into_inner));
        middle(passes.into_iter().filter(|pass| pass.kernel == kernel).map(|pass| pass.time).collect())
    }

    /// Returns the median interval between the ends of a kernel's consecutive passes.
    fn iteration(&self, kernel: &str) -> Duration {
        let passes = self.passes.lock().unwrap_or_else(PoisonError::into_inner);
        let ends: Vec<Instant> = passes.iter().filter(|pass| pass.kernel == kernel).map(|pass| pass.ended).collect();
        middle(ends.windows(2).map(|pair| pair[1] - pair[0]).collect())
    }

    /// Returns the average number of busy cores between the ends of a kernel's first and last passes, or `None` if the
    /// system does not report CPU times.
    fn cores(&self, kernel: &str) -> Option<f64> {
        let passes = self.passes.lock().unwrap_or_else(PoisonError::into_inner);
        let mut ends = passes.iter().filter(|pass| pass.kernel == kernel);
        let first = ends.next()?;
        let last = ends.next_back()?;
        Some((last.cpu? - first.cpu?).as_secs_f64() / (last.ended - first.ended).as_secs_f64())
    }

    fn pagerank(&self, graph: &Graph) -> Result<Vec<f32>, Failure> {
        let options = pagerank::Options { damping: 0.85, iterations: ITERATIONS, tolerance: None };
        Ok(pagerank::pagerank_f32(&mut self.engine.start(graph)?, &options)?.ranks)
    }

    fn bfs(&self, graph: &Graph, root: Vertex) -> Result<Vec<u32>, Failure> {
        Ok(bfs::bfs(&mut self.engine.start(graph)?, root)?)
    }

    /// Returns the median total pass time of several runs, the report of the run with the median time, and the result
    /// of the last run.
    fn runs<T>(&self, mut run: impl FnMut() -> Result<T, Failure>) -> Result<(Duration, RunReport, T), Failure> {
        // A warm-up run pays the one-time costs: compiling, page-locking and filling the cache.
        run()?;
        self.engine.take_report();
        let mut reports = Vec::new();
        let mut answer = None;
        for _ in 0..measure::RUNS {
            answer = Some(run()?);
            reports.push(self.engine.take_report());
        }
        reports.sort_by_key(RunReport::time);
        let report = reports.swap_remove(measure::RUNS / 2);
        Ok((report.time(), report, answer.ok_or("no run was made")?))
    }
}

/// Returns the median time to copy all pages plainly, in groups of the same size as in runs.
fn plain_copies(graph: &Graph) -> Result<Duration, Failure> {
    let device = CudaDevice::new(0)?;
    let group = tuning::CUDA_GROUP_BYTES as usize;
    Ok(middle(peer::copies(&device, graph, &PageShare::WHOLE, group, measure::RUNS as u32 + 1)?.split_off(1)))
}

fn scan(scale: u32, order: VertexOrder) -> Result<(), Failure> {
    let graph = graph(scale, "", order)?;
    let bytes = graph.out_topology().bytes();
    for streams in [1, 2, 4] {
        let memory = least_memory(&graph) + u64::from(streams) * 2 * tuning::CUDA_GROUP_BYTES;
        let rig =
            Rig::new(CudaOptions { memory: Some(memory), streams, cache: CacheChoice::Off, ..CudaOptions::default() })?;
        let copy = plain_copies(&graph)?;
        rig.pagerank(&graph)?;
        rig.engine.take_report();
        rig.median_pass("push");
        rig.pagerank(&graph)?;
        let (cores, iteration) = (rig.cores("push"), rig.iteration("push"));
        let pass = rig.median_pass("push");
        let report = rig.engine.take_report();
        let Some(push) = report.kernels.iter().find(|kernel| kernel.kernel == "push") else {
            return Err("PageRank made no pass".into());
        };
        let busy = push.link_busy.unwrap_or_default().as_secs_f64() / push.time.as_secs_f64();
        // Scale by the copied fraction, because runs do not copy pages without edges.
        let copied = push.copied / push.passes;
        let copy = copy.mul_f64(copied as f64 / bytes as f64);
        let beside = |time: Duration| time.as_secs_f64() / copy.as_secs_f64();
        // An iteration includes the time between passes, in which prefetches continue.
        let (ratio, whole) = (beside(pass), beside(iteration));
        measure::print(
            &json!({
                "program": "streaming scan", "scale": scale, "order": order.to_string(), "streams": streams,
                "bytes": bytes, "edges": graph.num_edges(), "copied": copied,
                "copy_seconds": copy.as_secs_f64(), "pass_seconds": pass.as_secs_f64(), "ratio": ratio,
                "iteration_seconds": iteration.as_secs_f64(), "iteration_ratio": whole,
                "link_busy": busy, "cores": cores, "peak_bytes": rig.device.peak_memory(), "budget_bytes": memory,
            }),
            &format!(
                "  scan, {streams} streams: pass {:.2} ms, {:.2} bytes an edge, plain copies of them {:.2} ms \
                 ({:.1} GB/s), ratio {ratio:.3}, an iteration {:.2} ms, ratio {whole:.3}, \
                 {:.1} G edges/s, link busy {:.1} %, {:.2} cores, peak {} of {} MiB",
                pass.as_secs_f64() * 1e3,
                copied as f64 / graph.num_edges() as f64,
                copy.as_secs_f64() * 1e3,
                copied as f64 / copy.as_secs_f64() / 1e9,
                iteration.as_secs_f64() * 1e3,
                measure::rate(graph.num_edges(), pass) / 1e9,
                100.0 * busy,
                cores.unwrap_or(f64::NAN),
                rig.device.peak_memory() >> 20,
                memory >> 20,
            ),
        );
    }
    Ok(())
}

/// Measures PageRank without device memory for RA and degrees. Compares the time of a pass with plain copies of the
/// same number of bytes to the device. Compares the time of an iteration with these copies plus a copy of RA back to
/// the host.
fn travel(scale: u32, order: VertexOrder) -> Result<(), Failure> {
    let graph = graph(scale, "", order)?;
    // WA and RA have four bytes per vertex each.
    let column = 4 * graph.num_vertices();
    let memory = column + (BESIDE_WA >> WHOLE_SCALE.saturating_sub(scale));
    let rig = Rig::new(CudaOptions { memory: Some(memory), ..CudaOptions::default() })?;
    rig.pagerank(&graph)?;
    rig.engine.take_report();
    rig.median_pass("push");
    let ranks = rig.pagerank(&graph)?;
    let iteration = rig.iteration("push");
    let pass = rig.median_pass("push");
    let report = rig.engine.take_report();
    let Some(push) = report.kernels.iter().find(|kernel| kernel.kernel == "push") else {
        return Err("PageRank made no pass".into());
    };
    let copied = push.copied / push.passes;
    let bytes = graph.out_topology().bytes();
    let a_byte = plain_copies(&graph)?.as_secs_f64() / bytes as f64;
    // Each iteration copies RA back. The estimate assumes that the copy back has the same rate as copies of pages.
    let (there, back) = (copied as f64 * a_byte, column as f64 * a_byte);
    let (ratio, whole) = (pass.as_secs_f64() / there, iteration.as_secs_f64() / (there + back));
    let expected = Rig::new(CudaOptions::default())?.pagerank(&graph)?;
    let differs =
        |(found, expected): (&f32, &f32)| f64::from((found - expected).abs() / expected.max(f32::MIN_POSITIVE));
    let differs = ranks.iter().zip(&expected).map(differs).fold(0.0, f64::max);
    measure::print(
        &json!({
            "program": "streaming travel", "scale": scale, "order": order.to_string(), "bytes": bytes,
            "edges": graph.num_edges(), "copied": copied, "column_bytes": column, "copy_seconds": there,
            "back_seconds": back, "pass_seconds": pass.as_secs_f64(), "ratio": ratio,
            "iteration_seconds": iteration.as_secs_f64(), "iteration_ratio": whole, "parts": push.parts,
            "peak_bytes": rig.device.peak_memory(), "budget_bytes": memory, "differs": differs,
        }),
        &format!(
            "  travel: pass {:.2} ms, {:.3} GB copied ({:.3} GB of pages), plain copies of them {:.2} ms, ratio {ratio:.3}; \
             an iteration {:.2} ms, beside copies there and back {whole:.3}; peak {} of {} MiB; ranks differ by {differs:.1e} \
             of those with all memory",
            pass.as_secs_f64() * 1e3,
            copied as f64 / 1e9,
            bytes as f64 / 1e9,
            there * 1e3,
            iteration.as_secs_f64() * 1e3,
            rig.device.peak_memory() >> 20,
            memory >> 20,
        ),
    );
    Ok(())
}

fn traverse(scale: u32, order: VertexOrder) -> Result<(), Failure> {
    let all = !measure::flag("bfs") && !measure::flag("sssp");
    for (name, weights) in [("bfs", ""), ("sssp", ",weights=f32")] {
        if !all && !measure::flag(name) {
            continue;
        }
        let graph = graph(scale, weights, order)?;
        let root = graphs::hub(&graph);
        let copy = plain_copies(&graph)?;
        let mut levels = None;
        for transfer in [TransferChoice::Auto, TransferChoice::Copy, TransferChoice::InPlace] {
            let memory = Some(least_memory(&graph));
            let options = CudaOptions { memory, transfer, cache: CacheChoice::Off, ..CudaOptions::default() };
            let rig = Rig::new(options)?;
            let (time, report) = if name == "bfs" {
                let (time, report, found) = rig.runs(|| rig.bfs(&graph, root))?;
                if levels.get_or_insert_with(|| found.clone()) != &found {
                    return Err(format!("{transfer}: other levels").into());
                }
                (time, report)
            } else {
                let run = || Ok(sssp::sssp_f32(&mut rig.engine.start(&graph)?, root)?);
                let (time, report, _) = rig.runs(run)?;
                (time, report)
            };
            traversal_line(name, &graph, &transfer.to_string(), time, copy, &report);
        }
        if let Some(levels) = levels {
            zero_copy(&graph, root, &levels)?;
        }
    }
    Ok(())
}

fn traversal_line(name: &str, graph: &Graph, transfer: &str, time: Duration, copy: Duration, report: &RunReport) {
    let bytes = graph.out_topology().bytes();
    let moved = report.copied() + report.in_place();
    let copy = copy.mul_f64(moved as f64 / bytes as f64);
    let ratio = time.as_secs_f64() / copy.as_secs_f64();
    let passes: u64 = report.kernels.iter().map(|kernel| kernel.passes).sum();
    let busy = report.link_busy().unwrap_or_default().as_secs_f64() / time.as_secs_f64();
    measure::print(
        &json!({
            "program": "streaming traverse", "algorithm": name, "transfer": transfer, "bytes": bytes,
            "copied": report.copied(), "in_place": report.in_place(), "seconds": time.as_secs_f64(),
            "copy_seconds": copy.as_secs_f64(), "ratio": ratio, "edges": report.edges(), "passes": passes,
            "link_busy": busy,
        }),
        &format!(
            "  {name}, {transfer}: {:.2} ms in {passes} passes, {:.3} GB copied, {:.3} GB in place: {:.2} x the graph, \
             plain copies of as much {:.2} ms ({:.1} GB/s), ratio {ratio:.3}, link busy {:.1} %",
            time.as_secs_f64() * 1e3,
            report.copied() as f64 / 1e9,
            report.in_place() as f64 / 1e9,
            moved as f64 / bytes as f64,
            copy.as_secs_f64() * 1e3,
            moved as f64 / copy.as_secs_f64() / 1e9,
            100.0 * busy
        ),
    );
}

fn zero_copy(graph: &Graph, root: Vertex, expected: &[u32]) -> Result<(), Failure> {
    let rows = Csr::out(graph);
    let offsets: Vec<u64> = rows.offsets.iter().map(|&offset| offset as u64).collect();
    let device = CudaDevice::new(0)?;
    let root = root.dense() as u32;
    let mut peer = peer::zero_copy_bfs(&device, ZERO_COPY, &offsets, &rows.targets, root, measure::RUNS as u32 + 1)?;
    let original: Vec<u32> = graph.ids().in_original_order().map(|vertex| peer.levels[vertex.index()]).collect();
    if original != expected {
        return Err("the hand-written BFS finds other levels".into());
    }
    let time = middle(peer.times.split_off(1));
    measure::print(
        &json!({ "program": "streaming traverse", "algorithm": "bfs", "transfer": "zero-copy by hand",
            "bytes": 4 * rows.targets.len(), "seconds": time.as_secs_f64() }),
        &format!("  bfs, zero-copy by hand over compressed rows: {:.2} ms", time.as_secs_f64() * 1e3),
    );
    Ok(())
}

fn caches(scale: u32, order: VertexOrder) -> Result<(), Failure> {
    let graph = graph(scale, "", order)?;
    let root = graphs::hub(&graph);
    for share in [0, 25, 50, 75, 100] {
        for cache in [CacheChoice::Lru, CacheChoice::Scan] {
            // At 100 %, every page has a frame in the cache but is still requested in every pass.
            let pages = graph.out_topology().bytes() * share / 100;
            let memory = Some(least_memory(&graph) + pages);
            let choice = if share == 0 { CacheChoice::Off } else { cache };
            let rig = Rig::new(CudaOptions { memory, cache: choice, ..CudaOptions::default() })?;
            let (_, report, _) = rig.runs(|| rig.pagerank(&graph))?;
            cache_line("pagerank", share, &choice.to_string(), rig.median_pass("push"), &report);
            let (time, report, _) = rig.runs(|| rig.bfs(&graph, root))?;
            cache_line("bfs", share, &choice.to_string(), time, &report);
            if share == 0 {
                break;
            }
        }
    }
    let rig = Rig::new(CudaOptions::default())?;
    let (_, report, _) = rig.runs(|| rig.pagerank(&graph))?;
    cache_line("pagerank", 100, "resident", rig.median_pass("push"), &report);
    let (time, report, _) = rig.runs(|| rig.bfs(&graph, root))?;
    cache_line("bfs", 100, "resident", time, &report);
    Ok(())
}

fn cache_line(name: &str, share: u64, cache: &str, time: Duration, report: &RunReport) {
    let hits = report.cached_pages() as f64 / report.pages().max(1) as f64;
    measure::print(
        &json!({
            "program": "streaming cache", "algorithm": name, "cache_percent": share, "policy": cache,
            "hit_rate": hits, "seconds": time.as_secs_f64(),
        }),
        &format!(
            "  {name}, room for {share} % of the pages, {cache}: {:.2} ms, hits {:.1} %",
            time.as_secs_f64() * 1e3,
            100.0 * hits
        ),
    );
}
