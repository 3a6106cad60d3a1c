//! Handles leftovers of killed builds: directories with temporary names, stores renamed for replacement, and stripes.

use super::StoreError;
use super::files::{MANIFEST, failed, foreign_names, is_store_file};
use super::io::{DirectoryLock, Io};
use super::paths::{REPLACED, TEMPORARY, parent, sibling, target_of};
use super::stripes;
use std::ffi::{OsStr, OsString};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The result of cleaning a directory.
#[derive(Debug, Default)]
pub struct Cleaned {
    /// Removed leftovers of builds that have ended: directories with temporary names, and stripes.
    pub removed: Vec<PathBuf>,
    /// Stores that were renamed for replacement, and renamed back because the new store never appeared.
    pub restored: Vec<PathBuf>,
    /// Directories and stores of builds that are running or may be running.
    pub running: Vec<PathBuf>,
    /// Stores that were renamed for replacement, and cannot be restored or removed automatically. The user must decide.
    pub replaced: Vec<PathBuf>,
    /// Stripes that are not listed in their store. They can be removed, unless the store was moved.
    pub orphans: Vec<PathBuf>,
    /// Errors for leftovers that could not be examined or removed.
    pub failed: Vec<StoreError>,
}

/// Removes the leftovers of killed builds in a directory. Restores the names of stores whose replacement never
/// appeared.
pub(super) fn clean(io: &dyn Io, directory: &Path) -> Result<Cleaned, StoreError> {
    let mut cleaned = Cleaned::default();
    let mut names = io.names(directory).map_err(failed("list", directory))?;
    names.sort();
    for name in &names {
        if let Err(error) = clean_one(io, directory, name, &names, &mut cleaned) {
            cleaned.failed.push(error);
        }
    }
    Ok(cleaned)
}

/// Removes a store and its stripes unless a process has locked the store. Returns whether the store was removed.
pub(super) fn remove_store(io: &dyn Io, path: &Path) -> Result<bool, StoreError> {
    let lock = match look_at(io, path)? {
        Left::Dead(lock) => lock,
        Left::Running => return Ok(false),
        Left::Nothing => return Ok(true),
    };
    check_contents(io, path)?;
    // The store is renamed first, so that no process opens a partly removed store.
    let temporary = sibling(path, TEMPORARY)?;
    io.rename_dir(path, &temporary).map_err(failed("move away", path))?;
    remove(io, &temporary, path, lock)?;
    Ok(true)
}

/// Fails for a store that contains foreign files, because they would be removed along with the store.
pub(super) fn check_contents(io: &dyn Io, path: &Path) -> Result<(), StoreError> {
    match foreign_names(&io.names(path).map_err(failed("list", path))?, is_store_file) {
        names if names.is_empty() => stripes::check_contents(io, path),
        names => Err(StoreError::ForeignFiles { path: path.to_owned(), names }),
    }
}

fn clean_one(
    io: &dyn Io,
    directory: &Path,
    name: &OsStr,
    names: &[OsString],
    cleaned: &mut Cleaned,
) -> Result<(), StoreError> {
    let path = directory.join(name);
    let list = if let Some(target) = target_of(name, TEMPORARY) {
        match look_at(io, &path)? {
            Left::Dead(lock) => {
                remove(io, &path, &directory.join(target), lock)?;
                &mut cleaned.removed
            }
            Left::Running => &mut cleaned.running,
            Left::Nothing => return Ok(()),
        }
    } else if let Some(target) = target_of(name, REPLACED) {
        let others = names.iter().filter(|other| target_of(other, REPLACED).as_ref() == Some(&target)).count() - 1;
        let target = directory.join(target);
        match look_at(io, &path)? {
            Left::Dead(lock) if is_replaced(io, &target)? => {
                if is_to_be_removed(io, &path, &target)? {
                    remove(io, &path, &target, lock)?;
                    &mut cleaned.removed
                } else {
                    &mut cleaned.running
                }
            }
            // Without the new store, this store is the only one.
            Left::Dead(_lock) if others == 0 && is_store_for_a_free_name(io, &path, &target)? => {
                io.rename_dir(&path, &target).map_err(failed("name", &target))?;
                io.sync_dir(directory).map_err(failed("sync", directory))?;
                cleaned.restored.push(target);
                return Ok(());
            }
            Left::Dead(_) => &mut cleaned.replaced,
            Left::Running => &mut cleaned.running,
            Left::Nothing => return Ok(()),
        }
    } else if stripes::is_stripe(name) {
        match clean_stripe(io, &path)? {
            Stripe::Removed => &mut cleaned.removed,
            Stripe::Orphan => &mut cleaned.orphans,
            Stripe::Kept => return Ok(()),
        }
    } else {
        return Ok(());
    };
    list.push(path);
    Ok(())
}

fn is_store_for_a_free_name(io: &dyn Io, path: &Path, target: &Path) -> Result<bool, StoreError> {
    let free = !io.exists(target).map_err(failed("look for", target))?;
    Ok(free && io.exists(&path.join(MANIFEST)).map_err(failed("look into", path))?)
}

/// The result of cleaning a stripe.
enum Stripe {
    /// The stripe belonged to no store and was removed.
    Removed,
    /// No accessible store refers to the stripe.
    Orphan,
    /// A store or a running build uses the stripe, or the directory is not a stripe.
    Kept,
}

/// Removes a stripe if it is listed only by leftovers that are also removed.
fn clean_stripe(io: &dyn Io, path: &Path) -> Result<Stripe, StoreError> {
    let Left::Dead(_lock) = look_at(io, path)? else { return Ok(Stripe::Kept) };
    let Some(owner) = stripes::owner(io, path)? else {
        // The file that names the store is removed last, so an empty stripe is the result of an interrupted removal.
        if !io.names(path).map_err(failed("list", path))?.is_empty() {
            return Ok(Stripe::Orphan);
        }
        stripes::remove_one(io, path)?;
        return Ok(Stripe::Removed);
    };
    let lists = |store: &Path| {
        for stripe in stripes::of(io, store)? {
            if stripe.file_name() == path.file_name() && stripes::is_same(io, &stripe, path)? {
                return Ok(true);
            }
        }
        Ok::<_, StoreError>(false)
    };
    if lists(&owner)? {
        return Ok(Stripe::Kept);
    }
    let mut fate = Stripe::Orphan;
    for left in leftovers_of(io, &owner)? {
        let lock = match look_at(io, &left)? {
            Left::Nothing => continue,
            Left::Dead(lock) => Some(lock),
            Left::Running => None,
        };
        if lists(&left)? {
            if lock.is_none() || !is_to_be_removed(io, &left, &owner)? {
                return Ok(Stripe::Kept);
            }
            fate = Stripe::Removed;
        }
    }
    if let Stripe::Removed = fate {
        stripes::remove_one(io, path)?;
    }
    Ok(fate)
}

/// Returns whether a leftover of the store at `target` is useless. Its build must have ended. A store that was renamed
/// for replacement may be the only one. Even if the new store is in place, a running build may be about to move the new
/// store away again.
fn is_to_be_removed(io: &dyn Io, left: &Path, target: &Path) -> Result<bool, StoreError> {
    let stepped_aside = left.file_name().is_some_and(|name| target_of(name, REPLACED).is_some());
    Ok(!stepped_aside || is_replaced(io, target)? && !matches!(look_at(io, target)?, Left::Running))
}

/// Returns whether a new store is in the place of the renamed one.
fn is_replaced(io: &dyn Io, target: &Path) -> Result<bool, StoreError> {
    io.exists(&target.join(MANIFEST)).map_err(failed("look into", target))
}

/// Returns the directories beside `path` that builds of this store have left or are writing.
fn leftovers_of(io: &dyn Io, path: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let (Some(store), parent) = (path.file_name(), parent(path)) else { return Ok(Vec::new()) };
    let names = match io.names(parent) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        names => names.map_err(failed("list", parent))?,
    };
    let is_left =
        |name: &OsStr| [TEMPORARY, REPLACED].iter().any(|mark| target_of(name, mark).as_deref() == Some(store));
    Ok(names.iter().filter(|name| is_left(name)).map(|name| parent.join(name)).collect())
}

/// Removes leftovers of killed builds of this store. Ignores failures, because builds always use new names.
pub(super) fn sweep(io: &dyn Io, path: &Path) -> Result<(), StoreError> {
    for left in leftovers_of(io, path)? {
        if let Ok(Left::Dead(lock)) = look_at(io, &left)
            && is_to_be_removed(io, &left, path).unwrap_or(false)
        {
            let _ = remove(io, &left, path, lock);
        }
    }
    Ok(())
}

/// Returns the stores beside `path` that were renamed to be replaced by a new store at `path`.
pub(super) fn stepped_aside(io: &dyn Io, path: &Path) -> Vec<PathBuf> {
    let mut aside = leftovers_of(io, path).unwrap_or_default();
    aside.retain(|left| left.file_name().is_some_and(|name| target_of(name, REPLACED).is_some()));
    aside.retain(|left| io.exists(&left.join(MANIFEST)).unwrap_or(false));
    aside
}

/// Returns whether a running build has locked a leftover.
pub(super) fn is_being_written(io: &dyn Io, path: &Path) -> bool {
    matches!(look_at(io, path), Ok(Left::Running))
}

/// The state of a leftover.
enum Left {
    /// A directory that no build had locked. The caller now holds the lock.
    Dead(DirectoryLock),
    /// A directory that a build has locked or may have locked.
    Running,
    /// There is no directory at the path.
    Nothing,
}

fn look_at(io: &dyn Io, path: &Path) -> Result<Left, StoreError> {
    match io.lock_dir(path) {
        Ok(Some(lock)) if lock.is_certain() => Ok(Left::Dead(lock)),
        Ok(_) => Ok(Left::Running),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(Left::Nothing),
        Err(error) => Err(failed("lock", path)(error)),
    }
}

/// Removes a directory that was, or was to become, the store at `target`. Its stripes are removed first, except those
/// of the store that is at `target` now. If the removal is interrupted, the directory's manifest still lists the
/// remaining stripes.
pub(super) fn remove(
    io: &dyn Io,
    path: &Path,
    target: &Path,
    _lock: impl Into<Option<DirectoryLock>>,
) -> Result<(), StoreError> {
    let mut stripes = stripes::of(io, path)?;
    if !stripes.is_empty() {
        let kept = stripes::of(io, target)?;
        stripes.retain(|stripe| !kept.contains(stripe));
    }
    stripes::remove(io, target, &stripes)?;
    // Stripes of builds that were killed earlier have temporary names, as do directories beside the store.
    if let Some(name) = target.file_name() {
        stripes::directories(io, path)?.iter().try_for_each(|directory| sweep(io, &directory.join(name)))?;
    }
    match io.remove_dir_all(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(failed("remove", path)(error)),
        _ => Ok(()),
    }
}
