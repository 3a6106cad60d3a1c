//! The vertex or edge of a run-time error.

use gts_core::graph::{Graph, Vertex};
use std::fmt;

/// The vertex or edge for which a body has reported a run-time error. Devices store dense vertex numbers; errors that a
/// run returns contain original IDs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FaultPlace {
    /// The vertex of a vertex kernel, or the `src` of an edge.
    pub src: u64,
    /// The `dst` of the edge; [`FaultPlace::NO_EDGE`] in vertex kernels.
    pub dst: u64,
}

impl FaultPlace {
    /// The value of `dst` in vertex kernels.
    pub const NO_EDGE: u64 = u64::MAX;

    /// Creates the place of a body that runs for a vertex.
    #[inline(always)]
    pub fn vertex(v: Vertex) -> Self {
        Self { src: v.dense(), dst: Self::NO_EDGE }
    }

    /// Creates the place of a body that runs for an edge.
    #[inline(always)]
    pub fn edge(src: Vertex, dst: Vertex) -> Self {
        Self { src: src.dense(), dst: dst.dense() }
    }

    /// Returns the place with original IDs instead of the dense numbers of `graph`.
    pub fn original(self, graph: &Graph) -> Self {
        Self { src: original_id(self.src, graph), dst: original_id(self.dst, graph) }
    }
}

/// Returns the original ID of the vertex with this dense number, or the number itself if there is no such vertex.
pub(crate) fn original_id(number: u64, graph: &Graph) -> u64 {
    if number < graph.num_vertices() { graph.original(Vertex::from_dense(number)) } else { number }
}

impl fmt::Display for FaultPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.dst {
            Self::NO_EDGE => write!(f, "vertex {}", self.src),
            dst => write!(f, "src {}, dst {dst}", self.src),
        }
    }
}
