//! Why a store cannot be read or written.

use crate::graph::PageId;
use thiserror::Error;

/// Why a store cannot be read or written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum StoreError {
    /// Pages asked for that are not there, or a buffer too small for them.
    #[error("{count} pages from {first} on of {pages} asked for in a buffer of {buffer} bytes")]
    PageRange {
        /// First page asked for.
        first: PageId,
        /// Number of pages asked for.
        count: u32,
        /// Pages that there are.
        pages: u64,
        /// Bytes of the buffer.
        buffer: u64,
    },
    /// Not yet.
    #[error("stores are not written yet")]
    NotYet,
}
