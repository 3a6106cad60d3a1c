//! `gts export`: writes the graph of a store as a file of edges.

use crate::edge_file::{self, EdgeFile, EdgeFileArgs};
use crate::error::Failure;
use crate::load::{self, Opening};
use crate::report::Report;
use crate::units;
use gts_graph::core::phase::{self, Phase};
use std::path::PathBuf;
use std::time::Instant;

/// What `gts export` takes.
#[derive(clap::Args, Debug)]
pub(crate) struct Arguments {
    /// The store
    #[arg(value_name = "STORE")]
    store: PathBuf,
    /// The file to write: .csv, .tsv, .jsonl, .el or .mtx, also with .gz or .zst; .parquet or .arrow; .e for Graphalytics, with a .v and a
    /// .properties file beside it; - for standard output
    ///
    /// A text file contains neither the type of the keys nor that of the weights. A typed table contains only that of the
    /// keys. Unless --keys and --weights are given, an import takes the type of the keys from the first edge, and the narrowest
    /// type that holds all weights.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    to: EdgeFileArgs,
    /// The most host memory for the store's tables and pages, such as 6GiB; three quarters of what is free if not given
    #[arg(long, value_name = "BYTES", value_parser = units::parse_bytes)]
    host_memory: Option<u64>,
}

pub(crate) fn execute(arguments: &Arguments) -> Result<Report, Failure> {
    let begun = Instant::now();
    let file = EdgeFile::new(&arguments.file, &arguments.to)?;
    let opening = Opening { host_memory: arguments.host_memory, ..Opening::default() };
    let graph = load::open_store(&arguments.store, opening)?;
    let rows = phase::during(Phase::Output, || {
        let once = file.has_undirected_rows();
        edge_file::of_graph(&graph, once, |contents, edges| file.write(contents, "the store", edges))
    })?;
    Ok(edge_file::report(&arguments.file, rows, begun.elapsed()))
}
