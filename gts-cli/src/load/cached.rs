//! Imports that are kept for later runs.
//!
//! An import is identified by everything that it depends on. It is kept and used only in folders that no other user can
//! write.

use super::{Opened, Opening, open};
use crate::interrupt::{self, Stoppable};
use crate::leftovers::is_at;
use crate::options::BuildArgs;
use crate::report::tell;
use crate::units;
use gts_graph::algorithm::Needs;
use gts_graph::core::advice::{Reader, explain_within};
use gts_graph::core::build::BuildSummary;
use gts_graph::core::read::{GraphSource, ReadError};
use gts_graph::core::store::io::FileSystem;
use gts_graph::core::store::{self, SaveOptions, StoreError};
use gts_graph::folder::{self, CacheEntry};
use gts_graph::prelude::Graph;
use std::ffi::OsStr;
use std::fs::{self, File, FileTimes, TryLockError};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

/// Variable for the maximum bytes of all kept imports.
const LIMIT_VARIABLE: &str = "GTS_IMPORTS_LIMIT";
/// Maximum bytes of all kept imports if the variable is not set.
const LIMIT: u64 = 20 << 30;
/// Bytes of each part of a file that identifies its version: the first, the middle and the last part.
const PART: u64 = 64 << 10;

/// Saves a store that only this user can read. An interruption removes the store if it is incomplete.
fn write(graph: &Graph, path: &Path) -> Result<(), StoreError> {
    interrupt::while_saving(|| store::save(&Stoppable { private: true }, graph, path, &SaveOptions::default()))
}

/// Returns the folder of kept imports.
pub(crate) fn cache_folder() -> Option<PathBuf> {
    Some(folder::cache_folder()?.join("graphs"))
}

/// Returns the path for the import of a file; `None`, with a line that gives the reason, if another user could have
/// written there.
pub(super) fn cache_path(path: &Path, args: &BuildArgs, needs: &Needs) -> Option<PathBuf> {
    let store = named(path, args, needs)?;
    let folder = store.parent()?;
    // Another user could create a missing folder. If it cannot be created here, the error is reported when the import
    // is kept.
    let _ = folder::create_private(folder);
    match folder::distrust_place(folder).or_else(|| folder::distrust_all(&store)) {
        None => Some(store),
        Some(why) => {
            let why = explain_within(&why, Reader::CommandLine);
            tell(format_args!("no import is kept for later runs, nor a kept one used: {why}"));
            None
        }
    }
}

/// Returns whether the file is still the one whose import has this path. If not, a line reports that it is not kept.
pub(super) fn is_unchanged(store: &Path, path: &Path, args: &BuildArgs, needs: &Needs) -> bool {
    let unchanged = named(path, args, needs).is_some_and(|now| now == store);
    if !unchanged {
        tell(format_args!("{} changed while it was imported: the import is not kept", path.display()));
    }
    unchanged
}

/// Returns a path whose name encodes everything that an import depends on.
fn named(path: &Path, args: &BuildArgs, needs: &Needs) -> Option<PathBuf> {
    let folder = cache_folder()?;
    let reader = args.apply(GraphSource::File(path.to_owned()).into());
    let files: Option<Vec<_>> = reader.files().ok()?.iter().map(|file| version(file)).collect();
    let key = format!("{:?} {args:?} {needs:?} {}", files?, env!("CARGO_PKG_VERSION"));
    let stem = path.file_name()?.to_string_lossy().into_owned();
    Some(folder.join(format!("{stem}-{:032x}.gts", xxh3_128(key.as_bytes()))))
}

/// Properties that identify a version of a file.
#[derive(Debug)]
#[expect(dead_code, reason = "its text is a part of the key")]
struct Version {
    path: PathBuf,
    modified: SystemTime,
    bytes: u64,
    /// Inode, and the time of its last change, which programs cannot set.
    inode: Option<(u64, i64, i64)>,
    /// XXH3 of the first, middle and last part.
    content: u64,
}

/// Returns the version of a file, `Some(None)` if there is no file; `None` if its version cannot be determined.
fn version(path: &Path) -> Option<Option<Version>> {
    let found = match path.metadata() {
        Ok(found) if found.is_file() => found,
        Err(error) if error.kind() == ErrorKind::NotFound => return Some(None),
        _ => return None,
    };
    #[cfg(unix)]
    let inode = {
        use std::os::unix::fs::MetadataExt;
        Some((found.ino(), found.ctime(), found.ctime_nsec()))
    };
    #[cfg(not(unix))]
    let inode = None;
    let (bytes, modified) = (found.len(), found.modified().ok()?);
    let content = content(path, bytes).ok()?;
    Some(Some(Version { path: path.canonicalize().ok()?, modified, bytes, inode, content }))
}

/// Returns a hash of the first, middle and last part of a file.
fn content(path: &Path, bytes: u64) -> io::Result<u64> {
    let mut file = File::open(path)?;
    let mut parts = Vec::new();
    for start in [0, bytes.saturating_sub(PART) / 2, bytes.saturating_sub(PART)] {
        file.seek(SeekFrom::Start(start))?;
        (&mut file).take(PART).read_to_end(&mut parts)?;
    }
    Ok(xxh3_64(&parts))
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

/// Kept import of an earlier run.
pub(super) enum KeptImport {
    /// The import.
    Open(Opened),
    /// Nothing.
    Nothing,
    /// An import that cannot be opened and cannot be removed.
    Stuck,
}

/// Opens the import of a file from an earlier run. Removes an import that cannot be opened.
///
/// # Errors
///
/// Errors that are not caused by the import.
pub(super) fn open_cached(store: &Path, opening: Opening) -> Result<KeptImport, ReadError> {
    if !store.is_dir() {
        return Ok(KeptImport::Nothing);
    }
    // Everything is checked here: a damaged file is imported again.
    match open(store, GraphSource::Store(store.to_owned()).into(), Opening { on_demand: None, ..opening }) {
        Ok(opened) if use_kept(store) => {
            tell(format_args!("using the import in {}", store.display()));
            Ok(KeptImport::Open(opened))
        }
        // Another process has removed the import in the meantime.
        Ok(_) => Ok(KeptImport::Nothing),
        Err(_) if !store.exists() => Ok(KeptImport::Nothing),
        // The import itself is intact.
        Err(
            error
            @ ReadError::Store(StoreError::HostMemory { .. } | StoreError::Memory { .. } | StoreError::Threads(_)),
        ) => Err(error),
        Err(error) => {
            tell(format_args!("the import in {} does not open and is made again: {error}", store.display()));
            match store::remove(&FileSystem, store) {
                Ok(_) => Ok(KeptImport::Nothing),
                Err(error) => {
                    tell(format_args!("it cannot be removed: {}", explain_within(&error, Reader::CommandLine)));
                    Ok(KeptImport::Stuck)
                }
            }
        }
    }
}

/// Keeps an import for later runs if possible, and reports that in a line.
pub(super) fn keep(path: &Path, cache: Option<&Path>, graph: &Graph, summary: &BuildSummary, time: Duration) {
    let said = format!("imported {} in {}: {}", path.display(), units::time(time), summary.kept_and_dropped());
    let Some(store) = cache else { return tell(said) };
    match put(graph, store) {
        Ok(()) => tell(format_args!("{said}; kept in {}", store.display())),
        Err(why) => tell(format_args!("{said}; not kept for the next run: {why}")),
    }
}

/// Keeps an import, and removes the least recently used ones if their total exceeds the limit. Fails with the reason
/// why the import is not kept.
fn put(graph: &Graph, store: &Path) -> Result<(), String> {
    let folder = store.parent().unwrap_or(Path::new("."));
    folder::create_private(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    if let Some(why) = folder::distrust_place(folder) {
        return Err(explain_within(&why, Reader::CommandLine));
    }
    let (limit, misread) = folder::limit(LIMIT_VARIABLE, LIMIT, "kept imports");
    misread.iter().for_each(tell);
    let bytes = store::bytes_of(graph);
    let takes = format!("it takes {} of the {} that imports may take", units::bytes(bytes), units::bytes(limit));
    let Some(others) = limit.checked_sub(bytes) else {
        return Err(format!("{takes}; set {LIMIT_VARIABLE} to more"));
    };
    match make_room(folder, others) {
        Ok(left) if left > others => return Err(format!("{takes}, and those in use take {}", units::bytes(left))),
        Ok(_) => {}
        Err(error) => return Err(format!("{}: {error}", folder.display())),
    }
    match write(graph, store) {
        // A simultaneous run has kept the same import.
        Ok(()) | Err(StoreError::Exists { .. }) => Ok(()),
        Err(error) => Err(explain_within(&error, Reader::CommandLine)),
    }
}

/// Removes the least recently used imports until the others take at most `limit` bytes, but none if those in use exceed
/// the limit. Returns the bytes of the remaining imports.
fn make_room(folder: &Path, limit: u64) -> io::Result<u64> {
    let mut entries = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let is_kept = is_name_of_kept(&entry.file_name()) && entry.file_type()?.is_dir();
        // Another process may have removed it.
        if let (true, Ok(used), Ok(bytes)) =
            (is_kept, entry.metadata().and_then(|found| found.modified()), bytes(&entry.path()))
        {
            entries.push(CacheEntry { path: entry.path(), bytes, used });
        }
    }
    let in_use = entries.iter().filter(|entry| is_in_use(&entry.path)).map(|entry| entry.bytes).sum();
    if in_use > limit {
        return Ok(in_use);
    }
    // An import that cannot be removed stays, like one in use.
    folder::make_room(entries, limit, |path| Ok(store::remove(&FileSystem, path).unwrap_or(false)))
}

/// Returns whether a name has the form of names from [`named`].
fn is_name_of_kept(name: &OsStr) -> bool {
    let stem = name.as_encoded_bytes().strip_suffix(b".gts").unwrap_or_default();
    let key = stem.rsplit(|&byte| byte == b'-').next().unwrap_or_default();
    key.len() == 32 && key.len() < stem.len() && key.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Returns whether a process has marked a kept import as used.
fn is_in_use(store: &Path) -> bool {
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
    fn a_change_of_each_part_of_a_file_is_seen() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("a.txt");
        let bytes = vec![b'1'; 1 << 20];
        fs::write(&path, &bytes).unwrap();
        let before = content(&path, bytes.len() as u64).unwrap();
        for at in [0, (1 << 16) - 1, 1 << 19, (1 << 20) - (1 << 16), (1 << 20) - 1] {
            let mut changed = bytes.clone();
            changed[at] = b'2';
            fs::write(&path, &changed).unwrap();
            assert_ne!(content(&path, bytes.len() as u64).unwrap(), before, "byte {at}");
        }
        fs::write(&path, "1 2").unwrap();
        assert_ne!(content(&path, 3).unwrap(), before);
    }

    #[test]
    fn only_imports_make_room() {
        let key = "0123456789abcdef0123456789abcdef";
        assert!(is_name_of_kept(OsStr::new(&format!("a-b.txt-{key}.gts"))));
        for name in
            [format!("{key}.gts"), format!("a-{key}"), "a-b.gts".into(), format!("a-{}.gts", key.to_uppercase())]
        {
            assert!(!is_name_of_kept(OsStr::new(&name)), "{name}");
        }
    }
}
