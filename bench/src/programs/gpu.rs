//! Measures a GPU on graphs whose pages are resident in device memory.
//!
//! ```text
//! gpu scan SCALE [--json]        PageRank's scan: each technique, order and page size, beside a hand-written push
//! gpu traverse SCALE [--json]    BFS and SSSP from the largest hub
//! gpu pull SCALE [--json]        PageRank's pass and BFS by push and by pull, each technique and order
//! gpu compile [--json]           time to compile each program, beside an empty one, and to load it from the cache
//! ```

use crate::{graphs, measure, peer};
use gts_contract::Technique;
use gts_core::build::BuildOptions;
use gts_core::graph::{Graph, VertexOrder};
use gts_core::page::{IdWidth, PageFormat};
use gts_graph::algorithms::{bfs, pagerank, sssp};
use gts_graph::device::cuda::{CubinCache, CudaDevice, Entry, Variant, compile, program_text};
use gts_graph::device::{Device, Propagation};
use gts_graph::{Engine, algorithm};
use serde_json::json;
use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

/// Page sizes in bytes.
const PAGE_SIZES: [u32; 2] = [64 << 10, 1 << 20];
/// Iterations of PageRank, and repetitions of its hand-written baseline.
const ITERATIONS: u64 = 10;
/// CUDA source of the baseline for scans.
const HAND_WRITTEN: &str = include_str!("../../cuda/push_handwritten.cu");
/// Target architecture for measurements of compilation times.
const ARCHITECTURE: u32 = 90;
/// An empty program, whose compilation time is the compiler's fixed cost.
const EMPTY: &str = "extern \"C\" __global__ void empty() {}\n";

pub(super) fn main() -> Result<(), Box<dyn Error>> {
    let scale = measure::numbers(&[24])[0];
    match measure::arguments().next().as_deref() {
        Some("scan") => scans(scale),
        Some("traverse") => traversals(scale),
        Some("pull") => pulls(scale),
        Some("compile") => compilations(),
        _ => Err(measure::usage("gpu")),
    }
}

fn engine(device: &Arc<CudaDevice>, technique: Option<Technique>) -> Result<Engine, gts_graph::Error> {
    Engine::builder().custom_device(Arc::clone(device) as Arc<dyn Device>).technique(technique).build()
}

fn scans(scale: u32) -> Result<(), Box<dyn Error>> {
    for order in [VertexOrder::Random { seed: 1 }, VertexOrder::Degree] {
        for page_size in PAGE_SIZES {
            let device = Arc::new(CudaDevice::new(0)?);
            let width = Some(IdWidth::new(2, 2)?);
            let options =
                BuildOptions { order: order.into(), page_size: Some(page_size), width, ..BuildOptions::default() };
            let graph = graphs::generated(&format!("rmat:{scale}"), &options)?;
            let peer = hand_written(&device, &graph)?;
            for technique in Technique::ALL {
                let rate = scan(&engine(&device, Some(technique))?, &graph)?;
                scan_line(&graph, technique.name(), rate, peer);
            }
        }
    }
    Ok(())
}

/// Returns the median rate of the hand-written push in edges per second, including its per-vertex kernel.
fn hand_written(device: &CudaDevice, graph: &Graph) -> Result<f64, Box<dyn Error>> {
    let times = peer::push(device, graph, HAND_WRITTEN, ITERATIONS as u32)?;
    let rate = measure::rate(graph.num_edges(), measure::middle(times));
    scan_line(graph, "hand-written", rate, rate);
    Ok(rate)
}

/// Returns the rate of PageRank's scans in edges per second of device time. A warm-up run pays the one-time costs:
/// copying pages, compiling the program, and building the list of pages.
fn scan(engine: &Engine, graph: &Graph) -> Result<f64, Box<dyn Error>> {
    let options = pagerank::Options { damping: 0.85, iterations: ITERATIONS, tolerance: None };
    pagerank::pagerank_f32(&mut engine.start(graph)?, &options)?;
    engine.take_report();
    pagerank::pagerank_f32(&mut engine.start(graph)?, &options)?;
    let report = engine.take_report();
    let push = report.kernels.iter().find(|kernel| kernel.edges > 0).ok_or("no scan was reported")?;
    let time = push.kernel_time.ok_or("the device reports no kernel time")?;
    Ok(measure::rate(push.edges, time))
}

fn scan_line(graph: &Graph, technique: &str, rate: f64, peer: f64) {
    let (order, page_size) = (graph.properties().order, graph.out_topology().format().page_size());
    measure::print(
        &json!({
            "program": "gpu scan", "edges": graph.num_edges(), "order": order.to_string(), "page_size": page_size,
            "technique": technique, "edges_per_second": rate, "ratio": rate / peer,
        }),
        &format!(
            "scan {order}, {} KiB, {technique}: {:.1} G edges/s, {:.2} of hand-written",
            page_size >> 10,
            rate / 1e9,
            rate / peer
        ),
    );
}

fn traversals(scale: u32) -> Result<(), Box<dyn Error>> {
    let options = BuildOptions { order: VertexOrder::Degree.into(), ..BuildOptions::default() };
    let engine = engine(&Arc::new(CudaDevice::new(0)?), None)?;
    let graph = graphs::generated(&format!("rmat:{scale},weights=f32"), &options)?;
    let source = graphs::hub(&graph);

    let mut run = engine.start(&graph)?;
    let levels = bfs::bfs(&mut run, source)?;
    let walked = by_original_order(&graph, |vertex| levels[vertex] != u32::MAX);
    traversal("bfs", &graph, walked, &engine, || bfs::bfs(&mut engine.start(&graph)?, source).map(|_| ()))?;
    traversal("sssp", &graph, walked, &engine, || sssp::sssp_f32(&mut engine.start(&graph)?, source).map(|_| ()))
}

/// Returns the total number of out-edges of reached vertices. `reached` receives indices in the order of original IDs.
fn by_original_order(graph: &Graph, reached: impl Fn(usize) -> bool) -> u64 {
    let vertices = graph.ids().in_original_order().enumerate();
    vertices.filter(|(place, _)| reached(*place)).map(|(_, vertex)| graph.out_degree(vertex)).sum()
}

fn traversal(
    name: &str,
    graph: &Graph,
    walked: u64,
    engine: &Engine,
    run: impl FnMut() -> Result<(), gts_graph::Error>,
) -> Result<(), Box<dyn Error>> {
    engine.take_report();
    measure::median(run)?;
    let report = engine.take_report();
    let passes: Duration = report.time() / measure::RUNS as u32;
    let rate = measure::rate(walked, passes) / 1e9;
    measure::print(
        &json!({
            "program": "gpu traverse", "algorithm": name, "edges": graph.num_edges(), "walked": walked,
            "seconds": passes.as_secs_f64(), "edges_per_second": rate * 1e9,
        }),
        &format!("{name}: {:.2} ms, {rate:.2} G edges/s of the {walked} reached", passes.as_secs_f64() * 1e3),
    );
    Ok(())
}

fn pulls(scale: u32) -> Result<(), Box<dyn Error>> {
    for order in [VertexOrder::Random { seed: 1 }, VertexOrder::Degree] {
        let width = Some(IdWidth::new(2, 2)?);
        let options = BuildOptions { order: order.into(), in_edges: true, width, ..BuildOptions::default() };
        let graph = graphs::generated(&format!("rmat:{scale}"), &options)?;
        let device = Arc::new(CudaDevice::new(0)?);
        let ways = std::iter::once((Propagation::Push, Technique::Balanced))
            .chain(Technique::of_pages().map(|technique| (Propagation::Pull, technique)))
            .chain(Technique::of_pages().map(|technique| (Propagation::PullAtEdge, technique)));
        let engines: Vec<(String, Engine)> = ways
            .map(|(propagation, technique)| {
                let builder = Engine::builder().custom_device(Arc::clone(&device) as Arc<dyn Device>);
                let engine = builder.technique(Some(technique)).propagation(propagation).build()?;
                Ok((format!("{} {}", propagation.name(), technique.name()), engine))
            })
            .collect::<Result<_, gts_graph::Error>>()?;
        pulled_ranks(&graph, &engines)?;
        pulled_levels(&graph, &engines)?;
    }
    Ok(())
}

/// Measures the device time of PageRank's edge passes.
fn pulled_ranks(graph: &Graph, engines: &[(String, Engine)]) -> Result<(), Box<dyn Error>> {
    let options = pagerank::Options { damping: 0.85, iterations: ITERATIONS, tolerance: None };
    let mut expected: Option<Vec<f32>> = None;
    for (name, engine) in engines {
        let ranks = pagerank::pagerank_f32(&mut engine.start(graph)?, &options)?.ranks;
        let expected = expected.get_or_insert_with(|| ranks.clone());
        if expected.iter().zip(&ranks).any(|(a, b)| (a - b).abs() > 1e-4 * a.abs()) {
            return Err(format!("{name}: other ranks than by the first way").into());
        }
        engine.take_report();
        pagerank::pagerank_f32(&mut engine.start(graph)?, &options)?;
        let report = engine.take_report();
        let pass = report.kernels.iter().find(|kernel| kernel.edges > 0).ok_or("no scan was reported")?;
        let time = pass.kernel_time.ok_or("the device reports no kernel time")? / pass.passes as u32;
        pull_line("pagerank's pass", name, graph, graph.num_edges(), time);
    }
    Ok(())
}

/// Measures the total pass time of a BFS from the largest hub, including host time.
fn pulled_levels(graph: &Graph, engines: &[(String, Engine)]) -> Result<(), Box<dyn Error>> {
    let source = graphs::hub(graph);
    let mut expected: Option<Vec<u32>> = None;
    for (name, engine) in engines {
        let levels = bfs::bfs(&mut engine.start(graph)?, source)?;
        if *expected.get_or_insert_with(|| levels.clone()) != levels {
            return Err(format!("{name}: other levels than by the first way").into());
        }
        engine.take_report();
        measure::median(|| bfs::bfs(&mut engine.start(graph)?, source).map(|_| ()))?;
        let walked = by_original_order(graph, |vertex| levels[vertex] != u32::MAX);
        pull_line("bfs", name, graph, walked, engine.take_report().time() / measure::RUNS as u32);
    }
    Ok(())
}

fn pull_line(what: &str, way: &str, graph: &Graph, edges: u64, time: Duration) {
    let (order, rate) = (graph.properties().order.to_string(), measure::rate(edges, time));
    measure::print(
        &json!({
            "program": "gpu pull", "what": what, "way": way, "order": order, "edges": graph.num_edges(),
            "counted": edges, "seconds": time.as_secs_f64(), "edges_per_second": rate,
        }),
        &format!("{what}, {order}, {way}: {:.3} ms, {:.1} G edges/s", time.as_secs_f64() * 1e3, rate / 1e9),
    );
}

fn compilations() -> Result<(), Box<dyn Error>> {
    gts_graph::algorithms::link();
    // The first compilation initialises the compiler's internal tables.
    compile("empty", EMPTY, ARCHITECTURE)?;
    let (empty, _) = measure::median(|| compile("empty", EMPTY, ARCHITECTURE))?;
    let folder = std::env::temp_dir().join(format!("gts-bench-{}", std::process::id()));
    let cache = CubinCache::at(&folder);
    for algorithm in algorithm::all() {
        for kernel in algorithm.kernels {
            let format = PageFormat::new(1 << 20, IdWidth::new(2, 2)?, kernel.edge_value())?;
            // Compile the entry points that a plan requests: those of one technique, and those for large pages.
            let all = Entry::of(kernel);
            let entries = match all.first() {
                Some(_) if all.contains(&Entry::LargePages) => {
                    vec![Entry::SmallPages(Technique::Balanced), Entry::LargePages]
                }
                Some(first) => vec![*first],
                None => continue,
            };
            let text = program_text(kernel, Some(&format), Variant::whole(4), &entries);
            let (cold, cubin) = measure::median(|| compile(kernel.name, &text, ARCHITECTURE))?;
            cache.cubin(kernel.name, &text, ARCHITECTURE)?;
            let (warm, found) = measure::median(|| cache.cubin(kernel.name, &text, ARCHITECTURE))?;
            if !found.cached {
                return Err(format!("{}: the cache does not keep the program", kernel.name).into());
            }
            measure::print(
                &json!({
                    "program": "gpu compile", "algorithm": algorithm.name, "kernel": kernel.name,
                    "seconds": cold.as_secs_f64(), "empty_seconds": empty.as_secs_f64(), "cached_seconds": warm.as_secs_f64(),
                    "cubin_bytes": cubin.len(),
                }),
                &format!(
                    "compile {} {}: {:.1} ms, {:.1} ms more than an empty kernel, {:.2} ms from the cache",
                    algorithm.name,
                    kernel.name,
                    cold.as_secs_f64() * 1e3,
                    (cold.as_secs_f64() - empty.as_secs_f64()) * 1e3,
                    warm.as_secs_f64() * 1e3
                ),
            );
        }
    }
    std::fs::remove_dir_all(folder)?;
    Ok(())
}
