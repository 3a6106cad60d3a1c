//! Errors of a build.

use crate::advice::{Advice, Explain};
use crate::graph::{IdMapError, MOST_LAYERS};
use crate::memory::NoMemory;
use crate::page::{FormatError, IdWidth, RvtError};
use crate::store::StoreError;
use crate::stream::ImportError;
use crate::units;
use gts_contract::ScalarType;
use thiserror::Error;

/// Reason why a graph could not be built.
#[derive(Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The stream of edges failed.
    #[error(transparent)]
    Import(#[from] ImportError),
    /// The store, or a temporary file beside it, cannot be written or read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The system cannot start a thread.
    #[error(transparent)]
    Threads(#[from] crate::threads::NoThreads),
    /// An invalid page format.
    #[error(transparent)]
    Format(#[from] FormatError),
    /// An edge with a vertex that was not declared.
    #[error("edge {edge}, from {src} to {dst}: vertex {vertex} is not among those declared")]
    Undeclared {
        /// Number of the edge, from 0.
        edge: u64,
        /// Its source.
        src: u64,
        /// Its target.
        dst: u64,
        /// The vertex that is not declared.
        vertex: u64,
    },
    /// Declared original IDs that do not ascend.
    #[error("vertex {found} is declared after {previous}")]
    DeclaredOrder {
        /// The vertex.
        found: u64,
        /// The vertex declared before.
        previous: u64,
    },
    /// A range of declared original IDs that goes beyond 64 bits.
    #[error("{count} vertices are declared from {first} on: their IDs exceed 64 bits")]
    DeclaredRange {
        /// The first ID.
        first: u64,
        /// Number of IDs.
        count: u64,
    },
    /// Edges that are declared symmetric but are not.
    #[error("the input is said to hold each edge both ways, but some come one way only")]
    NotSymmetric,
    /// More vertices than 32-bit dense numbers can name.
    #[error("{found} vertices: a graph has {max} at most")]
    TooManyVertices {
        /// Vertices found.
        found: u64,
        /// The limit.
        max: u64,
    },
    /// A vertex with too many edges.
    #[error("vertex {original} has {found} edges: a vertex has {max} at most")]
    TooManyEdges {
        /// Its original ID.
        original: u64,
        /// Edges found.
        found: u64,
        /// The limit.
        max: u64,
    },
    /// More pages than the record IDs can name.
    #[error("record IDs of {width} bytes name {max} pages, {needed} are needed")]
    TooManyPages {
        /// The requested width, or the widest.
        width: IdWidth,
        /// Pages needed.
        needed: u64,
        /// The limit.
        max: u64,
    },
    /// The pages laid out do not cover the vertices.
    #[error("the page table is wrong: {0}")]
    Pages(#[from] RvtError),
    /// The map of original IDs is malformed.
    #[error("the map of original IDs is wrong: {0}")]
    Ids(#[from] IdMapError),
    /// A value type is requested, but edges have no values.
    #[error("values of type {0} are asked for, but the input has none")]
    NoValues(ScalarType),
    /// A value that the requested type cannot represent.
    #[error("edge {edge}, from {src} to {dst}: value {value} is no {target}")]
    Value {
        /// Number of the edge, from 0.
        edge: u64,
        /// Its source.
        src: u64,
        /// Its target.
        dst: u64,
        /// The value, as text.
        value: String,
        /// The requested type.
        target: ScalarType,
    },
    /// Columns of a batch that differ in length.
    #[error("a batch of {src} sources, {dst} targets and {value} values")]
    Batch {
        /// Number of sources.
        src: usize,
        /// Number of targets.
        dst: usize,
        /// Number of values.
        value: usize,
    },
    /// The build needs more memory than is allowed.
    #[error(
        "building takes about {} of memory, {} are allowed",
        units::bytes(*needed),
        units::bytes(*budget)
    )]
    Budget {
        /// Bytes needed.
        needed: u64,
        /// Bytes allowed.
        budget: u64,
    },
    /// A search for layers from a vertex that the graph does not contain.
    #[error("order layers:{root}: there is no vertex {root} to start from")]
    NoRoot {
        /// Its original ID.
        root: u64,
    },
    /// More layers than [`MOST_LAYERS`].
    #[error("order layers:{root}: the search from vertex {root} has more than {MOST_LAYERS} layers")]
    TooManyLayers {
        /// Original ID of the vertex that the search starts from.
        root: u64,
    },
    /// An order by layers for a graph whose edges do not fit in memory.
    #[error("order layers:{root}: the search for layers needs all edges in memory, and {} are allowed", units::bytes(*budget))]
    LayersOnDisk {
        /// Original ID of the vertex that the search would start from.
        root: u64,
        /// Bytes allowed.
        budget: u64,
    },
    /// An allocation failed.
    #[error(transparent)]
    Memory(#[from] NoMemory),
}

crate::debug_by_explaining!(BuildError);

impl Explain for BuildError {
    fn advice(&self) -> Option<Advice> {
        const STREAM: &str = "correct the stream that the edges come from";
        Some(match self {
            Self::Import(error) => return error.advice(),
            Self::Store(error) => return error.advice(),
            Self::Format(_) | Self::Pages(_) | Self::Ids(_) => return None,
            Self::Undeclared { .. } => "declare the vertex, or leave the edge out".into(),
            Self::DeclaredOrder { .. } | Self::DeclaredRange { .. } | Self::Batch { .. } => STREAM.into(),
            Self::NotSymmetric => "correct the input, or read it as directed".into(),
            Self::TooManyVertices { .. } => "build a part of the graph".into(),
            Self::TooManyEdges { .. } => {
                Advice::new("add --drop-duplicates, or split the vertex", "set `drop_duplicates`, or split the vertex")
            }
            Self::TooManyPages { .. } => Advice::new(
                "give a larger --page-size or wider --ids",
                "choose a larger `page_size` or a wider `width`",
            ),
            Self::NoValues(_) => Advice::new("leave --weights out", "leave `value_type` out"),
            Self::Value { .. } => Advice::new("choose another type with --weights", "choose another `value_type`"),
            Self::Budget { needed, .. } => units::memory_advice(*needed),
            Self::NoRoot { .. } => Advice::new(
                "give --order layers: and the ID of a vertex that an edge names",
                "name a vertex that the graph has as `root`",
            ),
            Self::TooManyLayers { .. } => "choose another order, such as original".into(),
            Self::LayersOnDisk { .. } => Advice::new(
                "give a larger --memory, or another --order",
                "allow more `memory`, or choose another order",
            ),
            Self::Memory(error) => return error.advice(),
            Self::Threads(error) => return error.advice(),
        })
    }
}
