//! The direction in which values travel along edges.

/// The direction in which values travel along an edge: the source writes them to its target, or the target reads them.
///
/// Two kinds of kernels have both forms: a scan that merges values at `dst` and reads none of them, and a traversal
/// that writes and activates only at `dst`. Pulling walks the in-edges, or the out-edges for a kernel over in-edges.
/// The graph must have them, and a symmetric graph always does. A traversal pulls in steps with many active edges,
/// because looking for active vertices in the lists of the others is less work then. It skips a vertex that a condition
/// of the body excludes, and leaves a list as soon as the vertex is excluded (S. Beamer, K. Asanović, D. Patterson:
/// Direction-optimizing breadth-first search, SC 2012).
///
/// By default a device pulls in traversals that leave lists early. The CPU also pulls in steps that add to values of
/// the vertices that they reach, because pushing takes an atomic update per edge. A GPU also pulls in traversals that
/// walk whole lists, if the graph is symmetric or the kernel walks edges in both directions: no further pages are
/// needed. It pulls in steps with enough active edges to make pulling faster by [`gts_core::cost::Ways`], if the pages
/// to pull along fit into its memory beside those already there. Several devices pull if all of them would, in a scan
/// also along pages that stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Propagation {
    /// The device's choice.
    #[default]
    Auto,
    /// From the source: a write per edge.
    Push,
    /// By the target, if the kernel has this form: a read per edge and a write per vertex. A device without this form
    /// pushes.
    Pull,
    /// By the target, which evaluates at each edge what the source contributes. [`Propagation::Pull`] does so once per
    /// source before a scan. This takes memory per vertex and saves the reads and the arithmetic of all edges but one.
    /// These are Algorithms 2 and 5 (`NoDiv`) of M. Verstraaten, A. L. Varbanescu, C. de Laat: Quantifying the
    /// performance impact of graph structure on neighbour iteration strategies for PageRank, Euro-Par 2015. A traversal
    /// that pulls reads its source at each edge in any case.
    PullAtEdge,
}

impl Propagation {
    /// All choices.
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

    /// Returns the same choice for a pass that is known to pull or to push.
    pub const fn decided(self, pulls: bool) -> Self {
        match (pulls, self) {
            (false, _) => Self::Push,
            (true, Self::PullAtEdge) => Self::PullAtEdge,
            (true, _) => Self::Pull,
        }
    }
}
