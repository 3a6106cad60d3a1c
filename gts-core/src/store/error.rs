//! Why a store cannot be read or written: each error names the file, the place and the next step.

use super::io::advice;
use crate::graph::{IdMapError, PageId};
use crate::page::{FormatError, PageError, RvtError};
use crate::units;
use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// What to do about a store whose bytes are not those that were written.
const DAMAGED: &str = "the store is damaged; build it again, or fetch it again";

/// Why a store cannot be read or written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The system refused an operation.
    #[error("cannot {action} {}: {source}{}", path.display(), advice(source))]
    Io {
        /// What was tried.
        action: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// There is no store.
    #[error("{} is no store: {reason}; name the directory of a store, or import the graph first", path.display())]
    NotAStore {
        /// The path.
        path: PathBuf,
        /// Why not.
        reason: &'static str,
    },
    /// What an interrupted build left behind.
    #[error("{} was left by a build that did not end; remove it and build again", path.display())]
    Unfinished {
        /// The path.
        path: PathBuf,
    },
    /// A store was to be replaced, and the new one never took its place.
    #[error(
        "there is nothing at {}, but the store that was there is at {}, put aside by a build that did not end; rename \
         it back, or clean its folder",
        path.display(),
        aside.display()
    )]
    SteppedAside {
        /// The path.
        path: PathBuf,
        /// Where the store is.
        aside: PathBuf,
    },
    /// Something stands where the store should go.
    #[error("{} exists; choose another name, or ask to replace it", path.display())]
    Exists {
        /// The path.
        path: PathBuf,
    },
    /// What should be replaced is no store.
    #[error("{} is no store and is not replaced; remove it first, or choose another name", path.display())]
    NotReplaced {
        /// The path.
        path: PathBuf,
    },
    /// A path that names no directory.
    #[error("{} names no directory; add a name for the store", path.display())]
    NoName {
        /// The path.
        path: PathBuf,
    },
    /// The new store is in place, but the one that it replaces is still beside it.
    #[error("the store is written, but the old one could not be removed from {}: {source}; remove it", path.display())]
    Leftover {
        /// Where the old store is.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A store of a version that this one does not know.
    #[error("{}: store version {found}, known up to {known}; use a newer gts, or build the store again", path.display())]
    Newer {
        /// The manifest.
        path: PathBuf,
        /// Its version.
        found: u64,
        /// The latest version known.
        known: u64,
    },
    /// The manifest does not say what it must at a line.
    #[error("{}:{line}: found {found:?}, expected {expected}; {DAMAGED}", path.display())]
    Manifest {
        /// The manifest.
        path: PathBuf,
        /// The line, from 1.
        line: u32,
        /// What stands there, cut short.
        found: String,
        /// What must stand there.
        expected: String,
    },
    /// The manifest asks for a page format that cannot be.
    #[error("{}: {source}; {DAMAGED}", path.display())]
    Format {
        /// The manifest.
        path: PathBuf,
        /// Why not.
        source: FormatError,
    },
    /// A file of another size than the manifest states.
    #[error("{}: {found} bytes, expected {expected}; {DAMAGED}", path.display())]
    Size {
        /// The file.
        path: PathBuf,
        /// Its size.
        found: u64,
        /// The size stated.
        expected: u64,
    },
    /// A table whose bytes are not those that were written.
    #[error("{}: checksum {found:016x}, expected {expected:016x}; {DAMAGED}", path.display())]
    Checksum {
        /// The file.
        path: PathBuf,
        /// The checksum of what is there.
        found: u64,
        /// The checksum stated.
        expected: u64,
    },
    /// A page whose bytes are not those that were written.
    #[error("{}: {page}: checksum {found:016x}, expected {expected:016x}; {DAMAGED}", path.display())]
    PageChecksum {
        /// The file.
        path: PathBuf,
        /// The page.
        page: PageId,
        /// The checksum of what is there.
        found: u64,
        /// The checksum stated.
        expected: u64,
    },
    /// A page that is as it was written, but cannot be.
    #[error("{}: {page}: {source}; {DAMAGED}", path.display())]
    Page {
        /// The file.
        path: PathBuf,
        /// The page.
        page: PageId,
        /// What is wrong with it.
        source: PageError,
    },
    /// A table of pages that cannot be.
    #[error("{}: {source}; {DAMAGED}", path.display())]
    Rvt {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: RvtError,
    },
    /// A table of original IDs that cannot be.
    #[error("{}: {source}; {DAMAGED}", path.display())]
    Ids {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: IdMapError,
    },
    /// A table that contradicts the pages.
    #[error("{}: vertex {vertex} has {found}, expected {expected} from the pages; {DAMAGED}", path.display())]
    Table {
        /// The file.
        path: PathBuf,
        /// The vertex, by dense number.
        vertex: u64,
        /// What the table says.
        found: u64,
        /// What the pages say.
        expected: u64,
    },
    /// A statement of the manifest that the graph contradicts.
    #[error("{}: {what} is stated as {found}, but the graph says {expected}; {DAMAGED}", path.display())]
    Property {
        /// The manifest.
        path: PathBuf,
        /// Which statement.
        what: &'static str,
        /// What it says.
        found: String,
        /// What is true.
        expected: String,
    },
    /// Pages too small for a store.
    #[error("pages of {found} bytes cannot be stored; build the graph with pages of {least} bytes or more")]
    PageSize {
        /// The graph's page size.
        found: u32,
        /// The smallest of a store.
        least: u32,
    },
    /// Too little memory for a file.
    #[error("{}: no memory for {bytes} bytes; close other programs, or use a machine with more", path.display())]
    Memory {
        /// The file.
        path: PathBuf,
        /// Bytes asked for.
        bytes: u64,
    },
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
    /// Pages could not be read.
    #[error(
        "cannot read {}of {}: {source}{}",
        if first == last { format!("{first} ") } else { format!("{first} to {last} ") },
        path.display(),
        advice(source)
    )]
    ReadPages {
        /// The file.
        path: PathBuf,
        /// The first of the pages.
        first: PageId,
        /// The last of the pages; those between that are in other files are not meant.
        last: PageId,
        /// What the system said.
        source: io::Error,
    },
    /// A budget of host memory that is too small for a store.
    #[error(
        "{}: {} of host memory are too little, {} ({least} bytes) are needed; allow more",
        path.display(),
        units::bytes(*budget),
        units::bytes(*least)
    )]
    HostMemory {
        /// The store.
        path: PathBuf,
        /// The bytes allowed.
        budget: u64,
        /// The least number of bytes: tables, and room for two pages, or for all where they are smaller.
        least: u64,
    },
    /// A directory in which no stripe can be made.
    #[error("no stripe can be made at {}: {reason}; name another directory", path.display())]
    StripeDirectory {
        /// The stripe.
        path: PathBuf,
        /// Why not.
        reason: &'static str,
    },
    /// A stripe that is not where the store's manifest says.
    #[error(
        "stripe {number} of {} cannot be opened at {}: {source}; bring it back there, or build the store again",
        store.display(),
        path.display()
    )]
    Stripe {
        /// The store.
        store: PathBuf,
        /// Which of its stripes, from 0.
        number: usize,
        /// The stripe's file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The caller gave up waiting for pages.
    #[error("reading pages was stopped")]
    Stopped,
}
