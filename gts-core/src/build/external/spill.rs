//! The temporary files of a build. Files are written once. Each block is verified with a checksum when it is read.

use crate::page::{AlignedBytes, PAGE_ALIGNMENT};
use crate::store::StoreError;
use crate::store::failed;
use crate::store::io::{Io, Reader, Writer};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use xxhash_rust::xxh3::xxh3_64;

/// Bytes per block, unless many files are open. Each block has a checksum.
pub(super) const BLOCK: usize = 512 << 10;

/// The directory for a build's temporary files.
pub(super) struct Spill<'a> {
    io: &'a dyn Io,
    folder: PathBuf,
    files: AtomicU64,
    bytes: AtomicU64,
}

impl<'a> Spill<'a> {
    /// Creates the directory for temporary files within the directory of the unfinished store.
    pub(super) fn create(io: &'a dyn Io, directory: &Path) -> Result<Self, StoreError> {
        let folder = directory.join("spill");
        io.create_dir(&folder).map_err(failed("create", &folder))?;
        Ok(Self { io, folder, files: AtomicU64::new(0), bytes: AtomicU64::new(0) })
    }

    /// Creates a new file for writing.
    pub(super) fn begin(&self) -> Result<SpillWriter<'_>, StoreError> {
        self.begin_blocks(BLOCK)
    }

    /// Creates a new file with blocks of `size` bytes, a multiple of the alignment.
    pub(super) fn begin_blocks(&self, size: usize) -> Result<SpillWriter<'_>, StoreError> {
        let number = self.files.fetch_add(1, Ordering::Relaxed);
        let path = self.folder.join(number.to_string());
        let file = self.io.create_direct(&path).map_err(failed("create", &path))?;
        let (block, written) = (block(&path, size)?, SpillFile { path, bytes: 0, size, sums: Vec::new() });
        Ok(SpillWriter { spill: self, file, block, filled: 0, written })
    }

    /// Opens a file for reading from its beginning.
    pub(super) fn open(&self, file: &SpillFile) -> Result<SpillReader, StoreError> {
        let SpillFile { path, bytes, size, sums } = file.clone();
        let reader = self.io.read_direct(&path).map_err(failed("open", &path))?;
        let block = block(&path, size)?;
        Ok(SpillReader { path, reader, left: bytes, sums: sums.into_iter(), block, filled: 0, at: 0 })
    }

    /// Removes a file after it has been read.
    pub(super) fn remove(&self, file: &SpillFile) -> Result<(), StoreError> {
        self.io.remove_file(&file.path).map_err(failed("remove", &file.path))
    }

    /// Removes the directory and its files. Returns the total number of bytes written.
    pub(super) fn end(self) -> Result<u64, StoreError> {
        self.io.remove_dir_all(&self.folder).map_err(failed("remove", &self.folder))?;
        Ok(self.bytes.into_inner())
    }
}

/// Allocates memory for a block, aligned for direct I/O.
fn block(path: &Path, size: usize) -> Result<AlignedBytes, StoreError> {
    AlignedBytes::zeroed(size).ok_or_else(|| StoreError::Memory { path: path.to_owned(), bytes: size as u64 })
}

/// Returns the bytes that a block of `bytes` bytes occupies in a file.
fn padded(bytes: usize) -> usize {
    bytes.next_multiple_of(PAGE_ALIGNMENT)
}

/// A file that has been written completely.
#[derive(Clone, Debug)]
pub(super) struct SpillFile {
    path: PathBuf,
    bytes: u64,
    /// Bytes per block.
    size: usize,
    /// The checksum of each block.
    sums: Vec<u64>,
}

/// A file that is being written.
pub(super) struct SpillWriter<'a> {
    spill: &'a Spill<'a>,
    file: Box<dyn Writer>,
    block: AlignedBytes,
    /// The number of bytes in the block that have not been written.
    filled: usize,
    written: SpillFile,
}

impl SpillWriter<'_> {
    /// Appends bytes to the file.
    pub(super) fn write(&mut self, mut bytes: &[u8]) -> Result<(), StoreError> {
        while !bytes.is_empty() {
            let (now, later) = bytes.split_at(bytes.len().min(self.written.size - self.filled));
            self.block.as_mut_slice()[self.filled..self.filled + now.len()].copy_from_slice(now);
            self.filled += now.len();
            if self.filled == self.written.size {
                self.write_block()?;
            }
            bytes = later;
        }
        Ok(())
    }

    /// Returns the number of bytes appended.
    pub(super) fn bytes(&self) -> u64 {
        self.written.bytes + self.filled as u64
    }

    /// Completes the file.
    pub(super) fn end(mut self) -> Result<SpillFile, StoreError> {
        if self.filled > 0 {
            self.write_block()?;
        }
        self.spill.bytes.fetch_add(self.written.bytes, Ordering::Relaxed);
        Ok(self.written)
    }

    fn write_block(&mut self) -> Result<(), StoreError> {
        let bytes = self.block.as_slice();
        self.written.sums.push(xxh3_64(&bytes[..self.filled]));
        self.written.bytes += self.filled as u64;
        let whole = padded(self.filled);
        self.filled = 0;
        self.file.write_all(&bytes[..whole]).map_err(failed("write", &self.written.path))
    }
}

/// A file that is being read.
pub(super) struct SpillReader {
    path: PathBuf,
    reader: Box<dyn Reader>,
    /// The number of bytes that have not been read from the file.
    left: u64,
    sums: std::vec::IntoIter<u64>,
    block: AlignedBytes,
    /// The number of bytes in the block, and the number of them that have been consumed.
    filled: usize,
    at: usize,
}

impl SpillReader {
    /// Returns the number of bytes that have not been consumed.
    pub(super) fn left(&self) -> u64 {
        self.left + (self.filled - self.at) as u64
    }

    /// Fills the buffer with the next bytes. The file must have enough bytes left.
    pub(super) fn read(&mut self, mut buffer: &mut [u8]) -> Result<(), StoreError> {
        while !buffer.is_empty() {
            if self.at == self.filled {
                self.read_block()?;
            }
            let count = buffer.len().min(self.filled - self.at);
            let (now, later) = buffer.split_at_mut(count);
            now.copy_from_slice(&self.block.as_slice()[self.at..self.at + count]);
            self.at += count;
            buffer = later;
        }
        Ok(())
    }

    fn read_block(&mut self) -> Result<(), StoreError> {
        // A read beyond the end must fail in the file system.
        let block = self.block.as_mut_slice();
        let len = self.left.clamp(1, block.len() as u64) as usize;
        self.reader.read_exact(&mut block[..padded(len)]).map_err(failed("read", &self.path))?;
        (self.filled, self.at) = (len, 0);
        self.left = self.left.saturating_sub(len as u64);
        let (found, expected) = (xxh3_64(&block[..len]), self.sums.next().unwrap_or_default());
        if found != expected {
            return Err(StoreError::Checksum { path: self.path.clone(), found, expected });
        }
        Ok(())
    }
}
