//! Errors in reading and writing pages and stores. An error names the file and the location in the file, and advises on
//! the next step.

use super::{FormatError, PageError, RvtError};
use crate::advice::{self, Advice, ErrorPlace, Explain};
use crate::units;
use crate::vertex::{IdMapError, PageId};
use gts_contract::language::Code;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// The advice for a store whose bytes have changed since they were written.
const DAMAGED: &str = "the store is damaged; build it again, or fetch it again";

/// The actions of [`StoreError::Io`] that change nothing.
const READING: [&str; 8] =
    ["begin to read", "find", "list", "look for", "look into", "open", "read", "read the size of"];

/// An error while reading or writing a store.
#[derive(Error)]
#[non_exhaustive]
pub enum StoreError {
    /// A system call failed.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// The action that failed, as a verb such as `open`.
        action: &'static str,
        /// The file or directory on which the call failed.
        path: PathBuf,
        /// The error from the operating system.
        source: io::Error,
    },
    /// The path does not contain a store.
    #[error("{} is no store: {reason}", path.display())]
    NotAStore {
        /// The path at which a store was expected.
        path: PathBuf,
        /// The reason why the path is not a store, as a phrase for the message.
        reason: &'static str,
    },
    /// The path contains the remains of an interrupted build.
    #[error("{} was left by a build that did not end", path.display())]
    Unfinished {
        /// The directory with the remains.
        path: PathBuf,
    },
    /// A build renamed the old store to replace it, but did not finish.
    #[error(
        "there is nothing at {}, but the store that was there is at {}, put aside by a build that did not end",
        path.display(),
        aside.display()
    )]
    SteppedAside {
        /// The path at which the store was expected.
        path: PathBuf,
        /// The path to which the old store was renamed.
        aside: PathBuf,
    },
    /// The store was replaced during every attempt to open it.
    #[error("{} is being replaced: another store took its place {times} times while it was opened", path.display())]
    BeingReplaced {
        /// The path of the store.
        path: PathBuf,
        /// The number of attempts.
        times: u32,
    },
    /// The path of the new store already exists.
    #[error("{} exists", path.display())]
    Exists {
        /// The path of the new store.
        path: PathBuf,
    },
    /// The path to be replaced is not a store.
    #[error("{} is no store and is not replaced", path.display())]
    NotReplaced {
        /// The path to be replaced.
        path: PathBuf,
    },
    /// The store to be replaced contains foreign files.
    #[error("{} holds files that are not a store's: {}", path.display(), listed(names))]
    ForeignFiles {
        /// The directory of the store or of a stripe.
        path: PathBuf,
        /// The names of the foreign files.
        names: Vec<String>,
    },
    /// The path does not end with the name of a directory.
    #[error("{} names no directory", path.display())]
    NoName {
        /// The path given for the store.
        path: PathBuf,
    },
    /// The new store is in place, but the old store could not be removed.
    #[error("the store is written, but the old one could not be removed from {}: {source}", path.display())]
    Leftover {
        /// The path of the old store.
        path: PathBuf,
        /// The error from the operating system.
        source: io::Error,
    },
    /// The store has a different format version.
    #[error("{}: store version {found}, and this program reads version {known}", path.display())]
    Version {
        /// The path of the manifest.
        path: PathBuf,
        /// The version in the manifest.
        found: u64,
        /// The version that this program supports.
        known: u64,
    },
    /// A line of the manifest is invalid.
    #[error("{}:{line}: found {found:?}, expected {expected}", path.display())]
    Manifest {
        /// The path of the manifest.
        path: PathBuf,
        /// The line number, counted from 1.
        line: u32,
        /// The invalid text, truncated.
        found: String,
        /// The expected text.
        expected: String,
    },
    /// The manifest contains an invalid page format.
    #[error("{}: {source}", path.display())]
    Format {
        /// The path of the manifest.
        path: PathBuf,
        /// The problem with the format.
        source: FormatError,
    },
    /// The size of a file differs from the size in the manifest.
    #[error("{}: {found} bytes, expected {expected}", path.display())]
    Size {
        /// The file with the wrong size.
        path: PathBuf,
        /// The size of the file in bytes.
        found: u64,
        /// The size in the manifest, in bytes.
        expected: u64,
    },
    /// A table's bytes have changed since they were written.
    #[error("{}: checksum {found:016x}, expected {expected:016x}", path.display())]
    Checksum {
        /// The file that contains the table.
        path: PathBuf,
        /// The checksum computed from the file.
        found: u64,
        /// The checksum in the manifest.
        expected: u64,
    },
    /// A page's bytes have changed since they were written.
    #[error("{}: {page}: checksum {found:016x}, expected {expected:016x}", path.display())]
    PageChecksum {
        /// The file that contains the page.
        path: PathBuf,
        /// The number of the page.
        page: PageId,
        /// The checksum computed from the file.
        found: u64,
        /// The checksum stored for the page.
        expected: u64,
    },
    /// A page has the correct checksum but an invalid structure.
    #[error("{}: {page}: {source}", path.display())]
    Page {
        /// The file that contains the page.
        path: PathBuf,
        /// The number of the page.
        page: PageId,
        /// The problem with the page.
        source: PageError,
    },
    /// The RVT is invalid.
    #[error("{}: {source}", path.display())]
    Rvt {
        /// The file that contains the table.
        path: PathBuf,
        /// The problem with the table.
        source: RvtError,
    },
    /// The table of original IDs or the vertex order is invalid.
    #[error("{}: {source}", path.display())]
    Ids {
        /// The file that contains the table.
        path: PathBuf,
        /// The problem with the table.
        source: IdMapError,
    },
    /// A table contradicts the pages.
    #[error("{}: vertex {vertex} has {found}, expected {expected} from the pages", path.display())]
    Table {
        /// The file that contains the table.
        path: PathBuf,
        /// The dense number of the vertex.
        vertex: u64,
        /// The vertex's value in the table.
        found: u64,
        /// The vertex's value, computed from the pages.
        expected: u64,
    },
    /// The stored imbalance of a page contradicts the degrees.
    #[error("{}: {page}: imbalance {found:016x}, expected {expected:016x} from the degrees", path.display())]
    Imbalance {
        /// The file that contains the imbalance.
        path: PathBuf,
        /// The number of the page.
        page: PageId,
        /// The page's value in the table.
        found: u64,
        /// The page's value, computed from the degrees.
        expected: u64,
    },
    /// The in-edges are not the reversed out-edges.
    #[error("{}: {page}: the in-edges of vertex {vertex} are not the out-edges that lead to it", path.display())]
    Sides {
        /// The file that contains the in-edges.
        path: PathBuf,
        /// The page where the vertex's in-edges begin.
        page: PageId,
        /// The dense number of the vertex.
        vertex: u64,
    },
    /// An entry of the manifest contradicts the graph.
    #[error("{}: {what} is stated as {found}, but the graph says {expected}", path.display())]
    Property {
        /// The path of the manifest.
        path: PathBuf,
        /// The key of the entry, as it appears in the manifest.
        what: &'static str,
        /// The value in the manifest.
        found: String,
        /// The value computed from the graph.
        expected: String,
    },
    /// The graph's pages are too small for a store.
    #[error("pages of {found} bytes cannot be stored")]
    PageSize {
        /// The page size of the graph in bytes.
        found: u32,
        /// The minimum page size of a store in bytes.
        least: u32,
    },
    /// There is too little memory to read a file.
    #[error("{}: no memory for {bytes} bytes", path.display())]
    Memory {
        /// The file to be read.
        path: PathBuf,
        /// The number of bytes requested.
        bytes: u64,
    },
    /// The requested pages do not exist, or the buffer is too small for them.
    #[error("{count} pages from {first} on of {pages} asked for in a buffer of {buffer} bytes")]
    PageRange {
        /// The first page requested.
        first: PageId,
        /// The number of pages requested.
        count: u32,
        /// The number of pages in the store.
        pages: u64,
        /// The size of the buffer in bytes.
        buffer: u64,
    },
    /// Reading pages failed.
    #[error(
        "cannot read {}of {}: {source}",
        if first == last { format!("{first} ") } else { format!("{first} to {last} ") },
        path.display()
    )]
    ReadPages {
        /// The file that contains the pages.
        path: PathBuf,
        /// The first page of the failed read.
        first: PageId,
        /// The last page of the failed read. In a striped store, the read does not include pages in other files.
        last: PageId,
        /// The error from the operating system.
        source: io::Error,
    },
    /// The host memory budget is too small for the store.
    #[error(
        "{}: {} of host memory are too little, {} ({least} bytes) are needed",
        path.display(),
        units::bytes(*budget),
        units::bytes(*least)
    )]
    HostMemory {
        /// The path of the store.
        path: PathBuf,
        /// The host memory budget in bytes.
        budget: u64,
        /// The required memory in bytes: the tables, plus two pages or all pages, whichever is less.
        least: u64,
    },
    /// A stripe cannot be created in a directory.
    #[error("no stripe can be made at {}: {reason}", path.display())]
    StripeDirectory {
        /// The path of the stripe.
        path: PathBuf,
        /// The reason for the failure, as a phrase for the message.
        reason: &'static str,
    },
    /// A stripe cannot be opened at the path in the manifest.
    #[error(
        "stripe {number} of {} cannot be opened at {}: {source}",
        store.display(),
        path.display()
    )]
    Stripe {
        /// The path of the store.
        store: PathBuf,
        /// The number of the stripe, counted from 0.
        number: usize,
        /// The path of the stripe's file.
        path: PathBuf,
        /// The error from the operating system.
        source: io::Error,
    },
    /// No read of pages has finished within the stall limit.
    #[error("cannot read {page} of {}: no read has ended for {seconds} s", path.display())]
    Stalled {
        /// The file that is being read.
        path: PathBuf,
        /// The first page that was requested but not read.
        page: PageId,
        /// Seconds since the last read finished.
        seconds: u64,
    },
    /// The system could not start a thread.
    #[error(transparent)]
    Threads(crate::threads::NoThreads),
    /// The caller stopped waiting for pages.
    #[error("reading pages was stopped")]
    Stopped,
}

/// Returns the first few names, and the number of remaining names.
fn listed(names: &[String]) -> String {
    const MOST: usize = 5;
    let first: Vec<_> = names.iter().take(MOST).map(|name| format!("{name:?}")).collect();
    let more = names.len().saturating_sub(MOST);
    first.join(", ") + &if more > 0 { format!(" and {more} more") } else { String::new() }
}

crate::debug_by_explaining!(StoreError);

impl Explain for StoreError {
    fn code(&self) -> Code {
        match self {
            Self::Io { action, .. } if !READING.contains(action) => Code::UnwritableStore,
            Self::Io { source, .. } if source.kind() == io::ErrorKind::NotFound => Code::MissingFile,
            Self::Io { .. } | Self::ReadPages { .. } => Code::StoreAccess,
            Self::NotAStore { .. } => Code::NotAStore,
            Self::Unfinished { .. } => Code::UnfinishedStore,
            Self::SteppedAside { .. } => Code::MovedStore,
            Self::BeingReplaced { .. } => Code::BusyStore,
            Self::Exists { .. } => Code::ExistingStore,
            Self::NotReplaced { .. } | Self::ForeignFiles { .. } => Code::NotReplaced,
            Self::NoName { .. } => Code::NamelessStore,
            Self::Leftover { .. } => Code::OldStoreLeft,
            Self::Version { .. } => Code::StoreVersion,
            Self::Manifest { .. } | Self::Format { .. } | Self::Property { .. } => Code::DamagedManifest,
            Self::Size { .. } => Code::StoreFileSize,
            Self::Checksum { .. } | Self::PageChecksum { .. } => Code::StoreChecksum,
            Self::Page { source, .. } => source.code(),
            Self::Rvt { source, .. } => source.code(),
            Self::Ids { source, .. } => source.code(),
            Self::Table { .. } | Self::Imbalance { .. } => Code::DamagedTable,
            Self::Sides { .. } => Code::UnlikeSides,
            Self::PageSize { .. } => Code::StorePageSize,
            Self::Memory { .. } => Code::HostMemory,
            Self::PageRange { .. } => Code::PageRequest,
            Self::HostMemory { .. } => Code::StoreBudget,
            Self::StripeDirectory { .. } => Code::StripeFolder,
            Self::Stripe { .. } => Code::LostStripe,
            Self::Stalled { .. } => Code::StalledRead,
            Self::Threads(error) => error.code(),
            Self::Stopped => Code::StoppedRead,
        }
    }

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
            Self::Version { path, .. } => {
                let store = path.parent().unwrap_or(path).display();
                Advice::new(
                    format!("build it again from its input: `gts import INPUT {store} --force`"),
                    "build the store again from its input",
                )
            }
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

    fn place(&self) -> Option<ErrorPlace> {
        Some(match self {
            Self::Manifest { path, line, .. } => ErrorPlace::line(path, (*line).into()),
            Self::PageSize { .. } | Self::PageRange { .. } | Self::Threads(_) | Self::Stopped => return None,
            Self::Io { path, .. }
            | Self::NotAStore { path, .. }
            | Self::Unfinished { path }
            | Self::SteppedAside { path, .. }
            | Self::BeingReplaced { path, .. }
            | Self::Exists { path }
            | Self::NotReplaced { path }
            | Self::ForeignFiles { path, .. }
            | Self::NoName { path }
            | Self::Leftover { path, .. }
            | Self::Version { path, .. }
            | Self::Format { path, .. }
            | Self::Size { path, .. }
            | Self::Checksum { path, .. }
            | Self::PageChecksum { path, .. }
            | Self::Page { path, .. }
            | Self::Rvt { path, .. }
            | Self::Ids { path, .. }
            | Self::Table { path, .. }
            | Self::Imbalance { path, .. }
            | Self::Sides { path, .. }
            | Self::Property { path, .. }
            | Self::Memory { path, .. }
            | Self::ReadPages { path, .. }
            | Self::HostMemory { path, .. }
            | Self::StripeDirectory { path, .. }
            | Self::Stripe { path, .. }
            | Self::Stalled { path, .. } => ErrorPlace::file(path),
        })
    }
}
