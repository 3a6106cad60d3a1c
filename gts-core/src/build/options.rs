//! Options of a build.

use crate::graph::VertexOrder;
use crate::page::IdWidth;
use crate::stream::Direction;
use gts_contract::ScalarType;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use thiserror::Error;

/// Receives the progress of a long operation.
pub type ProgressFn = Arc<dyn Fn(Progress) + Send + Sync>;

/// The order that a build gives the vertices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OrderChoice {
    /// By degree. The original order is kept if degrees differ little, or if neighbours in a sample of lists lie much
    /// closer together in it. The choice depends only on the graph.
    Auto,
    /// The given order.
    Given(VertexOrder),
}

/// A word that is not a vertex order.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0:?} is no vertex order: write auto, original, random, random:SEED, degree or layers:ROOT")]
pub struct UnknownOrderChoice(pub String);

impl OrderChoice {
    /// Returns whether vertices may be ordered by degree.
    pub fn may_be_degree(self) -> bool {
        matches!(self, Self::Auto | Self::Given(VertexOrder::Degree))
    }

    /// Returns the order of the vertices; `chosen` is the order chosen for the graph. A build from edges cannot inherit
    /// an order, and keeps the original one.
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

/// Options of a build. The default keeps everything in the input.
#[derive(Clone, Default)]
pub struct BuildOptions {
    /// Bytes of a page: a power of two from 256 bytes to 64 MiB, at least 4 KiB for a store on disk. If not given,
    /// [`DEFAULT_PAGE_SIZE`](crate::page::DEFAULT_PAGE_SIZE). Except in order of degree, pages are smaller, down to
    /// [`LEAST_DEFAULT_PAGE_SIZE`](crate::page::LEAST_DEFAULT_PAGE_SIZE), if slot numbers run out long before a page of
    /// the default size is full and smaller pages take less memory.
    pub page_size: Option<u32>,
    /// Width of the record IDs; the smallest that is wide enough if not given.
    pub width: Option<IdWidth>,
    /// Order of the vertices.
    pub order: OrderChoice,
    /// Whether to store the in-edges as a second topology.
    pub in_edges: bool,
    /// Whether to add the reverse of each edge if the input lacks it. Edges are stored both ways, and of several edges
    /// between the same vertices the one with the smallest value is kept.
    pub symmetrise: bool,
    /// Whether to read each edge as undirected, which stores it both ways.
    pub undirected: bool,
    /// Whether to drop edges from a vertex to itself.
    pub drop_self_loops: bool,
    /// Whether to keep one of several edges between the same vertices: the one with the smallest value.
    pub drop_duplicates: bool,
    /// Type that the edge values are converted to; the type in the input if not given.
    pub value_type: Option<ScalarType>,
    /// Memory limit in bytes. The build fails early if the limit does not suffice.
    pub memory: Option<u64>,
    /// Callback that receives the progress.
    pub progress: Option<ProgressFn>,
}

impl BuildOptions {
    /// Returns whether a build of a stream with this meaning adds the reverse of each edge.
    pub(crate) fn adds_reverses(&self, direction: Direction) -> bool {
        let undirected = self.undirected && direction != Direction::Symmetric;
        undirected || self.symmetrise || matches!(direction, Direction::Undirected | Direction::Symmetrised)
    }
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

/// Progress of a build.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The current phase.
    pub phase: Phase,
    /// Work done in this phase.
    pub done: u64,
    /// Total work of this phase, if known.
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

    /// Returns the name of the phase, in one word.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Renumber => "renumber",
            Self::Sort => "sort",
            Self::Pages => "pages",
        }
    }
}
