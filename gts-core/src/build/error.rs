//! Why a graph could not be built.

use crate::contract::ScalarType;
use crate::graph::IdMapError;
use crate::import::ImportError;
use crate::page::{FormatError, IdWidth, RvtError};
use crate::store::StoreError;
use crate::units;
use thiserror::Error;

/// Why a graph could not be built.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The stream of edges failed.
    #[error(transparent)]
    Import(#[from] ImportError),
    /// The store, or a temporary file beside it, cannot be written or read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A page format that cannot be.
    #[error(transparent)]
    Format(#[from] FormatError),
    /// An edge of a vertex that was not declared.
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
    #[error("vertex {found} is declared after {previous}: the stream is at fault")]
    DeclaredOrder {
        /// The vertex.
        found: u64,
        /// The one before.
        previous: u64,
    },
    /// A range of declared original IDs that goes beyond 64 bits.
    #[error("{count} vertices are declared from {first} on: their IDs exceed 64 bits; the stream is at fault")]
    DeclaredRange {
        /// The first ID.
        first: u64,
        /// Number of IDs.
        count: u64,
    },
    /// Edges said to come both ways that do not.
    #[error("the input is said to hold each edge both ways, but some come one way only: read it as directed")]
    NotSymmetric,
    /// More vertices than dense numbers of 32 bits.
    #[error("{found} vertices: a graph has {max} at most")]
    TooManyVertices {
        /// Vertices found.
        found: u64,
        /// The limit.
        max: u64,
    },
    /// A vertex of too many edges.
    #[error("vertex {original} has {found} edges: a vertex has {max} at most; drop duplicates")]
    TooManyEdges {
        /// Its original ID.
        original: u64,
        /// Edges found.
        found: u64,
        /// The limit.
        max: u64,
    },
    /// More pages than the record IDs can name.
    #[error("record IDs of {width} bytes name {max} pages, {needed} are needed: choose larger pages or wider IDs")]
    TooManyPages {
        /// The width asked for, or the widest.
        width: IdWidth,
        /// Pages needed.
        needed: u64,
        /// The limit.
        max: u64,
    },
    /// The pages laid out do not cover the vertices.
    #[error("the page table is wrong: {0}")]
    Pages(#[from] RvtError),
    /// The map of original IDs is none.
    #[error("the map of original IDs is wrong: {0}")]
    Ids(#[from] IdMapError),
    /// A value type asked for where edges have no values.
    #[error("values of type {0} are asked for, but the input has none: leave the type out")]
    NoValues(ScalarType),
    /// A value that the type asked for cannot hold.
    #[error("edge {edge}, from {src} to {dst}: value {value} is no {target}: choose another value type")]
    Value {
        /// Number of the edge, from 0.
        edge: u64,
        /// Its source.
        src: u64,
        /// Its target.
        dst: u64,
        /// The value, as text.
        value: String,
        /// The type asked for.
        target: ScalarType,
    },
    /// Columns of a batch that differ in length.
    #[error("a batch of {src} sources, {dst} targets and {value} values: the stream is at fault")]
    Batch {
        /// Number of sources.
        src: usize,
        /// Number of targets.
        dst: usize,
        /// Number of values.
        value: usize,
    },
    /// Too little memory.
    #[error(
        "building takes about {} of memory, {} are allowed; raise the budget (`--memory`)",
        units::bytes(*needed),
        units::bytes(*budget)
    )]
    Budget {
        /// Bytes needed.
        needed: u64,
        /// Bytes allowed.
        budget: u64,
    },
    /// An allocation failed.
    #[error("no memory for {bytes} bytes")]
    Memory {
        /// Bytes asked for.
        bytes: u64,
    },
}
