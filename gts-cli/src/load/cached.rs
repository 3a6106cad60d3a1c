//! Imports that are kept for later runs.

use super::{Opened, Opening, open};
use crate::interrupt::{self, Stoppable};
use crate::options::BuildArgs;
use crate::report::tell;
use crate::units;
use gts_runtime::algorithm::Needs;
use gts_runtime::core::advice::{Reader, explain_within};
use gts_runtime::core::build::BuildSummary;
use gts_runtime::core::import;
use gts_runtime::core::store::{self, SaveOptions, StoreError};
use gts_runtime::prelude::Graph;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use xxhash_rust::xxh3::xxh3_128;

/// Saves a store, which an interruption removes if it is not whole.
fn write(graph: &Graph, path: &Path) -> Result<(), StoreError> {
    interrupt::while_saving(|| store::save(&Stoppable, graph, path, &SaveOptions::default()))
}

/// The folder of kept imports.
pub(crate) fn cache_folder() -> Option<PathBuf> {
    Some(gts_runtime::cache_folder()?.join("graphs"))
}

/// Where the import of a file is kept: named by all that it depends on.
pub(super) fn cache_path(path: &Path, args: &BuildArgs, needs: &Needs) -> Option<PathBuf> {
    let folder = cache_folder()?;
    let files: Option<Vec<_>> = import::files_of(path, args.format).iter().map(|file| version(file)).collect();
    let key = format!("{:?} {args:?} {needs:?} {}", files?, env!("CARGO_PKG_VERSION"));
    let stem = path.file_name()?.to_string_lossy().into_owned();
    Some(folder.join(format!("{stem}-{:032x}.gts", xxh3_128(key.as_bytes()))))
}

/// What tells a version of a file from others, `Some(None)` where there is no file; `None` if that cannot be told.
fn version(path: &Path) -> Option<Option<(PathBuf, SystemTime, u64)>> {
    match path.metadata() {
        Ok(metadata) => Some(Some((path.canonicalize().ok()?, metadata.modified().ok()?, metadata.len()))),
        Err(error) if error.kind() == ErrorKind::NotFound => Some(None),
        Err(_) => None,
    }
}

/// The import of a file from an earlier run. One that does not open is removed, and made again.
pub(super) fn open_cached(store: &Path, opening: Opening) -> Result<Option<Opened>, StoreError> {
    if !store.is_dir() {
        return Ok(None);
    }
    // All of it is checked here: what is damaged is imported again.
    match open(store, Opening { on_demand: None, ..opening }) {
        Ok(opened) => {
            tell(format_args!("using the import in {}", store.display()));
            Ok(Some(opened))
        }
        // Nothing is wrong with the import.
        Err(error @ StoreError::HostMemory { .. }) => Err(error),
        Err(error) => {
            tell(format_args!("the import in {} is damaged and made again: {error}", store.display()));
            let _ = std::fs::remove_dir_all(store);
            Ok(None)
        }
    }
}

/// Keeps an import for later runs, if it can be kept, and says so in a line.
pub(super) fn keep(path: &Path, cache: Option<&Path>, graph: &Graph, summary: &BuildSummary, time: Duration) {
    let said = format!("imported {} in {}: {}", path.display(), units::time(time), summary.kept_and_dropped());
    let Some(store) = cache else { return tell(said) };
    let folder = store.parent().map_or(Ok(()), std::fs::create_dir_all);
    // A run that takes place at the same time may have kept the same import; either is as good.
    match folder
        .map_err(|error| error.to_string())
        .and_then(|()| write(graph, store).map_err(|error| explain_within(&error, Reader::CommandLine)))
    {
        Ok(()) => tell(format_args!("{said}; kept in {}", store.display())),
        Err(error) => tell(format_args!("{said}; not kept for the next run: {error}")),
    }
}
