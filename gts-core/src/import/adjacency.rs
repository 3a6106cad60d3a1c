//! Imports adjacency lists: `vertex neighbour neighbour …` on each line, as written by NetworkX.
//!
//! Each neighbour is the target of an edge from the vertex. A line may list any number of neighbours, even none, and a vertex
//! may have several lines. There are no weights. Lines that begin with `#` are comments, and a `#` after the neighbours also
//! begins a comment.

use super::blocks::{Block, Blocks};
use super::key_kind::kind_of;
use super::keys::{KeyReader, Numbers, Others};
use super::parts::FileStream;
use super::scan::{Cursor, Fault, Signs};
use super::text::{Lines, Piece, TextStream};
use super::value::{Reading, Seen};
use super::{ImportError, ImportOptions, Weights};
use crate::build::{Declared, Direction};
use crate::graph::KeyKind;

const COMMENT: Signs = Signs::of(b"#");

/// Opens adjacency lists as a stream of edges.
pub(super) fn open(
    mut blocks: Blocks,
    mut block: Block,
    options: &ImportOptions,
) -> Result<Box<dyn FileStream>, ImportError> {
    let at = blocks.seek(&mut block, |cursor| cursor.next_data_line(COMMENT))?;
    if matches!(options.weights, Weights::As(_)) {
        let problem = "an adjacency list has no weights".into();
        let advice = "leave --weights out, or give `--weights 1`, which gives every edge weight 1".into();
        return Err(ImportError::Misfit { path: blocks.path().into(), line: block.line(at), problem, advice });
    }
    let mut cursor = Cursor { text: block.rest(), at };
    let mut word = || {
        cursor.skip_blanks();
        String::from_utf8_lossy(cursor.word()).into_owned()
    };
    let ends = [word(), word()];
    let keys = options.keys.unwrap_or_else(|| kind_of(ends.each_ref().map(String::as_str)));
    let direction = options.direction(Direction::Directed);
    let declared = Declared { keys, direction, lists_vertices: true, ..Declared::default() };
    let is_empty = ends[0].is_empty();
    let stream = TextStream::new(blocks, block, Lists { keys }, Reading::None, declared, Seen::default());
    let columns = if is_empty { "" } else { "lists of neighbours" };
    Ok(Box::new(stream.with_columns(columns.into())))
}

struct Lists {
    keys: KeyKind,
}

impl Lines for Lists {
    fn parse(&self, text: &[u8], _row: u64, piece: &mut Piece) -> Result<(), Fault> {
        match self.keys {
            KeyKind::Number => parse_by(Numbers { defined: false }, text, piece),
            kind => parse_by(Others(kind), text, piece),
        }
    }
}

#[inline]
fn parse_by(keys: impl KeyReader, text: &[u8], piece: &mut Piece) -> Result<(), Fault> {
    let mut cursor = Cursor::new(text);
    while cursor.next_data_line(COMMENT) {
        let vertex = keys.word(&mut cursor, &mut piece.edges)?;
        cursor.skip_blanks();
        let edges = piece.edges.src.len();
        while !cursor.at_line_end() && !COMMENT.contains(cursor.peek()) {
            let neighbour = keys.word(&mut cursor, &mut piece.edges)?;
            piece.push(vertex, neighbour);
            cursor.skip_blanks();
        }
        if edges == piece.edges.src.len() {
            piece.edges.vertices.push(vertex);
        }
        cursor.next_line();
    }
    Ok(())
}
