//! Why a file cannot be imported: each error names the file, the place and the next step.

use crate::units;
use std::io;
use std::path::PathBuf;

/// Why an import failed.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// A file cannot be opened or read.
    #[error("{} cannot be read: {source}; {advice}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
        /// What to do about it.
        advice: &'static str,
    },
    /// A compressed file is damaged or cut short.
    #[error("{} is not a whole {format} file: {detail}; fetch or compress it again", path.display())]
    Compressed {
        /// The file.
        path: PathBuf,
        /// The compression.
        format: &'static str,
        /// What the decompressor said.
        detail: String,
    },
    /// The text is not what the format asks for.
    #[error("{}:{line}:{column}: expected {expected}, found {found}; {advice}", path.display())]
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
    /// The file holds more or less than its header declares.
    #[error(
        "{}:{line}: the header declares {declared} {what}, the file holds {found}; correct the header, or fetch the \
         file again if it was cut short",
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
        "{}: vertex {vertex} lists {neighbour}, which does not list {vertex} with the same weight; list each edge at \
         both ends, or write the graph as an edge list",
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
    #[error("{}: {what} cannot be imported; {advice}", path.display())]
    Unsupported {
        /// The file.
        path: PathBuf,
        /// The kind.
        what: String,
        /// What to do about it.
        advice: &'static str,
    },
    /// A line that takes more memory than there is for one.
    #[error("{}:{line}: a line of more than {}; {advice}", path.display(), units::bytes(*longest))]
    LongLine {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// The most bytes that a line may have.
        longest: u64,
        /// What to do about it.
        advice: &'static str,
    },
    /// A list of vertices that takes more memory than there is.
    #[error(
        "{}: the tables of the vertices that it lists take about {} of memory, {} are allowed; raise the budget \
         (`--memory`)",
        path.display(),
        units::bytes(*needed),
        units::bytes(*budget)
    )]
    Vertices {
        /// The file.
        path: PathBuf,
        /// Bytes needed, by the part of the file that was read.
        needed: u64,
        /// Bytes allowed.
        budget: u64,
    },
    /// Neither name nor content tells the format.
    #[error(
        "{}: its name and its first lines fit no known format; name one of {}",
        path.display(),
        super::Format::names().join(", ")
    )]
    UnknownFormat {
        /// The file.
        path: PathBuf,
    },
}
