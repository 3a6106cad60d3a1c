//! Imports files whose columns have names and types, such as Parquet. Readers of such files are registered by other crates,
//! so that a program without them lacks their dependencies.
//!
//! Columns are chosen as in a CSV file with a header. The types of the two ends determine the type of the keys, unless
//! [`GraphReader::keys`](crate::read::GraphReader::keys) selects another.

pub use super::class::ColumnClass;

use super::edges::reading;
use super::foreign;
use super::format::without_compression;
use super::header::label_columns;
use super::parts::FileStream;
use super::scan::Problem;
use super::table::{Head, Layout};
use super::value::{Reading, Seen, typed_weight};
use super::{Format, ImportError, ImportOptions, bv, check_flags};
use crate::build::{Declared, DeclaredVertices, Direction, EdgeBatch, EdgeStream};
use crate::files;
use crate::graph::KeyKind;
use crate::parallel::*;
use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};

/// The number of weights per task.
const PIECE: usize = 1 << 14;

/// A reader of files in some columnar formats. [`inventory::submit!`] registers it.
#[derive(Clone, Copy, Debug)]
pub struct ColumnarReader {
    /// The formats that the reader supports.
    pub formats: &'static [Format],
    /// Opens a file in one of these formats.
    pub open: OpenColumnar,
}

/// Opens a file in a columnar format. The file is at its beginning.
pub type OpenColumnar = fn(path: &Path, file: File, format: Format) -> Result<Box<dyn ColumnarFile>, ImportError>;

inventory::collect!(ColumnarReader);

/// A file in a columnar format.
pub trait ColumnarFile {
    /// Returns the columns, in the order of the file.
    fn columns(&self) -> Vec<TypedColumn>;

    /// Returns the vertices and the number of edges that the file declares.
    fn declared(&self) -> (DeclaredVertices, Option<u64>) {
        (DeclaredVertices::FromEdges, None)
    }

    /// Opens the rows of some columns as a stream.
    ///
    /// # Errors
    ///
    /// The file is damaged or cannot be read.
    fn rows(self: Box<Self>, chosen: ChosenColumns) -> Result<Box<dyn ColumnarRows>, ImportError>;
}

/// The rows of the chosen columns.
pub trait ColumnarRows {
    /// Replaces the contents of `batch` with the edges of the next rows. Values are weights in the widest type of their
    /// column: the bits of a u64, an i64 or an f64. At the end, returns `false` and leaves the batch empty.
    ///
    /// # Errors
    ///
    /// The file is damaged or cannot be read, or a cell is neither a key nor a weight.
    fn next(&mut self, batch: &mut EdgeBatch) -> Result<bool, ImportError>;

    /// Returns the number of bytes that have been read, and their total.
    fn progress(&self) -> (u64, u64);
}

/// A column of a columnar file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypedColumn {
    /// The name.
    pub name: String,
    /// The type, as far as edges can use it.
    pub class: ColumnClass,
    /// The name of the type for messages.
    pub type_name: String,
}

/// The columns of an edge, by position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChosenColumns {
    /// The column of sources.
    pub source: usize,
    /// The column of targets.
    pub target: usize,
    /// The column of weights, if they are read.
    pub weight: Option<usize>,
    /// The key type of sources, and that of targets. They differ only in a table of labels.
    pub keys: [KeyKind; 2],
    /// The memory limit of the build in bytes.
    pub memory: Option<u64>,
}

/// The bytes of a file that are sufficient to recognise it.
const HEAD: u64 = 16;

/// Recognises a columnar file by a file of parameters beside it, by its first bytes, or by its name. The name does not
/// count if the file begins like a list of numbers.
fn recognise(path: &Path, head: &[u8]) -> Option<(Format, &'static str)> {
    if bv::properties(path).is_some() {
        return Some((Format::Bv, bv::WHAT));
    }
    let is_list = head.first().is_some_and(|byte| byte.is_ascii_digit() || b"#% \t\r\n".contains(byte));
    let by_name = || foreign::by_name(path).filter(|_| !is_list && without_compression(path) == path);
    foreign::by_bytes(path, head).or_else(by_name)?.columnar()
}

/// A columnar file that has been recognised.
struct Recognised {
    file: File,
    format: Format,
    /// The format as messages show it.
    what: &'static str,
    open: OpenColumnar,
}

/// Recognises a columnar file by its contents or name, and otherwise takes the given format. Returns `None` if the file has
/// another format.
fn find(path: &Path, given: Option<Format>) -> Result<Option<Recognised>, ImportError> {
    if files::is_pipe(path) || given.is_some_and(|format| !format.is_columnar()) {
        return Ok(None);
    }
    // Anything but a regular file is text, or is refused with the reason.
    let Ok(mut file) = files::open(path) else { return Ok(None) };
    let io = |error: io::Error| ImportError::io(path, error);
    let mut head = Vec::new();
    (&mut file).take(HEAD).read_to_end(&mut head).map_err(io)?;
    file.rewind().map_err(io)?;
    let Some((format, what)) = recognise(path, &head).or(given.map(|format| (format, "a typed table"))) else {
        return Ok(None);
    };
    match inventory::iter::<ColumnarReader>().find(|reader| reader.formats.contains(&format)) {
        Some(reader) => Ok(Some(Recognised { file, format, what, open: reader.open })),
        None => Err(ImportError::Unsupported {
            path: path.into(),
            what: what.into(),
            advice: match format {
                Format::Bv => "build `gts` with `--features bv`, or convert the graph to an edge list",
                _ => "build `gts` with `--features arrow`, or write the table as CSV",
            },
        }),
    }
}

/// Opens a columnar file as a stream of edges; `None` if the file has another format.
pub(super) fn open(path: &Path, options: &ImportOptions) -> Result<Option<Box<dyn FileStream>>, ImportError> {
    let Some(Recognised { file, format, what, open }) = find(path, options.format)? else { return Ok(None) };
    if format == Format::Bv {
        check_flags(path, format, options)?;
    }
    let flags = [("--skip", options.skip > 0), ("--header", options.header.is_some())];
    refuse_lines(path, what, &flags)?;
    Ok(Some(Box::new(ColumnarStream::new(path, open(path, file, format)?, options)?)))
}

/// Opens a columnar table of vertices and their labels. Returns `None` if the file has another format.
pub(super) fn open_labels(path: &Path) -> Result<Option<Box<dyn ColumnarRows>>, ImportError> {
    let Some(Recognised { file, format, open, .. }) = find(path, None)? else { return Ok(None) };
    let table = open(path, file, format)?;
    let columns = table.columns();
    let (source, target) = label_columns(columns.iter().map(|column| column.name.as_str()));
    let misfit = |column: usize, classes: &[ColumnClass], expected: &str| {
        let problem = match columns.get(column) {
            Some(column) if classes.contains(&column.class) => return None,
            Some(TypedColumn { name, type_name, .. }) => {
                format!("the column `{name}` contains {type_name}, and no {expected}")
            }
            None => "the table has fewer than two columns".into(),
        };
        let advice = "give a table with a column `id` of integers and a column `label` of text".into();
        Some(ImportError::UnfitTable { path: path.into(), problem, advice })
    };
    let numbers = misfit(source, &[ColumnClass::Unsigned, ColumnClass::Signed], "numbers of vertices");
    match numbers.or_else(|| misfit(target, &[ColumnClass::Text], "labels")) {
        Some(misfit) => Err(misfit),
        None => {
            let keys = [KeyKind::Number, KeyKind::Text];
            table.rows(ChosenColumns { source, target, weight: None, keys, memory: None }).map(Some)
        }
    }
}

/// Refuses options that describe the lines of a text file.
fn refuse_lines(path: &Path, what: &str, flags: &[(&str, bool)]) -> Result<(), ImportError> {
    match flags.iter().find(|(_, is_given)| *is_given) {
        None => Ok(()),
        Some((flag, _)) => Err(ImportError::UnfitTable {
            path: path.into(),
            problem: format!("{flag} is given, and {what} has no lines"),
            advice: format!("leave {flag} out"),
        }),
    }
}

/// Opens a table in memory as a stream of edges. Errors name the table instead of a file.
pub(super) fn of_table(
    name: &Path,
    table: Box<dyn ColumnarFile>,
    options: &ImportOptions,
) -> Result<Box<dyn EdgeStream>, ImportError> {
    let flags = [
        ("--format", options.format.is_some()),
        ("--skip", options.skip > 0),
        ("--header", options.header.is_some()),
        ("--delimiter", options.delimiter.is_some()),
        ("--decimal-comma", options.decimal_comma),
        ("--comment", options.comment.is_some()),
    ];
    refuse_lines(name, "a table in memory", &flags)?;
    Ok(Box::new(ColumnarStream::new(name, table, options)?))
}

/// The stream of a columnar file's edges.
struct ColumnarStream {
    path: PathBuf,
    rows: Box<dyn ColumnarRows>,
    declared: Declared,
    notes: Vec<String>,
    reading: Reading,
    class: ColumnClass,
    /// The columns of the file, as messages show them.
    columns: String,
    seen: Seen,
    /// The number of rows read.
    done: u64,
}

impl ColumnarStream {
    fn new(path: &Path, file: Box<dyn ColumnarFile>, options: &ImportOptions) -> Result<Self, ImportError> {
        let columns = file.columns();
        let misfit = |problem: String, advice: String| ImportError::UnfitTable { path: path.into(), problem, advice };
        let options =
            ImportOptions { header: Some(true), directed: Some(options.directed != Some(false)), ..options.clone() };
        let head = Head::typed(columns.iter().map(|column| (column.name.clone(), column.class)));
        let shown = head.shown_columns(true);
        let (layout, note) = head.layout(&options).map_err(|refusal| refusal.of_table(path))?;
        let reading = reading(layout.weight.is_some(), &options);
        let weight = layout.weight.filter(|_| reading != Reading::None);
        let keys = kind_of_keys(&columns, layout, options.keys).map_err(|(problem, advice)| misfit(problem, advice))?;
        let class = weight.map_or(ColumnClass::Other, |weight| columns[weight].class);
        if let Some(weight) = weight
            && !matches!(class, ColumnClass::Unsigned | ColumnClass::Signed | ColumnClass::Real)
        {
            let TypedColumn { name, type_name, .. } = &columns[weight];
            return Err(misfit(
                format!("the column of weights, `{name}`, contains {type_name}, and no numbers"),
                "convert the column to integers or floats, name another with --columns, or give `--weights none`"
                    .into(),
            ));
        }
        let asked = if let Reading::As(ty) = reading { Some(ty) } else { None };
        let (vertices, edges) = file.declared();
        let declared = Declared {
            vertices,
            edges,
            keys,
            direction: options.direction(Direction::Directed),
            value_type: reading.value_type(),
            store_as: asked,
            unread_weights: layout.weight.is_some() && reading == Reading::None,
            ..Declared::default()
        };
        let Layout { source, target, .. } = layout;
        let rows = file.rows(ChosenColumns { source, target, weight, keys: [keys; 2], memory: options.memory })?;
        let notes = Vec::from_iter(note);
        let (path, columns, seen) = (path.into(), shown, Seen::default());
        Ok(Self { path, rows, declared, notes, reading, class, columns, seen, done: 0 })
    }

    /// Converts the weights of a batch to the type that the stream declares.
    fn convert(&mut self, weights: &mut [u64]) -> Result<(), ImportError> {
        let (class, reading) = (self.class, self.reading);
        let piece = |(piece, weights): (usize, &mut [u64])| {
            let mut seen = Seen::default();
            for (place, bits) in weights.iter_mut().enumerate() {
                let read = typed_weight(class, *bits, reading, &mut seen);
                *bits = read.map_err(|problem| (piece * PIECE + place, *bits, problem))?;
            }
            Ok(seen)
        };
        let pieces: Vec<Result<Seen, _>> = weights.par_chunks_mut(PIECE).enumerate().map(piece).collect();
        for seen in pieces {
            self.seen.merge(seen.map_err(|(place, bits, problem)| ImportError::Cell {
                path: self.path.clone(),
                row: self.done + place as u64 + 1,
                expected: problem.expected(),
                found: match class {
                    ColumnClass::Signed => bits.cast_signed().to_string(),
                    ColumnClass::Real => f64::from_bits(bits).to_string(),
                    _ => bits.to_string(),
                },
                advice: problem.advice(),
            })?);
        }
        Ok(())
    }
}

impl EdgeStream for ColumnarStream {
    fn next(&mut self, batch: &mut EdgeBatch) -> Result<bool, ImportError> {
        if !self.rows.next(batch)? {
            if self.reading == Reading::Auto {
                self.declared.store_as = Some(self.seen.narrowest());
            }
            return Ok(false);
        }
        let mut weights = std::mem::take(&mut batch.value);
        self.convert(&mut weights)?;
        batch.value = weights;
        self.done += batch.src.len() as u64;
        Ok(true)
    }

    fn declared(&self) -> Declared {
        self.declared.clone()
    }

    fn progress(&self) -> (u64, Option<u64>) {
        let (read, total) = self.rows.progress();
        (read, Some(total))
    }

    fn notes(&self) -> Vec<String> {
        self.notes.iter().map(|note| format!("{}: {note}", self.path.display())).collect()
    }
}

impl FileStream for ColumnarStream {
    fn columns(&self) -> &str {
        &self.columns
    }

    fn seen(&self) -> Seen {
        self.seen
    }
}

/// Returns the error for a cell that contains no key of the given type. `row` is counted from 1.
pub fn no_key(path: &Path, row: u64, kind: KeyKind, found: &[u8]) -> ImportError {
    ImportError::Cell {
        path: path.into(),
        row,
        expected: Problem::Key(kind).expected(),
        found: super::scan::quoted(found),
        advice: super::key_kind::advice(kind, found),
    }
}

/// Returns the error for a cell without a value. `row` is counted from 1.
pub fn no_value(path: &Path, row: u64, column: &str) -> ImportError {
    ImportError::Cell {
        path: path.into(),
        row,
        expected: format!("a value in the column `{column}`"),
        found: "null".into(),
        advice: "fill the cell, or leave the row out",
    }
}

/// Returns the type of the keys in two columns, which is the given one if the columns contain such keys. Otherwise,
/// returns the problem and the advice.
fn kind_of_keys(columns: &[TypedColumn], layout: Layout, given: Option<KeyKind>) -> Result<KeyKind, (String, String)> {
    let ends = [layout.source, layout.target].map(|column| &columns[column]);
    let kind = |column: &TypedColumn| match column.class {
        ColumnClass::Unsigned => Some(KeyKind::Number),
        ColumnClass::Signed => Some(KeyKind::Signed),
        ColumnClass::Text => Some(KeyKind::Text),
        ColumnClass::Uuid => Some(KeyKind::Uuid),
        ColumnClass::Real | ColumnClass::Other => None,
    };
    if let Some(TypedColumn { name, type_name, .. }) = ends.into_iter().find(|column| kind(column).is_none()) {
        return Err((
            format!("the column `{name}` contains {type_name}, and no keys of vertices"),
            "name the columns of the ends with --columns, or convert this one to integers or text".into(),
        ));
    }
    let is_integer = |kind| matches!(kind, KeyKind::Number | KeyKind::Signed);
    let kinds = ends.map(|column| kind(column).unwrap_or_default());
    let own = match kinds {
        [one, other] if one == other => one,
        [one, other] if is_integer(one) && is_integer(other) => KeyKind::Signed,
        _ => {
            let [one, other] = ends.map(|column| format!("`{}` contains {}", column.name, column.type_name));
            return Err((
                format!("the column {one}, and {other}: the keys of a graph have one type"),
                "convert one of the columns, or name others with --columns".into(),
            ));
        }
    };
    match given {
        None => Ok(own),
        Some(given) if given == own || is_integer(given) && is_integer(own) => Ok(given),
        // The text of a UUID.
        Some(KeyKind::Uuid) if own == KeyKind::Text => Ok(KeyKind::Uuid),
        Some(given) => {
            let TypedColumn { name, type_name, .. } = ends[0];
            Err((
                format!("--keys {given} is given, and the column `{name}` contains {type_name}"),
                "leave --keys out, or convert the columns of the ends".into(),
            ))
        }
    }
}
