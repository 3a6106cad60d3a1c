//! The input of a build: batches of edges, and the declared properties of the input.

mod error;
#[cfg(test)]
pub(crate) mod keyed;
mod sides;

pub use error::ImportError;
pub(crate) use sides::with_sides;

use crate::graph::{Key, KeyForm, KeyKind, signed_of_number};
use gts_contract::ScalarType;
use std::ops::Range;
use std::sync::Arc;

/// A batch of edges, in columns.
///
/// If keys are names or UUIDs, an end is the place of the key in [`EdgeBatch::text`]. [`EdgeBatch::add_key`] appends a key
/// and returns its place. Unless [`EdgeBatch::keys`] is empty, an end is the index of such a place in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EdgeBatch {
    /// The source of each edge: an original ID, or the place of a key.
    pub src: Vec<u64>,
    /// The target of each edge: an original ID, or the place of a key.
    pub dst: Vec<u64>,
    /// The bytes of keys that are names or UUIDs.
    pub text: Vec<u8>,
    /// The places of keys that several ends share. A key may occur more than once.
    pub keys: Vec<u64>,
    /// Vertices that exist even if no edge has them: original IDs, or places of keys. They count unless the stream
    /// declares its vertices.
    pub vertices: Vec<u64>,
    /// The bits of each edge's value, in the low bytes; empty if edges have no values.
    pub value: Vec<u64>,
}

impl EdgeBatch {
    /// The number of bits of a place that contain the number of bytes of its key, less one. The other bits contain the
    /// start of the key.
    pub const LENGTH_BITS: u32 = 16;

    /// Removes all edges.
    pub fn clear(&mut self) {
        self.src.clear();
        self.dst.clear();
        self.text.clear();
        self.keys.clear();
        self.vertices.clear();
        self.value.clear();
    }

    /// Returns whether the batch contains neither edges nor vertices.
    pub(crate) fn is_empty(&self) -> bool {
        self.src.is_empty() && self.vertices.is_empty()
    }

    /// Appends the bytes of a key, and returns their place. A key has 1 byte to 64 KiB.
    #[inline]
    pub fn add_key(&mut self, key: &[u8]) -> u64 {
        let place = (self.text.len() as u64) << Self::LENGTH_BITS | (key.len() as u64).wrapping_sub(1) & 0xffff;
        self.text.extend_from_slice(key);
        place
    }

    /// Returns the range in [`EdgeBatch::text`] of the key at a place.
    #[inline]
    pub fn key_range(place: u64) -> Range<usize> {
        let start = (place >> Self::LENGTH_BITS) as usize;
        start..start + (place & 0xffff) as usize + 1
    }

    /// Returns the key of an end, if keys have the given type.
    pub fn key(&self, kind: KeyKind, end: u64) -> Key<'_> {
        let place = || if self.keys.is_empty() { Some(end) } else { self.keys.get(end as usize).copied() };
        let bytes = || place().and_then(|place| self.text.get(Self::key_range(place))).unwrap_or_default();
        match kind {
            KeyKind::Number => Key::Number(end),
            KeyKind::Signed => Key::Signed(signed_of_number(end)),
            KeyKind::Uuid => Key::Uuid(bytes().try_into().unwrap_or_default()),
            KeyKind::Text => Key::Text(String::from_utf8_lossy(bytes())),
        }
    }

    /// Appends another batch.
    pub(crate) fn append_ends(&mut self, other: &Self) {
        let moved = (self.text.len() as u64) << Self::LENGTH_BITS;
        self.text.extend_from_slice(&other.text);
        self.src.extend(other.src.iter().map(|place| place + moved));
        self.dst.extend(other.dst.iter().map(|place| place + moved));
        self.vertices.extend(other.vertices.iter().map(|place| place + moved));
    }
}

/// The vertices of the graph, including vertices without edges.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum DeclaredVertices {
    /// The vertices that occur in edges.
    #[default]
    FromEdges,
    /// `count` consecutive IDs from `first`.
    Range {
        /// The smallest ID.
        first: u64,
        /// The number of vertices.
        count: u64,
    },
    /// The given IDs, in ascending order and without duplicates. The list is shared, because the stream may still need
    /// it.
    List(Arc<Vec<u64>>),
}

/// The relation between a stream's edges and the arcs of the graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Direction {
    /// Each edge represents one arc.
    #[default]
    Directed,
    /// Each edge represents both arcs; a self-loop represents one.
    Undirected,
    /// The stream contains both arcs of each edge.
    Symmetric,
    /// Each edge represents both arcs, and the stream may contain an edge in both directions. Of several edges between
    /// the same vertices, the edge with the smallest value is kept.
    Symmetrised,
}

/// The declared properties of a stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Declared {
    /// The vertices of the graph.
    pub vertices: DeclaredVertices,
    /// The relation between the stream's edges and the arcs of the graph.
    pub direction: Direction,
    /// The type of the vertices' keys.
    pub keys: KeyKind,
    /// The type of the bits in [`EdgeBatch::value`]; `None` if edges have no values.
    pub value_type: Option<ScalarType>,
    /// The type in which values are stored if the options do not set a type. The type is final once the stream has
    /// ended.
    pub store_as: Option<ScalarType>,
    /// The number of edges, if known.
    pub edges: Option<u64>,
    /// The number of rows of a rectangular matrix. Rows are the first vertices.
    pub rows: Option<u64>,
    /// The difference between the number and the key of a target, if sources and targets are in two name spaces; `None` if
    /// equal keys are the same vertex. Names and UUIDs have no numbers.
    pub right: Option<u64>,
    /// Whether the input contains weights that the stream does not read.
    pub unread_weights: bool,
    /// Whether [`EdgeBatch::vertices`] may contain vertices.
    pub lists_vertices: bool,
}

impl Declared {
    pub(crate) fn key_form(&self) -> KeyForm {
        KeyForm { kind: self.keys, has_sides: self.right.is_some() }
    }
}

/// A source of edges, such as a file, a generator or an iterator.
pub trait EdgeStream {
    /// Replaces the contents of `batch` with the next edges and vertices. At the end, returns `false` and leaves the batch
    /// empty.
    fn next(&mut self, batch: &mut EdgeBatch) -> Result<bool, ImportError>;
    /// Returns the declared properties. While edges are read, only [`Declared::store_as`] may change.
    fn declared(&self) -> Declared;
    /// Returns the amount of work done and, if known, the total. The unit is bytes for a file, and edges for a
    /// generator.
    fn progress(&self) -> (u64, Option<u64>);
    /// Returns notes for the user about how the edges were read. Each note is one line.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }
}

/// Wraps a stream so that every edge has the value 1. `ty` must be a supported type of edge values.
pub(crate) fn with_ones(stream: Box<dyn EdgeStream>, ty: ScalarType) -> Box<dyn EdgeStream> {
    let bits = match ty {
        ScalarType::F32 => 1f32.to_bits().into(),
        ScalarType::F64 => 1f64.to_bits(),
        _ => 1,
    };
    Box::new(Ones { stream, ty, bits })
}

/// A stream in which all edges have the value 1.
struct Ones {
    stream: Box<dyn EdgeStream>,
    ty: ScalarType,
    bits: u64,
}

impl EdgeStream for Ones {
    fn next(&mut self, batch: &mut EdgeBatch) -> Result<bool, ImportError> {
        let more = self.stream.next(batch)?;
        batch.value.clear();
        batch.value.resize(batch.src.len(), self.bits);
        Ok(more)
    }

    fn declared(&self) -> Declared {
        let ty = Some(self.ty);
        Declared { value_type: ty, store_as: ty, unread_weights: false, ..self.stream.declared() }
    }

    fn progress(&self) -> (u64, Option<u64>) {
        self.stream.progress()
    }

    fn notes(&self) -> Vec<String> {
        self.stream.notes()
    }
}

/// Wraps a stream and appends `note` to its notes.
pub(crate) fn with_note(stream: Box<dyn EdgeStream>, note: String) -> Box<dyn EdgeStream> {
    Box::new(Noted { stream, note })
}

/// A stream with one additional note.
struct Noted {
    stream: Box<dyn EdgeStream>,
    note: String,
}

impl EdgeStream for Noted {
    fn next(&mut self, batch: &mut EdgeBatch) -> Result<bool, ImportError> {
        self.stream.next(batch)
    }

    fn declared(&self) -> Declared {
        self.stream.declared()
    }

    fn progress(&self) -> (u64, Option<u64>) {
        self.stream.progress()
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = self.stream.notes();
        notes.push(self.note.clone());
        notes
    }
}
