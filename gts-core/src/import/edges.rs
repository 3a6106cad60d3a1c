//! Imports edge lists: `source target [weight]` on each line, with columns separated by blanks or tabs.
//!
//! SNAP and KONECT publish such files, and many tools write them. The first line may be a header, by the same rules as in
//! CSV files. Lines that begin with `#` or `%` are comments, unless an option names other signs. Either sign after the
//! fields also begins a comment. Every line must have the same number of columns as the first line. If
//! there are three or more columns, the third is the weight. Further columns, such as KONECT's times, are ignored, with
//! a note.
//!
//! Two kinds of comments have a meaning. If a comment before the edges, in the first 64 KiB, begins with `Undirected
//! graph`, as written by SNAP, each edge represents both directions, and a pair of opposite edges counts once. If the
//! first line is KONECT's `% sym`, each edge also represents both directions. If the first line is `% bip`, sources and
//! targets are numbered separately. If the second line contains the sizes, targets get the numbers after those of the
//! sources; otherwise sources and targets are in two name spaces.

use super::blocks::{Block, Blocks};
use super::keys::{KeyReader, Numbers, Others};
use super::opening::says_undirected;
use super::parts::FileStream;
use super::scan::{CORRECT_FIELDS, Cursor, Fault, Problem, Signs, leading_integer};
use super::table::{Guess, Head, Layout, Refusal};
use super::text::{Lines, Piece, TextStream};
use super::value::{Reading, Seen, weight, weight_with_comma};
use super::{Format, ImportError, ImportOptions, Weights};
use crate::build::{Declared, DeclaredVertices, Direction};
use crate::graph::{KeyKind, RIGHT_OFFSET};

/// The bytes that begin a comment.
pub(super) const COMMENT: Signs = Signs::of(b"#%");

/// Opens an edge list as a stream of edges.
pub(super) fn open(
    mut blocks: Blocks,
    mut block: Block,
    options: &ImportOptions,
    mut notes: Vec<String>,
) -> Result<Box<dyn FileStream>, ImportError> {
    let opening = blocks.opening();
    let konect = Konect::read(opening.rest()).map_err(|fault| opening.error(blocks.path(), fault))?;
    let plain = konect == Konect::None;
    let (columns, shown, more) = EdgeColumns::read(&mut blocks, &mut block, options, !plain)?;
    notes.extend(more);
    let direction = match konect {
        Konect::None if says_undirected(opening.rest(), blocks.skipped(), options.comments(COMMENT)) => {
            notes.extend(options.directed.is_none().then(|| UNDIRECTED_COMMENT.to_owned()));
            Direction::Symmetrised
        }
        Konect::None => Direction::Directed,
        Konect::Symmetric | Konect::Unsized | Konect::Bipartite { .. } => Direction::Undirected,
    };
    let (vertices, rows) = match konect {
        Konect::Bipartite { left, right } => (DeclaredVertices::Range { first: 1, count: left + right }, Some(left)),
        _ => (DeclaredVertices::FromEdges, None),
    };
    if plain && options.format.is_none() && columns.guess.lists {
        notes.push(guessed_weight(Format::Edges));
    }
    let sizes = columns.guess.sizes.filter(|_| plain);
    let declared = Declared {
        vertices,
        keys: columns.keys,
        direction: options.direction(direction),
        rows,
        right: (konect == Konect::Unsized).then_some(RIGHT_OFFSET),
        unread_weights: columns.leaves_weights(),
        ..Declared::default()
    };
    let reading = columns.reading;
    let stream = TextStream::new(blocks, block, Edges { columns, konect }, reading, declared, Seen::default());
    Ok(Box::new(stream.with_notes(notes).with_sizes(sizes).with_columns(shown)))
}

/// The note for a file whose comments declare the graph undirected.
pub(super) const UNDIRECTED_COMMENT: &str = "its comments say that the graph is undirected: edges are read both ways, as with \
                                             `--symmetrise`; `--directed` reads each as one arc";

/// Returns the note for a file with three columns whose lines may be lists of neighbours.
pub(super) fn guessed_weight(format: Format) -> String {
    let lists = if format == Format::Edges { "give `--format adjacency`" } else { "write a line for each edge" };
    format!(
        "column 3 is taken for the weight; if each line lists a vertex and its neighbours, {lists}; `--format {format}` \
         says that it is the weight"
    )
}

/// The columns of an edge, and the method of reading its weight.
#[derive(Clone, Copy, Debug)]
pub(super) struct EdgeColumns {
    layout: Layout,
    pub(super) reading: Reading,
    guess: Guess,
    pub(super) keys: KeyKind,
    /// Whether the format defines that vertices are numbers, and has no header.
    defined: bool,
    /// The signs that begin a comment.
    comments: Signs,
    decimal_comma: bool,
}

impl EdgeColumns {
    /// Determines the columns and the type of keys from the options and the first edges. Also returns the
    /// columns as messages show them, and notes about columns that are not read. `defined` is true if the format defines that vertices are numbers.
    pub(super) fn read(
        blocks: &mut Blocks,
        block: &mut Block,
        options: &ImportOptions,
        defined: bool,
    ) -> Result<(Self, String, Vec<String>), ImportError> {
        let comments = options.comments(COMMENT);
        let at = blocks.seek(block, |cursor| cursor.next_data_line(comments))?;
        let line = block.line(at);
        let mut cursor = Cursor { text: block.rest(), at };
        let first = fields(&mut cursor, comments);
        cursor.next_line();
        let end = cursor.at.min(block.rest().len());
        let mut head = Head { first, second: Vec::new(), may_be_header: !defined };
        let header = head.is_header(options);
        let second = if header {
            block.start += end;
            blocks.seek(block, |cursor| cursor.next_data_line(comments))?
        } else {
            let mut cursor = Cursor { text: block.rest(), at: end };
            cursor.next_data_line(comments);
            cursor.at
        };
        head.second = fields(&mut Cursor { text: block.rest(), at: second }, comments);
        let refuse = |refusal: Refusal| refusal.error(blocks.path(), line);
        let text = block.rest().get(at..).unwrap_or_default();
        head.check_prose(options, line).and_then(|()| head.check_header(options)).map_err(refuse)?;
        let guess = head.guess(options, (line, text), comments, |byte| matches!(byte, b' ' | b'\t')).map_err(refuse)?;
        let (layout, note) = head.layout(options).map_err(refuse)?;
        let reading = reading(layout.weight.is_some(), options);
        let keys = if defined { KeyKind::Number } else { head.keys(options, layout, header) };
        let decimal_comma = options.decimal_comma;
        let columns = Self { layout, reading, guess, keys, defined, comments, decimal_comma };
        Ok((columns, head.shown_columns(header), note.into_iter().collect()))
    }

    /// Returns whether the file has weights that are not read.
    pub(super) fn leaves_weights(&self) -> bool {
        self.layout.weight.is_some() && self.reading == Reading::None
    }
}

/// Returns the fields of the line at the cursor, up to a comment.
fn fields(cursor: &mut Cursor<'_>, comments: Signs) -> Vec<String> {
    let mut fields = Vec::new();
    while !cursor.at_line_end() && !comments.contains(cursor.peek()) {
        fields.push(String::from_utf8_lossy(cursor.word()).into_owned());
        cursor.skip_blanks();
    }
    fields
}

/// Returns the method of reading weights. `weighted` is true if the file has weights.
pub(super) fn reading(weighted: bool, options: &ImportOptions) -> Reading {
    match options.weights {
        Weights::As(ty) => Reading::As(ty),
        Weights::Auto if weighted => Reading::Auto,
        _ => Reading::None,
    }
}

/// The kind of graph declared in the first lines of a KONECT file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Konect {
    None,
    Symmetric,
    Bipartite {
        left: u64,
        right: u64,
    },
    /// A bipartite graph without its sizes.
    Unsized,
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
                let mut ahead = cursor.clone();
                ahead.at += usize::from(ahead.peek() == b'%');
                ahead.skip_blanks();
                let has_sizes = cursor.peek() == b'%' && ahead.peek().is_ascii_digit();
                if has_sizes { Self::sizes(cursor) } else { Ok(Self::Unsized) }
            }
            _ => Ok(Self::None),
        }
    }

    /// Parses the line `% edges left right`.
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
    columns: EdgeColumns,
    konect: Konect,
}

impl Lines for Edges {
    fn parse(&self, text: &[u8], _row: u64, piece: &mut Piece) -> Result<(), Fault> {
        let Konect::Bipartite { left, right } = self.konect else {
            let any = |_, _| Ok(());
            return match self.columns.keys {
                KeyKind::Number => self.columns.parse(text, piece, any),
                kind => self.columns.parse_by(Others(kind), text, piece, any),
            };
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
        self.columns.parse(text, piece, sides)?;
        piece.edges.dst.iter_mut().for_each(|dst| *dst += left);
        Ok(())
    }
}

impl EdgeColumns {
    /// Parses lines of fields whose ends are numbers. `check` accepts or rejects each pair of ends.
    #[inline]
    pub(super) fn parse(
        &self,
        text: &[u8],
        piece: &mut Piece,
        check: impl Fn(u64, u64) -> Result<(), Problem>,
    ) -> Result<(), Fault> {
        self.parse_by(Numbers { defined: self.defined }, text, piece, check)
    }

    #[inline]
    fn parse_by<K: KeyReader>(
        &self,
        keys: K,
        text: &[u8],
        piece: &mut Piece,
        check: impl Fn(u64, u64) -> Result<(), Problem>,
    ) -> Result<(), Fault> {
        let Layout { source, target, weight: third, fields } = self.layout;
        let usual = source == 0 && target == 1 && third.is_none_or(|column| column == 2);
        let pairs = K::PLAIN && usual && fields == 2;
        let weighted = self.reading != Reading::None;
        let mut cursor = Cursor::new(text);
        loop {
            // Most files consist almost entirely of plain lines.
            if pairs {
                while let Some((src, dst, length)) = text.get(cursor.at..).and_then(plain_line) {
                    let start = cursor.at;
                    check(src, dst).map_err(|problem| Fault { at: start, problem })?;
                    piece.push(src, dst);
                    cursor.at += length;
                }
            }
            if !cursor.next_data_line(self.comments) {
                return Ok(());
            }
            let start = cursor.at;
            let (src, dst) = if usual {
                let mut end = || {
                    let end = keys.word(&mut cursor, &mut piece.edges);
                    cursor.skip_blanks();
                    end.map_err(|fault| self.explain(text, start, fault))
                };
                let (src, dst) = (end()?, end()?);
                if weighted {
                    let bits = self.weight(&mut cursor, piece).map_err(|fault| self.explain(text, start, fault))?;
                    piece.edges.value.push(bits);
                    cursor.skip_blanks();
                }
                for _ in 2 + usize::from(weighted)..fields {
                    self.skip(&mut cursor, start)?;
                }
                (src, dst)
            } else {
                self.scattered(keys, &mut cursor, start, piece)?
            };
            check(src, dst).map_err(|problem| Fault { at: start, problem })?;
            piece.push(src, dst);
            if !cursor.at_line_end() && !self.comments.contains(cursor.peek()) {
                return Err(self.miscounted(text, start, cursor.at));
            }
            cursor.next_line();
        }
    }

    /// Reads a weight.
    #[inline]
    fn weight(&self, cursor: &mut Cursor<'_>, piece: &mut Piece) -> Result<u64, Fault> {
        if !self.decimal_comma {
            return weight(cursor, self.reading, &mut piece.seen);
        }
        let at = cursor.at;
        weight_with_comma(cursor.word(), self.reading, &mut piece.seen).map_err(|problem| Fault { at, problem })
    }

    /// Reads an edge whose columns are in arbitrary order. Adds the weight to `piece` and returns the ends.
    fn scattered(
        &self,
        keys: impl KeyReader,
        cursor: &mut Cursor<'_>,
        start: usize,
        piece: &mut Piece,
    ) -> Result<(u64, u64), Fault> {
        let Layout { source, target, weight: weights, fields } = self.layout;
        let text = cursor.text;
        let (mut src, mut dst) = (0, 0);
        for column in 0..fields {
            if column == source {
                src = keys.word(cursor, &mut piece.edges).map_err(|fault| self.explain(text, start, fault))?;
            } else if column == target {
                dst = keys.word(cursor, &mut piece.edges).map_err(|fault| self.explain(text, start, fault))?;
            } else if Some(column) == weights && self.reading != Reading::None {
                let bits = self.weight(cursor, piece).map_err(|fault| self.explain(text, start, fault))?;
                piece.edges.value.push(bits);
            } else {
                self.skip(cursor, start)?;
            }
            cursor.skip_blanks();
        }
        Ok((src, dst))
    }

    /// Moves past a field and the blanks after it.
    fn skip(&self, cursor: &mut Cursor<'_>, start: usize) -> Result<(), Fault> {
        if cursor.at_line_end() || self.comments.contains(cursor.peek()) {
            return Err(self.miscounted(cursor.text, start, cursor.at));
        }
        cursor.word();
        cursor.skip_blanks();
        Ok(())
    }

    /// Returns the fault for a line, detected at `at`, whose number of fields differs from that of the first line.
    #[cold]
    fn miscounted(&self, text: &[u8], start: usize, at: usize) -> Fault {
        let found = fields(&mut Cursor { text, at: start }, self.comments).len();
        Fault { at, problem: Problem::Fields { expected: self.layout.fields, found, advice: CORRECT_FIELDS } }
    }

    /// Returns the fault for one field of the line that begins at `start`, or for the line as a whole.
    #[cold]
    fn explain(&self, text: &[u8], start: usize, fault: Fault) -> Fault {
        let mut cursor = Cursor { text, at: start };
        let found = fields(&mut cursor, self.comments);
        let delimiter = found.first().filter(|_| found.len() == 1).and_then(|field| {
            [(',', "commas"), (';', "semicolons")].into_iter().find(|(sign, _)| field.contains(*sign))
        });
        if let Some((_, found)) = delimiter {
            return Fault { at: start, problem: Problem::Delimiter { expected: "blanks or tabs", found } };
        }
        cursor.at = fault.at;
        match cursor.at_line_end() || self.comments.contains(cursor.peek()) {
            true => self.miscounted(text, start, fault.at),
            false => fault,
        }
    }
}

/// Returns whether an integer of `length` digits has leading zeros, which are refused except in formats that define
/// numbers.
#[inline(always)]
pub(super) fn has_zeros(text: &[u8], length: usize) -> bool {
    text[0] == b'0' && length > 1
}

/// Parses a line that consists of only two numbers separated by one blank. Returns the numbers and the length of the
/// line.
#[inline(always)]
fn plain_line(text: &[u8]) -> Option<(u64, u64, usize)> {
    let (src, first) = leading_integer(text);
    let rest = text.get(first + 1..).filter(|_| matches!(text[first], b' ' | b'\t'))?;
    let (dst, second) = leading_integer(rest);
    match (src, dst, rest.get(second)) {
        (Some(src), Some(dst), Some(b'\n')) if !has_zeros(text, first) && !has_zeros(rest, second) => {
            Some((src, dst, first + second + 2))
        }
        _ => None,
    }
}
