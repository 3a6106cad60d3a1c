//! Numbers of vertices and pages.

use bytemuck::{Pod, Zeroable};
use std::fmt;

/// A vertex of a graph, by its dense number: 0 to the number of vertices - 1. It has no `Display`, because users
/// identify vertices by original IDs, which [`Graph::original`](crate::graph::Graph::original) returns.
///
/// ```compile_fail
/// println!("{}", gts_core::graph::Vertex::from_dense(0));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, Zeroable)]
pub struct Vertex(u64);

impl Vertex {
    /// Creates a vertex from a dense number. Functions that take vertices check that the graph has them.
    #[inline]
    pub const fn from_dense(number: u64) -> Self {
        Self(number)
    }

    /// Returns the dense number.
    #[inline]
    pub const fn dense(self) -> u64 {
        self.0
    }

    /// Returns the dense number as an index.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A dense vertex number as an attribute value; [`VertexId::UNREACHED`] is no vertex.
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
