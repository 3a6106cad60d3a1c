//! Run-time errors in kernel bodies.

use crate::error::Error;
use gts_contract::KernelDescriptor;
use gts_core::graph::{Graph, Vertex};
use std::fmt;

/// The bits of a vertex number in [`Fault::prefix`].
const PREFIX_BITS: u32 = 48;

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
        let of = |v: u64| if v < graph.num_vertices() { graph.original(Vertex::from_dense(v)) } else { v };
        Self { src: of(self.src), dst: of(self.dst) }
    }
}

impl fmt::Display for FaultPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.dst {
            Self::NO_EDGE => write!(f, "vertex {}", self.src),
            dst => write!(f, "src {}, dst {dst}", self.src),
        }
    }
}

/// A run-time error that a body has reported. Faults are ordered by their place in the source, then by the vertex or
/// edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fault {
    /// The index of the error's source location in the kernel's `error_sites`, which are in the order of the source.
    pub site: u32,
    /// The vertex or edge, by dense numbers.
    pub place: FaultPlace,
    /// The value that caused the error, such as an index out of bounds.
    pub value: i64,
}

impl Fault {
    /// Returns the site and the source vertex as one number, in the order of faults. Large sites and numbers may share
    /// a prefix.
    pub(super) fn prefix(self) -> u64 {
        let largest = (1 << PREFIX_BITS) - 1;
        u64::from(self.site).min(u64::from(u16::MAX)) << PREFIX_BITS | self.place.src.min(largest)
    }

    /// Converts the fault to the error that the run returns.
    pub fn error(self, kernel: &'static KernelDescriptor) -> Error {
        let Self { site, place, value } = self;
        Error::Fault { kernel: kernel.name, site: kernel.error_sites[site as usize], place, value }
    }
}
