//! The folder in which programs keep what they can make again, and how files get there.
//!
//! Unsafe code asks the system for the user that this process runs as.
#![allow(unsafe_code)]

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// Begins the name of a file that is being written.
const TEMPORARY: &str = ".gts-cache-";

/// The cache folder of this user: `GTS_CACHE_DIR`, else `gts` in `XDG_CACHE_HOME`, else in `~/.cache`. `None` where none
/// of them is set.
pub fn cache_folder() -> Option<PathBuf> {
    let named = |variable: &str| std::env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from);
    named("GTS_CACHE_DIR")
        .or_else(|| named("XDG_CACHE_HOME").map(|cache| cache.join("gts")))
        .or_else(|| named("HOME").map(|home| home.join(".cache/gts")))
}

/// Writes a file that appears whole. Until then it has a random name that nothing else has, is its owner's alone, and is
/// locked; what processes left there that were killed is removed.
pub(crate) fn write_whole(path: &Path, write: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    sweep(folder)?;
    let mut temporary = tempfile::Builder::new().prefix(TEMPORARY).tempfile_in(folder)?;
    // A file system without locks tells of no killed process either.
    let _ = temporary.as_file().try_lock();
    write(temporary.as_file_mut())?;
    temporary.persist(path).map(drop).map_err(|error| error.error)
}

/// Removes the files of processes that were killed while they wrote.
fn sweep(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let is_temporary = entry.file_name().to_str().is_some_and(|name| name.starts_with(TEMPORARY));
        if is_temporary && entry.file_type()?.is_file() {
            // One that its process has just named, or that cannot be removed, does no harm.
            if File::open(entry.path()).is_ok_and(|file| file.try_lock().is_ok()) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
    Ok(())
}

/// Why another user could put something into a folder or a file; `None` where only this one can.
#[cfg(unix)]
pub(crate) fn distrust(found: &fs::Metadata) -> Option<&'static str> {
    use std::os::unix::fs::MetadataExt;
    // SAFETY: the call has no precondition and cannot fail.
    let own = unsafe { libc::geteuid() };
    if found.uid() != own {
        Some("belongs to another user")
    } else if found.mode() & 0o022 != 0 {
        Some("may be written to by other users")
    } else {
        None
    }
}

/// Why another user could put something into a folder or a file: this system does not tell.
#[cfg(not(unix))]
pub(crate) fn distrust(_found: &fs::Metadata) -> Option<&'static str> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

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
