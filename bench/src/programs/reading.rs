//! Measures reads of pages from disk. A feed is compared with a plain direct read of the same file. PageRank with host
//! memory for a quarter of the graph is compared with the larger of two lower bounds: the time to read the pages, and
//! the time to compute in memory.
//!
//! `gts-bench reading 24 [--in DIRECTORY] [--json]`

use crate::{disk, graphs, measure};
use gts_core::build::BuildOptions;
use gts_core::graph::Graph;
use gts_core::page::PageRun;
use gts_graph::algorithms::pagerank;
use gts_graph::prelude::Engine;
use serde_json::json;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Bytes per group.
const GROUP: usize = 16 << 20;
/// Bytes of host memory for pages while a feed is measured, sufficient for the feed's depth.
const BUFFER: u64 = 256 << 20;
/// Iterations per PageRank run.
const ITERATIONS: u32 = 5;

pub(super) fn main() -> Result<(), Box<dyn Error>> {
    for scale in measure::numbers(&[24]) {
        let path = directory().join(format!("gts-reading-{}-{scale}.gts", std::process::id()));
        let done = measure_store(scale, &path);
        // Ignore a failed removal: the measurements are valid, and the files stay visible in the user's directory.
        let _ = std::fs::remove_dir_all(&path);
        done?;
    }
    Ok(())
}

/// Returns the directory in which the store is created.
fn directory() -> PathBuf {
    let arguments: Vec<_> = std::env::args_os().collect();
    let place = arguments.iter().position(|argument| argument == "--in");
    place.and_then(|place| arguments.get(place + 1)).map_or_else(std::env::temp_dir, PathBuf::from)
}

fn measure_store(scale: u32, path: &Path) -> Result<(), Box<dyn Error>> {
    let graph = graphs::generated(&format!("rmat:{scale}"), &BuildOptions::default())?;
    graph.save(path)?;
    let pages = graph.out_topology().bytes();
    let tables = graph.bytes() - pages;
    let open = |budget: u64| Graph::reader(path).host_memory(tables + budget).read();
    let engine = Engine::cpu()?;
    let options = pagerank::Options { damping: 0.85, iterations: u64::from(ITERATIONS), tolerance: None };
    let iteration = |graph: &Graph| -> Result<Duration, Box<dyn Error>> {
        let mut run = engine.start(graph)?;
        let begun = Instant::now();
        pagerank::pagerank_f32(&mut run, &options)?;
        Ok(begun.elapsed() / ITERATIONS)
    };
    let (streamed, quarter) = (open(BUFFER.min(pages / 4))?, open(graph.bytes() / 4 - tables.min(graph.bytes() / 4))?);
    // Warm up: the first read of a page includes its full check, and real graphs are read more than once.
    feed(&streamed)?;
    iteration(&quarter)?;

    let mut rounds = Vec::new();
    for _ in 0..measure::RUNS {
        let plain = disk::plain_read(path, pages)?;
        let feed = feed(&streamed)?;
        let memory = iteration(&graph)?;
        let disk = iteration(&quarter)?;
        let reading = Duration::from_secs_f64(pages as f64 / plain);
        rounds.push([
            feed / plain,
            disk.as_secs_f64() / reading.max(memory).as_secs_f64(),
            plain,
            memory.as_secs_f64(),
            disk.as_secs_f64(),
        ]);
    }
    let median = |column: usize| measure::middle(rounds.iter().map(|round| round[column]).collect());
    let [feed, run, plain, memory, disk] = [0, 1, 2, 3, 4].map(median);
    measure::print(
        &json!({
            "program": "reading", "scale": scale, "edges": graph.num_edges(), "page_bytes": pages,
            "feed_over_plain_read": feed, "pagerank_over_bound": run, "plain_bytes_per_second": plain,
            "iteration_in_memory_seconds": memory, "iteration_from_disk_seconds": disk,
        }),
        &format!(
            "rmat:{scale}, {:.2} GiB of pages: a feed reads at {feed:.2} of a plain direct read; PageRank with a quarter of \
             the graph in memory takes {run:.2} of the longer of reading ({:.2} s) and computing ({memory:.2} s)",
            pages as f64 / (1u64 << 30) as f64,
            pages as f64 / plain,
        ),
    );
    Ok(())
}

/// Reads all pages through a feed, and returns the bytes per second that the feed reads from storage.
fn feed(graph: &Graph) -> Result<f64, Box<dyn Error>> {
    let topology = graph.out_topology();
    let begun = Instant::now();
    let mut feed = topology.source().feed(&[PageRun::of(0..topology.num_pages())], GROUP)?;
    let mut read = 0;
    while let Some(group) = feed.next()? {
        read += group.read().map_or(0, |_| group.bytes().len());
    }
    Ok(read as f64 / begun.elapsed().as_secs_f64())
}
