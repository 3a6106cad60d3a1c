//! Errors of reading and writing pages and their store: each names the file, the place and the next step.

use super::{FormatError, PageError, RvtError};
use crate::advice::{self, Advice, Explain};
use crate::units;
use crate::vertex::{IdMapError, PageId};
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Advice for a store whose bytes are not those that were written.
const DAMAGED: &str = "the store is damaged; build it again, or fetch it again";

/// An error of reading or writing a store.
#[derive(Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The system refused an operation.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// Action that failed.
        action: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// There is no store.
    #[error("{} is no store: {reason}", path.display())]
    NotAStore {
        /// The path.
        path: PathBuf,
        /// The reason.
        reason: &'static str,
    },
    /// Remains of an interrupted build.
    #[error("{} was left by a build that did not end", path.display())]
    Unfinished {
        /// The path.
        path: PathBuf,
    },
    /// A store was to be replaced, and the new one never took its place.
    #[error(
        "there is nothing at {}, but the store that was there is at {}, put aside by a build that did not end",
        path.display(),
        aside.display()
    )]
    SteppedAside {
        /// The path.
        path: PathBuf,
        /// Present path of the store.
        aside: PathBuf,
    },
    /// Each time the store was opened, another one took its place.
    #[error("{} is being replaced: another store took its place {times} times while it was opened", path.display())]
    BeingReplaced {
        /// The path.
        path: PathBuf,
        /// Number of attempts.
        times: u32,
    },
    /// The path of the new store is taken.
    #[error("{} exists", path.display())]
    Exists {
        /// The path.
        path: PathBuf,
    },
    /// The path to be replaced is not a store.
    #[error("{} is no store and is not replaced", path.display())]
    NotReplaced {
        /// The path.
        path: PathBuf,
    },
    /// The store to be replaced contains foreign files.
    #[error("{} holds files that are not a store's: {}", path.display(), listed(names))]
    ForeignFiles {
        /// The store, or its stripe.
        path: PathBuf,
        /// The names of the files.
        names: Vec<String>,
    },
    /// A path that names no directory.
    #[error("{} names no directory", path.display())]
    NoName {
        /// The path.
        path: PathBuf,
    },
    /// The new store is in place, but the one that it replaces is still beside it.
    #[error("the store is written, but the old one could not be removed from {}: {source}", path.display())]
    Leftover {
        /// Path of the old store.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// A store of another version.
    #[error("{}: store version {found}, and this program reads version {known}", path.display())]
    Version {
        /// The manifest.
        path: PathBuf,
        /// The version found.
        found: u64,
        /// The supported version.
        known: u64,
    },
    /// A line of the manifest is not as expected.
    #[error("{}:{line}: found {found:?}, expected {expected}", path.display())]
    Manifest {
        /// The manifest.
        path: PathBuf,
        /// The line, from 1.
        line: u32,
        /// The text found, truncated.
        found: String,
        /// The text expected.
        expected: String,
    },
    /// The manifest states an invalid page format.
    #[error("{}: {source}", path.display())]
    Format {
        /// The manifest.
        path: PathBuf,
        /// The reason.
        source: FormatError,
    },
    /// A file whose size differs from the manifest's.
    #[error("{}: {found} bytes, expected {expected}", path.display())]
    Size {
        /// The file.
        path: PathBuf,
        /// Its size.
        found: u64,
        /// The size stated.
        expected: u64,
    },
    /// A table whose bytes are not those that were written.
    #[error("{}: checksum {found:016x}, expected {expected:016x}", path.display())]
    Checksum {
        /// The file.
        path: PathBuf,
        /// The checksum of the bytes found.
        found: u64,
        /// The checksum stated.
        expected: u64,
    },
    /// A page whose bytes are not those that were written.
    #[error("{}: {page}: checksum {found:016x}, expected {expected:016x}", path.display())]
    PageChecksum {
        /// The file.
        path: PathBuf,
        /// The page.
        page: PageId,
        /// The checksum of the bytes found.
        found: u64,
        /// The checksum stated.
        expected: u64,
    },
    /// A page with the right checksum and an invalid structure.
    #[error("{}: {page}: {source}", path.display())]
    Page {
        /// The file.
        path: PathBuf,
        /// The page.
        page: PageId,
        /// Problem with the page.
        source: PageError,
    },
    /// An invalid page table.
    #[error("{}: {source}", path.display())]
    Rvt {
        /// The file.
        path: PathBuf,
        /// Problem with the table.
        source: RvtError,
    },
    /// An invalid table of original IDs.
    #[error("{}: {source}", path.display())]
    Ids {
        /// The file.
        path: PathBuf,
        /// Problem with the table.
        source: IdMapError,
    },
    /// A table that contradicts the pages.
    #[error("{}: vertex {vertex} has {found}, expected {expected} from the pages", path.display())]
    Table {
        /// The file.
        path: PathBuf,
        /// The vertex, by dense number.
        vertex: u64,
        /// Value in the table.
        found: u64,
        /// Value according to the pages.
        expected: u64,
    },
    /// The stored imbalance of a page contradicts the degrees.
    #[error("{}: {page}: imbalance {found:016x}, expected {expected:016x} from the degrees", path.display())]
    Imbalance {
        /// The file.
        path: PathBuf,
        /// The page.
        page: PageId,
        /// Value in the table.
        found: u64,
        /// Value according to the degrees.
        expected: u64,
    },
    /// In-edges that are not the reversed out-edges.
    #[error("{}: {page}: the in-edges of vertex {vertex} are not the out-edges that lead to it", path.display())]
    Sides {
        /// The file of the in-edges.
        path: PathBuf,
        /// The page where the in-edges of the vertex begin.
        page: PageId,
        /// The vertex, by dense number.
        vertex: u64,
    },
    /// A statement of the manifest that the graph contradicts.
    #[error("{}: {what} is stated as {found}, but the graph says {expected}", path.display())]
    Property {
        /// The manifest.
        path: PathBuf,
        /// Key of the statement.
        what: &'static str,
        /// The value stated.
        found: String,
        /// The true value.
        expected: String,
    },
    /// Pages too small for a store.
    #[error("pages of {found} bytes cannot be stored")]
    PageSize {
        /// The graph's page size.
        found: u32,
        /// The smallest page size of a store.
        least: u32,
    },
    /// Too little memory for a file.
    #[error("{}: no memory for {bytes} bytes", path.display())]
    Memory {
        /// The file.
        path: PathBuf,
        /// Bytes requested.
        bytes: u64,
    },
    /// Requested pages that do not exist, or a buffer too small for them.
    #[error("{count} pages from {first} on of {pages} asked for in a buffer of {buffer} bytes")]
    PageRange {
        /// First page requested.
        first: PageId,
        /// Number of pages requested.
        count: u32,
        /// Number of pages that exist.
        pages: u64,
        /// Bytes of the buffer.
        buffer: u64,
    },
    /// Pages could not be read.
    #[error(
        "cannot read {}of {}: {source}",
        if first == last { format!("{first} ") } else { format!("{first} to {last} ") },
        path.display()
    )]
    ReadPages {
        /// The file.
        path: PathBuf,
        /// The first of the pages.
        first: PageId,
        /// The last of the pages; pages between them in other files are not included.
        last: PageId,
        /// The system's error.
        source: io::Error,
    },
    /// A budget of host memory that is too small for a store.
    #[error(
        "{}: {} of host memory are too little, {} ({least} bytes) are needed",
        path.display(),
        units::bytes(*budget),
        units::bytes(*least)
    )]
    HostMemory {
        /// The store.
        path: PathBuf,
        /// The bytes allowed.
        budget: u64,
        /// The bytes required: tables, and room for two pages, or for all pages if these are smaller.
        least: u64,
    },
    /// A directory in which no stripe can be made.
    #[error("no stripe can be made at {}: {reason}", path.display())]
    StripeDirectory {
        /// The stripe.
        path: PathBuf,
        /// The reason.
        reason: &'static str,
    },
    /// A stripe that is not where the manifest places it.
    #[error(
        "stripe {number} of {} cannot be opened at {}: {source}",
        store.display(),
        path.display()
    )]
    Stripe {
        /// The store.
        store: PathBuf,
        /// Number of the stripe, from 0.
        number: usize,
        /// The stripe's file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// No read of pages has ended for too long.
    #[error("cannot read {page} of {}: no read has ended for {seconds} s", path.display())]
    Stalled {
        /// The file.
        path: PathBuf,
        /// The first of the awaited pages.
        page: PageId,
        /// Seconds without a finished read.
        seconds: u64,
    },
    /// The system starts no thread.
    #[error(transparent)]
    Threads(crate::threads::NoThreads),
    /// The caller gave up waiting for pages.
    #[error("reading pages was stopped")]
    Stopped,
}

/// Returns the first few names, and the number of the others.
fn listed(names: &[String]) -> String {
    const MOST: usize = 5;
    let first: Vec<_> = names.iter().take(MOST).map(|name| format!("{name:?}")).collect();
    let more = names.len().saturating_sub(MOST);
    first.join(", ") + &if more > 0 { format!(" and {more} more") } else { String::new() }
}

crate::debug_by_explaining!(StoreError);

impl Explain for StoreError {
    fn advice(&self) -> Option<Advice> {
        Some(match self {
            Self::Io { source, .. } | Self::ReadPages { source, .. } => advice::of_system(source).into(),
            Self::NotAStore { .. } => {
                "name the directory of a store, or import the graph first with `gts import FILE STORE`".into()
            }
            Self::Unfinished { .. } => "remove it and build again".into(),
            Self::SteppedAside { path, .. } => {
                let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
                let folder = folder.unwrap_or(Path::new(".")).display();
                format!("rename it back, or run `gts clean {folder}`").into()
            }
            Self::BeingReplaced { .. } => "try again when the programs that write it have ended".into(),
            Self::Exists { .. } => Advice::new(
                "choose another name, or add --force to replace it",
                "choose another name, or set `replace` in the options of the save",
            ),
            Self::NotReplaced { .. } => "remove it first, or choose another name".into(),
            Self::NoName { .. } => "add a name for the store".into(),
            Self::Leftover { .. } => "remove it".into(),
            Self::Version { found, known, .. } if found > known => "use a newer gts, or build the store again".into(),
            Self::Version { .. } => "build the store again from its input".into(),
            Self::Manifest { .. }
            | Self::Format { .. }
            | Self::Size { .. }
            | Self::Checksum { .. }
            | Self::PageChecksum { .. }
            | Self::Page { .. }
            | Self::Rvt { .. }
            | Self::Ids { .. }
            | Self::Table { .. }
            | Self::Imbalance { .. }
            | Self::Sides { .. }
            | Self::Property { .. } => DAMAGED.into(),
            Self::PageSize { least, .. } => Advice::new(
                format!("give --page-size {least} or more, or leave it out"),
                format!("build the graph with a `page_size` of {least} or more"),
            ),
            Self::Memory { .. } => "close other programs, or use a machine with more".into(),
            Self::HostMemory { least, .. } => Advice::new(
                format!("give --host-memory {} or more", units::at_least(*least)),
                format!("allow a `host_memory` of {least} or more"),
            ),
            Self::StripeDirectory { .. } => "name another directory".into(),
            Self::Stripe { .. } => "bring it back there, or build the store again".into(),
            Self::ForeignFiles { .. } => "move them elsewhere, or choose another name".into(),
            Self::Stalled { .. } => Advice::new(
                "check the disk, or give a longer --stall-limit",
                "check the disk, or allow a longer `stall_limit`",
            ),
            Self::Threads(error) => return error.advice(),
            Self::PageRange { .. } | Self::Stopped => return None,
        })
    }
}
