//! The folder of kept imports: its contents, its limit, and the imports that are in use.

use crate::leftovers::is_at;
use gts_graph::core::store;
use gts_graph::core::store::io::FileSystem;
use gts_graph::folder::{self, CacheEntry};
use std::ffi::OsStr;
use std::fs::{self, File, FileTimes, TryLockError};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

/// Variable for the maximum bytes of all kept imports.
pub(crate) const LIMIT_VARIABLE: &str = "GTS_IMPORTS_LIMIT";
/// Maximum bytes of all kept imports if neither the variable nor `gts cache limit` sets another.
const LIMIT: u64 = 20 << 30;

/// Returns the folder of kept imports.
pub(crate) fn cache_folder() -> Option<PathBuf> {
    Some(folder::cache_folder()?.join("graphs"))
}

/// Returns the maximum bytes of all kept imports, and a message if the variable is malformed.
pub(crate) fn limit() -> (u64, Option<String>) {
    let set = limit_file().and_then(|file| fs::read_to_string(file).ok()?.trim().parse().ok());
    folder::limit(LIMIT_VARIABLE, set.unwrap_or(LIMIT), "kept imports")
}

/// Sets the maximum bytes of all kept imports, for later commands.
pub(crate) fn set_limit(bytes: u64) -> io::Result<()> {
    let file = limit_file().ok_or(ErrorKind::NotFound)?;
    folder::create_private(file.parent().unwrap_or(Path::new(".")))?;
    folder::write_whole(&file, |file| io::Write::write_all(file, bytes.to_string().as_bytes()))
}

fn limit_file() -> Option<PathBuf> {
    Some(folder::cache_folder()?.join("imports-limit"))
}

/// Returns the kept imports in a folder, the least recently used first. A missing folder contains none.
pub(crate) fn entries(folder: &Path) -> io::Result<Vec<CacheEntry>> {
    let mut entries = Vec::new();
    let listed = match fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(entries),
        listed => listed?,
    };
    for entry in listed {
        let entry = entry?;
        let is_kept = key(&entry.file_name()).is_some() && entry.file_type()?.is_dir();
        // Another process may have removed it.
        if let (true, Ok(used), Ok(bytes)) =
            (is_kept, entry.metadata().and_then(|found| found.modified()), bytes(&entry.path()))
        {
            entries.push(CacheEntry { path: entry.path(), bytes, used });
        }
    }
    entries.sort_by_key(|entry| entry.used);
    Ok(entries)
}

/// Removes the least recently used imports until the others take at most `limit` bytes, but none if those in use exceed
/// the limit. Returns the bytes of the remaining imports.
pub(crate) fn make_room(folder: &Path, limit: u64) -> io::Result<u64> {
    let entries = entries(folder)?;
    let in_use = entries.iter().filter(|entry| is_in_use(&entry.path)).map(|entry| entry.bytes).sum();
    if in_use > limit {
        return Ok(in_use);
    }
    folder::make_room(entries, limit, |path| Ok(remove(path)))
}

/// Removes a kept import. Returns whether it is gone: one that is in use, or that cannot be removed, stays.
pub(crate) fn remove(import: &Path) -> bool {
    store::remove(&FileSystem, import).unwrap_or(false)
}

/// Returns the key in the name of a kept import; `None` if the name has another form.
pub(super) fn key(name: &OsStr) -> Option<&str> {
    let stem = name.to_str()?.strip_suffix(".gts")?;
    let (_, key) = stem.rsplit_once('-')?;
    is_key(key).then_some(key)
}

/// Returns whether a text has the form of a key.
pub(super) fn is_key(text: &str) -> bool {
    text.len() == 32 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Marks a kept import as used, now and until this process ends, so that no other process removes it. Returns whether
/// the import exists.
pub(super) fn use_kept(store: &Path) -> bool {
    static IN_USE: Mutex<Vec<File>> = Mutex::new(Vec::new());
    let Ok(directory) = File::open(store) else { return false };
    // Another process that has locked the import is removing it. A file system without locks reports another error.
    let locked = !matches!(directory.try_lock_shared(), Err(TryLockError::WouldBlock));
    if !locked || !is_at(&directory, store).unwrap_or(false) {
        return false;
    }
    // If the time cannot be set, the import is removed earlier.
    let _ = directory.set_times(FileTimes::new().set_modified(SystemTime::now()));
    IN_USE.lock().unwrap_or_else(PoisonError::into_inner).push(directory);
    true
}

/// Returns whether a process has marked a kept import as used.
pub(crate) fn is_in_use(store: &Path) -> bool {
    File::open(store).is_ok_and(|directory| matches!(directory.try_lock(), Err(TryLockError::WouldBlock)))
}

/// Returns the bytes of the files in a folder.
fn bytes(folder: &Path) -> io::Result<u64> {
    fs::read_dir(folder)?.map(|entry| entry?.metadata().map(|found| found.len())).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_imports_make_room() {
        let text = "0123456789abcdef0123456789abcdef";
        assert_eq!(key(OsStr::new(&format!("a-b.txt-{text}.gts"))), Some(text));
        for name in
            [format!("{text}.gts"), format!("a-{text}"), "a-b.gts".into(), format!("a-{}.gts", text.to_uppercase())]
        {
            assert_eq!(key(OsStr::new(&name)), None, "{name}");
        }
    }
}
