//! Reads at any place of a file, several at a time, completed in any order.
//!
//! A [`ReadQueue`] takes [`Read`]s, each with the memory that it fills, and gives them back as they end. On Linux it is
//! io_uring, elsewhere, or where the system does not let it be used, a few threads of plain reads. Files are read past
//! the system's own cache where the file system allows it: pages are kept in the host buffer, once.

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
    /// Where in the file the bytes begin.
    pub offset: u64,
    /// The memory that they fill; nobody else touches it until the read has ended.
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
    /// Whether its memory is filled.
    pub result: io::Result<()>,
}

/// Reads under way. Dropping it waits for none of them; their memory lives until they have ended.
pub trait ReadQueue: Send {
    /// Prepares for reads into this region, where the system can, and keeps it as long as the queue lives. Reads into
    /// other memory, or where nothing could be prepared, take a little longer.
    fn prepare(&mut self, _region: &Arc<dyn HostRegion>) {}

    /// Begins a read. One that cannot begin ends with the error.
    fn begin(&mut self, read: Read);

    /// A read that has ended, after waiting at most `patience` for one; `None` where none has ended by then.
    fn end(&mut self, patience: Duration) -> Option<Done>;

    /// Reads that have begun and were not given back.
    fn under_way(&self) -> usize;

    /// What is to be said of how the queue reads, since this was asked last.
    fn notice(&mut self) -> Option<ReadNotice> {
        None
    }
}

/// Something about how files are read that makes it slower than it could be.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReadNotice {
    /// Threads read in the place of io_uring.
    NoUring {
        /// Why.
        reason: String,
    },
    /// Reads go through the system's cache.
    NoDirect {
        /// A file of which it is so.
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

/// The best queue that the system has.
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
