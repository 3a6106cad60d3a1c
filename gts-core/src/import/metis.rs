//! Imports METIS graph files. Line i after the header is the list of vertex i, and a blank line is the list of a vertex
//! without edges.
//!
//! The header is `VERTICES EDGES [FORMAT [WEIGHTS]]`. FORMAT has three digits, each 0 or 1: whether a list begins with
//! the size of the vertex, whether vertex weights (WEIGHTS of them) follow, and whether each neighbour is followed by
//! the weight of the edge. Sizes and weights of vertices are ignored. Lines that begin with `%` are comments, and do
//! not count as lines of vertices. Every edge must be listed at both ends, and every vertex must have a line. Both
//! requirements are checked.

use super::blocks::{Block, Blocks};
use super::edges::reading;
use super::matrix_market::in_range;
use super::parts::FileStream;
use super::scan::{Cursor, Fault, Problem, Signs};
use super::text::{Lines, Piece, TextStream, Totals};
use super::value::{Reading, Seen, weight};
use super::{ImportError, ImportOptions, Weights};
use crate::build::{Declared, DeclaredVertices, Direction};
use crate::hash::{GOLDEN, mix};
use memchr::memchr_iter;
use std::path::Path;

/// Minimum number of bytes per edge: `1`, the shortest entry, and a blank.
const LEAST_EDGE: u64 = 2;
const COMMENT: Signs = Signs::of(b"%");
const ENTRY: &str = "correct the line, or the header's third number, the format";

/// Opens a METIS file as a stream of edges.
pub(super) fn open(
    mut blocks: Blocks,
    mut block: Block,
    options: &ImportOptions,
) -> Result<Box<dyn FileStream>, ImportError> {
    let path = blocks.path().to_owned();
    let at = blocks.seek(&mut block, |cursor| cursor.next_data_line(COMMENT))?;
    let header = Header::read(Cursor { text: block.rest(), at }).map_err(|fault| block.error(&path, fault))?;
    let header_line = block.line(header.at);
    if !header.weighted && matches!(options.weights, Weights::As(_)) {
        let what = "a header whose format has edge weights";
        let advice = "leave --weights out, or give `--weights 1`, which gives every edge weight 1";
        let problem = Problem::Expected { what, advice };
        return Err(block.error(&path, Fault { at: header.at, problem }));
    }
    if options.directed == Some(true) {
        return Err(ImportError::Misfit {
            path,
            line: header_line,
            problem: "--directed is given, and the edges of a METIS file have no direction".into(),
            advice: "leave --directed out".into(),
        });
    }
    blocks.check_count("vertices", header_line, header.vertices, 1)?;
    blocks.check_count("edges", header_line, header.edges, LEAST_EDGE)?;
    block.start += header.end;
    let reading = reading(header.weighted, options);
    let declared = Declared {
        vertices: DeclaredVertices::Range { first: 1, count: header.vertices },
        direction: Direction::Symmetric,
        edges: Some(header.edges * 2),
        unread_weights: header.weighted && reading == Reading::None,
        ..Declared::default()
    };
    let lists =
        Lists { reading, header, header_line, memory: options.memory, skip: options.skip, is_pipe: blocks.is_pipe() };
    Ok(Box::new(TextStream::new(blocks, block, lists, reading, declared, Seen::default())))
}

struct Header {
    vertices: u64,
    edges: u64,
    /// The number of values before the neighbours: the size and the weights of the vertex.
    skipped: u64,
    /// Whether each neighbour is followed by a weight.
    weighted: bool,
    at: usize,
    end: usize,
}

impl Header {
    fn read(mut cursor: Cursor<'_>) -> Result<Self, Fault> {
        let at = cursor.at;
        let problem = Problem::Expected {
            what: "the header `VERTICES EDGES [FORMAT [WEIGHTS]]`",
            advice: "add it as the first line; if the file is an edge list, name the format `edges`",
        };
        let mut numbers = [0, 0, 0, 1];
        let mut format_at = at;
        for (i, number) in numbers.iter_mut().enumerate() {
            cursor.skip_blanks();
            if i >= 2 && cursor.at_line_end() {
                break;
            }
            if i == 2 {
                format_at = cursor.at;
            }
            *number = cursor.unsigned(problem)?;
        }
        cursor.end_line()?;
        let [vertices, edges, format, weights] = numbers;
        let digits = [format / 100, format / 10 % 10, format % 10];
        if digits.iter().any(|&digit| digit > 1) || weights > 1 << 10 {
            let what = "a format of three digits, each 0 or 1, and at most 1024 weights a vertex";
            return Err(Fault { at: format_at, problem: Problem::Expected { what, advice: "correct the header" } });
        }
        if edges.checked_mul(2).is_none() {
            return Err(Fault { at, problem });
        }
        let skipped = digits[0] + digits[1] * weights;
        Ok(Self { vertices, edges, skipped, weighted: digits[2] == 1, at, end: cursor.at.min(cursor.text.len()) })
    }
}

struct Lists {
    reading: Reading,
    header: Header,
    header_line: u64,
    /// The memory limit of the import, in bytes.
    memory: Option<u64>,
    /// The number of lines before the header that are skipped.
    skip: u64,
    /// Whether the text can be read only once.
    is_pipe: bool,
}

impl Lists {
    /// Reads the list of `vertex` up to the end of the line.
    fn list(&self, vertex: u64, cursor: &mut Cursor<'_>, piece: &mut Piece) -> Result<(), Fault> {
        for _ in 0..self.header.skipped {
            let what = "the size and the weights of the vertex, as the header's format says";
            cursor.unsigned(Problem::Expected { what, advice: ENTRY })?;
            cursor.skip_blanks();
        }
        while !cursor.at_line_end() {
            let neighbour = in_range(cursor, "a neighbour", self.header.vertices)?;
            cursor.skip_blanks();
            let mut bits = 0;
            if self.header.weighted {
                if cursor.at_line_end() {
                    let what = "the weight of the edge, as the header's format says";
                    return Err(cursor.fault(Problem::Expected { what, advice: ENTRY }));
                }
                if self.reading == Reading::None {
                    cursor.word();
                } else {
                    bits = weight(cursor, self.reading, &mut piece.seen)?;
                    piece.edges.value.push(bits);
                }
                cursor.skip_blanks();
            }
            piece.push(vertex, neighbour);
            piece.loops += u64::from(neighbour == vertex);
            piece.balance =
                piece.balance.wrapping_add(arc(vertex, neighbour, bits).wrapping_sub(arc(neighbour, vertex, bits)));
        }
        Ok(())
    }
}

impl Lines for Lists {
    const COUNTS_ROWS: bool = true;

    fn rows(&self, text: &[u8]) -> u64 {
        let mut comments = u64::from(text.first() == Some(&b'%'));
        let mut lines = u64::from(text.last().is_some_and(|&last| last != b'\n'));
        for newline in memchr_iter(b'\n', text) {
            lines += 1;
            comments += u64::from(text.get(newline + 1) == Some(&b'%'));
        }
        lines - comments
    }

    fn parse(&self, text: &[u8], row: u64, piece: &mut Piece) -> Result<(), Fault> {
        let mut cursor = Cursor::new(text);
        let mut vertex = row;
        while !cursor.ended() {
            if cursor.peek() != b'%' {
                vertex += 1;
                cursor.skip_blanks();
                if vertex > self.header.vertices && !cursor.at_line_end() {
                    let what = "the end of the file, after as many lists as the header declares vertices";
                    return Err(cursor.fault(Problem::Expected { what, advice: "correct the header or the lists" }));
                }
                if vertex <= self.header.vertices && !(cursor.at_line_end() && self.header.skipped == 0) {
                    self.list(vertex, &mut cursor, piece)?;
                }
            }
            cursor.next_line();
        }
        Ok(())
    }

    fn check(&self, path: &Path, totals: &Totals) -> Result<(), ImportError> {
        let lists = totals.rows.min(self.header.vertices);
        super::hold("vertices, each with a line", path, self.header_line, self.header.vertices, lists)?;
        // A vertex may list a loop once or twice.
        let ends = 2 * self.header.edges;
        if totals.edges + totals.loops != ends {
            super::hold("edge ends (two for each edge)", path, self.header_line, ends, totals.edges)?;
        }
        if totals.balance == 0 { Ok(()) } else { Err(self.one_sided(path)?) }
    }
}

impl Lists {
    /// Reads the file again to locate an edge that only one end lists, or that its ends list with different weights.
    fn one_sided(&self, path: &Path) -> Result<ImportError, ImportError> {
        if self.is_pipe {
            return Ok(ImportError::OneSided { path: path.into(), edge: None });
        }
        let mut blocks = Blocks::open(path, self.memory)?;
        let mut block = blocks.next()?;
        if self.skip > 0 {
            blocks.skip(&mut block, self.skip)?;
        }
        let at = blocks.seek(&mut block, |cursor| cursor.next_data_line(COMMENT))?;
        block.start += Header::read(Cursor { text: block.rest(), at }).map_or(at, |header| header.end);
        let (mut piece, mut rows) = (Piece::default(), 0);
        while !block.text.is_empty() {
            self.parse(block.rest(), rows, &mut piece).map_err(|fault| block.error(path, fault))?;
            rows += self.rows(block.rest());
            block = blocks.next()?;
        }
        let edges = piece.edges;
        let mut arcs: Vec<_> =
            (0..edges.src.len()).map(|i| (edges.src[i], edges.dst[i], edges.value.get(i).copied())).collect();
        arcs.sort_unstable();
        let mut reversed: Vec<_> = arcs.iter().map(|&(src, dst, weight)| (dst, src, weight)).collect();
        reversed.sort_unstable();
        // At the first difference, the smaller entry is either an arc without a reverse, or the reverse of such an arc.
        let unpaired = arcs.iter().zip(&reversed).find(|(arc, reverse)| arc != reverse);
        let edge = unpaired.map(|(&arc, &reverse)| if arc < reverse { [arc.0, arc.1] } else { [reverse.1, reverse.0] });
        Ok(ImportError::OneSided { path: path.into(), edge })
    }
}

/// Returns a hash of an arc, which almost always differs from the hash of its reverse.
#[inline]
fn arc(src: u64, dst: u64, bits: u64) -> u64 {
    mix(src.wrapping_mul(GOLDEN) ^ dst ^ bits.rotate_left(32))
}
