//! Graphs to be written: what is known before their edges, and the edges.

use crate::cell::Cell;
use crate::error::Failure;
use crate::vertex_key;
use gts_graph::Result;
use gts_graph::contract::ScalarType;
use gts_graph::core::build::{DeclaredVertices, EdgeBatch};
use gts_graph::core::graph::{IdMap, KeyKind, Vertex};
use gts_graph::core::page::EdgeValue;
use gts_graph::core::store::StoreError;
use gts_graph::prelude::Graph;

/// Edges per batch of a graph.
const BATCH: usize = 1 << 18;

/// What is known of a graph before its edges are read.
pub(crate) struct GraphContents<'a> {
    pub(crate) vertices: Vertices<'a>,
    /// The type of the vertices' keys.
    pub(crate) keys: KeyKind,
    /// Whether there may be vertices without edges.
    pub(crate) has_isolated: bool,
    /// Whether a row represents both arcs of an edge.
    pub(crate) is_undirected: bool,
    /// The number of rows, if known.
    pub(crate) edges: Option<u64>,
    /// The type of the values of edges.
    pub(crate) value_type: Option<ScalarType>,
    /// The number of rows of a rectangular matrix, whose vertices are the first ones.
    pub(crate) matrix_rows: Option<u64>,
}

/// The vertices of a graph.
#[derive(Clone)]
pub(crate) enum Vertices<'a> {
    /// Those of a graph.
    Graph(&'a IdMap),
    /// Those that a file declares.
    Declared(DeclaredVertices),
}

impl Vertices<'_> {
    /// Returns the number of vertices, if it is known.
    pub(crate) fn len(&self) -> Option<u64> {
        match self {
            Self::Graph(ids) => Some(ids.len()),
            Self::Declared(DeclaredVertices::FromEdges) => None,
            Self::Declared(DeclaredVertices::Range { count, .. }) => Some(*count),
            Self::Declared(DeclaredVertices::List(list)) => Some(list.len() as u64),
        }
    }

    /// Returns the key of an end in a batch of edges between these vertices, whose keys have the given type.
    pub(crate) fn cell<'b>(&self, keys: KeyKind, batch: &'b EdgeBatch, end: u64) -> Result<Cell<'b>> {
        match self {
            Self::Graph(ids) => vertex_key::of_original(ids, end),
            Self::Declared(_) => Ok(vertex_key::of_key(batch.key(keys, end))),
        }
    }

    /// Returns the side of an end; `None` if keys have no sides.
    pub(crate) fn side(&self, end: u64) -> Option<&'static str> {
        match self {
            Self::Graph(ids) => ids.side(end),
            Self::Declared(_) => None,
        }
    }

    /// Returns whether keys have sides.
    pub(crate) fn has_sides(&self) -> bool {
        matches!(self, Self::Graph(ids) if ids.has_sides())
    }

    /// Returns the rank of a declared vertex.
    pub(crate) fn rank(&self, original: u64) -> Option<usize> {
        match self {
            Self::Declared(DeclaredVertices::Range { first, count }) => {
                original.checked_sub(*first).filter(|rank| rank < count).map(|rank| rank as usize)
            }
            Self::Declared(DeclaredVertices::List(list)) => list.binary_search(&original).ok(),
            Self::Graph(_) | Self::Declared(DeclaredVertices::FromEdges) => None,
        }
    }

    /// Returns the original ID of a rank.
    pub(crate) fn original(&self, rank: u64) -> Option<u64> {
        match self {
            Self::Graph(ids) => ids.original_of_rank(rank),
            Self::Declared(DeclaredVertices::FromEdges) => None,
            Self::Declared(DeclaredVertices::Range { first, count }) => (rank < *count).then(|| first + rank),
            Self::Declared(DeclaredVertices::List(list)) => list.get(rank as usize).copied(),
        }
    }
}

/// A source of edges between original IDs.
pub(crate) trait EdgeSource {
    /// Replaces the contents of `batch` with the next edges. Returns `false` at the end.
    fn next(&mut self, batch: &mut EdgeBatch) -> std::result::Result<bool, Failure>;
}

/// Passes the contents and the edges of a graph to `write`. A symmetric graph has a row per undirected edge if
/// `once`.
pub(crate) fn of_graph<T>(
    graph: &Graph,
    once: bool,
    write: impl FnOnce(&GraphContents<'_>, &mut dyn EdgeSource) -> std::result::Result<T, Failure>,
) -> std::result::Result<T, Failure> {
    let (properties, arcs) = (graph.properties(), graph.num_edges());
    let is_undirected = once && properties.symmetric;
    let degrees = graph.out_degrees().iter().zip(graph.in_degrees());
    let contents = GraphContents {
        vertices: Vertices::Graph(graph.ids()),
        keys: graph.ids().kind(),
        has_isolated: degrees.into_iter().any(|(out, into)| out + into == 0),
        is_undirected,
        edges: if is_undirected { properties.undirected_edges(arcs) } else { Some(arcs) },
        value_type: graph.value_type(),
        matrix_rows: properties.bipartite_rows,
    };
    macro_rules! typed {
        ($type:ty) => {
            // The type of the values was compared before.
            graph
                .weighted_edges::<$type>()
                .map(|edges| write(&contents, &mut GraphEdges { graph, edges, is_undirected }))
        };
    }
    let written = match graph.value_type() {
        None => typed!(()),
        Some(ScalarType::I32) => typed!(i32),
        Some(ScalarType::F32) => typed!(f32),
        Some(ScalarType::U64) => typed!(u64),
        Some(ScalarType::F64) => typed!(f64),
        Some(_) => typed!(u32),
    };
    written.unwrap_or_else(|| Err(Failure::other("the weights have an unknown type", "report it")))
}

/// The edges of a graph.
struct GraphEdges<'a, I> {
    graph: &'a Graph,
    edges: I,
    /// Whether the arc from the smaller ID represents both arcs.
    is_undirected: bool,
}

impl<V: EdgeValue, I: Iterator<Item = std::result::Result<(Vertex, Vertex, V), StoreError>>> EdgeSource
    for GraphEdges<'_, I>
{
    fn next(&mut self, batch: &mut EdgeBatch) -> std::result::Result<bool, Failure> {
        batch.clear();
        while batch.src.len() < BATCH {
            let Some(edge) = self.edges.next() else { break };
            let (src, dst, value) = edge?;
            let (src, dst) = (self.graph.original(src), self.graph.original(dst));
            if self.is_undirected && src > dst {
                continue;
            }
            batch.src.push(src);
            batch.dst.push(dst);
            if V::SCALAR.is_some() {
                batch.value.push(value.to_bits());
            }
        }
        Ok(!batch.src.is_empty())
    }
}
