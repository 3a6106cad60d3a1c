//! Importers: streams of edges from graph files of the usual formats.
//!
//! # Rules
//!
//! - Edge lists, CSV, DIMACS and Graphalytics files are read as directed, each edge as one arc, unless they state
//!   otherwise: by a comment of SNAP, a column of types of Gephi, or a properties file of Graphalytics. Symmetric and
//!   rectangular matrices, and KONECT's `sym` and `bip` graphs, stand for both directions, a diagonal entry for one
//!   loop. METIS files list both directions. [`ImportOptions::directed`] overrides this, but symmetric matrices and
//!   METIS files cannot be read as directed.
//! - Duplicate edges and self-loops are kept.
//! - Vertices that a header or a .v file declares exist even without an edge. In other files the vertices are those
//!   that edges name. IDs are those of the file: any 64-bit number.
//! - The counts of a header are binding; those of a comment are not. A table without a header may begin with its sizes:
//!   they are read as an edge, with a note, and [`ImportOptions::skip`] leaves them out.
//! - Every record of a table (CSV, edge lists, Graphalytics) has the same number of fields as the first one, a header
//!   included. A trailing empty field does not count, nor does a comment after the fields. Without a header the first
//!   two columns are the ends of an edge and the third is its weight, unless [`ImportOptions::columns`] names others.
//! - Files of other kinds are identified by their first bytes, their first line or their name. The error names the
//!   kind.
//! - Windows line ends, a byte order mark, tabs, blank lines, comments anywhere, a missing last newline and files of
//!   several gzip members or zstd frames are accepted. An error names file, line and column, what was expected, and the
//!   next step.
//!
//! # Weights
//!
//! With [`Weights::As`], values have the requested type, and a value that the type cannot represent is an error.
//! Otherwise the narrowest type that keeps the file's weights is chosen: u32, i32 or u64 if all are integers; if not,
//! f32, or f64 if f32 would change an integer or make a weight 0 or infinite. The choice is known only at the end. The
//! stream therefore carries f64, from which each of these types follows exactly or by one rounding. Once it has ended,
//! it names the type in [`Declared::store_as`](crate::build::Declared::store_as).

mod blocks;
mod csv;
mod dimacs;
mod edges;
mod foreign;
mod format;
mod graphalytics;
mod matrix_market;
mod metis;
mod opening;
mod scan;
mod source;
mod table;
mod text;
mod value;

use crate::stream::{Direction, EdgeStream, with_note, with_ones};
use crate::threads;
use blocks::{Block, Blocks};
use gts_contract::ScalarType;
use scan::Cursor;
use std::path::{Path, PathBuf};

pub use crate::stream::ImportError;
pub use format::Format;
pub use table::{Column, Columns, UnknownColumns};

/// The weights of an import, and their type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Weights {
    /// Weights if the file has some, in the narrowest type that keeps them.
    #[default]
    Auto,
    /// No weights, even if the file has some.
    Ignore,
    /// No weights, and a note if the file has some.
    Unneeded,
    /// Weights of this type (u32, i32, f32, u64 or f64); a file without weights is an error.
    As(ScalarType),
    /// Weight 1 for every edge, of this type, whatever the file has.
    One(ScalarType),
}

/// Options of an import.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImportOptions {
    /// The format; detected from name and content if not given.
    pub format: Option<Format>,
    /// The weights to read.
    pub weights: Weights,
    /// The columns that make an edge, in CSV, edge lists and the .e files of Graphalytics; taken from the header or
    /// from their places if not given.
    pub columns: Option<Columns>,
    /// Whether an edge of the file is one arc, or both; determined by the file if not given. `true` is an error if the
    /// header of a file declares that its edges are undirected.
    pub directed: Option<bool>,
    /// Lines at the beginning of the file that are skipped. Comments among them still determine whether an edge list is
    /// undirected.
    pub skip: u64,
    /// Memory limit of the build in bytes. A line or a list of vertices that exceeds its share of the limit is an
    /// error.
    pub memory: Option<u64>,
}

impl ImportOptions {
    /// Returns the meaning of the edges; `usual` is that of the format.
    fn direction(&self, usual: Direction) -> Direction {
        match self.directed {
            Some(true) => Direction::Directed,
            Some(false) => Direction::Undirected,
            None => usual,
        }
    }
}

/// Opens a graph file as a stream of edges.
///
/// A header is read at once, the rest while the stream is read.
pub fn open(path: impl AsRef<Path>, options: &ImportOptions) -> Result<Box<dyn EdgeStream>, ImportError> {
    let path = path.as_ref();
    if let Weights::As(ty) | Weights::One(ty) = options.weights
        && !matches!(ty, ScalarType::U32 | ScalarType::I32 | ScalarType::F32 | ScalarType::U64 | ScalarType::F64)
    {
        let what = format!("weights of type {ty}");
        return Err(ImportError::Unsupported { path: path.into(), what, advice: "ask for u32, i32, f32, u64 or f64" });
    }
    if let Weights::One(ty) = options.weights {
        let plain = ImportOptions { weights: Weights::Ignore, ..options.clone() };
        return Ok(with_ones(open(path, &plain)?, ty));
    }
    if options.weights == Weights::Unneeded {
        let stream = open(path, &ImportOptions { weights: Weights::Ignore, ..options.clone() })?;
        return Ok(match stream.declared().unread_weights {
            true => with_note(stream, format!("{}: its weights are not read, because none are needed", path.display())),
            false => stream,
        });
    }
    threads::prepare()?;
    let mut blocks = Blocks::open(path, options.memory)?;
    let mut first = blocks.next()?;
    if options.skip > 0 {
        blocks.skip(&mut first, options.skip)?;
    }
    let mut cursor = Cursor::new(first.rest());
    if cursor.next_data_line(b"#%")
        && let Some(kind) = foreign::by_lines(&cursor.text[cursor.at..])
    {
        return Err(kind.error(path));
    }
    let format = match options.format.or_else(|| format::by_name(path, first.rest())) {
        Some(format) => format,
        None => by_content(path, &mut blocks, &mut first)?,
    };
    if options.format.is_none() && format == Format::Metis && path.with_extension("properties").exists() {
        let what = "a WebGraph graph, which shares its name's ending with METIS files,".to_owned();
        return Err(ImportError::Unsupported { path: path.into(), what, advice: "decode it to an edge list" });
    }
    let refused = |flag: &str, why: &str| {
        let problem = format!("{flag} is given, and {why}");
        let advice = format!("leave {flag} out");
        Err(ImportError::Misfit { path: path.into(), line: 1, problem, advice })
    };
    if options.columns.is_some() && !matches!(format, Format::Edges | Format::Csv | Format::Graphalytics) {
        return refused("--columns", &format!("a file of format {format} has no columns to choose from"));
    }
    if options.skip > 0 && format == Format::Graphalytics {
        return refused("--skip", "a Graphalytics graph is two files");
    }
    match format {
        Format::Edges => edges::open(blocks, first, options),
        Format::Csv => csv::open(blocks, first, options),
        Format::MatrixMarket => matrix_market::open(blocks, first, options),
        Format::Dimacs => dimacs::open(blocks, first, options),
        Format::Metis => metis::open(blocks, first, options),
        Format::Graphalytics => graphalytics::open(path, options),
    }
}

/// Detects the format from the first line that is not a comment. Fails for files of other kinds that the name
/// identifies.
fn by_content(path: &Path, blocks: &mut Blocks, first: &mut Block) -> Result<Format, ImportError> {
    let by_name = || foreign::by_name(path).map(|kind| kind.error(path));
    let at = match blocks.seek(first, |cursor| cursor.next_data_line(b"#%")) {
        Err(error @ ImportError::Malformed { .. }) => return Err(by_name().unwrap_or(error)),
        found => found?,
    };
    let format = format::by_content(first.rest());
    if first.rest().get(at).is_some_and(u8::is_ascii_digit)
        && let Some(format) = format
    {
        return Ok(format);
    }
    by_name().map_or(
        format.ok_or_else(|| ImportError::UnknownFormat { path: path.into(), formats: Format::names().to_vec() }),
        Err,
    )
}

/// Returns the files that determine the result of [`open`] for a path: the file itself, and the files beside it that
/// are read, or would be read if they existed.
pub fn files_of(path: impl AsRef<Path>, format: Option<Format>) -> Vec<PathBuf> {
    let path = path.as_ref();
    // A name that identifies a format of several files does so whatever the first lines are.
    match format.or_else(|| format::by_name(path, &[])) {
        Some(Format::Graphalytics) => graphalytics::files_of(path),
        _ => vec![path.into()],
    }
}

/// Checks a count against the header's.
fn hold(what: &'static str, path: &Path, line: u64, declared: u64, found: u64) -> Result<(), ImportError> {
    if declared == found {
        return Ok(());
    }
    Err(ImportError::WrongCount { path: path.into(), line, what, declared, found })
}
