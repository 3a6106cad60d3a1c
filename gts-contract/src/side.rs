//! The two topologies of a graph.

/// A topology of a graph: the edges, listed by source or by target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Side {
    /// The out-edges, listed by source.
    Out,
    /// The in-edges, listed by target.
    In,
}

impl Side {
    /// Returns the other side.
    pub const fn opposite(self) -> Self {
        match self {
            Self::Out => Self::In,
            Self::In => Self::Out,
        }
    }
}
