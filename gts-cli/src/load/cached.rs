//! Imports that are kept for later runs.
//!
//! An import is identified by everything that it depends on. It is kept and used only in folders that no other user can
//! write.

use super::kept::{self, LIMIT_VARIABLE, cache_folder, make_room, use_kept};
use super::{Opened, Opening, open};
use crate::interrupt::{self, Stoppable};
use crate::options::BuildArgs;
use crate::report::tell;
use crate::units;
use gts_graph::algorithm::Needs;
use gts_graph::core::advice::{Reader, explain_within};
use gts_graph::core::build::BuildSummary;
use gts_graph::core::files;
use gts_graph::core::page::EDGE_VALUE_TYPES;
use gts_graph::core::read::{GraphSource, ReadError};
use gts_graph::core::store::io::FileSystem;
use gts_graph::core::store::{self, SaveOptions, StoreError, StoreInfo};
use gts_graph::folder;
use gts_graph::prelude::Graph;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use xxhash_rust::xxh3::{Xxh3, xxh3_64, xxh3_128};

/// Folder of the records, beside that of the imports. A record names the key of a version of files.
const RECORDS: &str = "versions";
/// Number of records beyond which all are removed. Each takes a block of the file system.
const MOST_RECORDS: usize = 10_000;
/// Bytes that are hashed at a time.
const BLOCK: usize = 1 << 20;
/// Bytes of each part of a file that identifies its version: the first, the middle and the last part.
const PART: u64 = 64 << 10;

/// Saves a store that only this user can read. An interruption removes the store if it is incomplete.
fn write(graph: &Graph, path: &Path) -> Result<(), StoreError> {
    interrupt::while_saving(|| store::save(&Stoppable { private: true }, graph, path, &SaveOptions::default()))
}

/// Place of the kept import of files.
pub(super) struct Place<'a> {
    pub(super) store: PathBuf,
    /// If there is an import that does not meet the needs of a run: what the one that replaces it must meet.
    pub(super) richer: Option<Needs>,
    paths: &'a [PathBuf],
    args: &'a BuildArgs,
    /// The needs that are part of the name.
    named: Needs,
}

impl<'a> Place<'a> {
    /// Returns the place for an import of files; `None` if one of them is a pipe. If another user could have written
    /// there, returns `None` after a line that gives the reason.
    ///
    /// Files have at most two imports: one as read, and one with each edge in both directions. The first run that needs
    /// weights or in-edges replaces a poorer import. Only weights of a type that a run does not accept lead to another
    /// import.
    pub(super) fn of(paths: &'a [PathBuf], args: &'a BuildArgs, needs: &Needs) -> Option<Self> {
        let mut named = Needs { symmetric: needs.symmetric, ..Needs::NONE };
        let find = |named: &Needs| {
            let store = path_of(paths, args, named)?;
            let kept = store::info(&store).ok();
            Some((store, kept))
        };
        let (mut store, mut kept) = find(&named)?;
        let weights = kept.as_ref().and_then(|kept| kept.properties.value_type);
        if weights.is_some() && !needs.accept(weights) {
            named.weights = needs.weights;
            (store, kept) = find(&named)?;
        }
        let richer = kept.and_then(|kept| richer(&kept, needs));
        let folder = store.parent()?;
        // Another user could create a missing folder. If it cannot be created here, the error is reported when the
        // import is kept.
        let _ = folder::create_private(folder);
        match folder::distrust_place(folder).or_else(|| folder::distrust_all(&store)) {
            None => Some(Self { store, richer, paths, args, named }),
            Some(why) => {
                let why = explain_within(&why, Reader::CommandLine);
                tell(format_args!("no import is kept for later runs, nor a kept one used: {why}"));
                None
            }
        }
    }

    /// Returns whether the files are still those whose import has this place. If not, a line reports that it is not
    /// kept.
    pub(super) fn is_unchanged(&self) -> bool {
        let key = |store: &Path| store.file_name().and_then(kept::key).map(str::to_owned);
        let now = path_of(self.paths, self.args, &self.named);
        let unchanged = now.is_some_and(|now| key(&now) == key(&self.store));
        if !unchanged {
            let files = GraphSource::Files(self.paths.to_vec());
            tell(format_args!("{files} changed during the import: the import is not kept"));
        }
        unchanged
    }
}

/// Returns what an import must have that replaces a kept one and meets further needs; `None` if the kept one meets them.
fn richer(kept: &StoreInfo, needs: &Needs) -> Option<Needs> {
    let has_in_edges = kept.in_pages.is_some();
    if needs.are_met_by(&kept.properties, has_in_edges) {
        return None;
    }
    let weights = EDGE_VALUE_TYPES
        .iter()
        .find(|ty| kept.properties.value_type == Some(**ty))
        .map_or(&[][..], std::slice::from_ref);
    Some(needs.and(Needs { weights, in_edges: has_in_edges, ..Needs::NONE }))
}

/// Returns a path whose name encodes everything that distinguishes an import. A file whose version is known is not read. The
/// whole content of any other file decides, so that a file that was touched or moved has the path of its old import. The
/// order of files does not matter. Returns `None` if a file is a pipe.
fn path_of(paths: &[PathBuf], args: &BuildArgs, needs: &Needs) -> Option<PathBuf> {
    let folder = cache_folder()?;
    let reader = args.apply(GraphSource::Files(paths.to_vec()).into());
    let files = reader.files().ok()?;
    let rest = format!("{args:?} {needs:?} {}", env!("CARGO_PKG_VERSION"));
    let versions = || files.iter().map(|file| version(file)).collect::<Option<Vec<_>>>();
    let record = format!("{:?} {rest}", versions()?);
    let record = folder.with_file_name(RECORDS).join(format!("{:032x}", xxh3_128(record.as_bytes())));
    let key = match recorded(&record) {
        Some(key) => key,
        None => {
            let before = versions()?;
            let contents = files.iter().map(|file| Some((ending(file), whole(file).ok()?)));
            let mut contents = contents.collect::<Option<Vec<_>>>()?;
            contents.sort();
            let key = format!("{:032x}", xxh3_128(format!("{contents:?} {rest}").as_bytes()));
            // A record that cannot be kept costs the next command the same hash.
            if versions()? == before {
                let _ = keep_record(&record, &key);
            }
            key
        }
    };
    let kept = kept::entries(&folder).ok()?.into_iter().map(|entry| entry.path);
    let kept = kept.into_iter().find(|store| store.file_name().and_then(kept::key) == Some(&*key));
    let stem = paths.first()?.file_name()?.to_string_lossy().into_owned();
    Some(kept.unwrap_or_else(|| folder.join(format!("{stem}-{key}.gts"))))
}

/// Returns the part of a file's name that may determine its format: all but the first word.
fn ending(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.split_once('.').map_or(String::new(), |(_, ending)| ending.to_owned())
}

/// Returns the key that was recorded for a version of files, unless another user could have written it.
fn recorded(record: &Path) -> Option<String> {
    if folder::distrust_place(record.parent()?).or_else(|| folder::distrust(record)).is_some() {
        return None;
    }
    fs::read_to_string(record).ok().filter(|key| kept::is_key(key))
}

/// Records the key of a version of files. Removes all records if there are too many.
fn keep_record(record: &Path, key: &str) -> io::Result<()> {
    let folder = record.parent().unwrap_or(Path::new("."));
    folder::create_private(folder)?;
    if fs::read_dir(folder)?.count() > MOST_RECORDS {
        fs::remove_dir_all(folder)?;
        folder::create_private(folder)?;
    }
    folder::write_whole(record, |file| file.write_all(key.as_bytes()))
}

/// Returns the XXH3 hash of a whole file; `None` if there is no file.
fn whole(path: &Path) -> io::Result<Option<u128>> {
    let mut file = match File::open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        file => file?,
    };
    let (mut hash, mut block) = (Xxh3::new(), vec![0; BLOCK]);
    loop {
        match file.read(&mut block)? {
            0 => return Ok(Some(hash.digest128())),
            bytes => hash.update(&block[..bytes]),
        }
    }
}

/// Properties that identify a version of a file.
#[derive(Debug, PartialEq)]
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
        _ if files::is_pipe(path) => return None,
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

/// Kept import of an earlier run.
pub(super) enum KeptImport {
    /// The import.
    Open(Opened),
    /// Nothing.
    Nothing,
    /// An import that cannot be opened and cannot be removed.
    Stuck,
}

/// Opens the import of files from an earlier run, unless it is to be replaced. Removes an import that cannot be opened.
///
/// # Errors
///
/// Errors that are not caused by the import.
pub(super) fn open_cached(place: &Place<'_>, opening: Opening) -> Result<KeptImport, ReadError> {
    let store = &place.store;
    if place.richer.is_some() || !store.is_dir() {
        return Ok(KeptImport::Nothing);
    }
    // Everything is checked here: a damaged file is imported again.
    match open(store, GraphSource::Store(store.clone()).into(), Opening { on_demand: None, ..opening }) {
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
pub(super) fn keep(source: &GraphSource, cache: Option<&Path>, graph: &Graph, summary: &BuildSummary, time: Duration) {
    let said = format!("imported {source} in {}: {}", units::time(time), summary.kept_and_dropped());
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
    let (limit, misread) = kept::limit();
    misread.iter().for_each(tell);
    let bytes = store::bytes_of(graph);
    let takes = format!("it takes {} of the {} that imports may take", units::bytes(bytes), units::bytes(limit));
    let Some(others) = limit.checked_sub(bytes) else {
        return Err(format!("{takes}; set {LIMIT_VARIABLE} to more, or run `gts cache limit BYTES`"));
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
}
