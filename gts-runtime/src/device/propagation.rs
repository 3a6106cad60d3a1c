//! Which way values take along edges.

/// Which way values take along an edge: whether its source writes them to its target, or its target reads them.
///
/// Two kinds of kernels have both forms: a scan that merges values at `dst` and reads none of them, and a traversal that writes
/// and activates at `dst` alone. Pulling walks the in-edges, or for a kernel over in-edges the out-edges. The graph must have
/// them, as a symmetric graph always does. A traversal pulls in a step with many active edges: then it is less work to look for
/// active vertices in the lists of the others. It passes over a vertex that a condition of the body excludes, and leaves a list
/// where that happens (S. Beamer, K. Asanović, D. Patterson: Direction-optimizing breadth-first search, SC 2012).
///
/// By its own choice a device pulls in traversals that leave lists early; the CPU does so too in steps that add to values
/// of the vertices that they reach, which takes an atomic update an edge where it pushes. A GPU also pulls in
/// traversals that go through whole lists, where the graph is symmetric or the kernel walks edges in both directions: that
/// needs no further pages. It pulls in steps whose active edges make that faster by
/// [`gts_core::cost::Ways`], if the pages to pull along fit into its memory beside those that are there. Several devices pull
/// where all of them would, in a scan also along pages that stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Propagation {
    /// The device's choice.
    #[default]
    Auto,
    /// From the source, for each edge a write.
    Push,
    /// By the target, where the kernel has this form: a read for each edge, a write for each vertex. A device that knows
    /// but one way pushes.
    Pull,
    /// By the target, which finds out at each edge what the source hands out. [`Propagation::Pull`] does so once a source
    /// before a scan, which takes memory for each vertex and saves the reads and the arithmetic of all edges but one. These
    /// are Algorithms 2 and 5 (`NoDiv`) of M. Verstraaten, A. L. Varbanescu, C. de Laat: Quantifying the performance impact
    /// of graph structure on neighbour iteration strategies for PageRank, Euro-Par 2015. A traversal that pulls looks at
    /// its source at each edge in any case.
    PullAtEdge,
}

impl Propagation {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Auto, Self::Push, Self::Pull, Self::PullAtEdge];

    /// Returns the name, as the command line spells it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Push => "push",
            Self::Pull => "pull",
            Self::PullAtEdge => "pull-at-edge",
        }
    }

    /// Returns whether every kernel that can pull must do so.
    pub const fn pulls(self) -> bool {
        matches!(self, Self::Pull | Self::PullAtEdge)
    }

    /// Returns the same choice for a pass that pulls for sure, or for one that pushes.
    pub(crate) const fn decided(self, pulls: bool) -> Self {
        match (pulls, self) {
            (false, _) => Self::Push,
            (true, Self::PullAtEdge) => Self::PullAtEdge,
            (true, _) => Self::Pull,
        }
    }
}
