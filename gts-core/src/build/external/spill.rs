//! The temporary files of a build: written once, each block held against its checksum when it is read.

use crate::store::StoreError;
use crate::store::failed;
use crate::store::io::{Io, Reader, Writer};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use xxhash_rust::xxh3::xxh3_64;

/// Bytes with a checksum of their own.
pub(super) const BLOCK: usize = 256 << 10;

/// A folder of temporary files.
pub(super) struct Spill<'a> {
    io: &'a dyn Io,
    folder: PathBuf,
    files: AtomicU64,
    bytes: AtomicU64,
}

impl<'a> Spill<'a> {
    /// Makes the folder within the directory of the store that is being written.
    pub(super) fn create(io: &'a dyn Io, directory: &Path) -> Result<Self, StoreError> {
        let folder = directory.join("spill");
        io.create_dir(&folder).map_err(failed("create", &folder))?;
        Ok(Self { io, folder, files: AtomicU64::new(0), bytes: AtomicU64::new(0) })
    }

    /// Begins a file.
    pub(super) fn begin(&self) -> Result<SpillWriter<'_>, StoreError> {
        let number = self.files.fetch_add(1, Ordering::Relaxed);
        let path = self.folder.join(number.to_string());
        let file = self.io.create(&path).map_err(failed("create", &path))?;
        Ok(SpillWriter {
            spill: self,
            file,
            block: Vec::new(),
            written: SpillFile { path, bytes: 0, sums: Vec::new() },
        })
    }

    /// Opens a file to be read from its beginning.
    pub(super) fn open(&self, file: &SpillFile) -> Result<SpillReader, StoreError> {
        let SpillFile { path, bytes, sums } = file.clone();
        let reader = self.io.open(&path).map_err(failed("open", &path))?;
        Ok(SpillReader { path, reader, left: bytes, sums: sums.into_iter(), block: Vec::new(), at: 0 })
    }

    /// Removes a file that has been read.
    pub(super) fn remove(&self, file: &SpillFile) -> Result<(), StoreError> {
        self.io.remove_file(&file.path).map_err(failed("remove", &file.path))
    }

    /// Removes the folder, whose files are gone or of no use; answers how many bytes were written to it.
    pub(super) fn end(self) -> Result<u64, StoreError> {
        self.io.remove_dir_all(&self.folder).map_err(failed("remove", &self.folder))?;
        Ok(self.bytes.into_inner())
    }
}

/// A file that has been written.
#[derive(Clone, Debug)]
pub(super) struct SpillFile {
    path: PathBuf,
    bytes: u64,
    /// A checksum for each block.
    sums: Vec<u64>,
}

/// A file that is being written.
pub(super) struct SpillWriter<'a> {
    spill: &'a Spill<'a>,
    file: Box<dyn Writer>,
    block: Vec<u8>,
    written: SpillFile,
}

impl SpillWriter<'_> {
    /// Adds bytes.
    pub(super) fn write(&mut self, mut bytes: &[u8]) -> Result<(), StoreError> {
        while !bytes.is_empty() {
            let (now, later) = bytes.split_at(bytes.len().min(BLOCK - self.block.len()));
            if now.len() == BLOCK {
                // A whole block needs no copy.
                self.write_block(now)?;
            } else {
                self.block.extend_from_slice(now);
                if self.block.len() == BLOCK {
                    self.write_buffered()?;
                }
            }
            bytes = later;
        }
        Ok(())
    }

    /// Bytes up to now.
    pub(super) fn bytes(&self) -> u64 {
        self.written.bytes + self.block.len() as u64
    }

    /// Ends the file.
    pub(super) fn end(mut self) -> Result<SpillFile, StoreError> {
        if !self.block.is_empty() {
            self.write_buffered()?;
        }
        self.spill.bytes.fetch_add(self.written.bytes, Ordering::Relaxed);
        Ok(self.written)
    }

    fn write_buffered(&mut self) -> Result<(), StoreError> {
        let block = std::mem::take(&mut self.block);
        self.write_block(&block)?;
        self.block = block;
        self.block.clear();
        Ok(())
    }

    fn write_block(&mut self, block: &[u8]) -> Result<(), StoreError> {
        self.written.sums.push(xxh3_64(block));
        self.written.bytes += block.len() as u64;
        self.file.write_all(block).map_err(failed("write", &self.written.path))
    }
}

/// A file that is being read.
pub(super) struct SpillReader {
    path: PathBuf,
    reader: Box<dyn Reader>,
    /// Bytes that are still in the file.
    left: u64,
    sums: std::vec::IntoIter<u64>,
    block: Vec<u8>,
    /// Where the bytes not yet taken begin in the block.
    at: usize,
}

impl SpillReader {
    /// Bytes not yet taken.
    pub(super) fn left(&self) -> u64 {
        self.left + (self.block.len() - self.at) as u64
    }

    /// Fills the buffer with the next bytes, of which there must be enough.
    pub(super) fn read(&mut self, mut buffer: &mut [u8]) -> Result<(), StoreError> {
        while !buffer.is_empty() {
            if self.at == self.block.len() {
                self.read_block()?;
            }
            let count = buffer.len().min(self.block.len() - self.at);
            let (now, later) = buffer.split_at_mut(count);
            now.copy_from_slice(&self.block[self.at..self.at + count]);
            self.at += count;
            buffer = later;
        }
        Ok(())
    }

    fn read_block(&mut self) -> Result<(), StoreError> {
        // Reading on after the end is answered by the file.
        let len = self.left.clamp(1, BLOCK as u64) as usize;
        self.block.resize(len, 0);
        self.at = 0;
        self.reader.read_exact(&mut self.block).map_err(failed("read", &self.path))?;
        self.left = self.left.saturating_sub(len as u64);
        let (found, expected) = (xxh3_64(&self.block), self.sums.next().unwrap_or_default());
        if found != expected {
            return Err(StoreError::Checksum { path: self.path.clone(), found, expected });
        }
        Ok(())
    }
}
