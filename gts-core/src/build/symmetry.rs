//! Tests whether the edges of a graph equal their reverses, with sums of hashes that do not depend on the order of
//! edges.

use super::record::Record;
use crate::hash::EdgeKey;
use crate::parallel::*;

/// The sum of the edges' hashes and the sum of their squares, minus the corresponding sums for the reversed edges. Both
/// are zero if the edges, as a multiset, equal their reverses. For other edges, both are zero with about one key in
/// 2^127.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct SymmetrySums([u64; 2]);

impl SymmetrySums {
    /// Returns the sums for the edges in a slice.
    pub(super) fn of<R: Record>(edges: &[R], key: &EdgeKey) -> Self {
        let mut sums = Self::default();
        edges.iter().for_each(|edge| sums.add(key, edge.key(), edge.value()));
        sums
    }

    /// Adds an edge, given as `src << 32 | dst` and the bits of its value.
    #[inline]
    fn add(&mut self, key: &EdgeKey, edge: u64, value: u64) {
        let there = key.hash(edge, value);
        let back = key.hash(edge.rotate_left(32), value);
        self.0[0] = self.0[0].wrapping_add(there).wrapping_sub(back);
        self.0[1] = self.0[1].wrapping_add(there.wrapping_mul(there)).wrapping_sub(back.wrapping_mul(back));
    }

    /// Returns the sums for the edges of both operands.
    pub(super) fn join(self, other: Self) -> Self {
        Self([self.0[0].wrapping_add(other.0[0]), self.0[1].wrapping_add(other.0[1])])
    }

    /// Returns whether the edges equal their reverses, according to the sums.
    pub(super) fn is_symmetric(self) -> bool {
        self == Self::default()
    }
}

/// Returns whether sorted edges equal their reverses.
pub(super) fn is_symmetric<R: Record>(edges: &[Vec<R>]) -> bool {
    let key = EdgeKey::random();
    let sums = edges.par_iter().map(|bucket| SymmetrySums::of(bucket, &key));
    sums.reduce(SymmetrySums::default, SymmetrySums::join).is_symmetric()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_are_symmetric_under_any_key_or_under_none() {
        let edge = |src: u64, dst: u64, value: u32| <[u32; 3] as Record>::new(src << 32 | dst, u64::from(value));
        let both = [edge(1, 2, 7), edge(2, 1, 7), edge(3, 3, 1), edge(1, 2, 8), edge(2, 1, 8)];
        let values_swapped = [edge(1, 2, 7), edge(2, 1, 8), edge(3, 4, 8), edge(4, 3, 7)];
        let once = [edge(1, 2, 7), edge(1, 2, 7), edge(2, 1, 7)];
        let cycle = [edge(1, 2, 7), edge(2, 3, 7), edge(3, 1, 7)];
        for _ in 0..100 {
            let key = EdgeKey::random();
            assert!(SymmetrySums::of(&both, &key).is_symmetric());
            for other in [&values_swapped[..], &once, &cycle] {
                assert!(!SymmetrySums::of(other, &key).is_symmetric(), "{other:?}");
            }
        }
    }

    #[test]
    fn no_two_comparisons_share_a_key() {
        let hashes: std::collections::BTreeSet<_> = (0..100).map(|_| EdgeKey::random().hash(1, 2)).collect();
        assert_eq!(hashes.len(), 100);
    }
}
