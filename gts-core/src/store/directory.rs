//! The directory of a store while the store is being opened. The directory is opened once, and its files are opened
//! relative to it. If another store is renamed to this path meanwhile, either all opened files belong to one store, or
//! opening them fails.

use crate::files::not_regular;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

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
    pub(super) fn is_same(&self, other: &Self) -> bool {
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
        if found.is_dir() { Ok(Self(found)) } else { Err(io::ErrorKind::NotADirectory.into()) }
    }

    fn open_file(&self, directory: &Path, name: &str, direct: bool) -> io::Result<File> {
        let path = directory.join(name);
        if !path.symlink_metadata()?.is_file() {
            return Err(not_regular());
        }
        if direct { Err(io::ErrorKind::Unsupported.into()) } else { File::open(path) }
    }

    fn is_same(&self, other: &Self) -> bool {
        let identity = |handle: &Self| (handle.0.created().ok(), handle.0.modified().ok());
        identity(self) == identity(other)
    }
}
