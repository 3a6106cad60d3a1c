//! DIMACS shortest-path files: `p sp VERTICES ARCS`, then `a SOURCE TARGET WEIGHT` for each arc; `c` begins a comment.

use super::blocks::{Block, Blocks};
use super::edges::reading;
use super::matrix_market::in_range;
use super::scan::{Cursor, Fault, Problem};
use super::text::{Lines, Piece, TextStream, Totals};
use super::value::{Reading, Seen, weight};
use super::{ImportError, ImportOptions};
use crate::build::{Declared, DeclaredVertices, Direction, EdgeStream};
use std::path::Path;

/// Begins the arcs of a file.
pub(super) fn open(
    mut blocks: Blocks,
    mut block: Block,
    options: &ImportOptions,
) -> Result<Box<dyn EdgeStream>, ImportError> {
    let path = blocks.path().to_owned();
    let at = blocks.seek(&mut block, next_record)?;
    let header = Header::read(Cursor { text: block.rest(), at }).map_err(|fault| block.error(&path, fault))?;
    let header_line = block.line(header.at);
    block.start += header.end;
    // An arc line has three numbers, always.
    let reading = reading(3, options);
    let declared = Declared {
        vertices: DeclaredVertices::Range { first: 1, count: header.vertices },
        direction: options.direction(Direction::Directed),
        edges: Some(header.arcs),
        ..Declared::default()
    };
    let arcs = Arcs { reading, header, header_line };
    Ok(Box::new(TextStream::new(blocks, block, arcs, reading, declared, Seen::default())))
}

/// Moves to the next line that is neither blank nor a comment.
fn next_record(cursor: &mut Cursor<'_>) -> bool {
    while cursor.next_data_line(b"") {
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
    at: usize,
    end: usize,
}

impl Header {
    fn read(mut cursor: Cursor<'_>) -> Result<Self, Fault> {
        let at = cursor.at;
        let what = "the problem line `p sp VERTICES ARCS`";
        let problem = Problem::Expected { what, advice: "add it before the first arc, or name another format" };
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
        Ok(Self { vertices, arcs, at, end: cursor.at.min(cursor.text.len()) })
    }
}

struct Arcs {
    reading: Reading,
    header: Header,
    header_line: u64,
}

impl Lines for Arcs {
    fn parse(&self, text: &[u8], _row: u64, piece: &mut Piece) -> Result<(), Fault> {
        let mut cursor = Cursor::new(text);
        while next_record(&mut cursor) {
            let at = cursor.at;
            if cursor.word() != b"a" {
                let what = "an arc `a SOURCE TARGET WEIGHT` or a comment `c …`";
                return Err(Fault { at, problem: Problem::Expected { what, advice: "correct or delete the line" } });
            }
            cursor.skip_blanks();
            let src = in_range(&mut cursor, "a vertex", self.header.vertices)?;
            cursor.skip_blanks();
            let dst = in_range(&mut cursor, "a vertex", self.header.vertices)?;
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
        super::hold("arcs", path, self.header_line, self.header.arcs, totals.edges)
    }
}
