//! The input of a build: edges in batches, and their declared properties.

mod error;

pub use error::ImportError;

use gts_contract::ScalarType;
use std::sync::Arc;

/// Edges in original vertex IDs, as columns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EdgeBatch {
    /// Sources.
    pub src: Vec<u64>,
    /// Destinations.
    pub dst: Vec<u64>,
    /// Bits of the edge values in the low bytes; empty if edges have no values.
    pub value: Vec<u64>,
}

/// The vertices of the graph, with or without edges.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum DeclaredVertices {
    /// The vertices that edges name.
    #[default]
    FromEdges,
    /// `count` consecutive IDs from `first`.
    Range {
        /// The smallest ID.
        first: u64,
        /// Number of vertices.
        count: u64,
    },
    /// These IDs, ascending, each once. Shared, because the stream may still need them.
    List(Arc<Vec<u64>>),
}

/// The meaning of a stream's edges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Direction {
    /// Each edge is one arc.
    #[default]
    Directed,
    /// Each edge stands for both arcs, a self-loop for one.
    Undirected,
    /// Both arcs of each edge are in the stream.
    Symmetric,
    /// Each edge stands for both arcs, and the stream may contain both. Of several edges between the same vertices the
    /// one with the smallest value is kept.
    Symmetrised,
}

/// Properties of a stream's edges.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Declared {
    /// Vertices that exist with or without edges.
    pub vertices: DeclaredVertices,
    /// The number of arcs that an edge stands for.
    pub direction: Direction,
    /// Type of the bits in [`EdgeBatch::value`].
    pub value_type: Option<ScalarType>,
    /// The type to store values in unless the options set one. It is final once the stream has ended.
    pub store_as: Option<ScalarType>,
    /// Number of edges, if known.
    pub edges: Option<u64>,
    /// For a rectangular matrix: the number of its rows, which are the first of the vertices.
    pub rows: Option<u64>,
    /// Whether the input has weights that the stream does not read.
    pub unread_weights: bool,
}

/// A source of edges: a file, a generator, or an iterator.
pub trait EdgeStream {
    /// Replaces the content of `batch` with the next edges. Returns `false`, with an empty batch, at the end.
    fn next(&mut self, batch: &mut EdgeBatch) -> Result<bool, ImportError>;
    /// Returns the properties of the edges. While edges are read, only [`Declared::store_as`] changes.
    fn declared(&self) -> Declared;
    /// Returns the work done and, if known, the total: bytes of a file, edges of a generator.
    fn progress(&self) -> (u64, Option<u64>);
    /// Returns notes for the user about how the edges were read, one line each.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }
}

/// Sets every value of a stream's edges to 1, of a type that edge values may have.
pub fn with_ones(stream: Box<dyn EdgeStream>, ty: ScalarType) -> Box<dyn EdgeStream> {
    let bits = match ty {
        ScalarType::F32 => 1f32.to_bits().into(),
        ScalarType::F64 => 1f64.to_bits(),
        _ => 1,
    };
    Box::new(Ones { stream, ty, bits })
}

/// A stream whose edges all have the value 1.
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

/// Adds a note to the notes of a stream.
pub(crate) fn with_note(stream: Box<dyn EdgeStream>, note: String) -> Box<dyn EdgeStream> {
    Box::new(Noted { stream, note })
}

/// A stream with one more note.
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
