//! What builds leave that were killed: directories under temporary names, stores that stepped aside, stripes.

use super::StoreError;
use super::files::{MANIFEST, failed};
use super::io::{DirectoryLock, Io};
use super::place::{REPLACED, TEMPORARY, check_contents, parent, sibling, target_of};
use super::stripes;
use std::ffi::{OsStr, OsString};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// What became of the leftovers in a directory.
#[derive(Debug, Default)]
pub struct Cleaned {
    /// What builds had left that ended, now removed: directories under temporary names, and stripes.
    pub removed: Vec<PathBuf>,
    /// Stores that had stepped aside for a new one which never took their place, now back under their names.
    pub restored: Vec<PathBuf>,
    /// What builds are writing that still run, or may.
    pub running: Vec<PathBuf>,
    /// Stores that stepped aside, where it is not clear whether they should be back: rename them, or remove them.
    pub replaced: Vec<PathBuf>,
    /// Stripes to which the store that they name does not refer: remove them, unless the store was moved.
    pub orphans: Vec<PathBuf>,
    /// What could not be looked at, or not removed, and why.
    pub failed: Vec<StoreError>,
}

/// Removes what killed builds left in a directory, and gives stores that stepped aside for nothing their names back.
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

/// Removes a store that no process has locked, with its stripes. Returns whether it is gone.
pub(super) fn remove_store(io: &dyn Io, path: &Path) -> Result<bool, StoreError> {
    let lock = match look_at(io, path)? {
        Left::Dead(lock) => lock,
        Left::Running => return Ok(false),
        Left::Nothing => return Ok(true),
    };
    check_contents(io, path)?;
    // Its name goes first, so that nothing opens a half.
    let temporary = sibling(path, TEMPORARY)?;
    io.rename_dir(path, &temporary).map_err(failed("move away", path))?;
    remove(io, &temporary, path, lock)?;
    Ok(true)
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
            // Without the new store this is the only one.
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

/// What became of a stripe.
enum Stripe {
    /// It was of no store any more.
    Removed,
    /// No store that can be found refers to it.
    Orphan,
    /// A store or a running build has it, or it is no stripe at all.
    Kept,
}

/// Removes a stripe which only leftovers list that are to be removed too.
fn clean_stripe(io: &dyn Io, path: &Path) -> Result<Stripe, StoreError> {
    let Left::Dead(_lock) = look_at(io, path)? else { return Ok(Stripe::Kept) };
    let Some(owner) = stripes::owner(io, path)? else {
        // The file that says whose it is goes last: an empty one was being removed.
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

/// Whether a leftover of the store at `target`, whose build has ended, is of no use. A store that stepped aside may be the
/// only one; where the new one is in its place, the build that put it there may be about to give the place back.
fn is_to_be_removed(io: &dyn Io, left: &Path, target: &Path) -> Result<bool, StoreError> {
    let stepped_aside = left.file_name().is_some_and(|name| target_of(name, REPLACED).is_some());
    Ok(!stepped_aside || is_replaced(io, target)? && !matches!(look_at(io, target)?, Left::Running))
}

/// Whether a new store stands where one stepped aside.
fn is_replaced(io: &dyn Io, target: &Path) -> Result<bool, StoreError> {
    io.exists(&target.join(MANIFEST)).map_err(failed("look into", target))
}

/// What builds of the store at a path left beside it, or are writing there.
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

/// Removes what killed builds of this store left, as far as that can be done: a build takes other names anyway.
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

/// The stores beside a path that stepped aside for one which should have taken their place there.
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

/// What stands under the name of a leftover.
enum Left {
    /// A directory that no build has locked; here it is locked.
    Dead(DirectoryLock),
    /// One that a build has locked, or may have.
    Running,
    /// No directory.
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

/// Removes a directory that was to be the store at `target`, or was it. Its stripes go first, but for those that the store
/// has which is there: where this is cut short, the manifest still lists what is left.
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
    // Stripes of builds that were killed sooner have temporary names, as those have beside the store.
    if let Some(name) = target.file_name() {
        stripes::directories(io, path)?.iter().try_for_each(|directory| sweep(io, &directory.join(name)))?;
    }
    match io.remove_dir_all(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(failed("remove", path)(error)),
        _ => Ok(()),
    }
}
