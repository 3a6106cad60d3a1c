//! Opens a store, and tries again if another store is renamed to its path meanwhile.

use super::StoreError;
use super::directory::Directory;
use super::files::failed;
use super::io::Io;
use super::leftovers::{is_being_written, stepped_aside};
use super::manifest::{Manifest, read_manifest};
use super::paths::is_temporary;
use std::io::{self, ErrorKind};
use std::path::Path;

/// Maximum number of attempts to open a store that is replaced during each attempt.
const ATTEMPTS: u32 = 20;

/// Calls `action` with the directory and the manifest of the store at `path`. Retries if this fails and another store
/// has been renamed to the path meanwhile.
///
/// # Errors
///
/// Fails if there is no store, if the action failed on a store that is still at the path, or if the store was replaced
/// during every attempt.
pub(super) fn with_store<T>(
    io: &dyn Io,
    path: &Path,
    action: impl Fn(&Directory, &Manifest) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    if is_temporary(path) {
        return Err(StoreError::Unfinished { path: path.to_owned() });
    }
    for attempt in 1..=ATTEMPTS {
        let directory = match io.open_dir(path) {
            Ok(directory) => directory,
            Err(error) if is_absent_for_now(io, path, &error, attempt) => continue,
            Err(error) => return Err(absent(io, path, error)),
        };
        let (manifest, result) = match read_manifest(io, &directory) {
            Ok(manifest) => {
                let result = action(&directory, &manifest);
                (Some(manifest), result)
            }
            Err(error) => (None, Err(error)),
        };
        match result {
            Err(_) if is_replaced(io, &directory, manifest.as_ref()) => {}
            result => return result,
        }
    }
    Err(StoreError::BeingReplaced { path: path.to_owned(), times: ATTEMPTS })
}

/// Returns whether a store cannot be opened because a running build is replacing it. If the file system cannot exchange
/// names, the old store is renamed first, so the path is free for a moment.
fn is_absent_for_now(io: &dyn Io, path: &Path, error: &io::Error, attempt: u32) -> bool {
    // A dangling symbolic link also exists, so the number of attempts is limited.
    let is_back = || attempt < ATTEMPTS && io.exists(path).unwrap_or(false);
    let steps_aside = || stepped_aside(io, path).iter().any(|aside| is_being_written(io, aside));
    error.kind() == ErrorKind::NotFound && (steps_aside() || is_back())
}

/// Returns the error for a store whose directory cannot be opened.
fn absent(io: &dyn Io, path: &Path, error: io::Error) -> StoreError {
    let no_store = |reason| StoreError::NotAStore { path: path.to_owned(), reason };
    match error.kind() {
        ErrorKind::NotADirectory => no_store("it has no manifest"),
        ErrorKind::NotFound => match stepped_aside(io, path).pop() {
            Some(aside) => StoreError::SteppedAside { path: path.to_owned(), aside },
            None => no_store("there is nothing of that name"),
        },
        _ => failed("open", path)(error),
    }
}

/// Returns whether the path of the directory now leads to a different store.
fn is_replaced(io: &dyn Io, before: &Directory, manifest: Option<&Manifest>) -> bool {
    match io.open_dir(before.path()) {
        Ok(now) if now.is_same(before) => {
            manifest.is_some_and(|before| read_manifest(io, &now).is_ok_and(|now| now != *before))
        }
        Ok(_) => true,
        Err(error) => error.kind() == ErrorKind::NotFound,
    }
}
