//! Opens and reads files of pages.

use crate::store::directory::Directory;
use std::fs::File;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// A regular file that is read at arbitrary offsets.
#[derive(Debug)]
pub struct DirectFile {
    file: File,
    path: PathBuf,
    direct: bool,
}

impl DirectFile {
    /// Opens a regular file, for direct I/O if the file system supports it. Fails for other file types, without
    /// blocking.
    pub fn open(path: &Path) -> io::Result<Self> {
        if !path.symlink_metadata()?.is_file() {
            return Err(io::Error::new(ErrorKind::InvalidInput, "not a regular file"));
        }
        let (file, direct) = match open_direct(path) {
            Ok(file) => (file, true),
            Err(_) => (File::open(path)?, false),
        };
        Ok(Self { file, path: path.to_owned(), direct })
    }

    /// Opens a regular file in a directory, as [`open`](Self::open) does.
    pub fn open_in(directory: &Directory, name: &str) -> io::Result<Self> {
        let path = directory.path().join(name);
        Ok(match directory.open_direct(name) {
            Ok(file) => Self { file, path, direct: true },
            Err(_) => Self { file: directory.open_file(name)?, path, direct: false },
        })
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns whether reads bypass the system's cache. If so, the offset, length and memory address of each read must
    /// be multiples of [`crate::page::PAGE_ALIGNMENT`].
    pub fn is_direct(&self) -> bool {
        self.direct
    }

    /// Returns the underlying file handle.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Fills the buffer with the bytes from `offset` on.
    pub fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        read_exact_at(&self.file, buffer, offset)
    }
}

#[cfg(target_os = "linux")]
fn open_direct(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    std::fs::OpenOptions::new().read(true).custom_flags(libc::O_DIRECT).open(path)
}

#[cfg(not(target_os = "linux"))]
fn open_direct(_: &Path) -> io::Result<File> {
    Err(ErrorKind::Unsupported.into())
}

/// Fills the buffer with the bytes of a file from `offset` on.
#[cfg(unix)]
pub(crate) fn read_exact_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, buffer, offset)
}

/// Fills the buffer with the bytes of a file from `offset` on.
#[cfg(windows)]
pub(crate) fn read_exact_at(file: &File, mut buffer: &mut [u8], mut offset: u64) -> io::Result<()> {
    use std::os::windows::fs::FileExt;
    while !buffer.is_empty() {
        match file.seek_read(buffer, offset) {
            Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
            Ok(read) => {
                buffer = &mut buffer[read..];
                offset += read as u64;
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
