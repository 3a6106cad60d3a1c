//! `gts import`: imports a graph file into a store.

use crate::error::Failure;
use crate::load;
use crate::options::BuildArgs;
use crate::report::{Report, facts, path_json};
use crate::units;
use gts_graph::core::build::BuildSummary;
use gts_graph::core::read::GraphSource;
use gts_graph::core::store::SaveOptions;
use serde_json::json;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// What `gts import` takes.
#[derive(clap::Args, Debug)]
#[command(override_usage = "gts import [OPTIONS] <FILE>... <STORE>")]
pub(crate) struct Arguments {
    /// The files to read as one graph; then the store to make
    ///
    /// A file may be an edge list, CSV, JSON Lines, adjacency lists, Matrix Market, DIMACS, METIS, Graphalytics, Graph500,
    /// GraphML or Pajek; plain, .gz or .zst. A folder of files, a pattern such as 'part-*' and a pipe may take its place; - is
    /// standard input.
    #[arg(value_name = "FILE", num_args = 1.., required = true)]
    files: Vec<OsString>,
    /// Replace what is there
    #[arg(long)]
    force: bool,
    /// Spread the pages over directories, best on several disks: once for each of them
    #[arg(long, value_name = "DIR")]
    stripe: Vec<PathBuf>,
    #[command(flatten)]
    build: BuildArgs,
}

pub(crate) fn execute(arguments: &Arguments) -> Result<Report, Failure> {
    let (files, store) = super::split_last(&arguments.files, "import")?;
    refuse_existing(store, arguments.force)?;
    let begun = Instant::now();
    let save = SaveOptions { replace: arguments.force, stripes: arguments.stripe.clone() };
    let source = match GraphSource::parse_all(files)? {
        source @ GraphSource::Files(_) => source,
        other => {
            return Err(Failure::usage(
                format!("`{other}` is no file to import"),
                "name a graph file; `gts generate` makes stores of generated graphs",
            ));
        }
    };
    let summary = load::build_store(source, &arguments.build, store, &save)?;
    Ok(report(&summary, store, begun))
}

/// Fails before the work if its result could not be stored.
pub(super) fn refuse_existing(store: &Path, force: bool) -> Result<(), Failure> {
    if store.exists() && !force { Err(Failure::Exists(store.to_owned())) } else { Ok(()) }
}

/// Reports the contents of a new store, the dropped edges, and the build.
pub(super) fn report(summary: &BuildSummary, store: &Path, begun: Instant) -> Report {
    let time = begun.elapsed();
    let rest = time.saturating_sub(summary.total_time());
    let phases: Vec<_> =
        summary.times.iter().map(|(phase, time)| format!("{} {}", phase.name(), units::time(*time))).collect();
    let mut lines = vec![
        ("store", store.display().to_string()),
        ("graph", summary.kept_and_dropped()),
        ("read", units::counted(summary.edges_read, "edge")),
        ("order", summary.order.to_string()),
        ("pages", format!("{}, {}", units::count(summary.pages), units::bytes(summary.bytes))),
        ("time", format!("{}: {}, save {}", units::time(time), phases.join(", "), units::time(rest))),
        ("speed", units::edges_per_second(summary.edges_read, time)),
    ];
    if summary.spilled > 0 {
        lines.push(("spilled", units::bytes(summary.spilled)));
    }
    lines.extend(summary.notes.iter().map(|note| ("note", note.clone())));
    let phases: serde_json::Map<_, _> =
        summary.times.iter().map(|(phase, time)| (phase.name().to_owned(), json!(time.as_secs_f64()))).collect();
    let json = json!({
        "store": path_json(store),
        "vertices": summary.vertices,
        "isolated": summary.isolated,
        "edges_read": summary.edges_read,
        "edges_stored": summary.edges_stored,
        "undirected_edges": summary.undirected_edges,
        "edges_reversed": summary.edges_reversed,
        "self_loops_dropped": summary.self_loops_dropped,
        "duplicates_dropped": summary.duplicates_dropped,
        "order": summary.order.to_string(),
        "pages": summary.pages,
        "bytes": summary.bytes,
        "spilled": summary.spilled,
        "notes": summary.notes,
        "seconds": time.as_secs_f64(),
        "phases": phases,
    });
    Report::new(facts(&lines), json)
}
