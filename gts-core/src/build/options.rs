//! The options of a build.

use crate::advice::{Advice, Explain};
use crate::graph::VertexOrder;
use crate::page::IdWidth;
use crate::stream::Direction;
use gts_contract::ScalarType;
use gts_contract::language::Code;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use thiserror::Error;

/// A callback that receives the progress of a long operation.
pub type ProgressFn = Arc<dyn Fn(Progress) + Send + Sync>;

/// The choice of the vertex order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OrderChoice {
    /// Degree order, or the original order if degrees vary little or if neighbours in sampled lists are much closer in
    /// the original order. The choice depends only on the graph.
    Auto,
    /// The given vertex order.
    Given(VertexOrder),
}

/// The error for a word that does not name a vertex order.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0:?} is no vertex order: write auto, original, random, random:SEED, degree or layers:ROOT")]
pub struct UnknownOrderChoice(pub String);

impl Explain for UnknownOrderChoice {
    fn code(&self) -> Code {
        Code::UnknownOrder
    }

    fn advice(&self) -> Option<Advice> {
        None
    }
}

impl OrderChoice {
    /// Returns whether the build may choose degree order.
    pub fn may_be_degree(self) -> bool {
        matches!(self, Self::Auto | Self::Given(VertexOrder::Degree))
    }

    /// Returns the vertex order. `chosen` is the order that the build has chosen for the graph. A build from edges
    /// cannot inherit an order, and uses the original order instead.
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

/// The options of a build. By default, all edges of the input are kept.
#[derive(Clone, Default)]
pub struct BuildOptions {
    /// Bytes per page: a power of two from 256 bytes to 64 MiB, and at least 4 KiB for a store on disk. The default is
    /// [`DEFAULT_PAGE_SIZE`](crate::page::DEFAULT_PAGE_SIZE). A graph that fits in a smaller page gets the smallest page
    /// that holds it, of at least 4 KiB. Except in degree order, the default is also reduced, down to
    /// [`LEAST_DEFAULT_PAGE_SIZE`](crate::page::LEAST_DEFAULT_PAGE_SIZE), if slot numbers run out long before a page is
    /// full and smaller pages save memory.
    pub page_size: Option<u32>,
    /// The width of the record IDs; `None` selects the smallest sufficient width.
    pub width: Option<IdWidth>,
    /// The order in which vertices are numbered.
    pub order: OrderChoice,
    /// Whether to store the in-edges as a second topology.
    pub in_edges: bool,
    /// Whether to add reverse edges that the input lacks. Edges are then stored in both directions. Of several edges
    /// between the same vertices, the one with the smallest value is kept.
    pub symmetrise: bool,
    /// Whether edges of the input are undirected, so that each is stored in both directions.
    pub undirected: bool,
    /// Whether to drop edges from a vertex to itself.
    pub drop_self_loops: bool,
    /// Whether to drop duplicate edges. Of several edges between the same vertices, the one with the smallest value is
    /// kept.
    pub drop_duplicates: bool,
    /// The type to which edge values are converted; `None` keeps the type of the input.
    pub value_type: Option<ScalarType>,
    /// The accepted types of edge values, in order of preference; empty if all types are accepted. Values of any other
    /// type are converted to f64 if it is accepted, and to the first type otherwise, with a note.
    pub accepted_values: &'static [ScalarType],
    /// Memory limit in bytes. The build fails early if the limit is too small.
    pub memory: Option<u64>,
    /// A callback that receives the progress of the build.
    pub progress: Option<ProgressFn>,
    /// A flag that ends the build. Once another thread has set it, the build fails with
    /// [`BuildError::Interrupted`](super::BuildError::Interrupted) at its next batch or phase.
    pub stop: Option<Arc<AtomicBool>>,
}

impl BuildOptions {
    /// Returns whether a build of a stream with this direction adds the reverse of each edge.
    pub(crate) fn adds_reverses(&self, direction: Direction) -> bool {
        let undirected = self.undirected && direction != Direction::Symmetric;
        undirected || self.symmetrise || matches!(direction, Direction::Undirected | Direction::Symmetrised)
    }
}

impl BuildOptions {
    /// Returns the type in which values of type `found` are stored.
    pub(super) fn stored_type(&self, found: ScalarType) -> ScalarType {
        let accepted = self.accepted_values;
        match accepted.first() {
            Some(_) if accepted.contains(&found) => found,
            Some(_) if accepted.contains(&ScalarType::F64) => ScalarType::F64,
            Some(&first) => first,
            None => found,
        }
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
            .field("accepted_values", &self.accepted_values)
            .field("memory", &self.memory)
            .finish_non_exhaustive()
    }
}

/// The progress of a build.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The current phase.
    pub phase: Phase,
    /// The amount of work completed in this phase.
    pub done: u64,
    /// The total amount of work in this phase, if known.
    pub total: Option<u64>,
}

/// A phase of a build.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    /// Reading edges from the stream.
    Read,
    /// Collecting the original IDs and numbering the vertices.
    Renumber,
    /// Sorting edges by source and target.
    Sort,
    /// Laying out and filling pages.
    Pages,
}

impl Phase {
    /// All phases, in order.
    pub const ALL: [Self; 4] = [Self::Read, Self::Renumber, Self::Sort, Self::Pages];

    /// Returns the phase's name as a single word.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Renumber => "renumber",
            Self::Sort => "sort",
            Self::Pages => "pages",
        }
    }
}
