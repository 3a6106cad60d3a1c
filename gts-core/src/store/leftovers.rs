//! What builds leave that were killed: directories under temporary names, stores that stepped aside, stripes.

use super::StoreError;
use super::files::{MANIFEST, failed};
use super::io::{DirectoryLock, Io};
use super::place::{REPLACED, TEMPORARY, parent, target_of};
use super::stripes;
use std::ffi::{OsStr, OsString};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// What became of the leftovers in a directory.
#[derive(Debug, Default)]
pub struct Cleaned {
    /// Directories of builds that had ended, under temporary names, now removed.
    pub removed: Vec<PathBuf>,
    /// Stores that had stepped aside for a new one which never took their place, now back under their names.
    pub restored: Vec<PathBuf>,
    /// Directories of builds that still run, or may.
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
            Left::Dead(lock) if io.exists(&target.join(MANIFEST)).unwrap_or(false) => {
                // The build that made the new store may be about to remove the old one.
                if let Left::Running = look_at(io, &target)? {
                    &mut cleaned.running
                } else {
                    remove(io, &path, &target, lock)?;
                    &mut cleaned.removed
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
    } else if stripes::is_orphan(io, &path) && matches!(look_at(io, &path)?, Left::Dead(_)) {
        &mut cleaned.orphans
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

/// Removes what killed builds of this store left, as far as that can be done: a build takes other names anyway.
pub(super) fn sweep(io: &dyn Io, path: &Path) -> Result<(), StoreError> {
    let (Some(name), parent) = (path.file_name(), parent(path)) else { return Ok(()) };
    let names = match io.names(parent) {
        // Making the store tells better what is wrong.
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        names => names.map_err(failed("list", parent))?,
    };
    for left in names {
        if target_of(&left, TEMPORARY).is_some_and(|target| target == name) {
            let left = parent.join(left);
            if let Ok(Left::Dead(lock)) = look_at(io, &left) {
                let _ = remove(io, &left, path, lock);
            }
        }
    }
    Ok(())
}

/// The stores beside a path that stepped aside for one which should have taken their place there.
pub(super) fn stepped_aside(io: &dyn Io, path: &Path) -> Vec<PathBuf> {
    let (Some(name), parent) = (path.file_name(), parent(path)) else { return Vec::new() };
    let names = io.names(parent).unwrap_or_default().into_iter();
    let aside = names.filter(|other| target_of(other, REPLACED).is_some_and(|target| target == name));
    aside.map(|name| parent.join(name)).filter(|path| io.exists(&path.join(MANIFEST)).unwrap_or(false)).collect()
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

/// Removes a directory that was to be the store at `target`, or was it, and those stripes of it that the store which is
/// there does not have.
pub(super) fn remove(
    io: &dyn Io,
    path: &Path,
    target: &Path,
    _lock: impl Into<Option<DirectoryLock>>,
) -> Result<(), StoreError> {
    let mut stripes = stripes_of(io, path)?;
    if !stripes.is_empty() {
        let kept = stripes_of(io, target)?;
        stripes.retain(|stripe| !kept.contains(stripe));
    }
    match io.remove_dir_all(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(failed("remove", path)(error)),
        _ => {}
    }
    stripes::remove(io, target, &stripes)
}

/// The stripes of the store at a path; none where there is no manifest.
fn stripes_of(io: &dyn Io, path: &Path) -> Result<Vec<PathBuf>, StoreError> {
    match stripes::of(io, path) {
        Err(StoreError::Io { source, .. }) if source.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        stripes => stripes,
    }
}
