//! The file system calls of a store as a trait, so that a test can make any call fail.

pub use super::access::{Reader, Writer};
pub use super::directory::Directory;
use super::reader::FileReader;
use super::reads::{self, DirectFile, ReadQueue};
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// The file system operations that a store requires.
pub trait Io: Send + Sync {
    /// Returns whether a path exists, regardless of its file type. Symbolic links are not followed.
    fn exists(&self, path: &Path) -> io::Result<bool>;
    /// Creates a directory. Fails if the path exists.
    fn create_dir(&self, path: &Path) -> io::Result<()>;
    /// Creates a file for writing. Fails if the path exists.
    fn create(&self, path: &Path) -> io::Result<Box<dyn Writer>>;
    /// Creates a file for writing. Fails if the path exists. A write is direct if its offset, length and memory address
    /// are multiples of [`PAGE_ALIGNMENT`](crate::page::PAGE_ALIGNMENT).
    fn create_direct(&self, path: &Path) -> io::Result<Box<dyn Writer>> {
        self.create(path)
    }
    /// Opens a regular file for direct reads from its beginning. The offset, length and memory address of each read
    /// must be multiples of [`PAGE_ALIGNMENT`](crate::page::PAGE_ALIGNMENT).
    fn read_direct(&self, path: &Path) -> io::Result<Box<dyn Reader>> {
        self.open(path)
    }
    /// Opens a regular file for reading. Fails for other file types, without blocking.
    fn open(&self, path: &Path) -> io::Result<Box<dyn Reader>>;
    /// Opens a directory. Its files can be opened through the handle even if the path later leads to another directory.
    fn open_dir(&self, path: &Path) -> io::Result<Directory> {
        Directory::open(path)
    }
    /// Opens a regular file in a directory for reading. Fails for other file types, without blocking.
    fn open_in(&self, directory: &Directory, name: &str) -> io::Result<Box<dyn Reader>> {
        Ok(Box::new(FileReader::open_in(directory, name)?))
    }
    /// Opens a regular file in a directory for reads at arbitrary offsets. Fails for other file types, without
    /// blocking.
    fn open_direct_in(&self, directory: &Directory, name: &str) -> io::Result<DirectFile> {
        DirectFile::open_in(directory, name)
    }
    /// Returns a queue for up to about `depth` concurrent reads.
    fn read_queue(&self, depth: usize) -> io::Result<Box<dyn ReadQueue>> {
        Ok(reads::queue(depth))
    }
    /// Makes changes to the names in a directory durable.
    fn sync_dir(&self, path: &Path) -> io::Result<()>;
    /// Renames a directory. `to` must not be a file or a directory with contents.
    fn rename_dir(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Exchanges the names of two directories atomically. Fails with [`ErrorKind::Unsupported`] if the system or the
    /// file system does not support this.
    fn exchange_dirs(&self, _one: &Path, _other: &Path) -> io::Result<()> {
        Err(ErrorKind::Unsupported.into())
    }
    /// Returns the canonical path: absolute, and without symbolic links.
    fn canonicalize(&self, path: &Path) -> io::Result<PathBuf> {
        fs::canonicalize(path)
    }
    /// Removes a directory and all its contents.
    fn remove_dir_all(&self, path: &Path) -> io::Result<()>;
    /// Removes a file.
    fn remove_file(&self, path: &Path) -> io::Result<()>;
    /// Returns the names of a directory's entries, in arbitrary order.
    fn names(&self, path: &Path) -> io::Result<Vec<OsString>>;
    /// Locks a directory until the lock is dropped or the process ends. Returns `None` if the directory is already
    /// locked. Fails for other file types with [`ErrorKind::NotADirectory`], without blocking.
    fn lock_dir(&self, path: &Path) -> io::Result<Option<DirectoryLock>>;
}

/// An exclusive lock on a directory.
#[derive(Debug)]
pub struct DirectoryLock {
    /// The locked directory, which is unlocked on drop; `None` if the file system does not support locks.
    file: Option<File>,
}

impl DirectoryLock {
    /// Returns whether the directory is actually locked. Some file systems do not support locks.
    pub fn is_certain(&self) -> bool {
        self.file.is_some()
    }
}

/// The file system of the operating system.
#[derive(Clone, Copy, Debug, Default)]
pub struct FileSystem;

impl Io for FileSystem {
    fn exists(&self, path: &Path) -> io::Result<bool> {
        match path.symlink_metadata() {
            Ok(_) => Ok(true),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn create_dir(&self, path: &Path) -> io::Result<()> {
        fs::create_dir(path)
    }

    fn create(&self, path: &Path) -> io::Result<Box<dyn Writer>> {
        let file = OpenOptions::new().write(true).create_new(true).open(path)?;
        Ok(Box::new(file))
    }

    #[cfg(unix)]
    fn create_direct(&self, path: &Path) -> io::Result<Box<dyn Writer>> {
        Ok(Box::new(super::direct::DirectWriter::create(path)?))
    }

    #[cfg(unix)]
    fn read_direct(&self, path: &Path) -> io::Result<Box<dyn Reader>> {
        Ok(Box::new(super::direct::DirectReader::open(path)?))
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn Reader>> {
        Ok(Box::new(FileReader::open(path)?))
    }

    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        File::open(path)?.sync_all()
    }

    fn rename_dir(&self, from: &Path, to: &Path) -> io::Result<()> {
        // Renaming a directory never replaces a file or a directory with contents.
        fs::rename(from, to)
    }

    #[cfg(target_os = "linux")]
    fn exchange_dirs(&self, one: &Path, other: &Path) -> io::Result<()> {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        use rustix::io::Errno;
        renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE).map_err(|error| match error {
            Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP => ErrorKind::Unsupported.into(),
            error => error.into(),
        })
    }

    fn remove_dir_all(&self, path: &Path) -> io::Result<()> {
        fs::remove_dir_all(path)
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    fn names(&self, path: &Path) -> io::Result<Vec<OsString>> {
        fs::read_dir(path)?.map(|entry| Ok(entry?.file_name())).collect()
    }

    fn lock_dir(&self, path: &Path) -> io::Result<Option<DirectoryLock>> {
        // Check the type first, because opening a pipe would wait for a writer.
        if !path.symlink_metadata()?.is_dir() {
            return Err(ErrorKind::NotADirectory.into());
        }
        let file = open_itself(path)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(DirectoryLock { file: Some(file) })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(_)) => Ok(Some(DirectoryLock { file: None })),
        }
    }
}

/// Opens a file or a directory. Fails for a symbolic link.
#[cfg(target_os = "linux")]
fn open_itself(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    let flags = rustix::fs::OFlags::NOFOLLOW.bits() as i32;
    fs::OpenOptions::new().read(true).custom_flags(flags).open(path)
}

#[cfg(not(target_os = "linux"))]
fn open_itself(path: &Path) -> io::Result<File> {
    File::open(path)
}
