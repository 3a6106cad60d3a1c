//! The input of a build: batches of edges, and the declared properties of the input.

mod error;

pub use error::ImportError;

use gts_contract::ScalarType;
use std::sync::Arc;

/// A batch of edges between original IDs, in columns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EdgeBatch {
    /// The source of each edge.
    pub src: Vec<u64>,
    /// The target of each edge.
    pub dst: Vec<u64>,
    /// The bits of each edge's value, in the low bytes; empty if edges have no values.
    pub value: Vec<u64>,
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
    /// The type of the bits in [`EdgeBatch::value`]; `None` if edges have no values.
    pub value_type: Option<ScalarType>,
    /// The type in which values are stored if the options do not set a type. The type is final once the stream has
    /// ended.
    pub store_as: Option<ScalarType>,
    /// The number of edges, if known.
    pub edges: Option<u64>,
    /// The number of rows of a rectangular matrix. Rows are the first vertices.
    pub rows: Option<u64>,
    /// Whether the input contains weights that the stream does not read.
    pub unread_weights: bool,
}

/// A source of edges, such as a file, a generator or an iterator.
pub trait EdgeStream {
    /// Replaces the contents of `batch` with the next edges. At the end, returns `false` and leaves the batch empty.
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
