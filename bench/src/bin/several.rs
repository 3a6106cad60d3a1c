//! What several GPUs reach together.
//!
//! ```text
//! several SCALE DEVICES [--json]    PageRank on one GPU and on all, by both strategies, beside plain copies to all at once
//! ```

use gts_algorithms::pagerank;
use gts_bench::{graphs, measure};
use gts_core::build::BuildOptions;
use gts_core::cost::Strategy;
use gts_core::graph::{Graph, VertexOrder};
use gts_runtime::device::cuda::{CacheChoice, CudaDevice, measure_link, peer};
use gts_runtime::prelude::DeviceChoice;
use gts_runtime::trace::{self, Trace, TraceEvent, TraceKind};
use gts_runtime::{Engine, tuning};
use serde_json::json;
use std::error::Error;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Iterations of a PageRank run.
const ITERATIONS: u64 = 5;
/// Bytes a vertex of attributes, degrees and sets, at most; the rest of a small budget is staging.
const A_VERTEX: u64 = 17;
/// Bytes for staging and tables.
const STAGING: u64 = 160 << 20;

type Failure = Box<dyn Error>;

fn main() -> Result<(), Failure> {
    let [scale, devices] = measure::numbers(&[24, 2])[..] else {
        return Err("usage: several SCALE DEVICES [--json]".into());
    };
    let all = NonZeroUsize::new(devices as usize).ok_or("at least one device")?;
    let options = BuildOptions { order: VertexOrder::Random { seed: 1 }, ..BuildOptions::default() };
    let (graph, _) = graphs::generated(&format!("rmat:{scale}"), &options)?;

    let rate = copies_at_once(&graph, devices)?;
    println!("plain copies to {devices} GPUs at once: {:.1} GB/s in all", rate / 1e9);
    let one = pass(&graph, "one GPU, in its memory", NonZeroUsize::MIN, Strategy::Pages, None, None)?;
    let ideal = one.as_secs_f64() / f64::from(devices) + ring_merge(&graph, devices)?;
    let ideal = ("one GPU's part and a merge in a ring", Duration::from_secs_f64(ideal));
    pass(&graph, "all GPUs, in their memory, Strategy-P", all, Strategy::Pages, None, Some(ideal))?;
    pass(&graph, "all GPUs, in their memory, Strategy-S", all, Strategy::Split, None, Some(("one GPU's time", one)))?;

    let small = Some(A_VERTEX * graph.num_vertices() + STAGING);
    let bound = Duration::from_secs_f64(graph.out_topology().bytes() as f64 / rate);
    let bound = ("plain copies to all at once", bound);
    let streamed = pass(&graph, "all GPUs, streamed, Strategy-P", all, Strategy::Pages, small, Some(bound))?;
    let streamed = ("Strategy-P's time", streamed);
    pass(&graph, "all GPUs, streamed, Strategy-S", all, Strategy::Split, small, Some(streamed))?;
    let divided = Some(A_VERTEX * graph.num_vertices() / u64::from(devices) + STAGING);
    pass(&graph, "all GPUs, streamed, memory divided, Strategy-S", all, Strategy::Split, divided, Some(streamed))?;
    Ok(())
}

/// Bytes a second of plain copies of a graph's pages to each of so many GPUs, all at once, summed up.
fn copies_at_once(graph: &Graph, devices: u32) -> Result<f64, Failure> {
    let devices = (0..devices).map(CudaDevice::new).collect::<Result<Vec<_>, _>>()?;
    let group = tuning::CUDA_GROUP_BYTES as usize;
    // The pages are locked once, before the clock runs.
    peer::copies(&devices[0], graph, group, 1)?;
    let runs = measure::RUNS as u32;
    let medians = std::thread::scope(|scope| {
        let copy = |device| {
            let mut times = peer::copies(device, graph, group, runs)?;
            times.sort_unstable();
            Ok::<_, gts_runtime::Error>(times[times.len() / 2])
        };
        let threads: Vec<_> = devices.iter().map(|device| scope.spawn(move || copy(device))).collect();
        let join =
            |thread: std::thread::ScopedJoinHandle<'_, _>| thread.join().map_err(|_| "a copying thread panicked");
        threads.into_iter().map(join).collect::<Result<Vec<_>, _>>()
    })?;
    let medians = medians.into_iter().collect::<Result<Vec<_>, _>>()?;
    Ok(medians.iter().map(|time| graph.out_topology().bytes() as f64 / time.as_secs_f64()).sum())
}

/// Seconds of a merge of the ranks in a ring, at the rate at which every GPU copies from the next while all do.
fn ring_merge(graph: &Graph, devices: u32) -> Result<f64, Failure> {
    let others: Vec<u32> = (1..devices).collect();
    let Some(rate) = measure_link(0, &others)?.link.peer_rate else { return Ok(0.0) };
    let replica = graph.num_vertices() as f64 * size_of::<f32>() as f64;
    let seconds = 2.0 * f64::from(devices - 1) / f64::from(devices) * replica / rate;
    println!("every GPU from the next: {:.1} GB/s, a merge in a ring: {:.2} ms", rate / 1e9, seconds * 1e3);
    Ok(seconds)
}

/// What a GPU did in a part of the time: the share of the time, and bytes a second of that.
fn share_of(events: &[TraceEvent], of: impl Fn(&TraceEvent) -> bool, time: Duration) -> (f64, f64) {
    let events: Vec<&TraceEvent> = events.iter().filter(|event| of(event)).collect();
    let busy = trace::busy(events.iter().copied()).as_secs_f64();
    let bytes: u64 = events.iter().map(|event| event.bytes).sum();
    (busy / time.as_secs_f64(), if busy > 0.0 { bytes as f64 / busy } else { 0.0 })
}

/// Where the time of scans went on each GPU: copies from the host, copies of what other GPUs handed on, and kernels. What
/// is missing to 1 at the copies from the host was spent waiting for a slot, or for other GPUs at the end.
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

/// The median time of PageRank's scan, merging included, beside a bound. Where memory is bounded, each GPU's part, too.
fn pass(
    graph: &Graph,
    what: &str,
    devices: NonZeroUsize,
    strategy: Strategy,
    memory: Option<u64>,
    bound: Option<(&str, Duration)>,
) -> Result<Duration, Failure> {
    let times: Arc<Mutex<Vec<Duration>>> = Arc::default();
    let seen = Arc::clone(&times);
    let record = if memory.is_some() { Trace::on() } else { Trace::default() };
    let mut builder = Engine::builder()
        .trace(record.clone())
        .device(DeviceChoice::Cuda(0))
        .devices(devices)
        .strategy(Some(strategy))
        .cache(if memory.is_some() { CacheChoice::Off } else { CacheChoice::Auto })
        .progress(Arc::new(move |progress| {
            if progress.kernel == "push" {
                seen.lock().unwrap_or_else(PoisonError::into_inner).push(progress.time);
            }
        }));
    if let Some(bytes) = memory {
        builder = builder.device_memory(bytes);
    }
    let engine = builder.build()?;
    let options = pagerank::Options { damping: 0.85, iterations: ITERATIONS, tolerance: None };
    pagerank::pagerank_f32(&mut engine.start(graph)?, &options)?;
    engine.take_report();
    times.lock().unwrap_or_else(PoisonError::into_inner).clear();
    record.take();
    pagerank::pagerank_f32(&mut engine.start(graph)?, &options)?;
    let mut times = std::mem::take(&mut *times.lock().unwrap_or_else(PoisonError::into_inner));
    times.sort_unstable();
    let time = times.get(times.len() / 2).copied().ok_or("PageRank made no pass")?;
    let report = engine.take_report();
    let push = report.kernels.iter().find(|kernel| kernel.kernel == "push").ok_or("PageRank made no pass")?;
    let merging = push.merge_time.as_secs_f64() / push.passes as f64;
    let (name, ratio) = match bound {
        Some((name, bound)) => (name, Some(time.as_secs_f64() / bound.as_secs_f64())),
        None => ("", None),
    };
    measure::print(
        &json!({
            "program": "several", "what": what, "devices": devices.get(), "edges": graph.num_edges(),
            "seconds": time.as_secs_f64(), "merge_seconds": merging, "copied": push.copied / push.passes,
            "parts": push.parts, "bound": name, "ratio": ratio, "memory": memory,
        }),
        &format!(
            "{what}: {:.2} ms a scan, {:.1} G edges/s, merging {:.2} ms, {:.2} GB copied{}{}",
            time.as_secs_f64() * 1e3,
            measure::rate(graph.num_edges(), time) / 1e9,
            merging * 1e3,
            (push.copied / push.passes) as f64 / 1e9,
            memory.map_or_else(String::new, |bytes| format!(", within {} MiB a GPU", bytes >> 20)),
            ratio.map_or_else(String::new, |ratio| format!(", {ratio:.2} of {name}"))
        ),
    );
    if record.is_on() {
        print_parts(&record.take(), devices.get() as u32, push.time);
    }
    Ok(time)
}
