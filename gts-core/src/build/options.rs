//! How a graph is built.

use crate::graph::VertexOrder;
use crate::page::IdWidth;
use gts_contract::ScalarType;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use thiserror::Error;

/// Receives news of a long operation.
pub type ProgressFn = Arc<dyn Fn(Progress) + Send + Sync>;

/// Which order a build gives the vertices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OrderChoice {
    /// By degree, or the original one where degrees differ little, or where a sample of lists shows that neighbours then
    /// lie much nearer to one another. The graph alone decides.
    Auto,
    /// This one.
    Given(VertexOrder),
}

/// A word that names no choice of a vertex order.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0:?} is no vertex order: write auto, original, random, random:SEED, degree or layers:ROOT")]
pub struct UnknownOrderChoice(pub String);

impl OrderChoice {
    /// Whether vertices may come to lie by degree.
    pub fn may_be_degree(self) -> bool {
        matches!(self, Self::Auto | Self::Given(VertexOrder::Degree))
    }

    /// Returns the order of the vertices; `chosen` is what the graph leads to. A build from edges cannot inherit an order, and
    /// keeps the original one.
    pub(crate) fn or_chosen(self, chosen: VertexOrder) -> VertexOrder {
        match self {
            Self::Auto => chosen,
            Self::Given(VertexOrder::Inherited) => VertexOrder::Original,
            Self::Given(order) => order,
        }
    }
}

impl Default for OrderChoice {
    fn default() -> Self {
        VertexOrder::default().into()
    }
}

impl From<VertexOrder> for OrderChoice {
    fn from(order: VertexOrder) -> Self {
        Self::Given(order)
    }
}

impl fmt::Display for OrderChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::Given(order) => order.fmt(f),
        }
    }
}

impl FromStr for OrderChoice {
    type Err = UnknownOrderChoice;

    fn from_str(text: &str) -> Result<Self, UnknownOrderChoice> {
        match text {
            "auto" => Ok(Self::Auto),
            _ => text.parse().map(Self::Given).map_err(|_| UnknownOrderChoice(text.to_owned())),
        }
    }
}

/// How a graph is built. The default keeps everything that the input holds.
#[derive(Clone, Default)]
pub struct BuildOptions {
    /// Bytes of a page: a power of two from 256 bytes to 64 MiB; a store on disk needs 4 KiB. If not given,
    /// [`DEFAULT_PAGE_SIZE`](crate::page::DEFAULT_PAGE_SIZE), or down to [`LEAST_DEFAULT_PAGE_SIZE`](crate::page::LEAST_DEFAULT_PAGE_SIZE) where slot
    /// numbers run out long before so large a page is full, and smaller pages take less in all; not in order of degree.
    pub page_size: Option<u32>,
    /// Width of the record IDs; the smallest that serves if not given.
    pub width: Option<IdWidth>,
    /// Order of the vertices.
    pub order: OrderChoice,
    /// Whether to store the in-edges as a second topology.
    pub in_edges: bool,
    /// Whether to add the reverse of each edge where the input lacks it: edges are stored both ways, and of several
    /// between the same vertices one is kept, that of the smallest value.
    pub symmetrise: bool,
    /// Whether to read each edge as undirected, hence store it both ways.
    pub undirected: bool,
    /// Whether to drop edges from a vertex to itself.
    pub drop_self_loops: bool,
    /// Whether to keep one edge of several between the same vertices, that of the smallest value.
    pub drop_duplicates: bool,
    /// Type that the edge values are converted to; as the input has them if not given.
    pub value_type: Option<ScalarType>,
    /// The most bytes that building may take; refused beforehand if they do not suffice.
    pub memory: Option<u64>,
    /// Called from time to time.
    pub progress: Option<ProgressFn>,
}

impl fmt::Debug for BuildOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BuildOptions")
            .field("page_size", &self.page_size)
            .field("width", &self.width)
            .field("order", &self.order)
            .field("in_edges", &self.in_edges)
            .field("symmetrise", &self.symmetrise)
            .field("undirected", &self.undirected)
            .field("drop_self_loops", &self.drop_self_loops)
            .field("drop_duplicates", &self.drop_duplicates)
            .field("value_type", &self.value_type)
            .field("memory", &self.memory)
            .finish_non_exhaustive()
    }
}

/// Where a build is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// What is being done.
    pub phase: Phase,
    /// Work done in this phase.
    pub done: u64,
    /// All work of this phase, where it is known.
    pub total: Option<u64>,
}

/// A part of a build.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    /// Taking edges from the stream.
    Read,
    /// Finding the original IDs and numbering them densely.
    Renumber,
    /// Sorting edges by source and target.
    Sort,
    /// Laying out and filling pages.
    Pages,
}

impl Phase {
    /// Every phase, in order.
    pub const ALL: [Self; 4] = [Self::Read, Self::Renumber, Self::Sort, Self::Pages];

    /// What is being done, in a word.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Renumber => "renumber",
            Self::Sort => "sort",
            Self::Pages => "pages",
        }
    }
}
