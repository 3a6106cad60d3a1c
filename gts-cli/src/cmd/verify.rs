//! `gts verify`: checks that a store is undamaged and consistent.

use crate::error::Failure;
use crate::progress::Meter;
use crate::report::{Report, facts, path_json};
use crate::units;
use gts_graph::core::store::{self, OpenOptions};
use serde_json::json;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// What `gts verify` takes.
#[derive(clap::Args, Debug)]
pub(crate) struct Arguments {
    /// The store
    #[arg(value_name = "STORE")]
    store: PathBuf,
    /// The longest time in which no read of pages ends before that is an error, such as 5min; 60s if not given
    #[arg(long, value_name = "TIME", value_parser = units::parse_time)]
    stall_limit: Option<Duration>,
}

pub(crate) fn execute(arguments: &Arguments) -> Result<Report, Failure> {
    let begun = Instant::now();
    let options = OpenOptions { stall_limit: arguments.stall_limit, ..OpenOptions::default() };
    let found = store::verify_with(&arguments.store, &options, &Meter::new().of_store("checking"))?;
    let time = begun.elapsed();
    let (files, pages) = (units::counted(found.files, "file"), units::counted(found.pages, "page"));
    let text = facts(&[
        ("store", format!("{} is sound", arguments.store.display())),
        ("graph", units::graph_size(found.vertices, found.edges, found.undirected_edges)),
        ("checked", format!("{files}, {pages}, {}", units::bytes(found.bytes))),
        ("time", units::time(time)),
    ]);
    let json = json!({
        "store": path_json(&arguments.store),
        "sound": true,
        "vertices": found.vertices,
        "edges": found.edges,
        "undirected_edges": found.undirected_edges,
        "files": found.files,
        "pages": found.pages,
        "bytes": found.bytes,
        "seconds": time.as_secs_f64(),
    });
    Ok(Report::new(text, json))
}
