//! Known properties of a graph besides its edges.

use gts_contract::ScalarType;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use thiserror::Error;

/// Maximum number of layers of a graph in layer order. A store has a table of them.
pub const MOST_LAYERS: usize = 1 << 20;

/// The relation of dense numbers and original IDs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum VertexOrder {
    /// Ascending original ID.
    #[default]
    Original,
    /// Shuffled.
    Random {
        /// Seed of the shuffle. The result is the same on all machines.
        seed: u64,
    },
    /// Descending sum of in- and out-degree, ties by original ID. Every 1,024 ranks are then transposed as a square of
    /// 32 x 32, so that hubs share no cache line.
    Degree,
    /// Layers of a breadth-first search along out-edges: the root, the vertices one edge away, and so on, and finally
    /// the unreached vertices. Within a layer by ascending original ID. Follows WolfPath's layered graphs.
    Layers {
        /// Original ID of the start vertex of the search.
        root: u64,
    },
    /// The order of the graph that this is a subgraph of. No build chooses it.
    Inherited,
}

/// A word that is not a vertex order.
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

/// The treatment of a kind of edges when the graph was built.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Kept {
    /// The graph has those of the input.
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

/// Facts about a graph that algorithms and plans rely on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Properties {
    /// The numbering of the vertices.
    pub order: VertexOrder,
    /// In layer order, the first vertex of each layer and, last, the first unreached vertex; otherwise empty.
    pub layers: Arc<[u32]>,
    /// Whether the graph contains the reverse of every edge, with the same value.
    pub symmetric: bool,
    /// Whether each adjacency list is ascending. In this version every list is.
    pub sorted: bool,
    /// Several edges between the same two vertices in one direction.
    pub duplicates: Kept,
    /// Edges from a vertex to itself.
    pub self_loops: Kept,
    /// Number of edges from a vertex to itself.
    pub num_self_loops: u64,
    /// The largest out-degree.
    pub largest_out_degree: u32,
    /// The largest in-degree.
    pub largest_in_degree: u32,
    /// Type of the edge values.
    pub value_type: Option<ScalarType>,
    /// Number of rows of a bipartite graph: its first vertices by ascending original ID. The others are columns.
    pub bipartite_rows: Option<u64>,
}

impl Properties {
    /// Returns the number of undirected edges in a symmetric graph of `arcs` directed edges; `None` for a directed
    /// graph. A self-loop is one arc; any other undirected edge is two.
    pub fn undirected_edges(&self, arcs: u64) -> Option<u64> {
        self.symmetric.then_some((arcs + self.num_self_loops) / 2)
    }
}
