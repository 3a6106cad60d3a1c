//! Edge lists: `source target [weight]` on each line, columns apart by blanks or tabs.
//!
//! SNAP and KONECT publish such files, and many tools write them. Lines that begin with `#` or `%` are comments, and so
//! is what follows such a sign after an edge. Three columns on the first line mean that the third is the weight, and
//! further columns, such as KONECT's times, are left out. Of the comments only KONECT's first line counts: after
//! `% sym` each edge stands for both directions, and after `% bip` source and target are numbered apart, so that the
//! sizes must follow on the second line.

use super::blocks::{Block, Blocks};
use super::scan::{Cursor, Fault, Problem, leading_integer};
use super::text::{Lines, Piece, TextStream};
use super::value::{Reading, Seen, weight};
use super::{ImportError, ImportOptions, Weights};
use crate::build::{Declared, DeclaredVertices, Direction, EdgeStream};

/// What begins a comment.
pub(super) const COMMENT: &[u8] = b"#%";

const WEIGHT_COLUMN: Problem = Problem::Expected {
    what: "a weight, as on the other lines",
    advice: "give every line a weight, or import without weights",
};

/// Begins the edges of a file.
pub(super) fn open(
    mut blocks: Blocks,
    mut block: Block,
    options: &ImportOptions,
) -> Result<Box<dyn EdgeStream>, ImportError> {
    let path = blocks.path().to_owned();
    let columns = first_columns(&mut blocks, &mut block)?;
    let konect = Konect::read(block.rest()).map_err(|fault| block.error(&path, fault))?;
    let reading = reading(columns, options);
    let direction = match konect {
        Konect::None => Direction::Directed,
        Konect::Symmetric | Konect::Bipartite { .. } => Direction::Undirected,
    };
    let (vertices, rows) = match konect {
        Konect::Bipartite { left, right } => (DeclaredVertices::Range { first: 1, count: left + right }, Some(left)),
        _ => (DeclaredVertices::FromEdges, None),
    };
    let declared = Declared { vertices, direction: options.direction(direction), rows, ..Declared::default() };
    let edges = Edges { reading, surplus: options.weights == Weights::Ignore, konect };
    Ok(Box::new(TextStream::new(blocks, block, edges, reading, declared, Seen::default())))
}

/// The number of columns of the first edge, 0 where there is none.
pub(super) fn first_columns(blocks: &mut Blocks, block: &mut Block) -> Result<usize, ImportError> {
    let at = blocks.seek(block, |cursor| cursor.next_data_line(COMMENT))?;
    let mut cursor = Cursor { text: block.rest(), at };
    let mut columns = 0;
    while !cursor.at_line_end() && !COMMENT.contains(&cursor.peek()) {
        cursor.word();
        cursor.skip_blanks();
        columns += 1;
    }
    Ok(columns)
}

/// How the third column is read.
pub(super) fn reading(columns: usize, options: &ImportOptions) -> Reading {
    match options.weights {
        Weights::Ignore => Reading::None,
        Weights::As(ty) => Reading::As(ty),
        Weights::Auto if columns > 2 => Reading::Auto,
        Weights::Auto => Reading::None,
    }
}

/// What KONECT's first lines say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Konect {
    None,
    Symmetric,
    Bipartite { left: u64, right: u64 },
}

impl Konect {
    fn read(text: &[u8]) -> Result<Self, Fault> {
        let mut cursor = Cursor::new(text);
        if cursor.peek() != b'%' {
            return Ok(Self::None);
        }
        cursor.at += 1;
        cursor.skip_blanks();
        match cursor.word() {
            b"sym" => Ok(Self::Symmetric),
            b"bip" => {
                cursor.next_line();
                Self::sizes(cursor)
            }
            _ => Ok(Self::None),
        }
    }

    /// Reads `% edges left right`.
    fn sizes(mut cursor: Cursor<'_>) -> Result<Self, Fault> {
        let problem = Problem::Expected {
            what: "`% EDGES LEFT RIGHT`, the sizes of a bipartite graph",
            advice: "add that line, or delete the first one to read both columns as the same vertices",
        };
        let start = cursor.at;
        let mut number = |first: bool| {
            if first {
                cursor.at += usize::from(cursor.peek() == b'%');
            }
            cursor.skip_blanks();
            cursor.unsigned(problem).map_err(|_| Fault { at: start, problem })
        };
        let (_, left, right) = (number(true)?, number(false)?, number(false)?);
        left.checked_add(right).map(|_| Self::Bipartite { left, right }).ok_or(Fault { at: start, problem })
    }
}

struct Edges {
    reading: Reading,
    /// Whether columns beyond the two ends are left out in a file without weights.
    surplus: bool,
    konect: Konect,
}

impl Lines for Edges {
    fn parse(&self, text: &[u8], _row: u64, piece: &mut Piece) -> Result<(), Fault> {
        let mut cursor = Cursor::new(text);
        let Konect::Bipartite { left, right } = self.konect else {
            return parse(&mut cursor, self.reading, self.surplus, piece, |_, _| Ok(()));
        };
        let sides = |src, dst| {
            if !(1..=left).contains(&src) {
                return Err(Problem::OutOfRange { what: "a left vertex", max: left });
            }
            if !(1..=right).contains(&dst) {
                return Err(Problem::OutOfRange { what: "a right vertex", max: right });
            }
            Ok(())
        };
        parse(&mut cursor, self.reading, self.surplus, piece, sides)?;
        piece.edges.dst.iter_mut().for_each(|dst| *dst += left);
        Ok(())
    }
}

/// Reads lines of `source target [weight]`, each pair of ends accepted by `check`.
#[inline]
pub(super) fn parse(
    cursor: &mut Cursor<'_>,
    reading: Reading,
    surplus: bool,
    piece: &mut Piece,
    check: impl Fn(u64, u64) -> Result<(), Problem>,
) -> Result<(), Fault> {
    loop {
        // Nearly all lines of most files.
        if reading == Reading::None {
            while let Some((src, dst, length)) = cursor.text.get(cursor.at..).and_then(plain_line) {
                let start = cursor.at;
                check(src, dst).map_err(|problem| Fault { at: start, problem })?;
                piece.push(src, dst);
                cursor.at += length;
            }
        }
        if !cursor.next_data_line(COMMENT) {
            return Ok(());
        }
        let start = cursor.at;
        let src = cursor.id()?;
        cursor.skip_blanks();
        let dst = cursor.id()?;
        check(src, dst).map_err(|problem| Fault { at: start, problem })?;
        piece.push(src, dst);
        cursor.skip_blanks();
        let ended = cursor.at_line_end() || COMMENT.contains(&cursor.peek());
        if reading != Reading::None {
            if ended {
                return Err(cursor.fault(WEIGHT_COLUMN));
            }
            let bits = weight(cursor, reading, &mut piece.seen)?;
            piece.edges.value.push(bits);
        } else if !ended && !surplus {
            return Err(cursor.fault(Problem::SecondWeight));
        }
        cursor.next_line();
    }
}

/// Reads a line of two numbers apart by one blank, and nothing else: the numbers, and the length of the line.
#[inline(always)]
fn plain_line(text: &[u8]) -> Option<(u64, u64, usize)> {
    let (src, first) = leading_integer(text);
    let rest = text.get(first + 1..).filter(|_| matches!(text[first], b' ' | b'\t'))?;
    let (dst, second) = leading_integer(rest);
    match (src, dst, rest.get(second)) {
        (Some(src), Some(dst), Some(b'\n')) => Some((src, dst, first + second + 2)),
        _ => None,
    }
}
