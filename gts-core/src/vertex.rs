//! Vertex and page numbers, and the errors of malformed ID tables.

use crate::advice::{Advice, Explain};
use crate::memory::NoMemory;
use bytemuck::{Pod, Zeroable};
use gts_contract::language::Code;
use std::fmt;
use thiserror::Error;

/// A vertex of a graph, identified by its dense number: 0 to the number of vertices - 1. The type does not implement
/// `Display`, because users identify vertices by original IDs, which [`Graph::original`](crate::graph::Graph::original)
/// returns.
///
/// ```compile_fail
/// println!("{}", gts_core::graph::Vertex::from_dense(0));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, Zeroable)]
pub struct Vertex(u64);

impl Vertex {
    /// Creates a vertex from a dense number. Functions that receive vertices check that the graph contains them.
    #[inline]
    pub const fn from_dense(number: u64) -> Self {
        Self(number)
    }

    /// Returns the dense number.
    #[inline]
    pub const fn dense(self) -> u64 {
        self.0
    }

    /// Returns the dense number as an array index.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns the vertex as an attribute value.
    #[inline]
    pub const fn id(self) -> VertexId {
        VertexId(self.0)
    }
}

impl From<Vertex> for u64 {
    /// Returns the dense number.
    fn from(vertex: Vertex) -> Self {
        vertex.0
    }
}

/// Fails for [`VertexId::UNREACHED`].
impl TryFrom<VertexId> for Vertex {
    type Error = NoVertex;

    fn try_from(id: VertexId) -> Result<Self, NoVertex> {
        if id == VertexId::UNREACHED { Err(NoVertex) } else { Ok(Self(id.0)) }
    }
}

/// The error of a [`VertexId`] that stands for no vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("UNREACHED stands for no vertex")]
pub struct NoVertex;

impl Explain for NoVertex {
    fn code(&self) -> Code {
        Code::NotAVertex
    }

    fn advice(&self) -> Option<Advice> {
        None
    }
}

/// A dense vertex number as an attribute value, or [`VertexId::UNREACHED`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, Pod, Zeroable)]
#[repr(transparent)]
pub struct VertexId(u64);

impl VertexId {
    /// The value that represents no vertex.
    pub const UNREACHED: Self = Self(u64::MAX);

    /// Creates a value from its bits: the dense number of a vertex, or `u64::MAX` for [`VertexId::UNREACHED`].
    #[inline]
    pub const fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    /// Returns the bits, from which [`VertexId::from_bits`] creates the same value.
    #[inline]
    pub const fn to_bits(self) -> u64 {
        self.0
    }
}

impl From<Vertex> for VertexId {
    fn from(vertex: Vertex) -> Self {
        vertex.id()
    }
}

impl From<VertexId> for u64 {
    /// Returns the dense number; the largest integer for [`VertexId::UNREACHED`].
    fn from(id: VertexId) -> Self {
        id.0
    }
}

impl fmt::Display for VertexId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::UNREACHED { f.write_str("none") } else { write!(f, "{}", self.0) }
    }
}

/// The number of a page within its topology.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct PageId(pub u32);

impl fmt::Display for PageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "page {}", self.0)
    }
}

/// A malformed table of original IDs or of the vertex order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum IdMapError {
    /// There is too little memory to invert the order.
    #[error(transparent)]
    Memory(#[from] NoMemory),
    /// The original IDs are not in ascending order.
    #[error("original ID {found} of rank {rank} does not follow {previous}")]
    Order {
        /// The index in the table.
        rank: u64,
        /// The ID at this index.
        found: u64,
        /// The ID at the previous index.
        previous: u64,
    },
    /// The order is not a permutation.
    #[error("rank {rank} has dense number {found}, which is out of range or taken")]
    Permutation {
        /// The index in the table.
        rank: u64,
        /// The number at this index.
        found: u32,
    },
    /// The order in the table differs from the declared vertex order.
    #[error("rank {rank} has dense number {found}, but {expected} in the order that is stated")]
    Numbering {
        /// The index in the table.
        rank: u64,
        /// The number at this index.
        found: u32,
        /// The number in the declared order.
        expected: u32,
    },
    /// A block of keys is malformed.
    #[error("block {block} of the keys: {problem}")]
    Names {
        /// The number of the block.
        block: u64,
        /// The problem with the block.
        problem: &'static str,
    },
    /// The tables differ in length.
    #[error("{order} dense numbers stand beside {originals} original IDs")]
    Length {
        /// The number of original IDs.
        originals: u64,
        /// The number of entries in the order.
        order: u64,
    },
}

impl Explain for IdMapError {
    fn code(&self) -> Code {
        match self {
            Self::Memory(error) => error.code(),
            Self::Order { .. }
            | Self::Permutation { .. }
            | Self::Numbering { .. }
            | Self::Names { .. }
            | Self::Length { .. } => Code::DamagedTable,
        }
    }

    fn advice(&self) -> Option<Advice> {
        match self {
            Self::Memory(error) => error.advice(),
            Self::Order { .. }
            | Self::Permutation { .. }
            | Self::Numbering { .. }
            | Self::Names { .. }
            | Self::Length { .. } => None,
        }
    }
}
