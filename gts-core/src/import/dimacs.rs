//! Imports DIMACS shortest-path files: `p sp VERTICES ARCS`, then `a SOURCE TARGET WEIGHT` for each arc. `c` begins a
//! comment.
//!
//! A file without a `p` line is also accepted, with a note. Its vertices are those that occur in arcs, with arbitrary
//! IDs.

use super::blocks::{Block, Blocks};
use super::edges::reading;
use super::matrix_market::in_range;
use super::parts::FileStream;
use super::scan::{Cursor, Fault, Problem, Signs};
use super::text::{Lines, Piece, TextStream, Totals};
use super::value::{Reading, Seen, weight};
use super::{ImportError, ImportOptions};
use crate::build::{Declared, DeclaredVertices, Direction};
use std::path::Path;

/// Minimum number of bytes per arc: `a 1 2 3` and a newline.
const LEAST_ARC: u64 = 8;

/// Opens a DIMACS file as a stream of edges.
pub(super) fn open(
    mut blocks: Blocks,
    mut block: Block,
    options: &ImportOptions,
) -> Result<Box<dyn FileStream>, ImportError> {
    let path = blocks.path().to_owned();
    let at = blocks.seek(&mut block, next_record)?;
    // An arc line always has three numbers.
    let reading = reading(true, options);
    let declared = Declared {
        direction: options.direction(Direction::Directed),
        unread_weights: reading == Reading::None,
        ..Declared::default()
    };
    let cursor = Cursor { text: block.rest(), at };
    if cursor.clone().word() == b"a" {
        let first_arc = (block.line(at), block.column(at));
        let note = "it has no `p` line: the vertices are those that an arc names".to_owned();
        let arcs = Arcs { reading, header: Err(first_arc) };
        let stream = TextStream::new(blocks, block, arcs, reading, declared, Seen::default());
        return Ok(Box::new(stream.with_notes([note])));
    }
    let header = Header::read(cursor).map_err(|fault| block.error(&path, fault))?;
    let line = block.line(header.at);
    blocks.check_count("arcs", line, header.arcs, LEAST_ARC)?;
    block.start += header.end;
    let declared = Declared {
        vertices: DeclaredVertices::Range { first: 1, count: header.vertices },
        edges: Some(header.arcs),
        ..declared
    };
    let arcs = Arcs { reading, header: Ok(Header { line, ..header }) };
    Ok(Box::new(TextStream::new(blocks, block, arcs, reading, declared, Seen::default())))
}

/// Moves to the next line that is neither blank nor a comment. Always inlined, because a call per arc costs 6 % more
/// instructions.
#[inline(always)]
fn next_record(cursor: &mut Cursor<'_>) -> bool {
    while cursor.next_data_line(Signs::of(b"")) {
        let mut after = Cursor { at: cursor.at + 1, ..cursor.clone() };
        if cursor.peek() != b'c' || !(after.at_line_end() || matches!(after.peek(), b' ' | b'\t')) {
            return true;
        }
        after.next_line();
        *cursor = after;
    }
    false
}

struct Header {
    vertices: u64,
    arcs: u64,
    line: u64,
    at: usize,
    end: usize,
}

impl Header {
    fn read(mut cursor: Cursor<'_>) -> Result<Self, Fault> {
        let at = cursor.at;
        let what = "the problem line `p sp VERTICES ARCS`";
        let problem = Problem::Expected {
            what,
            advice: "add it before the first arc; if the file is an edge list, name the format `edges`",
        };
        if cursor.word() != b"p" {
            return Err(Fault { at, problem });
        }
        cursor.skip_blanks();
        let kind = cursor.at;
        if cursor.word() != b"sp" {
            let what = "`sp`, the shortest-path problem";
            let advice = "of the DIMACS formats only .gr files are read: convert the file";
            return Err(Fault { at: kind, problem: Problem::Expected { what, advice } });
        }
        cursor.skip_blanks();
        let vertices = cursor.unsigned(problem)?;
        cursor.skip_blanks();
        let arcs = cursor.unsigned(problem)?;
        cursor.end_line()?;
        Ok(Self { vertices, arcs, line: 0, at, end: cursor.at.min(cursor.text.len()) })
    }
}

struct Arcs {
    reading: Reading,
    /// The header; for a file without a header, the line and column of the first arc.
    header: Result<Header, (u64, u64)>,
}

impl Arcs {
    /// Reads one end of an arc.
    #[inline]
    fn end(&self, cursor: &mut Cursor<'_>) -> Result<u64, Fault> {
        match &self.header {
            Ok(header) => in_range(cursor, "a vertex", header.vertices),
            Err(_) => cursor.id(),
        }
    }

    /// Returns the fault for a line that is not an arc.
    #[cold]
    fn other(&self, at: usize, word: &[u8]) -> Fault {
        let problem = match self.header {
            Err((line, column)) if word == b"p" => Problem::BeforeHeader { line, column },
            _ => {
                let what = "an arc `a SOURCE TARGET WEIGHT` or a comment `c …`";
                Problem::Expected { what, advice: "correct or delete the line" }
            }
        };
        Fault { at, problem }
    }
}

impl Lines for Arcs {
    fn parse(&self, text: &[u8], _row: u64, piece: &mut Piece) -> Result<(), Fault> {
        let mut cursor = Cursor::new(text);
        while next_record(&mut cursor) {
            let at = cursor.at;
            let word = cursor.word();
            if word != b"a" {
                return Err(self.other(at, word));
            }
            cursor.skip_blanks();
            let src = self.end(&mut cursor)?;
            cursor.skip_blanks();
            let dst = self.end(&mut cursor)?;
            piece.push(src, dst);
            cursor.skip_blanks();
            if self.reading == Reading::None {
                cursor.word();
            } else {
                let bits = weight(&mut cursor, self.reading, &mut piece.seen)?;
                piece.edges.value.push(bits);
            }
            cursor.end_line()?;
        }
        Ok(())
    }

    fn check(&self, path: &Path, totals: &Totals) -> Result<(), ImportError> {
        self.header.as_ref().map_or(Ok(()), |header| super::hold("arcs", path, header.line, header.arcs, totals.edges))
    }
}
