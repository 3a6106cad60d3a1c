//! The cache folder: its path, permission checks, atomic writes and eviction.
//!
//! The unsafe code queries the user ID of this process.
#![allow(unsafe_code)]

use crate::units;
use gts_contract::language::Code;
use gts_core::advice::{Advice, Explain};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The name prefix of files that are being written.
const TEMPORARY: &str = ".gts-cache-";

/// Returns the user's cache folder: `GTS_CACHE_DIR`, otherwise `gts` in `XDG_CACHE_HOME`, otherwise `~/.cache/gts`.
/// `None` if none of `GTS_CACHE_DIR`, `XDG_CACHE_HOME` and `HOME` is set.
pub fn cache_folder() -> Option<PathBuf> {
    let named = |variable: &str| std::env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from);
    named("GTS_CACHE_DIR")
        .or_else(|| named("XDG_CACHE_HOME").map(|cache| cache.join("gts")))
        .or_else(|| named("HOME").map(|home| home.join(".cache/gts")))
}

/// Writes a file atomically. An incomplete file has a unique random name, is locked, and is accessible only to its
/// owner. Also removes the incomplete files that killed processes left in the folder.
pub fn write_whole(path: &Path, write: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    sweep(folder)?;
    let mut temporary = tempfile::Builder::new().prefix(TEMPORARY).tempfile_in(folder)?;
    // Ignore failures: on a file system that has no locks, `sweep` does not remove files, because it cannot lock them
    // either.
    let _ = temporary.as_file().try_lock();
    write(temporary.as_file_mut())?;
    temporary.persist(path).map(drop).map_err(|error| error.error)
}

/// Removes incomplete files left by processes that were killed during a write.
fn sweep(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let is_temporary = entry.file_name().to_str().is_some_and(|name| name.starts_with(TEMPORARY));
        if is_temporary && entry.file_type()?.is_file() {
            // If another process has created the file but not yet locked the file, the removal makes that process's
            // write fail. A failed removal is harmless.
            if File::open(entry.path()).is_ok_and(|file| file.try_lock().is_ok()) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
    Ok(())
}

/// A folder or file whose content another user may have written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{} {}", path.display(), match owned { true => "may be written to by other users", false => "belongs to another user" })]
pub struct Distrusted {
    /// The path of the folder or file.
    pub path: PathBuf,
    /// Whether this user owns the folder or file.
    pub owned: bool,
}

impl Explain for Distrusted {
    fn code(&self) -> Code {
        Code::SharedCache
    }

    fn advice(&self) -> Option<Advice> {
        let other = "set GTS_CACHE_DIR to a folder of your own";
        Some(match self.owned {
            true => format!("run `chmod go-w {}`, or {other}", self.path.display()).into(),
            false => other.into(),
        })
    }
}

/// Returns the reason why the entry at a path is not trusted. Returns `None` if only this user can write to the entry,
/// or if the entry does not exist. A symbolic link that another user owns is not trusted.
pub fn distrust(path: &Path) -> Option<Distrusted> {
    let found = fs::symlink_metadata(path).ok()?;
    match found.is_symlink() {
        true if !is_own(&found) => Some(Distrusted { path: path.to_owned(), owned: false }),
        true => distrust_found(path, &fs::metadata(path).ok()?),
        false => distrust_found(path, &found),
    }
}

/// Returns the reason why a folder or its parent is not trusted. The parent is checked only if other users can replace
/// the folder in the parent.
pub fn distrust_place(folder: &Path) -> Option<Distrusted> {
    let above = || {
        let above = folder.parent()?;
        let why = distrust(above)?;
        is_shared(&fs::metadata(above).ok()?).then_some(why)
    };
    distrust(folder).or_else(above)
}

/// Returns the reason why a folder or one of its entries is not trusted.
pub fn distrust_all(folder: &Path) -> Option<Distrusted> {
    let entries = || fs::read_dir(folder).ok()?.filter_map(Result::ok).find_map(|entry| distrust(&entry.path()));
    distrust(folder).or_else(entries)
}

/// Returns the reason why a file or folder with this metadata is not trusted.
#[cfg(unix)]
pub fn distrust_found(path: &Path, found: &fs::Metadata) -> Option<Distrusted> {
    use std::os::unix::fs::MetadataExt;
    let owned = is_own(found);
    (!owned || found.mode() & 0o022 != 0).then(|| Distrusted { path: path.to_owned(), owned })
}

#[cfg(unix)]
fn is_own(found: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    // SAFETY: the call has no precondition and cannot fail.
    found.uid() == unsafe { libc::geteuid() }
}

/// Returns whether other users can rename this user's files in a folder. This is possible if the folder's owner is
/// neither this user nor root, or if others can write to the folder and the sticky bit is not set.
#[cfg(unix)]
fn is_shared(found: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    let of_another = !is_own(found) && found.uid() != 0;
    of_another || found.mode() & 0o022 != 0 && found.mode() & 0o1000 == 0
}

/// Returns `None`, because this system does not report who can write to a path.
#[cfg(not(unix))]
pub fn distrust_found(_path: &Path, _found: &fs::Metadata) -> Option<Distrusted> {
    None
}

#[cfg(not(unix))]
fn is_own(_found: &fs::Metadata) -> bool {
    true
}

#[cfg(not(unix))]
fn is_shared(_found: &fs::Metadata) -> bool {
    false
}

/// Creates a folder and its parents, accessible only to their owner. An existing folder remains unchanged.
pub fn create_private(folder: &Path) -> io::Result<()> {
    match folder.is_dir() {
        true => Ok(()),
        false => private_builder().recursive(true).create(folder),
    }
}

/// Creates a folder that is accessible only to its owner. Fails if the folder exists.
pub fn create_new_private(folder: &Path) -> io::Result<()> {
    private_builder().create(folder)
}

fn private_builder() -> fs::DirBuilder {
    #[cfg_attr(not(unix), allow(unused_mut))]
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
}

/// Restricts access to a file to its owner.
pub fn make_private(file: &Path) -> io::Result<()> {
    #[cfg(unix)]
    return fs::set_permissions(file, std::os::unix::fs::PermissionsExt::from_mode(0o600));
    #[cfg(not(unix))]
    file.metadata().map(drop)
}

/// A cache entry that [`make_room`] may evict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CacheEntry {
    /// The path of the entry.
    pub path: PathBuf,
    /// The size of the entry in bytes.
    pub bytes: u64,
    /// The time at which the entry was last used.
    pub used: SystemTime,
}

/// Removes the least recently used entries until the remaining ones occupy at most `limit` bytes. `remove` returns
/// whether the entry was removed. Returns the total size of the remaining entries in bytes.
///
/// # Errors
///
/// `remove` returns an error.
pub fn make_room<E>(
    mut entries: Vec<CacheEntry>,
    limit: u64,
    remove: impl Fn(&Path) -> Result<bool, E>,
) -> Result<u64, E> {
    entries.sort_by_key(|entry| entry.used);
    let mut left = entries.iter().fold(0u64, |sum, entry| sum.saturating_add(entry.bytes));
    for CacheEntry { path, bytes, .. } in entries {
        if left <= limit {
            break;
        }
        if remove(&path)? {
            left -= bytes;
        }
    }
    Ok(left)
}

/// Returns the size limit in bytes of one part of the cache: the value of an environment variable, or `default`. Also
/// returns a message if the value is malformed. `what` is a plural noun for the part's contents.
pub fn limit(variable: &str, default: u64, what: &str) -> (u64, Option<String>) {
    let asked = std::env::var_os(variable).map(|text| text.to_string_lossy().into_owned());
    read_limit(variable, asked.as_deref(), default, what)
}

fn read_limit(variable: &str, asked: Option<&str>, default: u64, what: &str) -> (u64, Option<String>) {
    match asked.map(|text| (text, units::parse_bytes(text))) {
        None => (default, None),
        Some((_, Ok(limit))) => (limit, None),
        Some((text, Err(expected))) => {
            let kept = units::bytes(default);
            (default, Some(format!("{variable} is {text:?}, {expected}; {what} take {kept} at most")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn a_limit_that_is_no_size_is_said_to_be_none() {
        let read = |asked| read_limit("GTS_CACHE_LIMIT", asked, 512 << 20, "compiled kernels");
        assert_eq!(read(None), (512 << 20, None));
        assert_eq!(read(Some("2GiB")), (2 << 30, None));
        let (limit, problem) = read(Some("much"));
        let expected = "GTS_CACHE_LIMIT is \"much\", expected a size such as 4096, 64KiB or 8GiB; compiled kernels take \
                        512 MiB at most";
        assert_eq!((limit, problem.as_deref()), (512 << 20, Some(expected)));
    }

    #[test]
    fn the_least_recently_used_go_first_and_those_in_use_stay() {
        let entry = |(number, bytes): (u64, u64)| CacheEntry {
            path: number.to_string().into(),
            bytes,
            used: SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(number),
        };
        let entries: Vec<_> = [(2, 20), (1, 10), (4, 40), (3, 30)].map(entry).into();
        let room = |limit, in_use: &str| {
            let removed = std::cell::RefCell::new(Vec::new());
            let left = make_room(entries.clone(), limit, |path| {
                let free = path != Path::new(in_use);
                free.then(|| removed.borrow_mut().push(path.to_owned()));
                Ok::<_, io::Error>(free)
            });
            (left.unwrap(), removed.into_inner())
        };
        let paths = |names: &[&str]| names.iter().map(PathBuf::from).collect::<Vec<_>>();
        assert_eq!(room(100, ""), (100, paths(&[])));
        assert_eq!(room(99, ""), (90, paths(&["1"])));
        assert_eq!(room(70, ""), (70, paths(&["1", "2"])));
        assert_eq!(room(70, "1"), (50, paths(&["2", "3"])));
        assert_eq!(room(0, "4"), (40, paths(&["1", "2", "3"])));
    }

    #[cfg(unix)]
    #[test]
    fn what_others_may_write_to_is_distrusted_and_what_is_made_here_is_not() {
        use gts_core::advice::{Reader, explain_within};
        use std::os::unix::fs::{PermissionsExt, chown};
        let place = tempfile::tempdir().unwrap();
        let (folder, file) = (place.path().join("deep/folder"), place.path().join("deep/folder/file"));
        assert_eq!(distrust(&folder), None, "nothing is there");
        create_private(&folder).unwrap();
        create_private(&folder).unwrap();
        create_new_private(&folder).unwrap_err();
        fs::write(&file, "x").unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!([mode(&folder), mode(folder.parent().unwrap())], [0o700, 0o700]);
        fs::set_permissions(&file, fs::Permissions::from_mode(0o666)).unwrap();
        let why = distrust_all(&folder).unwrap();
        let told = explain_within(&why, Reader::CommandLine);
        assert!(told.contains("may be written to by other users") && told.contains("chmod go-w"), "{told}");
        make_private(&file).unwrap();
        assert_eq!((mode(&file), distrust_all(&folder)), (0o600, None));
        let above = folder.parent().unwrap();
        for (mode, trusted) in [(0o777, false), (0o1777, true), (0o755, true)] {
            fs::set_permissions(above, fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!((distrust(&folder), distrust_place(&folder).is_none()), (None, trusted), "{mode:o}");
        }
        if chown(&file, Some(12_345), None).is_err() {
            println!("skipped: only root can give a file to somebody else");
            return;
        }
        let why = distrust_all(&folder).unwrap();
        let told = explain_within(&why, Reader::CommandLine);
        assert!(told.contains("belongs to another user") && !told.contains("chmod"), "{told}");
    }

    #[test]
    fn what_killed_processes_left_goes_and_what_others_write_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        for name in [".gts-cache-dead", ".gts-cache-alive", "other"] {
            fs::write(path(name), "half").unwrap();
        }
        let alive = File::open(path(".gts-cache-alive")).unwrap();
        alive.try_lock().unwrap();
        write_whole(&path("whole"), |file| file.write_all(b"1")).unwrap();
        write_whole(&path("whole"), |file| file.write_all(b"2")).unwrap();
        write_whole(&path("none"), |_| Err(io::ErrorKind::StorageFull.into())).unwrap_err();
        assert_eq!(fs::read(path("whole")).unwrap(), b"2");
        let mut names: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, [".gts-cache-alive", "other", "whole"]);
    }
}
