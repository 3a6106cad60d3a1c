//! Concurrent reads at any place of a file, completed in any order.
//!
//! A [`ReadQueue`] takes [`Read`]s, each with the memory that it fills, and returns them when they end. On Linux it is
//! io_uring; elsewhere, or if io_uring is not available, it is a few threads of plain reads. Files are read with direct
//! I/O if the file system supports it, so that pages are kept only once, in the host buffer.

mod buffer;
mod file;
mod threads;
#[cfg(target_os = "linux")]
mod uring;

#[cfg(test)]
mod tests;

pub use buffer::ReadBuffer;
pub use file::DirectFile;
pub(super) use file::read_exact_at;

use crate::page::HostRegion;
use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::Duration;

/// A read of consecutive bytes of a file.
pub struct Read {
    /// The file.
    pub file: Arc<DirectFile>,
    /// Offset of the bytes in the file.
    pub offset: u64,
    /// The memory to fill. Nothing else accesses it until the read has ended.
    pub buffer: ReadBuffer,
    /// The caller's name for the read.
    pub token: u64,
}

impl fmt::Debug for Read {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (offset, len, token) = (self.offset, self.buffer.len(), self.token);
        f.debug_struct("Read").field("offset", &offset).field("len", &len).field("token", &token).finish()
    }
}

/// A read that has ended.
#[derive(Debug)]
pub struct Done {
    /// The read, with its memory.
    pub read: Read,
    /// Success if the memory is filled.
    pub result: io::Result<()>,
}

/// Reads in progress. Dropping the queue waits for none of them; their memory lives until they have ended.
pub trait ReadQueue: Send {
    /// Prepares for reads into this region, if the system supports that, and keeps the region while the queue lives.
    /// Reads without preparation take a little longer.
    fn prepare(&mut self, _region: &Arc<dyn HostRegion>) {}

    /// Begins a read. A read that cannot begin ends with the error.
    fn begin(&mut self, read: Read);

    /// Returns a read that has ended, after waiting at most `patience` for one; `None` if none has ended by then.
    fn end(&mut self, patience: Duration) -> Option<Done>;

    /// Returns the number of reads that have begun and were not returned.
    fn under_way(&self) -> usize;

    /// Returns a notice about how the queue reads, if there is a new one.
    fn notice(&mut self) -> Option<ReadNotice> {
        None
    }
}

/// A reason why files are read more slowly than they could be.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReadNotice {
    /// Threads read instead of io_uring.
    NoUring {
        /// The reason.
        reason: String,
    },
    /// Reads go through the system's cache.
    NoDirect {
        /// A file that is read this way.
        path: std::path::PathBuf,
    },
}

impl fmt::Display for ReadNotice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoUring { reason } => {
                write!(f, "io_uring cannot be used ({reason}): reading pages with plain reads on several threads")
            }
            Self::NoDirect { path } => {
                write!(f, "{} is on a file system without direct reads: pages go through its cache", path.display())
            }
        }
    }
}

/// Returns the best queue that the system supports.
pub(super) fn queue(depth: usize) -> Box<dyn ReadQueue> {
    #[cfg(target_os = "linux")]
    let reason = match uring::Uring::new(depth) {
        Ok(queue) => return Box::new(queue),
        Err(error) => error.to_string(),
    };
    #[cfg(not(target_os = "linux"))]
    let reason = "it is of Linux".to_owned();
    Box::new(threads::Threads::new(depth, Some(ReadNotice::NoUring { reason })))
}
