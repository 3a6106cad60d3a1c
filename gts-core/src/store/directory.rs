//! The directory of a store while the store is being opened. The directory is opened once, and its files are opened
//! relative to it. If another store is renamed to this path meanwhile, either all opened files belong to one store, or
//! opening them fails.

use super::StoreError;
use super::files::failed;
use super::io::Io;
use super::leftovers::{is_being_written, stepped_aside};
use super::manifest::Manifest;
use super::open::read_manifest;
use super::place::is_temporary;
use crate::files::not_regular;
use std::fs::File;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// Maximum number of attempts to open a store that is replaced during each attempt.
const ATTEMPTS: u32 = 20;

/// An open directory. The handle stays valid if the path is renamed.
#[derive(Debug)]
pub struct Directory {
    path: PathBuf,
    handle: Handle,
}

impl Directory {
    /// Opens a directory. Permission to list it is not required.
    pub fn open(path: &Path) -> io::Result<Self> {
        Ok(Self { path: path.to_owned(), handle: Handle::open(path)? })
    }

    /// Returns the path with which the directory was opened.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Opens a regular file for reading. Fails for other file types, without blocking.
    pub(super) fn open_file(&self, name: &str) -> io::Result<File> {
        self.handle.open_file(&self.path, name, false)
    }

    /// Opens a regular file for direct reads if the file system supports them, and otherwise for cached reads.
    pub(super) fn open_direct(&self, name: &str) -> io::Result<File> {
        self.handle.open_file(&self.path, name, true)
    }

    /// Returns whether both handles refer to the same directory.
    fn is_same(&self, other: &Self) -> bool {
        self.handle.is_same(&other.handle)
    }
}

#[cfg(target_os = "linux")]
#[derive(Debug)]
struct Handle(rustix::fd::OwnedFd);

#[cfg(target_os = "linux")]
impl Handle {
    fn open(path: &Path) -> io::Result<Self> {
        use rustix::fs::{Mode, OFlags};
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(Self(rustix::fs::open(path, flags, Mode::empty())?))
    }

    fn open_file(&self, _: &Path, name: &str, direct: bool) -> io::Result<File> {
        use rustix::fs::{AtFlags, FileType, Mode, OFlags, openat, statat};
        // Check the type first, because opening a pipe would wait for a writer.
        let found = statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW)?;
        if FileType::from_raw_mode(found.st_mode) != FileType::RegularFile {
            return Err(not_regular());
        }
        let direct = if direct { OFlags::DIRECT } else { OFlags::empty() };
        Ok(openat(&self.0, name, OFlags::RDONLY | OFlags::CLOEXEC | direct, Mode::empty())?.into())
    }

    fn is_same(&self, other: &Self) -> bool {
        let identity = |handle: &Self| rustix::fs::fstat(&handle.0).map(|found| (found.st_dev, found.st_ino));
        identity(self) == identity(other)
    }
}

/// On other systems, files are opened by path. Directories are compared by their creation and modification times.
#[cfg(not(target_os = "linux"))]
#[derive(Debug)]
struct Handle(std::fs::Metadata);

#[cfg(not(target_os = "linux"))]
impl Handle {
    fn open(path: &Path) -> io::Result<Self> {
        let found = path.metadata()?;
        if found.is_dir() { Ok(Self(found)) } else { Err(ErrorKind::NotADirectory.into()) }
    }

    fn open_file(&self, directory: &Path, name: &str, direct: bool) -> io::Result<File> {
        let path = directory.join(name);
        if !path.symlink_metadata()?.is_file() {
            return Err(not_regular());
        }
        if direct { Err(ErrorKind::Unsupported.into()) } else { File::open(path) }
    }

    fn is_same(&self, other: &Self) -> bool {
        let identity = |handle: &Self| (handle.0.created().ok(), handle.0.modified().ok());
        identity(self) == identity(other)
    }
}

/// Calls `action` with the directory and the manifest of the store at `path`. Retries if this fails and another store
/// has been renamed to the path meanwhile.
///
/// # Errors
///
/// Fails if there is no store, if the action failed on a store that is still at the path, or if the store was replaced
/// during every attempt.
pub(super) fn with_store<T>(
    io: &dyn Io,
    path: &Path,
    action: impl Fn(&Directory, &Manifest) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    if is_temporary(path) {
        return Err(StoreError::Unfinished { path: path.to_owned() });
    }
    for attempt in 1..=ATTEMPTS {
        let directory = match io.open_dir(path) {
            Ok(directory) => directory,
            Err(error) if is_absent_for_now(io, path, &error, attempt) => continue,
            Err(error) => return Err(absent(io, path, error)),
        };
        let (manifest, result) = match read_manifest(io, &directory) {
            Ok(manifest) => {
                let result = action(&directory, &manifest);
                (Some(manifest), result)
            }
            Err(error) => (None, Err(error)),
        };
        match result {
            Err(_) if is_replaced(io, &directory, manifest.as_ref()) => {}
            result => return result,
        }
    }
    Err(StoreError::BeingReplaced { path: path.to_owned(), times: ATTEMPTS })
}

/// Returns whether a store cannot be opened because a running build is replacing it. If the file system cannot exchange
/// names, the old store is renamed first, so the path is free for a moment.
fn is_absent_for_now(io: &dyn Io, path: &Path, error: &io::Error, attempt: u32) -> bool {
    // A dangling symbolic link also exists, so the number of attempts is limited.
    let is_back = || attempt < ATTEMPTS && io.exists(path).unwrap_or(false);
    let steps_aside = || stepped_aside(io, path).iter().any(|aside| is_being_written(io, aside));
    error.kind() == ErrorKind::NotFound && (steps_aside() || is_back())
}

/// Returns the error for a store whose directory cannot be opened.
fn absent(io: &dyn Io, path: &Path, error: io::Error) -> StoreError {
    let no_store = |reason| StoreError::NotAStore { path: path.to_owned(), reason };
    match error.kind() {
        ErrorKind::NotADirectory => no_store("it has no manifest"),
        ErrorKind::NotFound => match stepped_aside(io, path).pop() {
            Some(aside) => StoreError::SteppedAside { path: path.to_owned(), aside },
            None => no_store("there is nothing of that name"),
        },
        _ => failed("open", path)(error),
    }
}

/// Returns whether the path of the directory now leads to a different store.
fn is_replaced(io: &dyn Io, before: &Directory, manifest: Option<&Manifest>) -> bool {
    match io.open_dir(&before.path) {
        Ok(now) if now.is_same(before) => {
            manifest.is_some_and(|before| read_manifest(io, &now).is_ok_and(|now| now != *before))
        }
        Ok(_) => true,
        Err(error) => error.kind() == ErrorKind::NotFound,
    }
}
