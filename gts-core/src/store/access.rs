//! Access to the contents of an open file.

use std::fs::File;
use std::io::{self, Write};

/// A file that is being written.
pub trait Writer: Send {
    /// Writes all bytes.
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()>;
    /// Makes all written bytes durable. A failure is final, and the call must not be retried.
    fn sync(&mut self) -> io::Result<()>;
}

/// A file that is being read.
pub trait Reader: Send + Sync {
    /// Returns the size of the file in bytes.
    fn len(&self) -> io::Result<u64>;
    /// Returns whether the file is empty.
    fn is_empty(&self) -> io::Result<bool> {
        self.len().map(|len| len == 0)
    }
    /// Returns whether the file appears to be cached in memory, so that a read does not wait for the disk.
    fn is_in_memory(&self) -> bool {
        true
    }
    /// Fills the buffer with the next bytes of the file.
    fn read_exact(&mut self, buffer: &mut [u8]) -> io::Result<()>;
    /// Fills the buffer with the bytes from `offset` on. Several threads may call this concurrently if none calls
    /// `read_exact`.
    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()>;
}

impl Writer for File {
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        Write::write_all(self, bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.sync_all()
    }
}
