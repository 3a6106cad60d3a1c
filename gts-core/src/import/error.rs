//! Why a file cannot be imported: each error names the file, the place and the next step.

use crate::advice::{Advice, Explain};
use crate::units;
use std::io;
use std::path::PathBuf;

/// Why an import failed.
#[derive(thiserror::Error)]
pub enum ImportError {
    /// A file cannot be opened or read.
    #[error("{} cannot be read: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
        /// What to do about it.
        advice: &'static str,
    },
    /// The system starts no thread.
    #[error(transparent)]
    Threads(#[from] crate::threads::NoThreads),
    /// A compressed file is damaged or cut short.
    #[error("{} is not a whole {format} file: {detail}", path.display())]
    Compressed {
        /// The file.
        path: PathBuf,
        /// The compression.
        format: &'static str,
        /// What the decompressor said.
        detail: String,
    },
    /// The text is not what the format asks for.
    #[error("{}:{line}:{column}: expected {expected}, found {found}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// The column, in bytes from 1.
        column: u64,
        /// What the format asks for at this place.
        expected: String,
        /// What stands there.
        found: String,
        /// What to do about it.
        advice: &'static str,
    },
    /// The columns of an edge cannot be told, or the options do not fit the file.
    #[error("{}:{line}: {problem}", path.display())]
    Misfit {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// What is wrong.
        problem: String,
        /// What to do about it.
        advice: String,
    },
    /// The header declares more than a file of its size can hold.
    #[error(
        "{}:{line}: the header declares {declared} {what}, a file of this size can hold {most}",
        path.display()
    )]
    ImpossibleCount {
        /// The file.
        path: PathBuf,
        /// The header's line.
        line: u64,
        /// What is counted.
        what: &'static str,
        /// The header's number.
        declared: u64,
        /// The most that the file can hold.
        most: u64,
    },
    /// The file holds more or less than its header declares.
    #[error(
        "{}:{line}: the header declares {declared} {what}, the file holds {found}",
        path.display()
    )]
    WrongCount {
        /// The file.
        path: PathBuf,
        /// The header's line.
        line: u64,
        /// What was counted.
        what: &'static str,
        /// The header's number.
        declared: u64,
        /// The number found.
        found: u64,
    },
    /// A METIS file lists an edge at one of its ends only.
    #[error(
        "{}: vertex {vertex} lists {neighbour}, which does not list {vertex} with the same weight",
        path.display()
    )]
    OneSided {
        /// The file.
        path: PathBuf,
        /// The end that lists the edge.
        vertex: u64,
        /// The end that does not.
        neighbour: u64,
    },
    /// The file is sound, but of a kind that is not read.
    #[error("{}: {what} cannot be imported", path.display())]
    Unsupported {
        /// The file.
        path: PathBuf,
        /// The kind.
        what: String,
        /// What to do about it.
        advice: &'static str,
    },
    /// A line that takes more memory than there is for one.
    #[error("{}:{line}: a line of more than {}", path.display(), units::bytes(*longest))]
    LongLine {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// The most bytes that a line may have.
        longest: u64,
        /// What to do about it.
        advice: Advice,
    },
    /// A list of vertices that takes more memory than there is.
    #[error(
        "{}: a store of the vertices that it lists takes about {} of memory, {} are allowed",
        path.display(),
        units::bytes(*needed),
        units::bytes(*budget)
    )]
    Vertices {
        /// The file.
        path: PathBuf,
        /// Bytes that a build of a store of these vertices takes at most.
        needed: u64,
        /// Bytes allowed.
        budget: u64,
    },
    /// Neither name nor content tells the format.
    #[error("{}: its name and its first lines fit no known format", path.display())]
    UnknownFormat {
        /// The file.
        path: PathBuf,
    },
}

crate::debug_by_explaining!(ImportError);

impl Explain for ImportError {
    fn advice(&self) -> Option<Advice> {
        Some(match self {
            Self::Io { advice, .. } | Self::Malformed { advice, .. } | Self::Unsupported { advice, .. } => {
                (*advice).into()
            }
            Self::LongLine { advice, .. } => advice.clone(),
            Self::Compressed { .. } => "fetch or compress it again".into(),
            Self::Threads(error) => return error.advice(),
            Self::Misfit { advice, .. } => advice.clone().into(),
            Self::WrongCount { .. } | Self::ImpossibleCount { .. } => {
                "correct the header, or fetch the file again if it was cut short".into()
            }
            Self::OneSided { .. } => "list each edge at both ends, or write the graph as an edge list".into(),
            Self::Vertices { needed, .. } => units::memory_advice(*needed),
            Self::UnknownFormat { .. } => {
                let names = super::Format::names().join(", ");
                Advice::new(format!("give --format, one of {names}"), format!("name one of {names}"))
            }
        })
    }
}
