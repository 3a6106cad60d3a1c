//! What is known of a graph beyond its edges.

use gts_contract::ScalarType;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use thiserror::Error;

/// The most layers of a graph in their order: a store has a table of them.
pub const MOST_LAYERS: usize = 1 << 20;

/// How dense numbers follow from original IDs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum VertexOrder {
    /// Ascending original ID.
    #[default]
    Original,
    /// Shuffled.
    Random {
        /// Seed of the shuffle; the same everywhere.
        seed: u64,
    },
    /// Descending degree, in and out together, ties by original ID; then each 1,024 ranks transposed as a square of
    /// 32 x 32, so that hubs share no cache line.
    Degree,
    /// Layer by layer of a breadth-first search along out-edges: the root, the vertices one edge away, and so on; last those
    /// that the search does not reach. In each layer by ascending original ID. After WolfPath's layered graphs.
    Layers {
        /// Original ID of the vertex that the search starts from.
        root: u64,
    },
    /// As in the graph that this is a subgraph of. No build chooses it.
    Inherited,
}

/// A word that names no vertex order.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0:?} is no vertex order: write original, random, random:SEED, degree or layers:ROOT")]
pub struct UnknownOrder(pub String);

impl fmt::Display for VertexOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Original => f.write_str("original"),
            Self::Random { seed } => write!(f, "random:{seed}"),
            Self::Degree => f.write_str("degree"),
            Self::Layers { root } => write!(f, "layers:{root}"),
            Self::Inherited => f.write_str("inherited"),
        }
    }
}

impl VertexOrder {
    /// Parses the order in a manifest, which may be `inherited`.
    pub(crate) fn stated(text: &str) -> Option<Self> {
        if text == "inherited" { Some(Self::Inherited) } else { text.parse().ok() }
    }

    /// Returns the order of a subgraph, whose vertices keep their numbers.
    pub(crate) fn of_subgraph(self) -> Self {
        if self == Self::Original { self } else { Self::Inherited }
    }
}

impl FromStr for VertexOrder {
    type Err = UnknownOrder;

    fn from_str(text: &str) -> Result<Self, UnknownOrder> {
        let order = match (text, text.split_once(':')) {
            ("original", _) => Some(Self::Original),
            ("degree", _) => Some(Self::Degree),
            ("random", _) => Some(Self::Random { seed: 1 }),
            (_, Some(("random", seed))) => seed.parse().ok().map(|seed| Self::Random { seed }),
            (_, Some(("layers", root))) => root.parse().ok().map(|root| Self::Layers { root }),
            _ => None,
        };
        order.ok_or_else(|| UnknownOrder(text.to_owned()))
    }
}

/// What happened to edges of a kind when the graph was built.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Kept {
    /// Those of the input are in the graph.
    #[default]
    Kept,
    /// The graph has none.
    Dropped,
}

impl fmt::Display for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Kept => "kept",
            Self::Dropped => "dropped",
        })
    }
}

/// Facts about a graph that algorithms and plans stand on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Properties {
    /// How the vertices are numbered.
    pub order: VertexOrder,
    /// In order of layers, the first vertex of each layer and, last, of those that the search does not reach; else empty.
    pub layers: Arc<[u32]>,
    /// Whether with each edge its reverse, of the same value, is in the graph.
    pub symmetric: bool,
    /// Whether each adjacency list ascends; every list of this version does.
    pub sorted: bool,
    /// Several edges from one vertex to the same other.
    pub duplicates: Kept,
    /// Edges from a vertex to itself.
    pub self_loops: Kept,
    /// Number of edges from a vertex to itself.
    pub num_self_loops: u64,
    /// The largest number of edges out of a vertex.
    pub largest_out_degree: u32,
    /// The largest number of edges into a vertex.
    pub largest_in_degree: u32,
    /// Type of the edge values.
    pub value_type: Option<ScalarType>,
    /// Of a bipartite graph: how many vertices, by ascending original ID, are rows; the others are columns.
    pub bipartite_rows: Option<u64>,
}

impl Properties {
    /// Returns the number of undirected edges in a symmetric graph of `arcs` directed edges; `None` for a directed graph. A
    /// self-loop is one arc, and any other undirected edge is two.
    pub fn undirected_edges(&self, arcs: u64) -> Option<u64> {
        self.symmetric.then_some((arcs + self.num_self_loops) / 2)
    }
}
