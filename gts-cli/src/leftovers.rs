//! Files left by killed commands, except stores: incomplete output files, and folders of measurements and of ranks.
//! They have temporary names, and are locked while their commands run.

use gts_graph::core::store::io::{DirectoryLock, FileSystem, Io};
use gts_graph::core::store::{Cleaned, StoreError};
use gts_graph::folder::distrust_found;
use std::ffi::OsStr;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Prefix of the name of a file that is being written.
const FILE: &str = ".gts-output-";
/// Prefix of the name of a folder of measurements.
const FOLDER: &str = ".gts-bench-";
/// Prefix of the name of a folder in which ranks meet.
#[cfg(unix)]
const RANKS: &str = "gts-group-";
/// Number of random characters at the end of a name.
const RANDOM: usize = 6;

/// Returns the builder of temporary files.
pub(crate) fn file() -> tempfile::Builder<'static, 'static> {
    builder(FILE)
}

/// Attempts to create a folder. Another command may remove a new folder before it is locked.
const ATTEMPTS: usize = 100;

/// A temporary folder that no other user can enter. Dropping this value removes the folder.
#[derive(Debug)]
pub struct TemporaryFolder {
    // Dropped in this order: the folder is locked until it is removed.
    folder: TempDir,
    _lock: DirectoryLock,
}

impl TemporaryFolder {
    /// Creates a folder of measurements in `parent`, from which it removes folders left by killed commands.
    pub fn of_measurements(parent: &Path) -> io::Result<Self> {
        Self::new(FOLDER, parent)
    }

    /// Creates a folder in which ranks meet, in the same way.
    #[cfg(unix)]
    pub(crate) fn of_ranks(parent: &Path) -> io::Result<Self> {
        Self::new(RANKS, parent)
    }

    fn new(prefix: &'static str, parent: &Path) -> io::Result<Self> {
        sweep(parent);
        let mut builder = builder(prefix);
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
        for _ in 0..ATTEMPTS {
            let folder = builder.tempdir_in(parent)?;
            match FileSystem.lock_dir(folder.path()) {
                Ok(Some(lock)) if folder.path().exists() => return Ok(Self { folder, _lock: lock }),
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        Err(io::Error::other("other commands remove each new folder"))
    }

    /// Returns the path of the folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

fn builder(prefix: &'static str) -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(prefix).rand_bytes(RANDOM);
    builder
}

/// Owner of a file's lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lock {
    /// This process, until the file is closed.
    Own,
    /// Another process; or the path leads to another file by now.
    Other,
    /// The file system does not support locks.
    Unknown,
}

/// Locks a file that was opened at a path.
pub(crate) fn lock(file: &File, path: &Path) -> io::Result<Lock> {
    match file.try_lock() {
        Ok(()) if is_at(file, path)? => Ok(Lock::Own),
        Ok(()) | Err(TryLockError::WouldBlock) => Ok(Lock::Other),
        Err(TryLockError::Error(_)) => Ok(Lock::Unknown),
    }
}

/// Returns whether a path still leads to a file that was opened there.
pub(crate) fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    match fs::symlink_metadata(path) {
        #[cfg(unix)]
        Ok(found) => {
            use std::os::unix::fs::MetadataExt;
            let file = file.metadata()?;
            Ok((found.dev(), found.ino()) == (file.dev(), file.ino()))
        }
        #[cfg(not(unix))]
        Ok(_) => {
            let _ = file;
            Ok(true)
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Removes files left by killed commands from a folder, as far as possible.
pub(crate) fn sweep(folder: &Path) {
    // Remaining files do no harm, and `gts clean` reports why they cannot be removed.
    let _ = clean(folder, &mut Cleaned::default());
}

/// Removes files left by killed commands from a folder, and adds the results to `cleaned`.
pub(crate) fn clean(folder: &Path, cleaned: &mut Cleaned) -> io::Result<()> {
    let mut left: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name();
        if is_temporary(&name, FILE) || is_temporary(&name, FOLDER) || is_of_ranks(&name) {
            left.push(folder.join(name));
        }
    }
    left.sort();
    for path in left {
        match clean_one(&path) {
            Ok(Some(Lock::Own)) => cleaned.removed.push(path),
            Ok(Some(Lock::Other | Lock::Unknown)) => cleaned.running.push(path),
            Err(source) if source.kind() != io::ErrorKind::NotFound => {
                cleaned.failed.push(StoreError::Io { action: "remove", path, source });
            }
            _ => {}
        }
    }
    Ok(())
}

/// Returns whether commands give such a name to files that are being written.
fn is_temporary(name: &OsStr, prefix: &str) -> bool {
    let random = name.to_str().and_then(|name| name.strip_prefix(prefix));
    random.is_some_and(|random| random.len() == RANDOM && random.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}

#[cfg(unix)]
fn is_of_ranks(name: &OsStr) -> bool {
    is_temporary(name, RANKS)
}

#[cfg(not(unix))]
fn is_of_ranks(_: &OsStr) -> bool {
    false
}

/// Removes a folder of ranks that no process has locked. Returns `None` for a folder to which another user could have
/// added files, and for one that contains anything but sockets. The folder is opened once, and files are removed
/// relative to it, because its path may lead elsewhere in the meantime.
#[cfg(unix)]
fn clean_ranks(path: &Path) -> io::Result<Option<Lock>> {
    use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, open, statat, unlinkat};
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let folder = File::from(open(path, flags, Mode::empty())?);
    if distrust_found(path, &folder.metadata()?).is_some() {
        return Ok(None);
    }
    match lock(&folder, path)? {
        Lock::Own => {}
        other => return Ok(Some(other)),
    }
    let mut sockets = Vec::new();
    for entry in Dir::read_from(&folder)? {
        let entry = entry?;
        let name = entry.file_name();
        if [c".", c".."].contains(&name) {
            continue;
        }
        let found = statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW)?;
        if FileType::from_raw_mode(found.st_mode) != FileType::Socket {
            return Ok(None);
        }
        sockets.push(name.to_owned());
    }
    sockets.iter().try_for_each(|socket| unlinkat(&folder, socket, AtFlags::empty()))?;
    fs::remove_dir(path)?;
    Ok(Some(Lock::Own))
}

/// Removes a file or a folder that no process has locked. Returns `None` for anything else, and for a folder to which
/// another user could have added files.
fn clean_one(path: &Path) -> io::Result<Option<Lock>> {
    let found = fs::symlink_metadata(path)?;
    let name = path.file_name().unwrap_or_default();
    if found.is_dir() && distrust_found(path, &found).is_some() {
        return Ok(None);
    }
    #[cfg(unix)]
    if found.is_dir() && is_of_ranks(name) {
        return clean_ranks(path);
    }
    if found.is_dir() && is_temporary(name, FOLDER) {
        return Ok(Some(match FileSystem.lock_dir(path)? {
            Some(lock) if lock.is_certain() => {
                fs::remove_dir_all(path)?;
                Lock::Own
            }
            Some(_) => Lock::Unknown,
            None => Lock::Other,
        }));
    }
    if !found.is_file() || !is_temporary(name, FILE) {
        return Ok(None);
    }
    let file = File::open(path)?;
    let lock = lock(&file, path)?;
    if lock == Lock::Own {
        fs::remove_file(path)?;
    }
    Ok(Some(lock))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unlocked_files_go_and_no_others() {
        let place = tempfile::tempdir().unwrap();
        let path = |name: &str| place.path().join(name);
        for name in [".gts-output-AbC123", ".gts-output-AbC124", ".gts-output-notes.txt", "ranks.csv"] {
            fs::write(path(name), "half").unwrap();
        }
        fs::create_dir_all(path(".gts-bench-AbC123/graph.gts")).unwrap();
        fs::create_dir(path(".gts-output-AbC125")).unwrap();
        let folder = TemporaryFolder::of_measurements(place.path()).unwrap();
        assert!(!path(".gts-bench-AbC123").exists(), "the next folder made there removes what was left");
        fs::create_dir(path(".gts-bench-AbC123")).unwrap();
        fs::write(path(".gts-output-AbC123"), "half").unwrap();
        let file = File::open(path(".gts-output-AbC123")).unwrap();
        assert_eq!(lock(&file, &path(".gts-output-AbC123")).unwrap(), Lock::Own);
        let mut cleaned = Cleaned::default();
        clean(place.path(), &mut cleaned).unwrap();
        assert_eq!(cleaned.removed, [path(".gts-bench-AbC123")]);
        assert_eq!(cleaned.running.len(), 2, "{:?}", cleaned.running);
        assert!(folder.path().exists() && cleaned.failed.is_empty());
        drop((file, folder));
        sweep(place.path());
        let mut names: Vec<_> = fs::read_dir(place.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, [".gts-output-AbC125", ".gts-output-notes.txt", "ranks.csv"]);
    }

    #[test]
    #[cfg(unix)]
    fn folders_of_ranks_go_unless_they_are_locked_or_hold_files() {
        use std::os::unix::fs::PermissionsExt;
        use std::os::unix::net::UnixListener;
        let place = tempfile::tempdir().unwrap();
        let path = |name: &str| place.path().join(name);
        let folder = TemporaryFolder::of_ranks(place.path()).unwrap();
        assert_eq!(fs::metadata(folder.path()).unwrap().permissions().mode() & 0o777, 0o700);
        for name in ["gts-group-AbC123", "gts-group-AbC124", "gts-group-report"] {
            fs::create_dir(path(name)).unwrap();
            UnixListener::bind(path(name).join("rank-0")).unwrap();
        }
        fs::write(path("gts-group-AbC124/thesis"), "ten years").unwrap();
        // Another user may have created this one.
        fs::create_dir(path("gts-group-AbC125")).unwrap();
        UnixListener::bind(path("gts-group-AbC125/rank-0")).unwrap();
        fs::set_permissions(path("gts-group-AbC125"), fs::Permissions::from_mode(0o777)).unwrap();
        // Another user may also have created this link to one of our folders.
        fs::create_dir(path("own")).unwrap();
        UnixListener::bind(path("own/rank-0")).unwrap();
        std::os::unix::fs::symlink(path("own"), path("gts-group-AbC126")).unwrap();
        let mut cleaned = Cleaned::default();
        clean(place.path(), &mut cleaned).unwrap();
        // The name of the third one has the form of a temporary name.
        assert_eq!(cleaned.removed, [path("gts-group-AbC123"), path("gts-group-report")]);
        assert_eq!(cleaned.running, [folder.path()]);
        assert!(path("gts-group-AbC124/thesis").exists() && path("gts-group-AbC124/rank-0").exists());
        assert!(path("gts-group-AbC125/rank-0").exists() && path("own/rank-0").exists());
        clean_ranks(&path("gts-group-AbC126")).unwrap_err();
        assert!(path("own/rank-0").exists());
        drop(folder);
        assert_eq!(fs::read_dir(&place).unwrap().count(), 4);
    }
}
