//! The two topologies of a graph.

/// The end from which edges are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Side {
    /// From their source.
    Out,
    /// From their target.
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
