//! A graph's properties other than its edges.

use crate::advice::{Advice, Explain};
use gts_contract::ScalarType;
use gts_contract::language::Code;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use thiserror::Error;

/// Maximum number of layers in a layer-ordered graph. A store contains a table of the layers.
pub const MOST_LAYERS: usize = 1 << 20;

/// The order in which dense numbers are assigned to original IDs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum VertexOrder {
    /// In ascending order of original IDs.
    #[default]
    Original,
    /// In random order.
    Random {
        /// The seed of the shuffle. The result is the same on all machines.
        seed: u64,
    },
    /// In descending order of the sum of in-degree and out-degree; ties are ordered by original ID. Each block of 1,024
    /// ranks is then transposed as a square of 32 x 32, so that hubs do not share cache lines.
    Degree,
    /// By layer of a breadth-first search along out-edges: the root, then the vertices one edge away, and so on.
    /// Unreached vertices come last. Vertices within a layer are ordered by original ID. This order follows WolfPath's
    /// layered graphs.
    Layers {
        /// The original ID of the search's root.
        root: u64,
    },
    /// In the order of the graph from which this subgraph was taken. Builds never choose this order.
    Inherited,
}

/// The error for a word that does not name a vertex order.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0:?} is no vertex order: write original, random, random:SEED, degree or layers:ROOT")]
pub struct UnknownOrder(pub String);

impl Explain for UnknownOrder {
    fn code(&self) -> Code {
        Code::UnknownOrder
    }

    fn advice(&self) -> Option<Advice> {
        None
    }
}

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
    /// Parses the vertex order in a manifest, which may be `inherited`.
    pub(crate) fn stated(text: &str) -> Option<Self> {
        if text == "inherited" { Some(Self::Inherited) } else { text.parse().ok() }
    }

    /// Returns the order of a subgraph, in which vertices keep their dense numbers.
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

/// The treatment of duplicates or self-loops when the graph was built.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Kept {
    /// The input's duplicates or self-loops were kept.
    #[default]
    Kept,
    /// The input's duplicates or self-loops were dropped.
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

/// The properties of a graph that algorithms and plans rely on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Properties {
    /// The order in which vertices are numbered.
    pub order: VertexOrder,
    /// For layer order: the first vertex of each layer, followed by the first unreached vertex. Empty in other orders.
    pub layers: Arc<[u32]>,
    /// Whether the graph contains the reverse of every edge, with equal values.
    pub symmetric: bool,
    /// Whether every adjacency list is in ascending order. Always true in this version.
    pub sorted: bool,
    /// The treatment of duplicates: repeated edges from one vertex to another.
    pub duplicates: Kept,
    /// The treatment of edges from a vertex to itself.
    pub self_loops: Kept,
    /// The number of edges from a vertex to itself.
    pub num_self_loops: u64,
    /// The largest out-degree.
    pub largest_out_degree: u32,
    /// The largest in-degree.
    pub largest_in_degree: u32,
    /// The type of the edge values; `None` if edges have no values.
    pub value_type: Option<ScalarType>,
    /// The number of rows of a bipartite graph. Rows are the first vertices in ascending order of original IDs, and
    /// columns are the remaining vertices.
    pub bipartite_rows: Option<u64>,
}

impl Properties {
    /// Returns the number of undirected edges in a symmetric graph with `arcs` directed edges; `None` for a directed
    /// graph. A self-loop is a single arc. Any other undirected edge consists of two arcs.
    pub fn undirected_edges(&self, arcs: u64) -> Option<u64> {
        self.symmetric.then_some((arcs + self.num_self_loops) / 2)
    }
}
