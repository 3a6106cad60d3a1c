//! The models of section 3.2 as published. They count the memory accesses of one PageRank iteration, and assume that no
//! two accesses overlap.
//!
//! The text of the section contradicts the equations in three places:
//!
//! - "The pull-based implementation performs strictly less work than the edge-based one, as it reduces the number of
//!   reads by 3 * (|E| - |V|)." In the equations, T_pull and T_edge have the same number of reads, 3 |E| + 2 |V|. The
//!   push has 5 |V| reads: 3 (|E| - |V|) fewer than T_pull or T_edge.
//! - "The edge-based implementation performs both the most reads and atomic additions." In the equations, the pull has
//!   the same number of reads, and the push the same number of atomic additions.
//! - The sum for the consolidation contains one read per vertex. The preceding text and the totals contain two reads
//!   per vertex.

use std::ops::Add;

/// The seconds per access of each kind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AccessSeconds {
    /// T_read: seconds per random read.
    pub read: f64,
    /// T_write: seconds per random write.
    pub write: f64,
    /// T_atom: seconds per atomic addition.
    pub atomic: f64,
}

/// The number of accesses of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Accesses {
    /// The number of random reads.
    pub reads: f64,
    /// The number of random writes.
    pub writes: f64,
    /// The number of atomic additions.
    pub atomics: f64,
}

impl Accesses {
    /// Returns the total time of the accesses if they do not overlap.
    pub fn seconds(&self, each: &AccessSeconds) -> f64 {
        self.reads * each.read + self.writes * each.write + self.atomics * each.atomic
    }
}

impl Add for Accesses {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            reads: self.reads + other.reads,
            writes: self.writes + other.writes,
            atomics: self.atomics + other.atomics,
        }
    }
}

/// A PageRank implementation described in the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Implementation {
    /// Algorithm 1: each vertex adds its share to each neighbour.
    Push,
    /// Algorithm 2: each vertex computes and sums its neighbours' shares.
    Pull,
    /// Algorithm 5: each vertex sums shares that the consolidation has computed.
    NoDiv,
    /// Algorithm 3: each thread processes one edge.
    Edge,
}

impl Implementation {
    /// All implementations, in the order of the paper's summary.
    pub const ALL: [Self; 4] = [Self::Push, Self::Pull, Self::NoDiv, Self::Edge];

    /// Returns the name of the implementation's model in the paper.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Push => "T_push",
            Self::Pull => "T_pull",
            Self::NoDiv => "T_NoDiv",
            Self::Edge => "T_edge",
        }
    }

    /// Returns the number of accesses by the kernel that visits neighbours, in a graph with the given numbers of
    /// vertices and edges.
    pub fn kernel(self, vertices: f64, edges: f64) -> Accesses {
        match self {
            Self::Push => Accesses { reads: 3.0 * vertices, writes: 0.0, atomics: edges },
            Self::Pull => Accesses { reads: 3.0 * edges, writes: vertices, atomics: 0.0 },
            Self::NoDiv => Accesses { reads: edges, writes: vertices, atomics: 0.0 },
            Self::Edge => Accesses { reads: 3.0 * edges, writes: 0.0, atomics: edges },
        }
    }

    /// Returns the number of accesses by the consolidation kernel, which runs after the kernel that visits neighbours.
    pub fn consolidation(self, vertices: f64) -> Accesses {
        let reads = match self {
            Self::NoDiv => 4.0,
            Self::Push | Self::Pull | Self::Edge => 2.0,
        };
        Accesses { reads: reads * vertices, writes: 2.0 * vertices, atomics: vertices }
    }

    /// Returns the number of accesses in one PageRank iteration.
    pub fn iteration(self, vertices: f64, edges: f64) -> Accesses {
        self.kernel(vertices, edges) + self.consolidation(vertices)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const EACH: AccessSeconds = AccessSeconds { read: 2.0, write: 3.0, atomic: 7.0 };

    #[test]
    fn kernels_and_consolidations_by_hand() {
        // 10 vertices, 40 edges.
        let kernels = Implementation::ALL.map(|one| one.kernel(10.0, 40.0).seconds(&EACH));
        assert_eq!(kernels, [60.0 + 280.0, 240.0 + 30.0, 80.0 + 30.0, 240.0 + 280.0]);
        let consolidations = Implementation::ALL.map(|one| one.consolidation(10.0).seconds(&EACH));
        assert_eq!(consolidations, [170.0, 170.0, 210.0, 170.0]);
    }

    #[test]
    fn iterations_are_as_the_summary_prints_them() {
        let (v, e) = (1_000_000.0, 2_000_000.0);
        let printed = [
            Accesses { reads: 5.0 * v, writes: 2.0 * v, atomics: v + e },
            Accesses { reads: 3.0 * e + 2.0 * v, writes: 3.0 * v, atomics: v },
            Accesses { reads: e + 4.0 * v, writes: 3.0 * v, atomics: v },
            Accesses { reads: 3.0 * e + 2.0 * v, writes: 2.0 * v, atomics: v + e },
        ];
        assert_eq!(Implementation::ALL.map(|one| one.iteration(v, e)), printed);
    }

    proptest! {
        #[test]
        fn the_push_saves_the_reads_that_the_text_gives_to_the_pull(v in 1u32..1 << 20, e in 1u32..1 << 24) {
            let (v, e) = (f64::from(v), f64::from(e));
            let [push, pull, no_div, edge] = Implementation::ALL.map(|one| one.iteration(v, e));
            prop_assert_eq!(edge.reads - push.reads, 3.0 * (e - v));
            prop_assert_eq!(edge.reads, pull.reads);
            prop_assert_eq!(edge.atomics, push.atomics);
            prop_assert_eq!(pull.reads - no_div.reads, 2.0 * (e - v));
        }
    }
}
