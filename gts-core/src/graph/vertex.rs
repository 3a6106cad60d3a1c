//! The numbers of vertices and pages.

use bytemuck::{Pod, Zeroable};
use std::fmt;

/// A vertex of a graph, by its dense number: 0 to the number of vertices - 1. It does not print itself, because people
/// know vertices by their original IDs, which [`Graph::original`](crate::graph::Graph::original) returns.
///
/// ```compile_fail
/// println!("{}", gts_core::graph::Vertex::from_dense(0));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, Zeroable)]
pub struct Vertex(u64);

impl Vertex {
    /// The vertex of a dense number. What takes vertices checks that the graph has it.
    #[inline]
    pub const fn from_dense(number: u64) -> Self {
        Self(number)
    }

    /// The dense number.
    #[inline]
    pub const fn dense(self) -> u64 {
        self.0
    }

    /// The dense number as an index.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A dense vertex number as the value of an attribute; [`VertexId::UNREACHED`] is none.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, Pod, Zeroable)]
#[repr(transparent)]
pub struct VertexId(pub u64);

impl VertexId {
    /// No vertex.
    pub const UNREACHED: Self = Self(u64::MAX);
}

impl From<Vertex> for VertexId {
    fn from(vertex: Vertex) -> Self {
        Self(vertex.dense())
    }
}

impl fmt::Display for VertexId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::UNREACHED { f.write_str("none") } else { write!(f, "{}", self.0) }
    }
}

/// The number of a page in its topology.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct PageId(pub u32);

impl fmt::Display for PageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "page {}", self.0)
    }
}
