//! Answers as files, or on standard output.

mod json;
mod kind;
mod numpy;
mod sheet;
#[cfg(test)]
mod tests;
mod text;
#[cfg(feature = "arrow")]
pub(crate) mod typed;

pub(crate) use json::put_json;
pub(crate) use kind::{Kind, KindError, PackedKind};

use crate::blocks::RowFile;
use crate::error::Failure;
use crate::file::NewFile;
use crate::labels::Labels;
use gts_graph::algorithm::{Algorithm, Answer, OutputShape, TableKind};
use gts_graph::core::graph::{IdMap, KeyKind};
#[cfg(feature = "arrow")]
use gts_graph::core::import::Format;
use gts_graph::core::threads;
pub(crate) use sheet::{Sheet, cursor};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
pub(crate) use text::RecordFormat;

/// Name of standard output among files.
pub(crate) const STANDARD_OUTPUT: &str = "-";

/// Destination of an answer.
#[derive(Debug)]
pub(crate) struct AnswerFile {
    place: Place,
    kind: PackedKind,
}

/// A new file, or standard output.
#[derive(Debug)]
pub(crate) enum Place {
    File(NewFile),
    StandardOutput,
}

/// Contents of an output file.
pub(crate) struct Written<'a> {
    /// The algorithm.
    pub(crate) algorithm: &'a Algorithm,
    /// Its answer.
    pub(crate) answer: &'a Answer,
    /// The original IDs of the vertices.
    pub(crate) ids: &'a IdMap,
    /// Their names.
    pub(crate) labels: &'a Labels,
}

impl Place {
    /// Opens the place before the work whose result it will contain.
    pub(crate) fn new(path: &Path, replace: bool) -> Result<Self, Failure> {
        if path == Path::new(STANDARD_OUTPUT) {
            return Ok(Self::StandardOutput);
        }
        NewFile::new(path, replace).map(Self::File)
    }

    /// Returns the file, if the place is none other.
    pub(crate) fn file(&self) -> Option<&NewFile> {
        match self {
            Self::File(file) => Some(file),
            Self::StandardOutput => None,
        }
    }

    /// Writes the content. Returns the path of the file.
    pub(crate) fn write(
        self,
        content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<Option<PathBuf>, Failure> {
        match self {
            Self::File(file) => file.write(content).map(Some),
            Self::StandardOutput => {
                let mut writer = BufWriter::new(io::stdout().lock());
                content(&mut writer).and_then(|()| writer.flush()).map_err(Failure::Print)?;
                Ok(None)
            }
        }
    }
}

impl AnswerFile {
    /// Returns the destination for all rows on standard output.
    pub(crate) const ROWS: Self = Self { place: Place::StandardOutput, kind: PackedKind::CSV };

    /// Checks before a run that its answer can be written: the kind is known, the algorithm has outputs for it, and no
    /// file would be lost. Without a kind, the name determines it.
    pub(crate) fn new(
        path: &Path,
        kind: Option<PackedKind>,
        replace: bool,
        algorithm: &Algorithm,
    ) -> Result<Self, Failure> {
        let kind = match kind {
            Some(kind) => kind,
            None if path == Path::new(STANDARD_OUTPUT) => PackedKind::CSV,
            None => PackedKind::of_name(&path.to_string_lossy(), Kind::OF_ANSWERS)
                .map_err(|error| Failure::usage(format!("--output {}: {error}", path.display()), error.next()))?,
        };
        if kind.kind == Kind::Edges && !algorithm.outputs.iter().any(|output| output.shape == OutputShape::Edges) {
            return Err(Failure::usage(
                format!("--output {}: `{}` answers no edges", path.display(), algorithm.name),
                "let the name end in .csv, .tsv, .jsonl, .json, .npy or .npz",
            ));
        }
        Ok(Self { place: Place::new(path, replace)?, kind })
    }

    /// Returns the output file, if there is one.
    pub(crate) fn file(&self) -> Option<&NewFile> {
        self.place.file()
    }

    /// Refuses keys that the file cannot hold: NumPy has no type for names, and a list of edges has no sides.
    pub(crate) fn check_keys(&self, ids: &IdMap) -> Result<(), Failure> {
        if ids.has_sides() && self.kind.kind == Kind::Edges {
            return Err(Failure::usage(
                format!("--output: {} cannot hold the sides of vertices", self.kind.kind.name()),
                "give a file that ends in .json",
            ));
        }
        if ids.kind() == KeyKind::Text && matches!(self.kind.kind, Kind::Npy | Kind::Npz) {
            return Err(Failure::usage(
                format!("--output: {} cannot hold names of vertices", self.kind.kind.name()),
                "give a file that ends in .csv, .tsv, .jsonl, .json, .parquet or .arrow",
            ));
        }
        Ok(())
    }

    /// Writes the answer. Returns the path of the file.
    pub(crate) fn write(self, written: &Written<'_>) -> Result<Option<PathBuf>, Failure> {
        threads::prepare().map_err(gts_graph::Error::from)?;
        let PackedKind { kind, packing } = self.kind;
        self.place.write(|writer| written.write(kind, &mut RowFile { writer, packing }))
    }
}

impl Written<'_> {
    /// Writes the main table, the edges, or for JSON the whole answer.
    fn write(&self, kind: Kind, file: &mut RowFile<'_>) -> io::Result<()> {
        let tables = self.answer.tables();
        let table = match kind {
            Kind::Edges => tables.iter().find(|table| table.kind == TableKind::Edges),
            _ => tables.first(),
        };
        // An answer without outputs is an empty file.
        let Some(table) = table else { return Ok(()) };
        let sheet = |table: &_| Sheet::new(table, self.ids, self.labels);
        match kind {
            Kind::Csv => text::write(file, &sheet(table), b',', true),
            Kind::Tsv => text::write(file, &sheet(table), b'\t', true),
            Kind::Edges => text::write(file, &sheet(table), b' ', false),
            Kind::JsonLines => json::lines(file, &sheet(table)),
            Kind::Json => json::whole(file, self.algorithm.name, self.answer, sheet),
            Kind::Npy => numpy::structured(file, &sheet(table)),
            Kind::Npz => numpy::archive(file.writer, &sheet(table)),
            #[cfg(feature = "arrow")]
            Kind::Parquet => typed::write(file.writer, &sheet(table), Format::Parquet),
            #[cfg(feature = "arrow")]
            Kind::Arrow => typed::write(file.writer, &sheet(table), Format::Arrow),
            // `PackedKind::of_name` refuses other kinds.
            _ => Err(io::ErrorKind::Unsupported.into()),
        }
    }
}
