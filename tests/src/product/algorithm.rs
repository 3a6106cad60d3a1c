//! The algorithms that are tested, and their answers.

/// An algorithm and the type of its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Algorithm {
    /// PageRank in f32.
    PageRankF32,
    /// PageRank in f64.
    PageRankF64,
    /// Levels from the source.
    Bfs,
    /// Distances with f32 weights.
    SsspF32,
    /// Distances with u32 weights.
    SsspU32,
    /// Weakly connected components.
    Wcc,
}

impl Algorithm {
    /// All algorithms.
    pub const ALL: [Self; 6] =
        [Self::PageRankF32, Self::PageRankF64, Self::Bfs, Self::SsspF32, Self::SsspU32, Self::Wcc];

    /// Returns the algorithm's name, including the type of its values.
    pub const fn name(self) -> &'static str {
        match self {
            Self::PageRankF32 => "pagerank-f32",
            Self::PageRankF64 => "pagerank-f64",
            Self::Bfs => "bfs",
            Self::SsspF32 => "sssp-f32",
            Self::SsspU32 => "sssp-u32",
            Self::Wcc => "wcc",
        }
    }
}

/// An answer with one value per vertex, in ascending order of IDs.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Answer {
    RanksF32(Vec<f32>),
    RanksF64(Vec<f64>),
    Levels(Vec<u32>),
    DistancesF32(Vec<f32>),
    DistancesU32(Vec<u32>),
    Components(Vec<u64>),
}
