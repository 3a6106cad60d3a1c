//! The place of a store that is being written: a temporary directory beside its name, locked while its build lives, and
//! one rename in the end.

use super::files::{MANIFEST, failed};
use super::io::{DirectoryLock, Io};
use super::stripes::{self, StripePlace};
use super::{SaveOptions, StoreError};
use std::ffi::{OsStr, OsString};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Marks the name of a store that is being written.
const TEMPORARY: &str = ".gts-tmp-";
/// Marks the name of a store that is being replaced.
const REPLACED: &str = ".gts-old-";

/// Where a store is written before it has its name.
pub(crate) struct StorePlace {
    /// The directory of all but striped pages; work files may stand there too, as long as the store is being written.
    pub(crate) directory: PathBuf,
    /// The directories over which the pages are spread; none where they stand beside the rest.
    pub(super) stripes: Vec<StripePlace>,
}

/// Writes a store in one step: `write` fills a temporary place, which gets the name `path` once all is durable.
/// Whatever fails, what stood at `path` stays, and the place goes.
pub(crate) fn write_store<T, E: From<StoreError>>(
    io: &dyn Io,
    path: &Path,
    options: &SaveOptions,
    write: impl FnOnce(&StorePlace) -> Result<T, E>,
) -> Result<T, E> {
    let exists = check_target(io, path, options)?;
    sweep(io, path)?;
    let replaced = if exists { stripes::of(io, path)? } else { Vec::new() };
    let (temporary, _lock) = claim(io, path)?;
    // The first error is the one to tell; what cannot be removed does not open, by its name.
    let stripes = stripes::create(io, path, &options.stripes).inspect_err(|_| drop(io.remove_dir_all(&temporary)))?;
    let place = StorePlace { directory: temporary, stripes };
    let abandon = || {
        let _ = io.remove_dir_all(&place.directory);
        stripes::discard(io, &place.stripes);
    };
    let written = write(&place).inspect_err(|_| abandon())?;
    let published = stripes::publish(io, &place.stripes).and_then(|()| publish(io, &place.directory, path, exists));
    match published.and_then(|()| stripes::remove(io, path, &replaced)) {
        Ok(()) => Ok(written),
        Err(error) => {
            if !matches!(error, StoreError::Leftover { .. }) {
                abandon();
            }
            Err(error.into())
        }
    }
}

/// Whether a path has the name of a store that was never finished.
pub(super) fn is_temporary(path: &Path) -> bool {
    target_of(path.file_name().unwrap_or_default(), TEMPORARY).is_some()
}

/// The name of the store that a temporary directory was to become.
fn target_of(name: &OsStr, mark: &str) -> Option<OsString> {
    let name = name.to_string_lossy();
    let (target, number) = name.strip_prefix('.')?.rsplit_once(mark)?;
    let numbered = number.split_once('-').is_some_and(|(process, running)| {
        [process, running].iter().all(|text| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()))
    });
    numbered.then(|| target.into())
}

/// What became of the leftovers in a directory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cleaned {
    /// Temporary directories of builds that had ended, now removed.
    pub removed: Vec<PathBuf>,
    /// Temporary directories of builds that still run, or may.
    pub running: Vec<PathBuf>,
    /// Stores that stepped aside for a new one which never took their place: rename them, or remove them.
    pub replaced: Vec<PathBuf>,
    /// Stripes to which the store that they name does not refer: remove them, unless the store was moved.
    pub orphans: Vec<PathBuf>,
}

/// Removes what killed builds left in a directory: their temporary directories, and stores whose replacement is in place.
pub(super) fn clean(io: &dyn Io, directory: &Path) -> Result<Cleaned, StoreError> {
    let mut cleaned = Cleaned::default();
    let mut names = io.names(directory).map_err(failed("list", directory))?;
    names.sort();
    for name in names {
        let path = directory.join(&name);
        if target_of(&name, TEMPORARY).is_some() {
            let list = if remove_dead(io, &path)? { &mut cleaned.removed } else { &mut cleaned.running };
            list.push(path);
        } else if let Some(target) = target_of(&name, REPLACED) {
            // Without the new store this is the only one.
            let target = directory.join(target);
            let placed = io.exists(&target.join(MANIFEST)).unwrap_or(false);
            if placed && is_free(io, &target)? && remove_dead(io, &path)? {
                cleaned.removed.push(path);
            } else {
                cleaned.replaced.push(path);
            }
        } else if stripes::is_orphan(io, &path) && is_free(io, &path)? {
            cleaned.orphans.push(path);
        }
    }
    Ok(cleaned)
}

/// Removes what killed builds of this store left.
pub(super) fn sweep(io: &dyn Io, path: &Path) -> Result<(), StoreError> {
    let (Some(name), parent) = (path.file_name(), parent(path)) else { return Ok(()) };
    let names = match io.names(parent) {
        // Making the store tells better what is wrong.
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        names => names.map_err(failed("list", parent))?,
    };
    for left in names {
        if target_of(&left, TEMPORARY).is_some_and(|target| target == name) {
            remove_dead(io, &parent.join(left))?;
        }
    }
    Ok(())
}

/// Removes a directory that no build has locked; answers whether there was none.
fn remove_dead(io: &dyn Io, path: &Path) -> Result<bool, StoreError> {
    let gone = |error: &std::io::Error| error.kind() == ErrorKind::NotFound;
    let lock = match io.lock_dir(path) {
        Ok(Some(lock)) if lock.is_certain() => lock,
        Ok(_) => return Ok(false),
        Err(error) if gone(&error) => return Ok(true),
        Err(error) => return Err(failed("lock", path)(error)),
    };
    let removed = io.remove_dir_all(path);
    drop(lock);
    match removed {
        Err(error) if !gone(&error) => Err(failed("remove", path)(error)),
        _ => Ok(true),
    }
}

/// Whether no build has locked a directory.
fn is_free(io: &dyn Io, path: &Path) -> Result<bool, StoreError> {
    let lock = io.lock_dir(path).map_err(failed("lock", path))?;
    Ok(lock.is_some_and(|lock| lock.is_certain()))
}

/// Refuses a target that must not be overwritten; answers whether there is one to replace.
pub(crate) fn check_target(io: &dyn Io, path: &Path, options: &SaveOptions) -> Result<bool, StoreError> {
    if !io.exists(path).map_err(failed("look for", path))? {
        return Ok(false);
    }
    if !options.replace {
        return Err(StoreError::Exists { path: path.to_owned() });
    }
    let manifest = path.join(MANIFEST);
    // A file has nothing under it; asking says so in different ways on different systems.
    if !io.exists(&manifest).unwrap_or(false) {
        return Err(StoreError::NotReplaced { path: path.to_owned() });
    }
    Ok(true)
}

/// Makes a temporary directory, and locks it.
pub(super) fn claim(io: &dyn Io, path: &Path) -> Result<(PathBuf, DirectoryLock), StoreError> {
    loop {
        let temporary = sibling(path, TEMPORARY)?;
        io.create_dir(&temporary).map_err(failed("create", &temporary))?;
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

/// Locks a directory that was just made; `None` where a sweep came between, which took it for one that was left.
fn lock_new(io: &dyn Io, path: &Path) -> std::io::Result<Option<DirectoryLock>> {
    match io.lock_dir(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Ok(Some(lock)) => Ok(io.exists(path)?.then_some(lock)),
        other => other,
    }
}

/// A name beside `path` that nothing has: hidden, marked, with the process and a running number.
fn sibling(path: &Path, mark: &str) -> Result<PathBuf, StoreError> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let name = path.file_name().ok_or_else(|| StoreError::NoName { path: path.to_owned() })?;
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let mut sibling = OsString::from(".");
    sibling.push(name);
    sibling.push(format!("{mark}{}-{number}", std::process::id()));
    Ok(path.with_file_name(sibling))
}

/// The directory that holds a path.
pub(super) fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    }
}

/// Gives the finished directory its name. A store that is replaced steps aside first, and back if anything fails.
fn publish(io: &dyn Io, temporary: &Path, path: &Path, exists: bool) -> Result<(), StoreError> {
    let old = sibling(path, REPLACED)?;
    if exists {
        io.rename_dir(path, &old).map_err(failed("move away", path))?;
    }
    let renamed = io.rename_dir(temporary, path).map_err(|source| match source.kind() {
        // Another build was faster.
        ErrorKind::AlreadyExists | ErrorKind::DirectoryNotEmpty | ErrorKind::NotADirectory => {
            StoreError::Exists { path: path.to_owned() }
        }
        _ => StoreError::Io { action: "name", path: path.to_owned(), source },
    });
    let synced = renamed.and_then(|()| {
        let parent = parent(path);
        io.sync_dir(parent).map_err(failed("sync", parent)).inspect_err(|_| {
            let _ = io.rename_dir(path, temporary);
        })
    });
    match synced {
        Err(error) => {
            if exists {
                let _ = io.rename_dir(&old, path);
            }
            Err(error)
        }
        Ok(()) if exists => io.remove_dir_all(&old).map_err(|source| StoreError::Leftover { path: old, source }),
        Ok(()) => Ok(()),
    }
}
