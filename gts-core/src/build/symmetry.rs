//! Finds out whether each edge has its reverse.

use super::order::mix;
use super::record::Record;
use rayon::prelude::*;

/// The sums of the hashes of edges and of their squares, less those of the edges turned around. Both are zero where the
/// edges, as a set with repetitions, are the same turned around; edges that are not pass once in about 2^128.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct SymmetrySums([u64; 2]);

impl SymmetrySums {
    /// Adds an edge, `src << 32 | dst`, and the bits of its value.
    #[inline]
    pub(crate) fn add(&mut self, key: u64, value: u64) {
        let value = mix(value);
        let there = mix(key ^ value);
        let back = mix(key.rotate_left(32) ^ value);
        self.0[0] = self.0[0].wrapping_add(there).wrapping_sub(back);
        self.0[1] = self.0[1].wrapping_add(there.wrapping_mul(there)).wrapping_sub(back.wrapping_mul(back));
    }

    /// The sums over the edges of both.
    pub(crate) fn join(self, other: Self) -> Self {
        Self([self.0[0].wrapping_add(other.0[0]), self.0[1].wrapping_add(other.0[1])])
    }

    /// Whether the edges are the same turned around.
    pub(crate) fn is_symmetric(self) -> bool {
        self == Self::default()
    }
}

/// Whether sorted edges are the same turned around.
pub(super) fn is_symmetric<R: Record>(edges: &[Vec<R>]) -> bool {
    let sums = |bucket: &Vec<R>| {
        let mut sums = SymmetrySums::default();
        bucket.iter().for_each(|edge| sums.add(edge.key(), edge.value()));
        sums
    };
    edges.par_iter().map(sums).reduce(SymmetrySums::default, SymmetrySums::join).is_symmetric()
}
