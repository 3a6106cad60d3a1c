//! Manages the place of a store that is being written: a temporary directory beside the final path. The directory is
//! locked during the build and renamed atomically at the end.

use super::files::{MANIFEST, failed};
use super::io::{DirectoryLock, Io};
use super::leftovers::{self, check_contents, sweep};
use super::paths::{REPLACED, claim, parent, sibling};
use super::striping::{self, StripePlace};
use super::{SaveOptions, StoreError};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The location of a store before it has its final name.
pub(crate) struct StorePlace {
    /// The directory of all files except striped pages. It may also contain work files during the build.
    pub(crate) directory: PathBuf,
    /// The directories over which the pages are spread; empty if the pages are in `directory`.
    pub(super) stripes: Vec<StripePlace>,
}

impl StorePlace {
    /// Removes all files written. Ignores errors, because the first error is reported. The temporary name prevents
    /// remaining files from being opened. The directory is removed last, so that it still leads to the stripes.
    fn abandon(&self, io: &dyn Io) {
        if striping::discard(io, &self.stripes) {
            let _ = io.remove_dir_all(&self.directory);
        }
    }
}

/// Writes a store atomically. `write` fills a temporary directory, which is renamed to `path` once all data is durable.
/// If any operation fails, `path` is unchanged, and the temporary directory is removed.
pub(crate) fn write_store<T, E: From<StoreError>>(
    io: &dyn Io,
    path: &Path,
    options: &SaveOptions,
    write: impl FnOnce(&StorePlace) -> Result<T, E>,
) -> Result<T, E> {
    let path = &*resolved(io, path, options)?;
    check_target(io, path, options)?;
    sweep(io, path)?;
    let (temporary, _lock) = claim(io, path)?;
    let stripes = striping::create(io, path, &temporary, &options.stripes)
        .inspect_err(|_| drop(io.remove_dir_all(&temporary)))?;
    let place = StorePlace { directory: temporary, stripes };
    let written = write(&place).inspect_err(|_| place.abandon(io))?;
    striping::publish(io, &place.stripes).inspect_err(|_| place.abandon(io))?;
    for Replaced { path: old, lock } in publish(io, &place, path, options)? {
        leftovers::remove(io, &old, path, lock).map_err(|error| match error {
            StoreError::Io { path, source, .. } => StoreError::Leftover { path, source },
            error => error,
        })?;
    }
    Ok(written)
}

/// Returns the path at which a store is written. If `path` is a symbolic link, the link stays, and its target is
/// replaced.
fn resolved(io: &dyn Io, path: &Path, options: &SaveOptions) -> Result<PathBuf, StoreError> {
    let (true, Some(name)) = (options.replace, path.file_name()) else { return Ok(path.to_owned()) };
    match io.canonicalize(path) {
        Ok(found) if found != io.canonicalize(parent(path)).map_err(failed("find", path))?.join(name) => Ok(found),
        Err(error) if error.kind() != ErrorKind::NotFound => Err(failed("find", path)(error)),
        _ => Ok(path.to_owned()),
    }
}

/// Fails if `path` must not be overwritten. Returns whether there is a store to replace.
pub(crate) fn check_target(io: &dyn Io, path: &Path, options: &SaveOptions) -> Result<bool, StoreError> {
    let manifest = path.join(MANIFEST);
    // Another build that replaces the store may remove it between two checks, but this is unlikely to happen three
    // times.
    for _ in 0..3 {
        if !io.exists(path).map_err(failed("look for", path))? {
            return Ok(false);
        }
        if !options.replace {
            return Err(StoreError::Exists { path: path.to_owned() });
        }
        match io.exists(&manifest) {
            Ok(true) => match check_contents(io, path) {
                Err(StoreError::Io { source, .. }) if source.kind() == ErrorKind::NotFound => {}
                checked => return checked.map(|()| true),
            },
            // If `path` is a file, the lookup of a path below it fails.
            Err(error) if !matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                return Err(failed("look for", &manifest)(error));
            }
            _ => {}
        }
    }
    Err(StoreError::NotReplaced { path: path.to_owned() })
}

/// A store that has been replaced by another one.
struct Replaced {
    /// The path to which the old store was renamed.
    path: PathBuf,
    /// The lock that marks the old store as in use. The build that holds the lock removes or restores the store.
    lock: Option<DirectoryLock>,
}

/// Renames a finished store to its final name, durably. Returns the stores that it replaced.
fn publish(io: &dyn Io, place: &StorePlace, path: &Path, options: &SaveOptions) -> Result<Vec<Replaced>, StoreError> {
    let replaced = take_name(io, &place.directory, path, options).inspect_err(|_| place.abandon(io))?;
    let parent = parent(path);
    match io.sync_dir(parent) {
        Ok(()) => Ok(replaced),
        Err(error) => {
            // If restoring the old store fails, the new store stays complete.
            if give_back(io, &place.directory, path, replaced.last()).is_ok() {
                place.abandon(io);
            }
            Err(failed("sync", parent)(error))
        }
    }
}

/// Renames a finished directory to its final name. A store at this name gets the temporary name atomically. If the file
/// system does not support this, the old store is renamed first.
fn take_name(io: &dyn Io, temporary: &Path, path: &Path, options: &SaveOptions) -> Result<Vec<Replaced>, StoreError> {
    let mut replaced: Vec<Replaced> = Vec::new();
    // Other builds may take or free this name at any time. Each repetition is caused by another build.
    loop {
        if check_target(io, path, options)? {
            let lock = match io.lock_dir(path) {
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                lock => lock.map_err(failed("lock", path))?,
            };
            match io.exchange_dirs(temporary, path) {
                Ok(()) => {
                    replaced.push(Replaced { path: temporary.to_owned(), lock });
                    return Ok(replaced);
                }
                Err(error) if matches!(error.kind(), ErrorKind::Unsupported | ErrorKind::NotFound) => {}
                Err(error) => return Err(failed("replace", path)(error)),
            }
            let old = sibling(path, REPLACED)?;
            match io.rename_dir(path, &old) {
                Ok(()) => replaced.push(Replaced { path: old, lock }),
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(failed("move away", path)(error)),
            }
        }
        match io.rename_dir(temporary, path) {
            Ok(()) => return Ok(replaced),
            // Another build took the name first.
            Err(error) if is_taken(&error) && options.replace => {}
            Err(error) if is_taken(&error) => return Err(StoreError::Exists { path: path.to_owned() }),
            Err(error) => {
                if let Some(old) = replaced.last() {
                    let _ = io.rename_dir(&old.path, path);
                }
                return Err(failed("name", path)(error));
            }
        }
    }
}

fn is_taken(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::AlreadyExists | ErrorKind::DirectoryNotEmpty | ErrorKind::NotADirectory)
}

/// Restores the old store, and removes the final name from the new store.
fn give_back(io: &dyn Io, temporary: &Path, path: &Path, replaced: Option<&Replaced>) -> std::io::Result<()> {
    match replaced {
        Some(old) if old.path == temporary => io.exchange_dirs(temporary, path),
        Some(old) => {
            io.rename_dir(path, temporary)?;
            io.rename_dir(&old.path, path)
        }
        None => io.rename_dir(path, temporary),
    }
}
