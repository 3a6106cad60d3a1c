//! The paths of stores that are being written or replaced: marked names beside the final path.

use super::StoreError;
use super::files::failed;
use super::io::{DirectoryLock, Io};
use std::ffi::{OsStr, OsString};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// The mark in the name of a store that is being written.
pub(super) const TEMPORARY: &str = ".gts-tmp-";
/// The mark in the name of a store that is being replaced.
pub(super) const REPLACED: &str = ".gts-old-";

/// Returns whether a path has the name of an unfinished store.
pub(super) fn is_temporary(path: &Path) -> bool {
    target_of(path.file_name().unwrap_or_default(), TEMPORARY).is_some()
}

/// Returns the name of the store to which a directory with a marked name belongs; `None` if the name is not marked.
pub(super) fn target_of(name: &OsStr, mark: &str) -> Option<OsString> {
    let name = name.to_string_lossy();
    let (target, number) = name.strip_prefix('.')?.rsplit_once(mark)?;
    let numbered = number.split_once('-').is_some_and(|(process, running)| {
        [process, running].iter().all(|text| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()))
    });
    numbered.then(|| target.into())
}

/// Creates a temporary directory and locks it.
pub(super) fn claim(io: &dyn Io, path: &Path) -> Result<(PathBuf, DirectoryLock), StoreError> {
    loop {
        let temporary = sibling(path, TEMPORARY)?;
        match io.create_dir(&temporary) {
            // The directory was left by a process with the same ID, and must not be removed.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => continue,
            created => created.map_err(failed("create", &temporary))?,
        }
        match lock_new(io, &temporary) {
            Ok(Some(lock)) => return Ok((temporary, lock)),
            Ok(None) => {}
            Err(error) => {
                let _ = io.remove_dir_all(&temporary);
                return Err(failed("lock", &temporary)(error));
            }
        }
    }
}

/// Locks a directory that was just created. Returns `None` if a concurrent sweep has removed the directory as a
/// leftover.
fn lock_new(io: &dyn Io, path: &Path) -> std::io::Result<Option<DirectoryLock>> {
    match io.lock_dir(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Ok(Some(lock)) => Ok(io.exists(path)?.then_some(lock)),
        other => other,
    }
}

/// Returns an unused name beside `path`: hidden and marked, with the process ID and a sequence number.
pub(super) fn sibling(path: &Path, mark: &str) -> Result<PathBuf, StoreError> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let name = path.file_name().ok_or_else(|| StoreError::NoName { path: path.to_owned() })?;
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let mut sibling = OsString::from(".");
    sibling.push(name);
    sibling.push(format!("{mark}{}-{number}", std::process::id()));
    Ok(path.with_file_name(sibling))
}

/// Returns the directory that contains a path.
pub(super) fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    }
}

/// Returns the canonical path (absolute and without symbolic links) of a path that may not exist.
pub(super) fn canonical(io: &dyn Io, path: &Path) -> std::io::Result<PathBuf> {
    match (io.canonicalize(path), path.file_name()) {
        (Err(error), Some(name)) if error.kind() == ErrorKind::NotFound => {
            Ok(io.canonicalize(parent(path))?.join(name))
        }
        (found, _) => found,
    }
}
