//! Matrix Market coordinate files: entry (i, j) of a matrix is the edge from i to j.
//!
//! A symmetric matrix stands for both directions, a diagonal entry for one loop. A rectangular matrix is a bipartite
//! graph, read as undirected: rows keep their numbers and columns follow them. Of the fields pattern, real and integer
//! are read; the first line decides the type of the weights: real ones are f32, or f64 where f32 would make one 0 or
//! infinite.

use super::blocks::{Block, Blocks};
use super::edges::reading;
use super::scan::{Cursor, Fault, Problem};
use super::text::{Lines, Piece, TextStream, Totals};
use super::value::{Reading, Seen, weight};
use super::{ImportError, ImportOptions, Weights};
use crate::build::{Declared, DeclaredVertices, Direction, EdgeStream};
use std::path::Path;

/// What the first line of every such file begins with.
pub(super) const BANNER: &[u8] = b"%%MatrixMarket";

const COMMENT: &[u8] = b"%";
/// Bytes of `1 1`, the shortest entry, and of its newline.
const LEAST_ENTRY: u64 = 4;

/// Begins the entries of a file.
pub(super) fn open(
    mut blocks: Blocks,
    mut block: Block,
    options: &ImportOptions,
) -> Result<Box<dyn EdgeStream>, ImportError> {
    let path = blocks.path().to_owned();
    let banner = Banner::read(block.rest()).map_err(|fault| block.error(&path, fault))?;
    let at = blocks.seek(&mut block, |cursor| cursor.next_data_line(COMMENT))?;
    let cursor = Cursor { text: block.rest(), at };
    let size = Size::read(cursor, &banner).map_err(|fault| block.error(&path, fault))?;
    let header_line = block.line(size.at);
    blocks.check_count("entries", header_line, size.entries, LEAST_ENTRY)?;
    block.start += size.end;
    if banner.field == Field::Pattern && matches!(options.weights, Weights::As(_)) {
        return Err(ImportError::Columns {
            path,
            line: 1,
            problem: "a matrix of the field `pattern` has no weights".into(),
            advice: "leave --weights out, or give `--weights 1`, which gives every edge weight 1".into(),
        });
    }
    let reading = reading(banner.field != Field::Pattern, options);
    let rectangular = size.rows != size.columns;
    let mirrored = banner.symmetric || rectangular;
    let declared = Declared {
        vertices: DeclaredVertices::Range {
            first: 1,
            count: if rectangular { size.rows + size.columns } else { size.rows },
        },
        direction: options.direction(if mirrored { Direction::Undirected } else { Direction::Directed }),
        edges: Some(size.entries),
        rows: rectangular.then_some(size.rows),
        ..Declared::default()
    };
    let seen = if banner.field == Field::Real { Seen::REALS } else { Seen::default() };
    let entries =
        Entries { field: banner.field, reading, size, header_line, offset: if rectangular { size.rows } else { 0 } };
    Ok(Box::new(TextStream::new(blocks, block, entries, reading, declared, seen)))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    Pattern,
    Integer,
    Real,
}

struct Banner {
    field: Field,
    symmetric: bool,
}

impl Banner {
    /// Reads the first line, a word of which may be in any case.
    fn read(text: &[u8]) -> Result<Self, Fault> {
        let mut cursor = Cursor::new(text);
        let mut word = |what: &'static str, advice: &'static str, words: &[&str]| {
            cursor.skip_blanks();
            let at = cursor.at;
            let word = String::from_utf8_lossy(cursor.word()).to_ascii_lowercase();
            let index = words.iter().position(|known| *known == word);
            index.ok_or(Fault { at, problem: Problem::Expected { what, advice } })
        };
        let plain = "convert the matrix to coordinate form";
        let values = "only real, integer and pattern matrices are graphs here: convert the values";
        let both = "write the matrix as `general`, with all entries";
        word("`%%MatrixMarket`", "begin the file with its banner, or name another format", &["%%matrixmarket"])?;
        word("`matrix`", plain, &["matrix"])?;
        word("`coordinate`", plain, &["coordinate"])?;
        let field = word("`pattern`, `real` or `integer`", values, &["pattern", "integer", "real", "double"])?;
        let symmetry = word("`general` or `symmetric`", both, &["general", "symmetric"])?;
        cursor.end_line()?;
        let field = [Field::Pattern, Field::Integer, Field::Real, Field::Real][field];
        Ok(Self { field, symmetric: symmetry == 1 })
    }
}

#[derive(Clone, Copy, Debug)]
struct Size {
    rows: u64,
    columns: u64,
    entries: u64,
    /// Where the line stands, and where it ends.
    at: usize,
    end: usize,
}

impl Size {
    fn read(mut cursor: Cursor<'_>, banner: &Banner) -> Result<Self, Fault> {
        let at = cursor.at;
        let problem = Problem::Expected {
            what: "the size line `ROWS COLUMNS ENTRIES`",
            advice: "add it after the comments, before the first entry",
        };
        let mut numbers = [0; 3];
        for number in &mut numbers {
            cursor.skip_blanks();
            *number = cursor.unsigned(problem)?;
        }
        cursor.end_line()?;
        let [rows, columns, entries] = numbers;
        let fault = |what, advice| Fault { at, problem: Problem::Expected { what, advice } };
        if banner.symmetric && rows != columns {
            return Err(fault("as many rows as columns in a symmetric matrix", "correct the header"));
        }
        if rows.checked_add(columns).is_none() {
            return Err(fault("fewer than 2^64 rows and columns", "correct the header"));
        }
        Ok(Self { rows, columns, entries, at, end: cursor.at.min(cursor.text.len()) })
    }
}

struct Entries {
    field: Field,
    reading: Reading,
    size: Size,
    header_line: u64,
    /// What is added to a column's number.
    offset: u64,
}

impl Lines for Entries {
    fn parse(&self, text: &[u8], _row: u64, piece: &mut Piece) -> Result<(), Fault> {
        let mut cursor = Cursor::new(text);
        while cursor.next_data_line(COMMENT) {
            let row = in_range(&mut cursor, "a row", self.size.rows)?;
            cursor.skip_blanks();
            let column = in_range(&mut cursor, "a column", self.size.columns)?;
            piece.push(row, column + self.offset);
            cursor.skip_blanks();
            match self.reading {
                Reading::None if self.field == Field::Pattern => {}
                Reading::None => {
                    cursor.word();
                }
                reading => {
                    let at = cursor.at;
                    let bits = weight(&mut cursor, reading, &mut piece.seen)?;
                    let written = &text[at..cursor.at];
                    if self.field == Field::Integer && written.iter().any(|b| matches!(b, b'.' | b'e' | b'E')) {
                        let what = "an integer, as the first line declares";
                        let advice = "correct the entry, or declare the matrix real";
                        return Err(Fault { at, problem: Problem::Expected { what, advice } });
                    }
                    piece.edges.value.push(bits);
                }
            }
            cursor.end_line()?;
        }
        Ok(())
    }

    fn check(&self, path: &Path, totals: &Totals) -> Result<(), ImportError> {
        super::hold("entries", path, self.header_line, self.size.entries, totals.edges)
    }
}

/// Reads a number of 1 to `max`.
#[inline]
pub(super) fn in_range(cursor: &mut Cursor<'_>, what: &'static str, max: u64) -> Result<u64, Fault> {
    let at = cursor.at;
    let id = cursor.id()?;
    if id.wrapping_sub(1) < max { Ok(id) } else { Err(Fault { at, problem: Problem::OutOfRange { what, max } }) }
}
