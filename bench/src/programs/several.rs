//! Measures runs on several GPUs together.
//!
//! ```text
//! several SCALE DEVICES [STAGING] [--json]    PageRank on one GPU and on all, by both strategies, beside plain copies
//! ```
//!
//! STAGING is the memory in MiB that each GPU has for staging streamed pages.
//!
//! The GPUs share host memory with other processes, so configurations to be compared are measured alternately. A round
//! runs each configuration once, and plain copies before and after the first configuration. Times and ratios are
//! medians over rounds.

use crate::measure::middle;
use crate::{graphs, measure, peer};
use gts_core::build::BuildOptions;
use gts_core::cost::Strategy;
use gts_core::graph::{Graph, VertexOrder};
use gts_core::threads;
use gts_graph::algorithms::pagerank;
use gts_graph::device::CacheChoice;
use gts_graph::device::cuda::CudaDevice;
use gts_graph::device::{PageShare, PageShares};
use gts_graph::measure::measure_link;
use gts_graph::prelude::DeviceChoice;
use gts_graph::trace::{self, Trace, TraceEvent, TraceKind};
use gts_graph::{Engine, tuning};
use serde_json::json;
use std::error::Error;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Number of rounds. Each round measures plain copies and every configuration that streams.
const ROUNDS: usize = 11;
/// Iterations per PageRank run.
const ITERATIONS: u64 = 5;
/// Upper bound on the bytes per vertex for attributes, degrees and sets. In a small budget, the rest is for staging.
const A_VERTEX: u64 = 17;
/// Bytes for staging and tables: sufficient for the groups of two streams and for pages forwarded by three other GPUs.
const STAGING: u64 = 256 << 20;

type Failure = Box<dyn Error>;

pub(super) fn main() -> Result<(), Failure> {
    let (scale, devices, staging) = match measure::numbers(&[24, 2])[..] {
        [scale, devices] => (scale, devices, STAGING),
        [scale, devices, mebibytes] => (scale, devices, u64::from(mebibytes) << 20),
        _ => return Err(measure::usage("several")),
    };
    let all = NonZeroUsize::new(devices as usize).ok_or("at least one device")?;
    let options = BuildOptions { order: VertexOrder::Random { seed: 1 }.into(), ..BuildOptions::default() };
    let graph = graphs::generated(&format!("rmat:{scale}"), &options)?;
    let merge = in_memory(&graph, all)?;
    streamed(&graph, all, staging, merge)
}

/// Compares one GPU with all GPUs, with the pages in GPU memory. Returns the predicted time of a ring merge.
fn in_memory(graph: &Graph, all: NonZeroUsize) -> Result<Duration, Failure> {
    let mut one = Way::new("one GPU, in its memory", NonZeroUsize::MIN, Strategy::Pages, None)?;
    one.round(graph)?;
    one.print(graph, &[]);
    let one = one.time();
    let merge = ring_merge(graph, all)?;
    let ideal = one.div_f64(all.get() as f64) + merge;
    let mut pages = Way::new("all GPUs, in their memory, Strategy-P", all, Strategy::Pages, None)?;
    pages.round(graph)?;
    pages.print(graph, &[("one GPU's part and a merge in a ring", vec![ideal])]);
    let mut split = Way::new("all GPUs, in their memory, Strategy-S", all, Strategy::Split, None)?;
    split.round(graph)?;
    split.print(graph, &[("one GPU's time", vec![one])]);
    Ok(merge)
}

/// Compares the two strategies while pages are streamed from host memory. Each GPU has `staging` bytes for staging and
/// tables. `merge` is the predicted time of a ring merge.
fn streamed(graph: &Graph, all: NonZeroUsize, staging: u64, merge: Duration) -> Result<(), Failure> {
    let attributes = A_VERTEX * graph.num_vertices();
    let (whole, divided) = (attributes + staging, attributes / all.get() as u64 + staging);
    let mut ways = [
        Way::new("all GPUs, streamed, Strategy-P", all, Strategy::Pages, Some(whole))?,
        Way::new("all GPUs, streamed, Strategy-S", all, Strategy::Split, Some(whole))?,
        Way::new("all GPUs, streamed, memory divided, Strategy-S", all, Strategy::Split, Some(divided))?,
    ];
    let plain = (0..all.get() as u32).map(CudaDevice::new).collect::<Result<Vec<_>, _>>()?;
    let [pages, split @ ..] = &mut ways;
    let (mut shares, mut wholes) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        // Plain copies run before and after the first configuration.
        let shared_out = copies_at_once(graph, &plain, true)?;
        let whole = copies_at_once(graph, &plain, false)?;
        pages.round(graph)?;
        wholes.push((whole + copies_at_once(graph, &plain, false)?) / 2);
        shares.push((shared_out + copies_at_once(graph, &plain, true)?) / 2);
        split.iter_mut().try_for_each(|way| way.round(graph))?;
    }
    let bytes = graph.out_topology().bytes() as f64;
    for (what, times) in [("a share of the pages to each", &shares), ("all pages to each", &wholes)] {
        let rate = bytes / middle(times.clone()).as_secs_f64();
        println!("plain copies to {all} GPUs at once, {what}: {:.1} GB/s in all", rate / 1e9);
    }
    let merged = shares.iter().map(|&time| time + merge).collect();
    pages.print(
        graph,
        &[
            ("plain copies of shares", shares),
            ("plain copies of all pages to each", wholes),
            ("plain copies of shares and a merge in a ring", merged),
        ],
    );
    let time: Vec<Duration> = pages.rounds.iter().map(|round| round.time).collect();
    for way in split {
        way.print(graph, &[("Strategy-P's time", time.clone())]);
    }
    Ok(())
}

/// Returns the time for all GPUs together to copy all pages once, with concurrent plain copies. If `shared_out` is set,
/// each GPU copies its share. Otherwise each GPU copies all pages, and the time is computed from the sum of their
/// rates.
fn copies_at_once(graph: &Graph, devices: &[CudaDevice], shared_out: bool) -> Result<Duration, Failure> {
    let group = tuning::CUDA_GROUP_BYTES as usize;
    let runs = measure::RUNS as u32;
    let shares: Vec<PageShare> = PageShares::even(graph, devices.len()).each().collect();
    let medians = threads::together(devices, |index, device| {
        let share = if shared_out { &shares[index] } else { &PageShare::WHOLE };
        peer::copies(device, graph, share, group, runs).map(middle)
    })?;
    let medians = medians.into_iter().collect::<Result<Vec<_>, _>>()?;
    if shared_out {
        return medians.into_iter().max().ok_or_else(|| "at least one device".into());
    }
    let rate: f64 = medians.iter().map(|time| 1.0 / time.as_secs_f64()).sum();
    Ok(Duration::from_secs_f64(1.0 / rate))
}

/// Predicts the time of a ring merge of the PageRank values. The prediction uses the measured rate at which all GPUs
/// concurrently copy from their neighbours. Returns zero if this rate was not measured.
fn ring_merge(graph: &Graph, devices: NonZeroUsize) -> Result<Duration, Failure> {
    let devices = devices.get() as u32;
    let others: Vec<u32> = (1..devices).collect();
    let Some(rate) = measure_link(0, &others)?.link.peer_rate else { return Ok(Duration::ZERO) };
    let replica = graph.num_vertices() as f64 * size_of::<f32>() as f64;
    let seconds = 2.0 * f64::from(devices - 1) / f64::from(devices) * replica / rate;
    println!("every GPU from the next: {:.1} GB/s, a merge in a ring: {:.2} ms", rate / 1e9, seconds * 1e3);
    Ok(Duration::from_secs_f64(seconds))
}

/// Returns the fraction of `time` during which any event selected by `of` was active, and the rate of these events in
/// bytes per second.
fn share_of(events: &[TraceEvent], of: impl Fn(&TraceEvent) -> bool, time: Duration) -> (f64, f64) {
    let events: Vec<&TraceEvent> = events.iter().filter(|event| of(event)).collect();
    let busy = trace::busy(events.iter().copied()).as_secs_f64();
    let bytes: u64 = events.iter().map(|event| event.bytes).sum();
    (busy / time.as_secs_f64(), if busy > 0.0 { bytes as f64 / busy } else { 0.0 })
}

/// Prints, for each GPU, the fractions of the scans' time during which it copies from the host, copies pages forwarded
/// by other GPUs, and runs kernels. While a GPU copies nothing from the host, it waits for a slot, or for the other
/// GPUs at the end of a scan.
fn print_parts(events: &[TraceEvent], devices: u32, time: Duration) {
    for device in 0..devices {
        let part = |kind, label: &str| {
            let of = |event: &TraceEvent| event.device == device && event.kind == kind && event.label == label;
            share_of(events, of, time)
        };
        let (copying, copied) = part(TraceKind::Copy, "topology");
        let (fetching, fetched) = part(TraceKind::Copy, "topology, handed on");
        let (computing, _) = part(TraceKind::Launch, "push");
        measure::print(
            &json!({
                "program": "several", "device": device, "link_busy": copying, "link_rate": copied,
                "peers_busy": fetching, "peers_rate": fetched, "kernels_busy": computing,
            }),
            &format!(
                "  GPU {device}: copying from the host {copying:.2} of the time at {:.1} GB/s, from other GPUs \
                 {fetching:.2} at {:.1} GB/s, kernels {computing:.2}",
                copied / 1e9,
                fetched / 1e9
            ),
        );
    }
}

/// Measurements of PageRank's scans in a run. `time` and `iteration` are medians over the scans; `merging` and `copied`
/// are means.
#[derive(Debug)]
struct Round {
    time: Duration,
    /// Time from the end of one scan to the end of the next.
    iteration: Duration,
    merging: Duration,
    copied: u64,
    /// Total time of all scans.
    scanning: Duration,
    events: Vec<TraceEvent>,
}

/// A configuration for PageRank, and the results of each round.
struct Way {
    what: &'static str,
    devices: NonZeroUsize,
    memory: Option<u64>,
    engine: Engine,
    trace: Trace,
    /// Duration and end of each scan of the current run.
    scans: Arc<Mutex<Vec<(Duration, Instant)>>>,
    rounds: Vec<Round>,
}

impl Way {
    /// Creates a configuration with `devices` GPUs and a strategy. If `memory` is set, pages are streamed and not
    /// cached.
    fn new(
        what: &'static str,
        devices: NonZeroUsize,
        strategy: Strategy,
        memory: Option<u64>,
    ) -> Result<Self, Failure> {
        let scans: Arc<Mutex<Vec<(Duration, Instant)>>> = Arc::default();
        let seen = Arc::clone(&scans);
        let trace = if memory.is_some() { Trace::on() } else { Trace::default() };
        let mut builder = Engine::builder()
            .trace(trace.clone())
            .device(DeviceChoice::Cuda(0))
            .devices(devices)
            .strategy(Some(strategy))
            .cache(if memory.is_some() { CacheChoice::Off } else { CacheChoice::Auto })
            .progress(Arc::new(move |progress| {
                if progress.kernel == "push" {
                    seen.lock().unwrap_or_else(PoisonError::into_inner).push((progress.time, Instant::now()));
                }
            }));
        if let Some(bytes) = memory {
            builder = builder.device_memory(bytes);
        }
        Ok(Self { what, devices, memory, engine: builder.build()?, trace, scans, rounds: Vec::new() })
    }

    fn run(&self, graph: &Graph) -> Result<(), Failure> {
        self.trace.take();
        self.scans.lock().unwrap_or_else(PoisonError::into_inner).clear();
        self.engine.take_report();
        let options = pagerank::Options { damping: 0.85, iterations: ITERATIONS, tolerance: None };
        pagerank::pagerank_f32(&mut self.engine.start(graph)?, &options)?;
        Ok(())
    }

    /// Runs PageRank and records a round. The first call begins with an uncounted run, which pays the one-time costs.
    fn round(&mut self, graph: &Graph) -> Result<(), Failure> {
        if self.rounds.is_empty() {
            self.run(graph)?;
        }
        self.run(graph)?;
        let scans = std::mem::take(&mut *self.scans.lock().unwrap_or_else(PoisonError::into_inner));
        let report = self.engine.take_report();
        let push = report.kernels.iter().find(|kernel| kernel.kernel == "push").ok_or("PageRank made no pass")?;
        self.rounds.push(Round {
            time: middle(scans.iter().map(|&(time, _)| time).collect()),
            iteration: middle(scans.windows(2).map(|pair| pair[1].1.duration_since(pair[0].1)).collect()),
            merging: push.merge_time.div_f64(push.passes as f64),
            copied: push.copied / push.passes,
            scanning: push.time,
            events: self.trace.take(),
        });
        Ok(())
    }

    /// Returns the median time per scan.
    fn time(&self) -> Duration {
        middle(self.rounds.iter().map(|round| round.time).collect())
    }

    /// Prints the time together with its lower bounds. A bound consists of one time per round, or of a single time for
    /// all rounds. If memory is limited, also prints each GPU's fractions of the time, as [`print_parts`] does.
    fn print(&self, graph: &Graph, bounds: &[(&str, Vec<Duration>)]) {
        let (time, edges) = (self.time(), graph.num_edges());
        let merging = middle(self.rounds.iter().map(|round| round.merging).collect());
        let copied = self.rounds.last().map_or(0, |round| round.copied);
        let iteration = middle(self.rounds.iter().map(|round| round.iteration).collect());
        let mut text = format!(
            "{}: {:.2} ms a scan, {:.2} ms an iteration, {:.1} G edges/s, merging {:.2} ms, {:.2} GB copied",
            self.what,
            time.as_secs_f64() * 1e3,
            iteration.as_secs_f64() * 1e3,
            measure::rate(edges, time) / 1e9,
            merging.as_secs_f64() * 1e3,
            copied as f64 / 1e9,
        );
        if let Some(bytes) = self.memory {
            text += &format!(", within {} MiB a GPU", bytes >> 20);
        }
        let mut ratios = serde_json::Map::new();
        for (name, bound) in bounds {
            let beside = |part: fn(&Round) -> Duration| {
                let each = self.rounds.iter().zip(bound.iter().cycle());
                let ratios: Vec<f64> =
                    each.map(|(round, bound)| part(round).as_secs_f64() / bound.as_secs_f64()).collect();
                let (least, most) = ratios.iter().fold((f64::MAX, 0f64), |(a, b), &r| (a.min(r), b.max(r)));
                (middle(ratios), least, most)
            };
            let (ratio, least, most) = beside(|round| round.time);
            text += &format!(", {ratio:.3} of {name}");
            if self.rounds.len() > 1 {
                text += &format!(" ({least:.3} to {most:.3})");
            }
            if !merging.is_zero() && self.memory.is_some() {
                let without = beside(|round| round.time.saturating_sub(round.merging)).0;
                let whole = beside(|round| round.iteration).0;
                text += &format!(", {without:.3} without merging, {whole:.3} an iteration");
            }
            ratios.insert((*name).to_owned(), json!(ratio));
        }
        measure::print(
            &json!({
                "program": "several", "what": self.what, "devices": self.devices.get(), "edges": edges,
                "seconds": time.as_secs_f64(), "iteration_seconds": iteration.as_secs_f64(),
                "merge_seconds": merging.as_secs_f64(), "copied": copied,
                "ratios": ratios, "memory": self.memory,
            }),
            &text,
        );
        if let (Some(_), Some(round)) = (self.memory, self.rounds.last()) {
            print_parts(&round.events, self.devices.get() as u32, round.scanning);
        }
    }
}
