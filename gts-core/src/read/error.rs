//! The errors of reading a graph.

use crate::advice::{Advice, ErrorPlace, Explain};
use crate::build::BuildError;
use crate::generate::{self, GenerateError};
use crate::import::ImportError;
use crate::store::StoreError;
use gts_contract::language::Code;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// The reason why a graph could not be read.
#[derive(Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The name is neither a file nor a store nor a generator.
    #[error("there is no file or store `{}`", graph.display())]
    Missing {
        /// The name of the graph.
        graph: PathBuf,
    },
    /// A folder or a pattern names no file.
    #[error("{}", no_files(graph))]
    NoFiles {
        /// The folder or the pattern.
        graph: PathBuf,
    },
    /// An option does not apply to this graph, or contradicts another option.
    #[error("{problem}")]
    Option {
        /// A description of the problem, which names the option and the graph.
        problem: String,
        /// The next step.
        advice: Advice,
    },
    /// The graph does not have the weights that the algorithm requires.
    #[error("{problem}")]
    Weights {
        /// A description of the required and the present weights.
        problem: String,
        /// The next step.
        advice: Advice,
    },
    /// A store cannot be opened or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A file cannot be imported.
    #[error(transparent)]
    Import(#[from] ImportError),
    /// The specification of a generator is invalid.
    #[error(transparent)]
    Generate(#[from] GenerateError),
    /// A graph cannot be built from a generator.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// A graph cannot be built from a file.
    #[error("{}: {error}", path.display())]
    File {
        /// The path of the file.
        path: PathBuf,
        /// The reason.
        error: Box<BuildError>,
    },
}

crate::debug_by_explaining!(ReadError);

impl ReadError {
    /// Returns the error of a build from a file. KeyNames the file unless the text of the error contains its path.
    pub(super) fn in_file(path: impl Into<PathBuf>, error: BuildError) -> Self {
        match error {
            BuildError::Import(error) => Self::Import(error),
            BuildError::Store(error) => Self::Store(error),
            error => Self::File { path: path.into(), error: Box::new(error) },
        }
    }

    /// Returns the error of the build; `None` if another step failed.
    pub fn of_build(&self) -> Option<&BuildError> {
        match self {
            Self::Build(error) => Some(error),
            Self::File { error, .. } => Some(error),
            _ => None,
        }
    }
}

/// Returns the description of a folder or a pattern without files.
fn no_files(graph: &Path) -> String {
    match graph.is_dir() {
        true => format!("{}: the folder is neither a store nor does it contain graph files", graph.display()),
        false => format!("{}: no file has a name of the pattern", graph.display()),
    }
}

impl Explain for ReadError {
    fn code(&self) -> Code {
        match self {
            Self::Missing { .. } => Code::MissingFile,
            Self::NoFiles { .. } => Code::NoFiles,
            Self::Option { .. } => Code::InvalidUse,
            Self::Weights { .. } => Code::UnmetNeed,
            Self::Store(error) => error.code(),
            Self::Import(error) => error.code(),
            Self::Generate(error) => error.code(),
            Self::Build(error) => error.code(),
            Self::File { error, .. } => error.code(),
        }
    }

    fn advice(&self) -> Option<Advice> {
        match self {
            Self::Missing { .. } => Some(format!("give the path of one, or a generator: {}", generate::known()).into()),
            Self::NoFiles { .. } => Some("check the path; hidden files and `_SUCCESS` do not count".into()),
            Self::Option { advice, .. } | Self::Weights { advice, .. } => Some(advice.clone()),
            Self::Store(error) => error.advice(),
            Self::Import(error) => error.advice(),
            Self::Generate(error) => error.advice(),
            Self::Build(error) => error.advice(),
            Self::File { error, .. } => error.advice(),
        }
    }

    fn place(&self) -> Option<ErrorPlace> {
        match self {
            Self::Missing { graph } | Self::NoFiles { graph } => Some(ErrorPlace::file(graph)),
            Self::Store(error) => error.place(),
            Self::Import(error) => error.place(),
            Self::Build(error) => error.place(),
            Self::File { path, .. } => Some(ErrorPlace::file(path)),
            Self::Option { .. } | Self::Weights { .. } | Self::Generate(_) => None,
        }
    }
}
