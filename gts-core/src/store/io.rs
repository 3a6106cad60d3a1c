//! All that a store asks of the file system, as one trait, so that a test can make any call fail.

pub use super::directory::Directory;
use super::reader::FileReader;
use super::reads::{self, DirectFile, ReadQueue};
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// What a store asks of the file system.
pub trait Io: Send + Sync {
    /// Whether something stands at a path, of whatever kind; symbolic links are not followed.
    fn exists(&self, path: &Path) -> io::Result<bool>;
    /// Makes a directory that does not exist yet.
    fn create_dir(&self, path: &Path) -> io::Result<()>;
    /// Makes a file that does not exist yet, to be written.
    fn create(&self, path: &Path) -> io::Result<Box<dyn Writer>>;
    /// Makes a file that does not exist yet, to be written past the system's cache where writes begin and end, and lie in
    /// memory, at multiples of [`PAGE_ALIGNMENT`](crate::page::PAGE_ALIGNMENT).
    fn create_direct(&self, path: &Path) -> io::Result<Box<dyn Writer>> {
        self.create(path)
    }
    /// Opens a regular file to be read from its beginning past the system's cache: reads begin and end, and lie in
    /// memory, at multiples of [`PAGE_ALIGNMENT`](crate::page::PAGE_ALIGNMENT).
    fn read_direct(&self, path: &Path) -> io::Result<Box<dyn Reader>> {
        self.open(path)
    }
    /// Opens a regular file to be read; anything else is refused without waiting for it.
    fn open(&self, path: &Path) -> io::Result<Box<dyn Reader>>;
    /// Opens a directory, to open files in it even if its path is given to another.
    fn open_dir(&self, path: &Path) -> io::Result<Directory> {
        Directory::open(path)
    }
    /// Opens a regular file of a directory to be read; anything else is refused without waiting for it.
    fn open_in(&self, directory: &Directory, name: &str) -> io::Result<Box<dyn Reader>> {
        Ok(Box::new(FileReader::open_in(directory, name)?))
    }
    /// Opens a regular file of a directory to be read at any place; anything else is refused without waiting for it.
    fn open_direct_in(&self, directory: &Directory, name: &str) -> io::Result<DirectFile> {
        DirectFile::open_in(directory, name)
    }
    /// A queue for about `depth` reads at a time.
    fn read_queue(&self, depth: usize) -> io::Result<Box<dyn ReadQueue>> {
        Ok(reads::queue(depth))
    }
    /// Makes the names in a directory durable.
    fn sync_dir(&self, path: &Path) -> io::Result<()>;
    /// Gives a directory a name that no file and no directory with contents has.
    fn rename_dir(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Lets two directories have each other's name, in one step. A file system, or a system, that cannot says
    /// [`ErrorKind::Unsupported`].
    fn exchange_dirs(&self, _one: &Path, _other: &Path) -> io::Result<()> {
        Err(ErrorKind::Unsupported.into())
    }
    /// The one path of what stands at a path: absolute, and without symbolic links.
    fn canonicalize(&self, path: &Path) -> io::Result<PathBuf> {
        fs::canonicalize(path)
    }
    /// Removes a directory and all in it.
    fn remove_dir_all(&self, path: &Path) -> io::Result<()>;
    /// Removes a file.
    fn remove_file(&self, path: &Path) -> io::Result<()>;
    /// The names in a directory, in any order.
    fn names(&self, path: &Path) -> io::Result<Vec<OsString>>;
    /// Locks a directory until the lock is dropped or the process ends; `None` where another one has locked it.
    /// Anything else is refused as [`ErrorKind::NotADirectory`], without waiting for it.
    fn lock_dir(&self, path: &Path) -> io::Result<Option<DirectoryLock>>;
}

/// A directory that nobody else has locked.
#[derive(Debug)]
pub struct DirectoryLock {
    /// Dropping the file gives the lock back; there is none where the file system knows no locks.
    file: Option<File>,
}

impl DirectoryLock {
    /// Whether the lock is one: there are file systems that cannot tell whether anybody else has locked a directory.
    pub fn is_certain(&self) -> bool {
        self.file.is_some()
    }
}

/// A file being written.
pub trait Writer: Send {
    /// Writes all bytes.
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()>;
    /// Makes what was written durable. A failure is final: it must not be tried again.
    fn sync(&mut self) -> io::Result<()>;
}

/// A file being read.
pub trait Reader: Send + Sync {
    /// Bytes of the file.
    fn len(&self) -> io::Result<u64>;
    /// Whether the file has no bytes.
    fn is_empty(&self) -> io::Result<bool> {
        self.len().map(|len| len == 0)
    }
    /// Whether the file seems to lie in memory, so that a read waits for no disk.
    fn is_in_memory(&self) -> bool {
        true
    }
    /// Fills the buffer with the next bytes.
    fn read_exact(&mut self, buffer: &mut [u8]) -> io::Result<()>;
    /// Fills the buffer with the bytes from `offset` on. Several threads may do so at a time, while none reads what comes
    /// next.
    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()>;
}

/// The file system.
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
        // A directory never takes the place of a file, nor of a directory with contents.
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
        // Opening a pipe would wait for a writer.
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

/// Opens a file or a directory, and no symbolic link that takes its place.
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

impl Writer for File {
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        Write::write_all(self, bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.sync_all()
    }
}

/// What to do about an error of the system, as the end of a sentence.
pub(super) fn advice(error: &io::Error) -> &'static str {
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => "free some space, or write the store elsewhere",
        ErrorKind::FileTooLarge => "allow larger files (ulimit -f), or write the store elsewhere",
        ErrorKind::NotFound => "check the name",
        ErrorKind::PermissionDenied => "check who may read and write there",
        ErrorKind::InvalidFilename => "choose a shorter name: some 50 bytes are added to it while a store is written",
        ErrorKind::ReadOnlyFilesystem => "write the store elsewhere",
        ErrorKind::UnexpectedEof => "the file is cut short: build the store again, or fetch it again",
        _ => "check the disk, and try again",
    }
}
