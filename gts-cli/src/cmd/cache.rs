//! `gts cache`: lists, removes and limits the imports that are kept for later runs.

use crate::error::Failure;
use crate::load::kept;
use crate::report::{Align, Report, path_json, table};
use crate::units;
use gts_graph::folder::CacheEntry;
use indicatif::HumanDuration;
use serde_json::{Value, json};
use std::io;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

/// Arguments of `gts cache`.
#[derive(clap::Args, Debug)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    what: CacheAction,
}

#[derive(clap::Subcommand, Debug)]
enum CacheAction {
    /// List the kept imports, the least recently used first
    List,
    /// Remove all kept imports, except those that a command uses
    Clear,
    /// Show the limit of all kept imports together, or set it for later commands
    Limit {
        /// The most bytes, such as 50GiB; the least recently used imports beyond them are removed
        #[arg(value_name = "BYTES", value_parser = units::parse_bytes)]
        bytes: Option<u64>,
    },
}

pub(crate) fn execute(arguments: &Arguments) -> Result<Report, Failure> {
    let Some(folder) = kept::cache_folder() else {
        return Err(Failure::other("no folder for kept imports is known", "set GTS_CACHE_DIR or HOME"));
    };
    let unread = |error| Failure::unread(&folder, error, "check who may read there");
    let entries = || kept::entries(&folder).map_err(unread);
    match arguments.what {
        CacheAction::List => Ok(list(folder.clone(), &entries()?)),
        CacheAction::Clear => {
            let (removed, left): (Vec<_>, Vec<_>) =
                entries()?.into_iter().partition(|entry| !kept::is_in_use(&entry.path) && kept::remove(&entry.path));
            let text = format!("removed {}, left {}\n", sum_text(&removed), sum_text(&left));
            Ok(Report::new(text, json!({ "removed": paths(&removed), "left": paths(&left) })))
        }
        CacheAction::Limit { bytes } => {
            if let Some(bytes) = bytes {
                let next = "check who may write there, or set GTS_CACHE_DIR to another folder";
                let write = |bytes| kept::set_limit(bytes).and_then(|()| kept::make_room(&folder, bytes));
                write(bytes).map_err(|error: io::Error| Failure::unwritten(&folder, error, next))?;
            }
            let limit = limit();
            Ok(Report::new(format!("{}\n", units::bytes(limit)), json!({ "bytes": limit })))
        }
    }
}

/// Returns the limit. Reports a malformed variable.
fn limit() -> u64 {
    let (limit, misread) = kept::limit();
    misread.iter().for_each(crate::report::tell);
    limit
}

fn list(folder: PathBuf, entries: &[CacheEntry]) -> Report {
    let age = |used: SystemTime| format!("{} ago", HumanDuration(used.elapsed().unwrap_or_default()));
    let name = |entry: &CacheEntry| entry.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let rows: Vec<_> =
        entries.iter().map(|entry| vec![units::bytes(entry.bytes), age(entry.used), name(entry)]).collect();
    let heads = [("size", Align::Right), ("used", Align::Left), ("import", Align::Left)];
    let limit = limit();
    let sums = format!("{} of at most {} in {}\n", sum_text(entries), units::bytes(limit), folder.display());
    let text = if rows.is_empty() { sums } else { format!("{}\n{sums}", table(&heads, &rows)) };
    let entry = |entry: &CacheEntry| {
        let used = entry.used.duration_since(UNIX_EPOCH).map_or(0, |used| used.as_secs());
        json!({ "path": path_json(&entry.path), "bytes": entry.bytes, "used_unix_seconds": used })
    };
    let entries: Vec<Value> = entries.iter().map(entry).collect();
    Report::new(text, json!({ "folder": path_json(folder), "limit": limit, "imports": entries }))
}

fn sum_text(entries: &[CacheEntry]) -> String {
    let bytes = entries.iter().map(|entry| entry.bytes).sum();
    format!("{}, {}", units::counted(entries.len() as u64, "import"), units::bytes(bytes))
}

fn paths(entries: &[CacheEntry]) -> Value {
    entries.iter().map(|entry| path_json(&entry.path)).collect()
}
