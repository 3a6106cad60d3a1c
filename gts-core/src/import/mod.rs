//! Imports graph files in common formats as streams of edges.
//!
//! # Rules
//!
//! - Edge lists, CSV, JSON Lines, adjacency lists, DIMACS, Graph500 and Graphalytics files are read as directed, with one
//!   arc per edge, unless they declare otherwise: in a SNAP comment, in Gephi's `Type` column, or in a Graphalytics
//!   properties file. GraphML and Pajek files declare which edges are directed. In symmetric and rectangular matrices, and in KONECT's `sym` and `bip` graphs, an edge represents both directions, and a diagonal
//!   entry represents one loop. METIS files list both directions. [`GraphReader::directed`] overrides these rules,
//!   but symmetric matrices and METIS files cannot be read as directed.
//! - Several files are one graph if they have the same columns, and declare the same vertices and direction. Their order
//!   does not matter. Any file may be a pipe, which is read once; the path `-` is standard input.
//! - Duplicate edges and self-loops are kept.
//! - Vertices declared in a header or a .v file, nodes of GraphML, and vertices of an adjacency list exist even without
//!   edges. In other files, the vertices are those that occur in edges. IDs are the numbers in the file, and may be any
//!   64-bit numbers.
//! - The counts in a header are binding; those in a comment are not. A table without a header may begin with its sizes.
//!   They are then read as an edge, with a note. [`GraphReader::skip`] omits them.
//! - Every record of a table (CSV, edge list, Graphalytics) must have the same number of fields as the first record,
//!   including a header. A trailing empty field and a comment after the fields do not count. Without a header, the
//!   first two columns are the ends of an edge and the third column is its weight, unless [`GraphReader::columns`]
//!   selects others.
//! - Parquet files and Arrow files have names and types of columns: the names select columns as a header does, and the
//!   types determine the type of the keys. The vertices of a BV graph are the numbers that its parameters declare. A
//!   program reads these formats if it includes a [reader](columnar::ColumnarReader) for them, such as that of the crate
//!   `gts-graph-tables`.
//! - Unsupported file types are recognised by their first bytes, their first line or their name. The error names the
//!   type.
//! - Windows line endings, a byte order mark, tabs, blank lines, comments in any place, a missing newline at the end,
//!   and files with several gzip members or zstd frames are accepted. An error contains the file, the line and the
//!   column, the expected text, and the next step.
//!
//! # Weights
//!
//! With [`GraphReader::weights`], values have the requested type, and a value that this type cannot represent is an
//! error. Otherwise the import chooses the narrowest type that preserves the file's weights: u32, i32 or u64 if all
//! weights are integers; f32 in other cases, or f64 if f32 would change an integer or turn a weight into 0 or infinity.
//! The choice is only known at the end of the file. Therefore the stream contains f64 values, from which values of each
//! of these types follow exactly or with one rounding. After the stream has ended,
//! [`Declared::store_as`](crate::build::Declared::store_as) contains the chosen type.
//!
//! [`GraphReader::columns`]: crate::read::GraphReader::columns
//! [`GraphReader::directed`]: crate::read::GraphReader::directed
//! [`GraphReader::skip`]: crate::read::GraphReader::skip
//! [`GraphReader::weights`]: crate::read::GraphReader::weights

mod adjacency;
mod blocks;
mod bv;
mod class;
pub mod columnar;
mod csv;
mod delimiter;
mod detect;
mod dimacs;
mod edges;
mod foreign;
mod format;
mod graph500;
mod graphalytics;
mod graphml;
mod header;
mod jsonl;
mod key_kind;
mod keys;
mod labels;
mod matrix_market;
mod metis;
mod opening;
mod pajek;
mod parts;
mod scan;
mod serial;
mod source;
mod table;
#[cfg(test)]
mod tests;
mod text;
mod value;

use crate::graph::KeyKind;
use crate::stream::{Direction, EdgeStream, with_note, with_ones, with_sides};
use crate::threads;
use blocks::{Block, Blocks};
use columnar::ColumnarFile;
use gts_contract::ScalarType;
use parts::{FileStream, JoinedFiles};
use scan::{Cursor, Signs};
use std::path::{Path, PathBuf};

pub use crate::stream::ImportError;
pub(crate) use bv::stream_of as bv_stream_of;
pub use delimiter::Delimiter;
pub use format::Format;
pub use labels::labels;
pub use table::{Column, Columns, UnknownColumns};

/// The beginning of the note about a file whose weights were left in the file, after the file's name.
pub(crate) const UNREAD_WEIGHTS: &str = "its weights are not read";

/// The weights that an import reads, and their type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Weights {
    /// Weights if the file has any, in the narrowest type that preserves them.
    #[default]
    Auto,
    /// No weights, even if the file has weights.
    Ignore,
    /// No weights, with a note if the file has weights.
    Unneeded,
    /// Weights of the given type (u32, i32, f32, u64 or f64). A file without weights is an error.
    As(ScalarType),
    /// Weight 1 of the given type for every edge, independent of the file.
    One(ScalarType),
}

/// The options of an import.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ImportOptions {
    /// The file format; `None` detects the format from the file name and the contents.
    pub format: Option<Format>,
    /// The weights to read.
    pub weights: Weights,
    /// The columns of an edge in CSV files, edge lists and Graphalytics .e files. `None` selects columns by the header
    /// or by position.
    pub columns: Option<Columns>,
    /// The type of the keys in tables; `None` lets the first edge decide.
    pub keys: Option<KeyKind>,
    /// Whether the first record of a table is a header; `None` lets the record decide.
    pub header: Option<bool>,
    /// The delimiter of a table; `None` lets the first record decide.
    pub delimiter: Option<Delimiter>,
    /// Whether weights have a decimal comma.
    pub decimal_comma: bool,
    /// The signs that begin a comment in a table; `None` for those of the format.
    pub comment: Option<String>,
    /// Whether an edge in the file represents a single arc rather than both directions. `None` lets the file decide.
    /// `Some(true)` is an error if the header declares that edges are undirected.
    pub directed: Option<bool>,
    /// Whether sources and targets are in two name spaces.
    pub bipartite: bool,
    /// Whether each record is a vertex and its label rather than an edge.
    pub labels: bool,
    /// The number of lines to skip at the beginning of the file. Comments in these lines still determine whether an
    /// edge list is undirected.
    pub skip: u64,
    /// The memory limit of the build, in bytes. A line or a list of vertices that exceeds its share of the limit is an
    /// error.
    pub memory: Option<u64>,
}

impl ImportOptions {
    /// Returns the signs that begin a comment. `usual` are those of the format.
    fn comments(&self, usual: Signs) -> Signs {
        self.comment.as_ref().map_or(usual, |signs| Signs::of(signs.as_bytes()))
    }

    /// Returns the direction of the edges. `usual` is the default of the format.
    fn direction(&self, usual: Direction) -> Direction {
        match self.directed {
            Some(true) => Direction::Directed,
            Some(false) => Direction::Undirected,
            None => usual,
        }
    }
}

/// The input of an import.
pub(crate) enum ImportSource<'a> {
    /// The files of a graph: at least one.
    Files(&'a [PathBuf]),
    /// A table in memory, and its name in errors.
    Table(&'a Path, Box<dyn ColumnarFile>),
}

/// Opens the files of a graph as a stream of edges. There must be at least one file.
pub(crate) fn open(paths: &[PathBuf], options: &ImportOptions) -> Result<Box<dyn EdgeStream>, ImportError> {
    open_source(ImportSource::Files(paths), options)
}

/// Opens a graph as a stream of edges.
///
/// Only the header of a file is read immediately. The rest is read through the stream.
pub(crate) fn open_source(
    source: ImportSource<'_>,
    options: &ImportOptions,
) -> Result<Box<dyn EdgeStream>, ImportError> {
    let path = match source {
        ImportSource::Files(paths) => paths.first().map_or(Path::new(""), PathBuf::as_path),
        ImportSource::Table(name, _) => name,
    };
    if let Weights::As(ty) | Weights::One(ty) = options.weights
        && !matches!(ty, ScalarType::U32 | ScalarType::I32 | ScalarType::F32 | ScalarType::U64 | ScalarType::F64)
    {
        let what = format!("weights of type {ty}");
        return Err(ImportError::Unsupported { path: path.into(), what, advice: "ask for u32, i32, f32, u64 or f64" });
    }
    if let Weights::One(ty) = options.weights {
        let plain = ImportOptions { weights: Weights::Ignore, ..options.clone() };
        return Ok(with_ones(open_source(source, &plain)?, ty));
    }
    if options.weights == Weights::Unneeded {
        let stream = open_source(source, &ImportOptions { weights: Weights::Ignore, ..options.clone() })?;
        return Ok(match stream.declared().unread_weights {
            true => with_note(stream, format!("{}: {UNREAD_WEIGHTS}, because none are needed", path.display())),
            false => stream,
        });
    }
    threads::prepare()?;
    let stream: Box<dyn EdgeStream> = match source {
        ImportSource::Files([path]) => open_one(path, options)?,
        ImportSource::Files(paths) => Box::new(JoinedFiles::open(paths, options)?),
        ImportSource::Table(name, table) => columnar::of_table(name, table, options)?,
    };
    let has_sides = options.bipartite || stream.declared().right.is_some();
    Ok(if has_sides { with_sides(stream, path) } else { stream })
}

/// Opens one file as a stream of edges.
fn open_one(path: &Path, options: &ImportOptions) -> Result<Box<dyn FileStream>, ImportError> {
    if let Some(stream) = columnar::open(path, options)? {
        return Ok(stream);
    }
    match options.format.or_else(|| detect::by_name(path, &[])) {
        Some(Format::Graph500) => return graph500::open(path, 16, check_flags(path, Format::Graph500, options)?),
        Some(Format::Graph500Packed) => {
            return graph500::open(path, 12, check_flags(path, Format::Graph500Packed, options)?);
        }
        _ => {}
    }
    let mut options = options.clone();
    let mut blocks = Blocks::open(path, options.memory)?;
    let mut first = blocks.next()?;
    if options.skip > 0 {
        blocks.skip(&mut first, options.skip)?;
    }
    if let Some(sign) = excel_delimiter(first.rest()) {
        blocks.pass(&mut first);
        options.delimiter.get_or_insert(Delimiter::Sign(sign));
    }
    let options = &options;
    let mut cursor = Cursor::new(first.rest());
    let is_data = cursor.next_data_line(options.comments(edges::COMMENT));
    let by_first_line = if is_data { detect::by_first_line(&cursor.text[cursor.at..]) } else { None };
    let wanted = options.format.or_else(|| detect::by_name(path, first.rest()));
    let is_structured = matches!(wanted, Some(Format::JsonLines | Format::GraphMl | Format::Pajek));
    if is_data
        && !is_structured
        && by_first_line.is_none()
        && let Some(kind) = foreign::by_lines(&cursor.text[cursor.at..])
    {
        return Err(kind.error(path));
    }
    let by_delimiter = options.delimiter.map(Delimiter::format);
    let by_name = || match detect::by_name(path, first.rest()) {
        Some(Format::Csv) => by_delimiter.or(Some(Format::Csv)),
        named => named,
    };
    let mut format = match options.format.or_else(by_name).or(by_delimiter).or(by_first_line) {
        Some(format) => format,
        None => by_content(path, &mut blocks, &mut first, options)?,
    };
    let mut notes = Vec::new();
    if format == Format::Csv
        && options.format.is_none()
        && options.delimiter.is_none()
        && detect::has_only_blanks(first.rest(), options)
    {
        format = Format::Edges;
        notes.push("its lines have blanks and no other delimiters: it is read as `edges`".into());
    }
    let options = check_flags(path, format, options)?;
    match format {
        Format::Edges => edges::open(blocks, first, options, notes),
        Format::Csv => csv::open(blocks, first, options),
        Format::MatrixMarket => matrix_market::open(blocks, first, options),
        Format::Dimacs => dimacs::open(blocks, first, options),
        Format::Metis => metis::open(blocks, first, options),
        Format::Graphalytics => graphalytics::open(path, options),
        Format::JsonLines => jsonl::open(blocks, first, options),
        Format::Adjacency => adjacency::open(blocks, first, options),
        Format::GraphMl => graphml::open(blocks, first, options),
        Format::Pajek => pajek::open(blocks, first, options),
        Format::Graph500 => graph500::open(path, 16, options),
        Format::Graph500Packed => graph500::open(path, 12, options),
        // `columnar::open` reads them, unless they come from a pipe.
        Format::Parquet | Format::Arrow | Format::Bv => {
            let what = format!("a pipe with a file of format {format}");
            Err(ImportError::Unsupported { path: path.into(), what, advice: "write it to a file first" })
        }
    }
}

/// Fails if an option does not apply to files of a format.
fn check_flags<'a>(path: &Path, format: Format, options: &'a ImportOptions) -> Result<&'a ImportOptions, ImportError> {
    let refused = |flag: &str, why: &str| {
        let problem = format!("{flag} is given, and {why}");
        let advice = format!("leave {flag} out");
        Err(ImportError::Misfit { path: path.into(), line: 1, problem, advice })
    };
    if options.columns.is_some()
        && !matches!(format, Format::Edges | Format::Csv | Format::Graphalytics | Format::JsonLines)
    {
        return refused("--columns", &format!("a file of format {format} has no columns to choose from"));
    }
    if options.skip > 0 && format == Format::Graphalytics {
        return refused("--skip", "a Graphalytics graph is two files");
    }
    let is_binary = matches!(format, Format::Graph500 | Format::Graph500Packed | Format::Bv);
    if options.skip > 0 && is_binary {
        return refused("--skip", "a binary file has no lines");
    }
    if options.bipartite && matches!(format, Format::Dimacs | Format::Metis | Format::Graphalytics | Format::GraphMl) {
        return refused("--bipartite", &format!("the vertices of a file of format {format} have no sides"));
    }
    let is_table = matches!(format, Format::Edges | Format::Csv);
    let of_tables = [
        ("--header", options.header.is_some()),
        ("--delimiter", options.delimiter.is_some()),
        ("--decimal-comma", options.decimal_comma),
        ("--comment", options.comment.is_some()),
    ];
    if let Some((flag, _)) = of_tables.into_iter().find(|(_, is_given)| *is_given && !is_table) {
        return refused(flag, &format!("a file of format {format} is no table of delimited fields"));
    }
    if options.delimiter.is_some_and(|delimiter| delimiter.format() != format) {
        return refused("--delimiter", &format!("a file of format {format} has another one"));
    }
    if options.delimiter.is_some_and(|delimiter| !delimiter.is_valid()) {
        return refused("--delimiter", "a digit, a letter, a quote or a sign of numbers cannot be one");
    }
    if let Some(signs) = &options.comment
        && !signs.bytes().all(|sign| sign.is_ascii_punctuation() && options.delimiter != Some(Delimiter::Sign(sign)))
    {
        return refused("--comment", "a letter, a digit, a blank or the delimiter cannot begin a comment");
    }
    if let Some(keys) = options.keys.filter(|keys| *keys != KeyKind::Number)
        && !is_table
        && !matches!(format, Format::JsonLines | Format::Adjacency | Format::GraphMl)
    {
        return refused(&format!("--keys {keys}"), &format!("a file of format {format} numbers its vertices"));
    }
    Ok(options)
}

/// Returns the delimiter in a line such as `sep=;`, with which a table for Excel may begin.
fn excel_delimiter(text: &[u8]) -> Option<u8> {
    let line = Cursor::new(text).line();
    let &[s, e, p, b'=', sign] = line else { return None };
    let is_delimiter = Delimiter::Sign(sign).is_valid();
    ([s, e, p].eq_ignore_ascii_case(b"sep") && is_delimiter).then_some(sign)
}

/// Detects the format from the first line that is not a comment. Fails if the file name indicates an unsupported file
/// type.
fn by_content(
    path: &Path,
    blocks: &mut Blocks,
    first: &mut Block,
    options: &ImportOptions,
) -> Result<Format, ImportError> {
    let by_name = || foreign::by_name(path).map(|kind| kind.error(path));
    let comments = options.comments(edges::COMMENT);
    let at = match blocks.seek(first, |cursor| cursor.next_data_line(comments)) {
        Err(error @ ImportError::Malformed { .. }) => return Err(by_name().unwrap_or(error)),
        found => found?,
    };
    // An option of tables means that the file is one.
    let is_table = options.header.is_some()
        || options.comment.is_some()
        || options.decimal_comma
        || options.keys.is_some_and(|keys| keys != KeyKind::Number);
    let mut format = detect::by_content(first.rest(), options);
    if is_table && format != Some(Format::Csv) {
        format = Some(Format::Edges);
    }
    if (is_table || first.rest().get(at).is_some_and(u8::is_ascii_digit))
        && let Some(format) = format
    {
        return Ok(format);
    }
    by_name().map_or(
        format.ok_or_else(|| ImportError::UnknownFormat { path: path.into(), formats: Format::names().to_vec() }),
        Err,
    )
}

/// Returns the files that determine the result of [`open`] for `path`: the file itself, and files beside it that are
/// read or would be read if they existed.
pub(crate) fn files_of(path: impl AsRef<Path>, format: Option<Format>) -> Vec<PathBuf> {
    let path = path.as_ref();
    // If the name indicates a format with several files, the first lines do not matter.
    match format.or_else(|| detect::by_name(path, &[])) {
        Some(Format::Graphalytics) => graphalytics::files_of(path),
        _ => [path.into()].into_iter().chain(bv::properties(path)).collect(),
    }
}

/// Returns the files that the import of `path` reads beside it.
pub(crate) fn companions_of(path: &Path) -> Vec<PathBuf> {
    match detect::by_name(path, &[]) {
        Some(Format::Graphalytics) if graphalytics::is_edge_file(path) => {
            graphalytics::files_of(path).into_iter().filter(|file| file != path).collect()
        }
        _ => bv::properties(path).into_iter().collect(),
    }
}

/// Fails if the number found differs from the number declared in the header.
fn hold(what: &'static str, path: &Path, line: u64, declared: u64, found: u64) -> Result<(), ImportError> {
    if declared == found {
        return Ok(());
    }
    Err(ImportError::WrongCount { path: path.into(), line, what, declared, found })
}
