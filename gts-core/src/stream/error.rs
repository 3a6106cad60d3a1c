//! Errors of imports. Each names the file, the place and the next step.

use crate::advice::{Advice, Explain};
use crate::units;
use std::io;
use std::path::PathBuf;

/// Reason why an import failed.
#[derive(thiserror::Error)]
pub enum ImportError {
    /// A file cannot be opened or read.
    #[error("{} cannot be read: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
        /// The next step.
        advice: &'static str,
    },
    /// The system cannot start a thread.
    #[error(transparent)]
    Threads(#[from] crate::threads::NoThreads),
    /// A compressed file is damaged or cut short.
    #[error("{} is not a whole {format} file: {detail}", path.display())]
    Compressed {
        /// The file.
        path: PathBuf,
        /// The compression.
        format: &'static str,
        /// The decompressor's message.
        detail: String,
    },
    /// The text does not follow the format.
    #[error("{}:{line}:{column}: expected {expected}, found {found}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// The column, in bytes from 1.
        column: u64,
        /// The text that the format requires.
        expected: String,
        /// The text in the file.
        found: String,
        /// The next step.
        advice: &'static str,
    },
    /// The columns of an edge cannot be determined, or the options do not fit the file.
    #[error("{}:{line}: {problem}", path.display())]
    Misfit {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// The problem.
        problem: String,
        /// The next step.
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
        /// The things counted.
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
        /// The things counted.
        what: &'static str,
        /// The header's number.
        declared: u64,
        /// The number found.
        found: u64,
    },
    /// A METIS file lists an edge at only one of its ends.
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
    /// The file is of a kind that cannot be imported.
    #[error("{}: {what} cannot be imported", path.display())]
    Unsupported {
        /// The file.
        path: PathBuf,
        /// The kind.
        what: String,
        /// The next step.
        advice: &'static str,
    },
    /// A line exceeds the memory for one line.
    #[error("{}:{line}: a line of more than {}", path.display(), units::bytes(*longest))]
    LongLine {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// Maximum bytes of a line.
        longest: u64,
        /// The next step.
        advice: Advice,
    },
    /// A list of vertices exceeds the memory limit.
    #[error(
        "{}: a store of the vertices that it lists takes about {} of memory, {} are allowed",
        path.display(),
        units::bytes(*needed),
        units::bytes(*budget)
    )]
    Vertices {
        /// The file.
        path: PathBuf,
        /// Maximum bytes that building a store of these vertices takes.
        needed: u64,
        /// Bytes allowed.
        budget: u64,
    },
    /// Neither name nor content identifies the format.
    #[error("{}: its name and its first lines fit no known format", path.display())]
    UnknownFormat {
        /// The file.
        path: PathBuf,
        /// Names of the known formats.
        formats: Vec<&'static str>,
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
            Self::UnknownFormat { formats, .. } => {
                let names = formats.join(", ");
                Advice::new(format!("give --format, one of {names}"), format!("name one of {names}"))
            }
        })
    }
}
