//! The errors of a build.

use crate::advice::{Advice, ErrorPlace, Explain};
use crate::graph::{IdMapError, Key, KeyKind, MOST_LAYERS};
use crate::memory::NoMemory;
use crate::page::{FormatError, IdWidth, RvtError};
use crate::store::StoreError;
use crate::stream::ImportError;
use crate::units;
use gts_contract::ScalarType;
use gts_contract::language::Code;
use thiserror::Error;

/// The reason why a graph could not be built.
#[derive(Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The stream of edges failed.
    #[error(transparent)]
    Import(#[from] ImportError),
    /// The store, or a temporary file beside it, could not be written or read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The system could not start a thread.
    #[error(transparent)]
    Threads(#[from] crate::threads::NoThreads),
    /// The page format is invalid.
    #[error(transparent)]
    Format(#[from] FormatError),
    /// An edge contains a vertex that was not declared.
    #[error("edge {edge}, from {} to {}: vertex {} is not among those declared", src.shown(), dst.shown(), vertex.shown())]
    Undeclared {
        /// The number of the edge in the input, counted from 0.
        edge: u64,
        /// The key of the edge's source.
        src: Key<'static>,
        /// The key of the edge's target.
        dst: Key<'static>,
        /// The undeclared vertex, which is one of the two.
        vertex: Key<'static>,
    },
    /// The declared original IDs are not in ascending order.
    #[error("vertex {found} is declared after {previous}")]
    DeclaredOrder {
        /// The ID that is out of order.
        found: u64,
        /// The preceding ID.
        previous: u64,
    },
    /// The range of declared original IDs exceeds 64 bits.
    #[error("{count} vertices are declared from {first} on: their IDs exceed 64 bits")]
    DeclaredRange {
        /// The first ID of the range.
        first: u64,
        /// The number of IDs.
        count: u64,
    },
    /// The stream declares the original IDs of vertices, but its keys are not numbers.
    #[error("vertices are declared by number, but keys are {}", keys.plural())]
    DeclaredKeys {
        /// The type of the keys.
        keys: KeyKind,
    },
    /// The edges are declared as symmetric, but they are not.
    #[error("the input is said to hold each edge both ways, but some come one way only")]
    NotSymmetric,
    /// The graph has more vertices than 32-bit dense numbers can identify.
    #[error("{found} vertices: a graph has {max} at most")]
    TooManyVertices {
        /// The number of vertices in the input.
        found: u64,
        /// The maximum number of vertices.
        max: u64,
    },
    /// A vertex has too many edges.
    #[error("vertex {} has {found} edges: a vertex has {max} at most", vertex.shown())]
    TooManyEdges {
        /// The key of the vertex.
        vertex: Key<'static>,
        /// The number of edges of the vertex.
        found: u64,
        /// The maximum number of edges per vertex.
        max: u64,
    },
    /// The graph needs more pages than record IDs can identify.
    #[error("record IDs of {width} bytes name {max} pages, {needed} are needed")]
    TooManyPages {
        /// The requested width, or the widest width if none was requested.
        width: IdWidth,
        /// The number of pages needed.
        needed: u64,
        /// The maximum number of pages with this width.
        max: u64,
    },
    /// The pages of the layout do not cover all vertices.
    #[error("the page table is wrong: {0}")]
    Pages(#[from] RvtError),
    /// The map of original IDs is malformed.
    #[error("the map of original IDs is wrong: {0}")]
    Ids(#[from] IdMapError),
    /// A value type was requested, but the edges have no values.
    #[error("values of type {0} are asked for, but the input has none")]
    NoValues(ScalarType),
    /// A value cannot be represented in the requested type.
    #[error("edge {edge}, from {} to {}: value {value} is no {target}", src.shown(), dst.shown())]
    Value {
        /// The number of the edge in the input, counted from 0.
        edge: u64,
        /// The key of the edge's source.
        src: Key<'static>,
        /// The key of the edge's target.
        dst: Key<'static>,
        /// The value as text.
        value: String,
        /// The requested value type.
        target: ScalarType,
    },
    /// The columns of a batch differ in length.
    #[error("a batch of {src} sources, {dst} targets and {value} values")]
    Batch {
        /// The number of sources.
        src: usize,
        /// The number of targets.
        dst: usize,
        /// The number of values.
        value: usize,
    },
    /// The build needs more memory than its budget.
    #[error(
        "building takes about {} of memory, {} are allowed",
        units::bytes(*needed),
        units::bytes(*budget)
    )]
    Budget {
        /// Bytes needed for the build.
        needed: u64,
        /// The budget in bytes.
        budget: u64,
    },
    /// The root of the layers is not a vertex of the graph.
    #[error("order layers:{root}: there is no vertex {root} to start from")]
    NoRoot {
        /// The original ID of the root.
        root: u64,
    },
    /// Layer order was requested for a graph whose keys are not numbers.
    #[error("order layers:{root}: the keys are {}{}", keys.plural(), if *have_sides { " that have sides" } else { "" })]
    LayersKeys {
        /// The requested root.
        root: u64,
        /// The type of the keys.
        keys: KeyKind,
        /// Whether left and right vertices have keys of their own.
        have_sides: bool,
    },
    /// The graph has more than [`MOST_LAYERS`] layers.
    #[error("order layers:{root}: the search from vertex {root} has more than {MOST_LAYERS} layers")]
    TooManyLayers {
        /// The original ID of the root of the search.
        root: u64,
    },
    /// Layer order was requested for a graph whose edges do not fit in memory.
    #[error("order layers:{root}: the search for layers needs all edges in memory, and {} are allowed", units::bytes(*budget))]
    LayersOnDisk {
        /// The original ID of the root of the search.
        root: u64,
        /// The budget in bytes.
        budget: u64,
    },
    /// The build was stopped by [`BuildOptions::stop`](super::BuildOptions::stop).
    #[error("the build was stopped")]
    Interrupted,
    /// An allocation failed.
    #[error(transparent)]
    Memory(#[from] NoMemory),
}

crate::debug_by_explaining!(BuildError);

impl Explain for BuildError {
    fn code(&self) -> Code {
        match self {
            Self::Import(error) => error.code(),
            Self::Store(error) => error.code(),
            Self::Threads(error) => error.code(),
            Self::Format(error) => error.code(),
            Self::Pages(error) => error.code(),
            Self::Ids(error) => error.code(),
            Self::Memory(error) => error.code(),
            Self::Interrupted => Code::Interrupted,
            Self::Undeclared { .. } => Code::UndeclaredVertex,
            Self::DeclaredOrder { .. } | Self::DeclaredRange { .. } | Self::DeclaredKeys { .. } => Code::DeclaredIds,
            Self::NotSymmetric => Code::NotSymmetric,
            Self::TooManyVertices { .. } => Code::TooManyVertices,
            Self::TooManyEdges { .. } => Code::TooManyEdges,
            Self::TooManyPages { .. } => Code::TooManyPages,
            Self::NoValues(_) => Code::NoValues,
            Self::Value { .. } => Code::UnfitValue,
            Self::Batch { .. } => Code::UnevenBatch,
            Self::Budget { .. } => Code::BuildBudget,
            Self::NoRoot { .. } | Self::LayersKeys { .. } => Code::LayersRoot,
            Self::TooManyLayers { .. } => Code::TooManyLayers,
            Self::LayersOnDisk { .. } => Code::LayersOnDisk,
        }
    }

    fn advice(&self) -> Option<Advice> {
        const STREAM: &str = "correct the stream that the edges come from";
        Some(match self {
            Self::Import(error) => return error.advice(),
            Self::Store(error) => return error.advice(),
            Self::Format(error) => return error.advice(),
            Self::Pages(error) => return error.advice(),
            Self::Ids(error) => return error.advice(),
            Self::Undeclared { .. } => "declare the vertex, or leave the edge out".into(),
            Self::DeclaredOrder { .. }
            | Self::DeclaredRange { .. }
            | Self::DeclaredKeys { .. }
            | Self::Batch { .. } => STREAM.into(),
            Self::NotSymmetric => "correct the input, or read it as directed".into(),
            Self::TooManyVertices { .. } => "build a part of the graph".into(),
            Self::TooManyEdges { .. } => {
                Advice::new("add --drop-duplicates, or split the vertex", "set `drop_duplicates`, or split the vertex")
            }
            Self::TooManyPages { .. } => Advice::new(
                "give a larger --page-size or wider --record-ids",
                "choose a larger `page_size` or a wider `width`",
            ),
            Self::NoValues(_) => Advice::new("leave --weights out", "leave `value_type` out"),
            Self::Value { .. } => Advice::new("choose another type with --weights", "choose another `value_type`"),
            Self::Budget { needed, .. } => units::memory_advice(*needed),
            Self::NoRoot { .. } => Advice::new(
                "give --order layers: and the ID of a vertex that an edge names",
                "name a vertex that the graph has as `root`",
            ),
            Self::TooManyLayers { .. } | Self::LayersKeys { .. } => "choose another order, such as original".into(),
            Self::LayersOnDisk { .. } => Advice::new(
                "give a larger --memory, or another --order",
                "allow more `memory`, or choose another order",
            ),
            Self::Memory(error) => return error.advice(),
            Self::Threads(error) => return error.advice(),
            Self::Interrupted => return None,
        })
    }

    fn place(&self) -> Option<ErrorPlace> {
        match self {
            Self::Import(error) => error.place(),
            Self::Store(error) => error.place(),
            _ => None,
        }
    }
}
