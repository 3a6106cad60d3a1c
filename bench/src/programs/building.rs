//! Builds stores from generated edges or from text, in memory or within a memory budget.
//!
//! `gts-bench building [SCALE] [--memory SIZE] [--order ORDER] [--in-edges]`
//! `    [--weights TYPE] [--text SIZE] [--folder FOLDER] [--json]`
//!
//! With `--text`, the program writes an edge list of the given size. It then reads the file plainly, parses it and
//! imports it, all in the same run. Each process runs a single build, because peak memory is measured per process.

use crate::{graphs, measure, text};
use bytesize::ByteSize;
use gts_core::build::{BuildOptions, BuildSummary, EdgeBatch, OrderChoice};
use gts_core::graph::Graph;
use gts_core::read::GraphReader;
use gts_core::store::SaveOptions;
use gts_core::store::io::FileSystem;
use serde_json::{Value, json};
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

pub(super) fn main() -> Result<(), Box<dyn Error>> {
    let scale = measure::numbers(&[22])[0];
    let size = |name| measure::option(name).map(|text| text.parse::<ByteSize>()).transpose();
    let options = BuildOptions {
        memory: size("--memory")?.map(|size| size.as_u64()),
        order: measure::option("--order").map_or(Ok(OrderChoice::default()), |text| text.parse())?,
        in_edges: measure::flag("--in-edges"),
        ..BuildOptions::default()
    };
    let folder = measure::option("--folder").map_or_else(std::env::temp_dir, PathBuf::from);
    let folder = folder.join(format!("gts-building-{}", std::process::id()));
    fs::create_dir(&folder)?;
    let measured = match size("--text")? {
        Some(size) => from_text(scale, size.as_u64(), &options, &folder),
        None => generated(scale, &options, &folder),
    };
    fs::remove_dir_all(&folder)?;
    measured
}

/// Builds and saves a generated graph, and reports the time and memory.
fn generated(scale: u32, options: &BuildOptions, folder: &Path) -> Result<(), Box<dyn Error>> {
    let weights = measure::option("--weights").map_or_else(String::new, |ty| format!(",weights={ty}"));
    let spec = format!("rmat:{scale}{weights}");
    let (summary, time) = build(Graph::reader(&spec), options, folder)?;
    report(&spec, &summary, time, options, &mut json!({ "scale": scale }), "");
    Ok(())
}

/// Writes an edge list to a text file and imports the file. Compares the import with a plain read of the file and with
/// parsing alone.
fn from_text(scale: u32, size: u64, options: &BuildOptions, folder: &Path) -> Result<(), Box<dyn Error>> {
    let path = folder.join("edges.txt");
    let bytes = text::write_edges(&graphs::rmat(scale, size), &path, size)?;
    let rate = |time: Duration| bytes as f64 / time.as_secs_f64() / 1e6;
    let (read, _) = measure::median(|| text::read(&path))?;
    let (parse, edges) = measure::median(|| parse(&path))?;
    let (summary, time) = build(Graph::reader(&path), options, folder)?;
    let mut facts = json!({
        "bytes": bytes, "read_mb_per_second": rate(read), "parse_mb_per_second": rate(parse),
        "import_mb_per_second": rate(time),
    });
    let said = format!(
        "{}; plain read {:.0} MB/s, parsed {:.0} MB/s ({:.1} M edges/s), imported {:.0} MB/s; ",
        ByteSize(bytes),
        rate(read),
        rate(parse),
        measure::rate(edges, parse) / 1e6,
        rate(time),
    );
    report("text", &summary, time, options, &mut facts, &said);
    Ok(())
}

/// Parses a text file and returns the number of edges.
fn parse(path: &Path) -> Result<u64, Box<dyn Error>> {
    let mut stream = Graph::reader(path).stream()?;
    let (mut batch, mut edges) = (EdgeBatch::default(), 0);
    while stream.next(&mut batch)? {
        edges += batch.src.len() as u64;
    }
    Ok(edges)
}

fn build(
    reader: GraphReader,
    options: &BuildOptions,
    folder: &Path,
) -> Result<(BuildSummary, Duration), Box<dyn Error>> {
    let start = Instant::now();
    let store = folder.join("graph.gts");
    let summary = reader.options(options.clone()).save(&FileSystem, store, &SaveOptions::default())?;
    Ok((summary, start.elapsed()))
}

fn report(what: &str, summary: &BuildSummary, time: Duration, options: &BuildOptions, facts: &mut Value, said: &str) {
    let rate = measure::rate(summary.edges_read, time);
    let peak = measure::peak_memory().unwrap_or(0);
    let phases: serde_json::Map<_, _> =
        summary.times.iter().map(|(phase, time)| (phase.name().to_owned(), json!(time.as_secs_f64()))).collect();
    for (name, value) in [
        ("program", json!("building")),
        ("graph", json!(what)),
        ("order", json!(options.order.to_string())),
        ("edges", json!(summary.edges_stored)),
        ("seconds", json!(time.as_secs_f64())),
        ("phases", Value::Object(phases)),
        ("edges_per_second", json!(rate)),
        ("bytes", json!(summary.bytes)),
        ("spilled_bytes", json!(summary.spilled)),
        ("budget_bytes", json!(options.memory)),
        ("peak_bytes", json!(peak)),
    ] {
        facts[name] = value;
    }
    let budget = options.memory.map_or_else(
        || "no budget".to_owned(),
        |budget| format!("{:.1} % of the budget of {}", 100.0 * peak as f64 / budget as f64, ByteSize(budget)),
    );
    measure::print(
        facts,
        &format!(
            "build {what}: {said}{} edges in {time:.2?}, {:.1} M edges/s, {:.2} bytes an edge stored, {} spilled, peak \
             memory {}, {budget}",
            summary.edges_stored,
            rate / 1e6,
            summary.bytes as f64 / summary.edges_stored.max(1) as f64,
            ByteSize(summary.spilled),
            ByteSize(peak),
        ),
    );
}
