//! Concurrent reads at arbitrary offsets of files. Reads complete in arbitrary order.
//!
//! A [`ReadQueue`] accepts [`Read`]s, each with the memory that it fills, and returns them when they end. On Linux, the
//! queue uses io_uring. On other systems, or if io_uring is not available, it uses a few threads with ordinary reads.
//! Files are read with direct I/O if the file system supports it, so that the host buffer contains the only copy of
//! each page.

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
    /// The file to read from.
    pub file: Arc<DirectFile>,
    /// The offset of the bytes in the file.
    pub offset: u64,
    /// The memory to fill. Nothing else may access it until the read has ended.
    pub buffer: ReadBuffer,
    /// A number chosen by the caller to identify the read.
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
    /// The read, including its memory.
    pub read: Read,
    /// `Ok` if the memory has been filled.
    pub result: io::Result<()>,
}

/// A queue of reads in progress. Dropping the queue does not wait for reads, but their memory is retained until they
/// have ended.
pub trait ReadQueue: Send {
    /// Registers a region for faster reads if the system supports this, and retains the region for the lifetime of the
    /// queue. Reads into other memory take slightly longer.
    fn prepare(&mut self, _region: &Arc<dyn HostRegion>) {}

    /// Begins a read. If a read cannot begin, [`ReadQueue::end`] returns the read with the error.
    fn begin(&mut self, read: Read);

    /// Waits up to `patience` for a read to end, and returns that read. Returns `None` if no read has ended by then.
    fn end(&mut self, patience: Duration) -> Option<Done>;

    /// Returns the number of reads that have begun and have not been returned.
    fn under_way(&self) -> usize;

    /// Returns a new notice about how the queue reads files, if there is one.
    fn notice(&mut self) -> Option<ReadNotice> {
        None
    }
}

/// A reason why files are read more slowly than possible.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReadNotice {
    /// Threads are used instead of io_uring.
    NoUring {
        /// The reason why io_uring is not used.
        reason: String,
    },
    /// Reads go through the system's cache.
    NoDirect {
        /// A file that is read through the cache.
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

/// Returns the fastest queue that the system supports.
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
