//! Imports networks of Pajek: `*Vertices N`, then `*Arcs` or `*Edges` with a line `source target [weight]` for each, or
//! `*Arcslist` or `*Edgeslist` with lines `source target target …`.
//!
//! Vertices are numbered from 1. Their labels and coordinates are not read. An edge represents both directions. `*Vertices
//! N ROWS` declares a two-mode network, whose first vertices are rows. If the first arc or edge has a weight, all must have
//! one; further fields are ignored. Lines that begin with `%` are comments. Partitions and vectors after the network are
//! ignored.

use super::blocks::{Block, Blocks};
use super::edges::reading;
use super::matrix_market::in_range;
use super::parts::FileStream;
use super::scan::{Cursor, Fault, Problem, Signs};
use super::serial::{BATCH, Parser, SerialStream};
use super::value::{Reading, Seen, weight};
use super::{ImportError, ImportOptions, Weights};
use crate::build::{Declared, DeclaredVertices, Direction, EdgeBatch};

const COMMENT: Signs = Signs::of(b"%");

/// Opens a network as a stream of edges.
pub(super) fn open(
    mut blocks: Blocks,
    mut block: Block,
    options: &ImportOptions,
) -> Result<Box<dyn FileStream>, ImportError> {
    let path = blocks.path().to_owned();
    blocks.seek(&mut block, |cursor| cursor.next_data_line(COMMENT))?;
    let mut parser = PajekNetwork {
        blocks,
        block,
        at: 0,
        section: PajekSection::Start,
        vertices: 0,
        rows: None,
        both_ways: options.directed.is_none(),
        weighted: None,
        reading: Reading::Auto,
        asked: reading(true, options),
    };
    // The first edges determine whether there are weights.
    let (mut ahead, mut seen) = (EdgeBatch::default(), Seen::default());
    while ahead.src.is_empty() && parser.parse(&mut ahead, &mut seen)? {}
    let weighted = parser.weighted == Some(true);
    if !weighted && matches!(options.weights, Weights::As(_)) {
        let problem = "the network has no weights".into();
        let advice = "leave --weights out, or give `--weights 1`, which gives every edge weight 1".into();
        return Err(ImportError::Misfit { path, line: 1, problem, advice });
    }
    if options.bipartite && parser.rows.is_none() {
        let problem = "--bipartite is given, and the network has one mode".into();
        return Err(ImportError::Misfit { path, line: 1, problem, advice: "leave --bipartite out".into() });
    }
    let reading = if weighted { parser.asked } else { Reading::None };
    let declared = Declared {
        vertices: DeclaredVertices::Range { first: 1, count: parser.vertices },
        direction: options.direction(Direction::Directed),
        rows: parser.rows,
        unread_weights: weighted && reading == Reading::None,
        ..Declared::default()
    };
    Ok(Box::new(SerialStream::new(path, parser, (reading, declared), (ahead, seen), "a network of Pajek")))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PajekSection {
    Start,
    /// Vertices, partitions and vectors.
    Passed,
    Arcs,
    Edges,
    ArcLists,
    EdgeLists,
}

struct PajekNetwork {
    blocks: Blocks,
    block: Block,
    /// The position in the block.
    at: usize,
    section: PajekSection,
    vertices: u64,
    rows: Option<u64>,
    /// Whether an edge is followed by its reverse.
    both_ways: bool,
    /// Whether arcs and edges have weights; `None` before the first one.
    weighted: Option<bool>,
    reading: Reading,
    /// The method of reading weights if there are any.
    asked: Reading,
}

impl Parser for PajekNetwork {
    fn parse(&mut self, batch: &mut EdgeBatch, seen: &mut Seen) -> Result<bool, ImportError> {
        let block = std::mem::take(&mut self.block);
        let mut cursor = Cursor { text: block.rest(), at: self.at };
        while batch.src.len() < BATCH && cursor.next_data_line(COMMENT) {
            self.line(&mut cursor, batch, seen).map_err(|fault| block.error(self.blocks.path(), fault))?;
            cursor.next_line();
        }
        (self.at, self.block) = (cursor.at, block);
        if self.at < self.block.rest().len() {
            return Ok(true);
        }
        let next = self.blocks.next()?;
        if next.text.is_empty() {
            let fault = Fault { at: self.block.rest().len(), problem: NO_VERTICES };
            let is_network = self.section != PajekSection::Start;
            return if is_network { Ok(false) } else { Err(self.block.error(self.blocks.path(), fault)) };
        }
        self.at = 0;
        let read = std::mem::replace(&mut self.block, next);
        self.blocks.recycle(read);
        Ok(true)
    }

    fn progress(&self) -> (u64, Option<u64>) {
        self.blocks.progress()
    }
}

const NO_VERTICES: Problem =
    Problem::Expected { what: "`*Vertices N`, the number of vertices", advice: "begin the network with that line" };

impl PajekNetwork {
    /// Reads a line.
    fn line(&mut self, cursor: &mut Cursor<'_>, batch: &mut EdgeBatch, seen: &mut Seen) -> Result<(), Fault> {
        if cursor.peek() == b'*' {
            return self.begin_section(cursor);
        }
        match self.section {
            PajekSection::Start => Err(cursor.fault(NO_VERTICES)),
            PajekSection::Passed => Ok(()),
            PajekSection::Arcs | PajekSection::Edges => {
                let src = self.vertex(cursor)?;
                let dst = self.vertex(cursor)?;
                let bits = self.weight(cursor, seen)?;
                self.push(src, dst, bits, batch);
                Ok(())
            }
            PajekSection::ArcLists | PajekSection::EdgeLists => {
                let src = self.vertex(cursor)?;
                while !cursor.at_line_end() {
                    let dst = self.vertex(cursor)?;
                    self.unweighted(cursor)?;
                    self.push(src, dst, None, batch);
                }
                Ok(())
            }
        }
    }

    fn begin_section(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Fault> {
        let at = cursor.at;
        let word = String::from_utf8_lossy(cursor.word()).to_ascii_lowercase();
        let is_first = self.section == PajekSection::Start;
        self.section = match word.as_str() {
            "*network" if is_first => PajekSection::Start,
            "*vertices" if is_first => {
                self.read_sizes(cursor)?;
                PajekSection::Passed
            }
            "*network" | "*vertices" => {
                let what = "one network in the file";
                return Err(Fault { at, problem: Problem::Expected { what, advice: "save each network alone" } });
            }
            _ if is_first => return Err(Fault { at, problem: NO_VERTICES }),
            "*arcs" => PajekSection::Arcs,
            "*edges" => PajekSection::Edges,
            "*arcslist" => PajekSection::ArcLists,
            "*edgeslist" => PajekSection::EdgeLists,
            "*partition" | "*vector" | "*permutation" | "*cluster" | "*hierarchy" => PajekSection::Passed,
            _ => {
                let what = "`*Arcs`, `*Edges`, `*Arcslist` or `*Edgeslist`";
                let advice = "save the network with lists of arcs or edges rather than as a matrix";
                return Err(Fault { at, problem: Problem::Expected { what, advice } });
            }
        };
        Ok(())
    }

    fn read_sizes(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Fault> {
        cursor.skip_blanks();
        self.vertices = cursor.unsigned(NO_VERTICES)?;
        cursor.skip_blanks();
        if !cursor.at_line_end() {
            let rows = cursor.unsigned(Problem::LineEnd)?;
            self.rows = Some(rows).filter(|rows| *rows < self.vertices);
        }
        Ok(())
    }

    fn vertex(&self, cursor: &mut Cursor<'_>) -> Result<u64, Fault> {
        let vertex = in_range(cursor, "a vertex", self.vertices)?;
        cursor.skip_blanks();
        Ok(vertex)
    }

    /// Reads the weight of an arc or edge. Returns `None` if there are no weights, or if they are not read.
    fn weight(&mut self, cursor: &mut Cursor<'_>, seen: &mut Seen) -> Result<Option<u64>, Fault> {
        if cursor.at_line_end() {
            self.unweighted(cursor)?;
            return Ok(None);
        }
        if *self.weighted.get_or_insert(true) {
            self.reading = self.asked;
            return match self.reading {
                Reading::None => Ok(None),
                reading => weight(cursor, reading, seen).map(Some),
            };
        }
        Err(cursor.fault(Problem::LineEnd))
    }

    /// Records that an arc or edge has no weight. Fails if those before have weights.
    fn unweighted(&mut self, cursor: &Cursor<'_>) -> Result<(), Fault> {
        match *self.weighted.get_or_insert(false) {
            false => Ok(()),
            true => {
                let what = "a weight, as on the first line of arcs or edges";
                let advice = "add the weight, or leave weights out with `--weights none`";
                if self.asked == Reading::None {
                    return Ok(());
                }
                Err(cursor.fault(Problem::Expected { what, advice }))
            }
        }
    }

    fn push(&self, src: u64, dst: u64, bits: Option<u64>, batch: &mut EdgeBatch) {
        let is_edge = matches!(self.section, PajekSection::Edges | PajekSection::EdgeLists);
        let arcs = [Some((src, dst)), Some((dst, src)).filter(|_| is_edge && self.both_ways && src != dst)];
        for (src, dst) in arcs.into_iter().flatten() {
            batch.src.push(src);
            batch.dst.push(dst);
            batch.value.extend(bits);
        }
    }
}
