//! The stream of edges of a text file. Blocks are read ahead, and parsed in parallel pieces.

use super::ImportError;
use super::blocks::{Block, Blocks};
use super::opening::Sizes;
use super::parts::FileStream;
use super::scan::{Fault, Problem};
use super::value::{Reading, Seen};
use crate::build::{Declared, EdgeBatch, EdgeStream};
use crate::parallel::*;
use memchr::{memchr, memrchr};
use std::path::{Path, PathBuf};

/// The number of bytes of text per parsing task. This is a constant, so that the reported fault does not depend on the
/// number of threads.
const PIECE: usize = 1 << 18;

/// A parser for the lines of a format after its header.
pub(super) trait Lines: Send + Sync {
    /// Whether [`parse`](Self::parse) requires the number of preceding rows.
    const COUNTS_ROWS: bool = false;

    /// Returns the number of rows in a text of whole lines.
    fn rows(&self, _text: &[u8]) -> u64 {
        0
    }

    /// Parses whole lines. `row` is the number of preceding rows in the file.
    fn parse(&self, text: &[u8], row: u64, piece: &mut Piece) -> Result<(), Fault>;

    /// Checks the totals of the file against the declarations in its header.
    fn check(&self, _path: &Path, _totals: &Totals) -> Result<(), ImportError> {
        Ok(())
    }
}

/// The parsed contents of a piece of text.
#[derive(Default)]
pub(super) struct Piece {
    pub(super) edges: EdgeBatch,
    pub(super) seen: Seen,
    pub(super) loops: u64,
    /// The sum, over all arcs, of a hash of the arc minus the hash of its reverse. It is 0 if every arc has a reverse.
    pub(super) balance: u64,
}

impl Piece {
    #[inline]
    pub(super) fn push(&mut self, src: u64, dst: u64) {
        self.edges.src.push(src);
        self.edges.dst.push(dst);
    }

    fn clear(&mut self) {
        self.edges.clear();
        (self.seen, self.loops, self.balance) = (Seen::default(), 0, 0);
        // Release the memory used for a long line.
        for column in [&mut self.edges.src, &mut self.edges.dst, &mut self.edges.value] {
            column.shrink_to(2 * PIECE);
        }
        self.edges.text.shrink_to(2 * PIECE);
        self.edges.vertices.shrink_to(2 * PIECE);
    }
}

/// The totals of the contents read.
#[derive(Default)]
pub(super) struct Totals {
    pub(super) edges: u64,
    pub(super) rows: u64,
    pub(super) loops: u64,
    pub(super) balance: u64,
    pub(super) seen: Seen,
}

/// A stream of the edges in a file.
pub(super) struct TextStream<L> {
    path: PathBuf,
    blocks: Blocks,
    lines: L,
    declared: Declared,
    /// Whether the storage type of weights depends on their values.
    narrows: bool,
    /// The block to parse next, or the error of reading it.
    ahead: Option<Result<Block, ImportError>>,
    pieces: Vec<Piece>,
    totals: Totals,
    notes: Vec<String>,
    /// The sizes of the graph that the first edge may represent, as long as all edges read are consistent with them.
    sizes: Option<Sizes>,
    /// The columns of a table, as messages show them; empty for other formats.
    columns: String,
}

impl<L: Lines> TextStream<L> {
    /// Creates a stream. The header has already been read from `first`, and `seen` contains the header's declarations
    /// about weights.
    pub(super) fn new(
        blocks: Blocks,
        first: Block,
        lines: L,
        reading: Reading,
        declared: Declared,
        seen: Seen,
    ) -> Self {
        let asked = if let Reading::As(ty) = reading { Some(ty) } else { None };
        Self {
            path: blocks.path().into(),
            blocks,
            lines,
            declared: Declared { value_type: reading.value_type(), store_as: asked, ..declared },
            narrows: reading == Reading::Auto,
            ahead: Some(Ok(first)),
            pieces: Vec::new(),
            totals: Totals { seen, ..Totals::default() },
            notes: Vec::new(),
            sizes: None,
            columns: String::new(),
        }
    }

    /// Adds notes about how the file is read.
    pub(super) fn with_notes(self, notes: impl IntoIterator<Item = String>) -> Self {
        Self { notes: notes.into_iter().collect(), ..self }
    }

    /// Sets the columns of a table, as messages show them.
    pub(super) fn with_columns(self, columns: String) -> Self {
        Self { columns, ..self }
    }

    /// Sets the sizes that the first edge may represent. If the file matches them, the stream adds a note at the end.
    pub(super) fn with_sizes(self, sizes: Option<Sizes>) -> Self {
        Self { sizes, ..self }
    }
}

impl<L: Lines> EdgeStream for TextStream<L> {
    fn next(&mut self, batch: &mut EdgeBatch) -> Result<bool, ImportError> {
        batch.clear();
        while let Some(block) = self.ahead.take() {
            let block = block?;
            if block.text.is_empty() {
                self.lines.check(&self.path, &self.totals)?;
                if self.narrows {
                    self.declared.store_as = Some(self.totals.seen.narrowest());
                }
                self.notes.extend(self.sizes.take().and_then(|sizes| sizes.note(self.totals.edges)));
                return Ok(false);
            }
            // The next block is read and decompressed while this block is parsed.
            let Self { blocks, lines, pieces, totals, path, .. } = self;
            let (ahead, parsed) = rayon::join(|| blocks.next(), || parse(lines, path, &block, pieces, totals, batch));
            parsed?;
            self.blocks.recycle(block);
            self.ahead = Some(ahead);
            if !batch.is_empty() {
                self.sizes = self.sizes.take().and_then(|sizes| sizes.after(batch));
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn declared(&self) -> Declared {
        self.declared.clone()
    }

    fn progress(&self) -> (u64, Option<u64>) {
        self.blocks.progress()
    }

    fn notes(&self) -> Vec<String> {
        self.notes.iter().map(|note| format!("{}: {note}", self.path.display())).collect()
    }
}

impl<L: Lines> FileStream for TextStream<L> {
    fn columns(&self) -> &str {
        &self.columns
    }

    fn seen(&self) -> Seen {
        self.totals.seen
    }
}

/// Parses a block in parallel, and stores the edges in `batch`.
fn parse<L: Lines>(
    lines: &L,
    path: &Path,
    block: &Block,
    pieces: &mut Vec<Piece>,
    totals: &mut Totals,
    batch: &mut EdgeBatch,
) -> Result<(), ImportError> {
    let texts = split(block.rest());
    let mut rows: Vec<u64> = Vec::new();
    if L::COUNTS_ROWS {
        rows = texts.par_iter().map(|text| lines.rows(text)).collect();
    }
    rows.resize(texts.len(), 0);
    for count in &mut rows {
        let before = totals.rows;
        totals.rows += *count;
        *count = before;
    }
    if pieces.len() < texts.len() {
        pieces.resize_with(texts.len(), Piece::default);
    }
    let pieces = &mut pieces[..texts.len()];
    let texts_and_pieces = texts.par_iter().zip(&rows).zip(&mut *pieces);
    let results: Vec<Result<(), Fault>> = texts_and_pieces
        .map(|((text, &row), piece)| {
            piece.clear();
            parse_piece(lines, text, row, piece)
        })
        .collect();
    let mut offset = 0;
    for (text, result) in texts.iter().zip(results) {
        result.map_err(|fault| block.error(path, Fault { at: offset + fault.at, ..fault }))?;
        offset += text.len();
    }
    if pieces.iter().any(|piece| !piece.edges.text.is_empty()) {
        pieces.iter().for_each(|piece| batch.append_ends(&piece.edges));
    } else {
        let EdgeBatch { src, dst, .. } = batch;
        rayon::join(
            || pieces.iter().for_each(|piece| src.extend_from_slice(&piece.edges.src)),
            || pieces.iter().for_each(|piece| dst.extend_from_slice(&piece.edges.dst)),
        );
        pieces.iter().for_each(|piece| batch.vertices.extend_from_slice(&piece.edges.vertices));
    }
    for piece in pieces {
        batch.value.extend_from_slice(&piece.edges.value);
        totals.edges += piece.edges.src.len() as u64;
        totals.loops += piece.loops;
        totals.balance = totals.balance.wrapping_add(piece.balance);
        totals.seen.merge(piece.seen);
    }
    Ok(())
}

fn parse_piece<L: Lines>(lines: &L, text: &[u8], row: u64, piece: &mut Piece) -> Result<(), Fault> {
    let Some(at) = memchr(0, text) else {
        return lines.parse(text, row, piece);
    };
    // A line before the NUL byte may also have a fault, which must be reported first.
    let whole = memrchr(b'\n', &text[..at]).map_or(0, |newline| newline + 1);
    lines.parse(&text[..whole], row, piece)?;
    Err(Fault { at, problem: Problem::Binary })
}

/// Divides a text into pieces of whole lines.
fn split(mut text: &[u8]) -> Vec<&[u8]> {
    let mut pieces = Vec::new();
    while !text.is_empty() {
        let end = match text.get(PIECE..) {
            Some(rest) => memchr(b'\n', rest).map_or(text.len(), |newline| PIECE + newline + 1),
            None => text.len(),
        };
        let (piece, rest) = text.split_at(end);
        pieces.push(piece);
        text = rest;
    }
    pieces
}
