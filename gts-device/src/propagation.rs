//! The choice between pushing and pulling values along edges.

use crate::error::{Error, Result};
use std::str::FromStr;

/// The choice between pushing and pulling. If a pass pushes, the source of each edge writes to the target. If a pass
/// pulls, the target reads from the source.
///
/// Two kinds of kernels have a pushing and a pulling form: scans that merge values at `dst` without reading them, and
/// traversals that write and activate only at `dst`. A pulling kernel walks the opposite topology: the in-edges, or the
/// out-edges for a kernel over in-edges. The graph must have this topology, which a symmetric graph always has. A
/// traversal pulls in steps with many active edges, because searching the lists of inactive vertices for active
/// neighbours is then less work than pushing. A pulling traversal skips vertices that a condition in the body excludes,
/// and leaves a list as soon as the list's vertex is excluded (S. Beamer, K. Asanović, D. Patterson:
/// Direction-optimizing breadth-first search, SC 2012).
///
/// By default, a device pulls in traversals that leave lists early. The CPU also pulls in steps that add to the reached
/// vertices' values, because pushing needs an atomic update per edge. A GPU also pulls in traversals that walk whole
/// lists, if the graph is symmetric or the kernel walks edges in both directions, because pulling then needs no further
/// pages. A GPU pulls in a step if [`gts_core::cost::Ways`] predicts that pulling is faster, and if the pages of the
/// opposite topology fit into device memory in addition to the loaded pages. Devices that share a pass pull only if
/// each of them would pull. In a shared scan, a device can also stream the pages along which it pulls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Propagation {
    /// Lets the device choose.
    #[default]
    Auto,
    /// The source writes. A pass performs one write per edge.
    Push,
    /// The target reads, if the kernel has a pulling form. A pass performs one read per edge and one write per vertex.
    /// A device that does not implement pulling pushes instead.
    Pull,
    /// Like [`Propagation::Pull`], but a scan computes the source's contribution at each edge. `Pull` instead computes
    /// the contribution once per source, before the walk. `Pull` needs memory per vertex, but avoids repeated reads and
    /// arithmetic at the edges. The two forms are Algorithms 2 and 5 (`NoDiv`) of M. Verstraaten, A. L. Varbanescu, C.
    /// de Laat: Quantifying the performance impact of graph structure on neighbour iteration strategies for PageRank,
    /// Euro-Par 2015. For traversals, the two variants are equivalent: a pulling traversal always reads the source at
    /// each edge.
    PullAtEdge,
}

impl Propagation {
    /// All variants.
    pub const ALL: [Self; 4] = [Self::Auto, Self::Push, Self::Pull, Self::PullAtEdge];

    /// Returns the name that the command line uses.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Push => "push",
            Self::Pull => "pull",
            Self::PullAtEdge => "pull-at-edge",
        }
    }

    /// Returns whether the choice requires pulling from every kernel that can pull.
    pub const fn pulls(self) -> bool {
        matches!(self, Self::Pull | Self::PullAtEdge)
    }

    /// Returns the binding choice for a pass that pulls or pushes, as given by `pulls`.
    pub const fn decided(self, pulls: bool) -> Self {
        match (pulls, self) {
            (false, _) => Self::Push,
            (true, Self::PullAtEdge) => Self::PullAtEdge,
            (true, _) => Self::Pull,
        }
    }
}

impl FromStr for Propagation {
    type Err = Error;

    /// Parses the name that the command line uses.
    fn from_str(text: &str) -> Result<Self> {
        let found = Self::ALL.into_iter().find(|choice| choice.name() == text);
        let names = || Self::ALL.map(Self::name).join(", ");
        found.ok_or_else(|| Error::argument(format_args!("propagation `{text}`"), format_args!("expected {}", names())))
    }
}
