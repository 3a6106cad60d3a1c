//! The errors of imports. Each error names the file, the location in the file and the next step.

use crate::advice::{Advice, ErrorPlace, Explain};
use crate::units;
use gts_contract::language::Code;
use std::io;
use std::path::{Path, PathBuf};

/// The reason why an import failed.
#[derive(thiserror::Error)]
pub enum ImportError {
    /// A file cannot be opened or read.
    #[error("{} cannot be read: {source}", path.display())]
    Io {
        /// The path of the file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
        /// The advice on how to proceed.
        advice: &'static str,
    },
    /// The system could not start a thread.
    #[error(transparent)]
    Threads(#[from] crate::threads::NoThreads),
    /// A compressed file is damaged or truncated.
    #[error("{} is not a whole {format} file: {detail}", path.display())]
    Compressed {
        /// The path of the file.
        path: PathBuf,
        /// The name of the compression format.
        format: &'static str,
        /// The decompressor's message.
        detail: String,
        /// The advice on how to proceed.
        advice: &'static str,
    },
    /// Two files of a graph have different columns, keys, directions or vertices.
    #[error("{}: {found}, but {} has {expected}", path.display(), first.display())]
    Unlike {
        /// The path of the file.
        path: PathBuf,
        /// The properties of the file.
        found: String,
        /// The path of the first file.
        first: PathBuf,
        /// The properties of the first file.
        expected: String,
    },
    /// The text does not follow the format.
    #[error("{}:{line}:{column}: expected {expected}, found {found}", path.display())]
    Malformed {
        /// The path of the file.
        path: PathBuf,
        /// The line number, counted from 1.
        line: u64,
        /// The column in bytes, counted from 1.
        column: u64,
        /// A description of the text that the format requires.
        expected: String,
        /// The text in the file.
        found: String,
        /// The advice on how to proceed.
        advice: &'static str,
    },
    /// The columns of an edge cannot be determined, or the options do not match the file.
    #[error("{}:{line}: {problem}", path.display())]
    Misfit {
        /// The path of the file.
        path: PathBuf,
        /// The line number, counted from 1.
        line: u64,
        /// The problem.
        problem: String,
        /// The advice on how to proceed.
        advice: String,
    },
    /// The columns of a typed table cannot be read as edges, or the options do not match them.
    #[error("{}: {problem}", path.display())]
    UnfitTable {
        /// The path of the file.
        path: PathBuf,
        /// The problem.
        problem: String,
        /// The advice on how to proceed.
        advice: String,
    },
    /// A cell of a typed table is neither a key nor a weight.
    #[error("{}, row {row}: expected {expected}, found {found}", path.display())]
    Cell {
        /// The path of the file.
        path: PathBuf,
        /// The number of the row, counted from 1.
        row: u64,
        /// A description of the cells that can be read.
        expected: String,
        /// The cell in the file.
        found: String,
        /// The advice on how to proceed.
        advice: &'static str,
    },
    /// A typed table is damaged or truncated.
    #[error("{} is not a whole {format} file: {detail}", path.display())]
    DamagedTable {
        /// The path of the file.
        path: PathBuf,
        /// The name of the format.
        format: &'static str,
        /// The decoder's message.
        detail: String,
    },
    /// The header declares more items than a file of this size can contain.
    #[error(
        "{}:{line}: the header declares {declared} {what}, a file of this size can hold {most}",
        path.display()
    )]
    ImpossibleCount {
        /// The path of the file.
        path: PathBuf,
        /// The line number of the header.
        line: u64,
        /// The kind of items counted.
        what: &'static str,
        /// The number declared in the header.
        declared: u64,
        /// The maximum number that the file can contain.
        most: u64,
    },
    /// The file contains more or fewer items than its header declares.
    #[error(
        "{}:{line}: the header declares {declared} {what}, the file holds {found}",
        path.display()
    )]
    WrongCount {
        /// The path of the file.
        path: PathBuf,
        /// The line number of the header.
        line: u64,
        /// The kind of items counted.
        what: &'static str,
        /// The number declared in the header.
        declared: u64,
        /// The number in the file.
        found: u64,
    },
    /// A METIS file lists an edge at only one of its ends.
    #[error("{}: {}", path.display(), one_sided(*edge))]
    OneSided {
        /// The path of the file.
        path: PathBuf,
        /// The vertex that lists the edge, and the vertex that does not. `None` for a pipe, which cannot be read again to
        /// find them.
        edge: Option<[u64; 2]>,
    },
    /// The file has an unsupported type.
    #[error("{}: {what} cannot be imported", path.display())]
    Unsupported {
        /// The path of the file.
        path: PathBuf,
        /// The type of the file.
        what: String,
        /// The advice on how to proceed.
        advice: &'static str,
    },
    /// A line is too long for the available memory.
    #[error("{}:{line}: a line of more than {}", path.display(), units::bytes(*longest))]
    LongLine {
        /// The path of the file.
        path: PathBuf,
        /// The line number, counted from 1.
        line: u64,
        /// The maximum number of bytes per line.
        longest: u64,
        /// The advice on how to proceed.
        advice: Advice,
    },
    /// A store of the listed vertices needs more memory than the budget allows.
    #[error(
        "{}: a store of the vertices that it lists takes about {} of memory, {} are allowed",
        path.display(),
        units::bytes(*needed),
        units::bytes(*budget)
    )]
    Vertices {
        /// The path of the file.
        path: PathBuf,
        /// An upper bound on the memory in bytes needed to build a store of these vertices.
        needed: u64,
        /// The budget in bytes.
        budget: u64,
    },
    /// Neither the name nor the contents of the file identify its format.
    #[error("{}: its name and its first lines fit no known format", path.display())]
    UnknownFormat {
        /// The path of the file.
        path: PathBuf,
        /// The names of the known formats.
        formats: Vec<&'static str>,
    },
}

crate::debug_by_explaining!(ImportError);

impl ImportError {
    /// Returns the error for a file that the system does not open or read.
    pub fn io(path: &Path, source: io::Error) -> Self {
        let advice = match source.kind() {
            io::ErrorKind::NotFound => "check the path",
            io::ErrorKind::PermissionDenied => "check who may read it",
            _ => "check the disk and try again",
        };
        Self::Io { path: path.into(), source, advice }
    }
}

fn one_sided(edge: Option<[u64; 2]>) -> String {
    match edge {
        Some([vertex, neighbour]) => {
            format!("vertex {vertex} lists {neighbour}, which does not list {vertex} with the same weight")
        }
        None => "a vertex lists another one, which does not list it with the same weight".into(),
    }
}

impl Explain for ImportError {
    fn code(&self) -> Code {
        match self {
            Self::Io { source, .. } if source.kind() == io::ErrorKind::NotFound => Code::MissingFile,
            Self::Io { .. } => Code::ImportAccess,
            Self::Threads(error) => error.code(),
            Self::Compressed { .. } => Code::CompressedFile,
            Self::Unlike { .. } => Code::UnlikeFiles,
            Self::Malformed { .. } => Code::MalformedText,
            Self::Misfit { .. } | Self::UnfitTable { .. } => Code::UnfitColumns,
            Self::Cell { .. } => Code::TableCell,
            Self::DamagedTable { .. } => Code::DamagedColumns,
            Self::ImpossibleCount { .. } | Self::WrongCount { .. } => Code::HeaderCount,
            Self::OneSided { .. } => Code::OneSidedEdge,
            Self::Unsupported { .. } => Code::UnsupportedFile,
            Self::LongLine { .. } => Code::LongLine,
            Self::Vertices { .. } => Code::BuildBudget,
            Self::UnknownFormat { .. } => Code::UnknownFormat,
        }
    }

    fn advice(&self) -> Option<Advice> {
        Some(match self {
            Self::Io { advice, .. }
            | Self::Malformed { advice, .. }
            | Self::Cell { advice, .. }
            | Self::Unsupported { advice, .. }
            | Self::Compressed { advice, .. } => (*advice).into(),
            Self::LongLine { advice, .. } => advice.clone(),
            Self::Unlike { .. } => {
                "read files of the same kind together; `cat` joins the parts of a file that was split".into()
            }
            Self::Threads(error) => return error.advice(),
            Self::DamagedTable { .. } => "fetch or write it again".into(),
            Self::Misfit { advice, .. } | Self::UnfitTable { advice, .. } => advice.clone().into(),
            Self::WrongCount { .. } | Self::ImpossibleCount { .. } => {
                "correct the header, or fetch the file again if it was cut short".into()
            }
            Self::OneSided { edge: None, .. } => {
                "write the text to a file, and import it again: that finds the edge".into()
            }
            Self::OneSided { .. } => "list each edge at both ends, or write the graph as an edge list".into(),
            Self::Vertices { needed, .. } => units::memory_advice(*needed),
            Self::UnknownFormat { formats, .. } => {
                let names = formats.join(", ");
                Advice::new(format!("give --format, one of {names}"), format!("name one of {names}"))
            }
        })
    }

    fn place(&self) -> Option<ErrorPlace> {
        Some(match self {
            Self::Threads(_) => return None,
            Self::Malformed { path, line, column, .. } => ErrorPlace::line(path, *line).column(*column),
            Self::Misfit { path, line, .. }
            | Self::ImpossibleCount { path, line, .. }
            | Self::WrongCount { path, line, .. }
            | Self::LongLine { path, line, .. } => ErrorPlace::line(path, *line),
            Self::Io { path, .. }
            | Self::Compressed { path, .. }
            | Self::UnfitTable { path, .. }
            | Self::Cell { path, .. }
            | Self::DamagedTable { path, .. }
            | Self::Unlike { path, .. }
            | Self::OneSided { path, .. }
            | Self::Unsupported { path, .. }
            | Self::Vertices { path, .. }
            | Self::UnknownFormat { path, .. } => ErrorPlace::file(path),
        })
    }
}
