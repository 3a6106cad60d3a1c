//! Imports Matrix Market coordinate files. Entry (i, j) of a matrix is the edge from i to j.
//!
//! In a symmetric or Hermitian matrix, an entry represents both directions, and a diagonal entry represents one loop.
//! In a skew-symmetric matrix, an entry represents two arcs, and the arc from j to i has the negated weight; the
//! diagonal has no entries. A rectangular matrix is a bipartite graph, which is read as undirected: rows keep their
//! numbers, and columns are numbered after the rows. The first line determines the type of the weights. Real weights
//! are read as f32, or as f64 if f32 would turn a weight into 0 or infinity. Complex values cannot be weights: matrices
//! of the field `complex` can only be read without weights, or with all weights set to 1. A first line that begins with
//! a single `%` is accepted, with a note.

use super::blocks::{Block, Blocks};
use super::edges::reading;
use super::parts::FileStream;
use super::scan::{Cursor, Fault, Problem, Signs};
use super::text::{Lines, Piece, TextStream, Totals};
use super::value::{Reading, Seen, opposite_weight, weight};
use super::{ImportError, ImportOptions, Weights};
use crate::build::{Declared, DeclaredVertices, Direction};
use std::path::Path;

/// The beginning of the first line, usually preceded by another `%`.
const BANNER: &[u8] = b"%MatrixMarket";

const COMMENT: Signs = Signs::of(b"%");
/// Minimum number of bytes per entry: `1 1` and a newline.
const LEAST_ENTRY: u64 = 4;

/// Returns whether a text begins with the Matrix Market banner.
pub(super) fn has_banner(text: &[u8]) -> bool {
    let text = if text.starts_with(b"%%") { &text[1..] } else { text };
    text.get(..BANNER.len()).is_some_and(|banner| banner.eq_ignore_ascii_case(BANNER))
}

/// Opens a matrix file as a stream of edges.
pub(super) fn open(
    mut blocks: Blocks,
    mut block: Block,
    options: &ImportOptions,
) -> Result<Box<dyn FileStream>, ImportError> {
    let path = blocks.path().to_owned();
    let banner = Banner::read(block.rest()).map_err(|fault| block.error(&path, fault))?;
    let reading = reading(banner.field != Field::Pattern, options);
    let checked = banner.check(reading, options);
    checked.map_err(|(problem, advice)| {
        let (path, line) = (path.clone(), block.line(0));
        ImportError::Misfit { path, line, problem: problem.into(), advice: advice.into() }
    })?;
    if options.bipartite && banner.symmetry != Symmetry::General {
        let problem = "--bipartite is given, and the rows of this symmetry are its columns".into();
        return Err(ImportError::Misfit { path, line: block.line(0), problem, advice: "leave --bipartite out".into() });
    }
    let note = (!block.rest().starts_with(b"%%")).then(|| {
        "its first line begins with `%MatrixMarket`, and is read as `%%MatrixMarket`, which begins a Matrix Market file"
            .to_owned()
    });
    let at = blocks.seek(&mut block, |cursor| cursor.next_data_line(COMMENT))?;
    let cursor = Cursor { text: block.rest(), at };
    let size = Size::read(cursor, &banner).map_err(|fault| block.error(&path, fault))?;
    let header_line = block.line(size.at);
    blocks.check_count("entries", header_line, size.entries, LEAST_ENTRY)?;
    block.start += size.end;
    let rectangular = size.rows != size.columns;
    let direction = match banner.symmetry {
        Symmetry::Symmetric => Direction::Undirected,
        Symmetry::General if rectangular => Direction::Undirected,
        // The stream contains both arcs of a skew-symmetric entry.
        Symmetry::Skew | Symmetry::General => Direction::Directed,
    };
    let declared = Declared {
        vertices: DeclaredVertices::Range {
            first: 1,
            count: if rectangular { size.rows + size.columns } else { size.rows },
        },
        direction: options.direction(direction),
        edges: Some(size.entries.saturating_mul(banner.arcs())),
        rows: rectangular.then_some(size.rows),
        unread_weights: banner.field != Field::Pattern && reading == Reading::None,
        ..Declared::default()
    };
    let seen = if banner.field == Field::Real { Seen::REALS } else { Seen::default() };
    let offset = if rectangular { size.rows } else { 0 };
    let entries = Entries { banner, reading, size, header_line, offset };
    Ok(Box::new(TextStream::new(blocks, block, entries, reading, declared, seen).with_notes(note)))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    Pattern,
    Integer,
    Real,
    Complex,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Symmetry {
    General,
    /// A symmetric or Hermitian matrix.
    Symmetric,
    Skew,
}

#[derive(Clone, Copy, Debug)]
struct Banner {
    field: Field,
    symmetry: Symmetry,
}

impl Banner {
    /// Reads the first line. The case of its words does not matter.
    fn read(text: &[u8]) -> Result<Self, Fault> {
        let mut cursor = Cursor::new(text);
        let mut word = |what: &'static str, advice: &'static str, words: &[&str]| {
            cursor.skip_blanks();
            let at = cursor.at;
            let word = String::from_utf8_lossy(cursor.word()).to_ascii_lowercase();
            let index = words.iter().position(|known| *known == word);
            index.ok_or(Fault { at, problem: Problem::Expected { what, advice } })
        };
        let banner = "begin the file with its banner, such as `%%MatrixMarket matrix coordinate pattern general`";
        let plain = "convert the matrix to coordinate form";
        let fields = ["pattern", "integer", "real", "double", "complex"];
        let symmetries = ["general", "symmetric", "hermitian", "skew-symmetric"];
        word("`%%MatrixMarket`", banner, &["%%matrixmarket", "%matrixmarket"])?;
        word("`matrix`", plain, &["matrix"])?;
        word("`coordinate`", plain, &["coordinate"])?;
        let field = word("`pattern`, `real`, `integer` or `complex`", "correct the word", &fields)?;
        let symmetry =
            word("`general`, `symmetric`, `skew-symmetric` or `hermitian`", "correct the word", &symmetries)?;
        cursor.end_line()?;
        let field = [Field::Pattern, Field::Integer, Field::Real, Field::Real, Field::Complex][field];
        let symmetry = [Symmetry::General, Symmetry::Symmetric, Symmetry::Symmetric, Symmetry::Skew][symmetry];
        Ok(Self { field, symmetry })
    }

    /// Checks that the options are valid for a matrix of this kind. The error contains the problem and the advice.
    fn check(self, reading: Reading, options: &ImportOptions) -> Result<(), (&'static str, &'static str)> {
        if self.field == Field::Pattern && matches!(options.weights, Weights::As(_)) {
            return Err((
                "a matrix of the field `pattern` has no weights",
                "leave --weights out, or give `--weights 1`, which gives every edge weight 1",
            ));
        }
        if self.field == Field::Complex && reading != Reading::None {
            return Err((
                "the values of a matrix of the field `complex` are no weights",
                "leave them out with `--weights none`, or give `--weights 1`, which gives every edge weight 1",
            ));
        }
        if self.symmetry == Symmetry::Skew && options.directed == Some(false) {
            return Err((
                "the edges are to be undirected, and a skew-symmetric matrix has arcs with opposite weights",
                "leave --undirected and --symmetrise out",
            ));
        }
        if self.symmetry != Symmetry::General && options.directed == Some(true) {
            return Err((
                "--directed is given, and each entry of a matrix that is not `general` stands for both directions",
                "leave --directed out",
            ));
        }
        Ok(())
    }

    /// Returns the number of arcs in the stream per entry of the matrix.
    fn arcs(self) -> u64 {
        if self.symmetry == Symmetry::Skew { 2 } else { 1 }
    }
}

#[derive(Clone, Copy, Debug)]
struct Size {
    rows: u64,
    columns: u64,
    entries: u64,
    /// The start and the end of the size line.
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
        if banner.symmetry != Symmetry::General && rows != columns {
            return Err(fault("as many rows as columns in a matrix that is not `general`", "correct the header"));
        }
        if rows.checked_add(columns).is_none() {
            return Err(fault("fewer than 2^64 rows and columns", "correct the header"));
        }
        Ok(Self { rows, columns, entries, at, end: cursor.at.min(cursor.text.len()) })
    }
}

struct Entries {
    banner: Banner,
    reading: Reading,
    size: Size,
    header_line: u64,
    /// The number to add to a column's number.
    offset: u64,
}

impl Lines for Entries {
    fn parse(&self, text: &[u8], _row: u64, piece: &mut Piece) -> Result<(), Fault> {
        let skew = self.banner.symmetry == Symmetry::Skew;
        let mut cursor = Cursor::new(text);
        while cursor.next_data_line(COMMENT) {
            let start = cursor.at;
            let row = in_range(&mut cursor, "a row", self.size.rows)?;
            cursor.skip_blanks();
            let column = in_range(&mut cursor, "a column", self.size.columns)?;
            piece.push(row, column + self.offset);
            cursor.skip_blanks();
            let at = cursor.at;
            self.value(&mut cursor, piece)?;
            if skew {
                self.reverse(start, (row, column), (at, &text[at..cursor.at]), piece)?;
            }
            self.end(&mut cursor)?;
        }
        Ok(())
    }

    fn check(&self, path: &Path, totals: &Totals) -> Result<(), ImportError> {
        super::hold("entries", path, self.header_line, self.size.entries, totals.edges / self.banner.arcs())
    }
}

/// Returns the problem for a negated weight that does not fit the type although the weight itself does.
fn of_opposite(problem: Problem) -> Problem {
    match problem {
        Problem::Misfit(_) => Problem::Expected {
            what: "a weight whose opposite has the same type",
            advice: "ask for a type with signs: i32, f32 or f64",
        },
        problem => problem,
    }
}

impl Entries {
    /// Reads the value of an entry, or skips it if weights are not read.
    #[inline]
    fn value(&self, cursor: &mut Cursor<'_>, piece: &mut Piece) -> Result<(), Fault> {
        match self.reading {
            Reading::None if self.banner.field == Field::Pattern => {}
            Reading::None => {
                cursor.word();
                if self.banner.field == Field::Complex {
                    cursor.skip_blanks();
                    cursor.word();
                }
            }
            reading => {
                let at = cursor.at;
                let bits = weight(cursor, reading, &mut piece.seen)?;
                let written = &cursor.text[at..cursor.at];
                if self.banner.field == Field::Integer && written.iter().any(|b| matches!(b, b'.' | b'e' | b'E')) {
                    let what = "an integer, as the first line declares";
                    let advice = "correct the entry, or declare the matrix real";
                    return Err(Fault { at, problem: Problem::Expected { what, advice } });
                }
                piece.edges.value.push(bits);
            }
        }
        Ok(())
    }

    /// Adds the second arc of an entry in a skew-symmetric matrix, with the negated value.
    fn reverse(
        &self,
        start: usize,
        (row, column): (u64, u64),
        (at, value): (usize, &[u8]),
        piece: &mut Piece,
    ) -> Result<(), Fault> {
        if row == column {
            let what = "an entry beside the diagonal, on which a skew-symmetric matrix has only zeros";
            let problem = Problem::Expected { what, advice: "delete the entry, or declare the matrix general" };
            return Err(Fault { at: start, problem });
        }
        if self.reading != Reading::None {
            let bits = opposite_weight(value, self.reading, &mut piece.seen);
            piece.edges.value.push(bits.map_err(|problem| Fault { at, problem: of_opposite(problem) })?);
        }
        piece.push(column, row);
        Ok(())
    }

    /// Checks that an entry's line ends at the cursor, and moves to the next line.
    #[inline]
    fn end(&self, cursor: &mut Cursor<'_>) -> Result<(), Fault> {
        cursor.end_line().map_err(|fault| match self.banner.field {
            Field::Pattern => {
                let what = "the end of the line, as the entries of a matrix of the field `pattern` have no value";
                let advice = "correct the line, or declare the matrix real";
                Fault { problem: Problem::Expected { what, advice }, ..fault }
            }
            _ => fault,
        })
    }
}

/// Reads an integer from 1 to `max`.
#[inline]
pub(super) fn in_range(cursor: &mut Cursor<'_>, what: &'static str, max: u64) -> Result<u64, Fault> {
    let at = cursor.at;
    let id = cursor.id()?;
    if id.wrapping_sub(1) < max { Ok(id) } else { Err(Fault { at, problem: Problem::OutOfRange { what, max } }) }
}
