//! Positions of neighbours in the list of each vertex, for passes over a part of each list.

use std::ops::{Bound, Range, RangeBounds};

/// Positions in the list of each vertex, from 0, whose edges a pass visits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Neighbours {
    start: u64,
    end: u64,
}

impl Neighbours {
    /// All positions.
    pub const ALL: Self = Self { start: 0, end: u64::MAX };

    /// Returns the positions in a range.
    pub fn within(places: impl RangeBounds<u64>) -> Self {
        let start = match places.start_bound() {
            Bound::Included(&start) => start,
            Bound::Excluded(&start) => start.saturating_add(1),
            Bound::Unbounded => 0,
        };
        let end = match places.end_bound() {
            Bound::Included(&end) => end.saturating_add(1),
            Bound::Excluded(&end) => end,
            Bound::Unbounded => u64::MAX,
        };
        Self { start, end: end.max(start) }
    }

    /// Returns whether every position is included.
    pub fn is_all(&self) -> bool {
        *self == Self::ALL
    }

    /// Returns the range of positions.
    pub fn places(&self) -> Range<u64> {
        self.start..self.end
    }

    /// Largest number of positions that counts as few: most lists are longer.
    const FEW: u64 = 2;

    /// Returns an upper bound on the edges that a pass visits. For few positions this is their number times the number
    /// of vertices, otherwise the sum of the lengths of the lists.
    pub fn most_edges(&self, vertices: impl FnOnce() -> u64, edges: impl FnOnce() -> u64) -> u64 {
        let places = self.end - self.start;
        if places <= Self::FEW { vertices().saturating_mul(places) } else { edges() }
    }
}

impl Default for Neighbours {
    fn default() -> Self {
        Self::ALL
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_places_bound_the_edges_of_a_pass() {
        assert_eq!(Neighbours::within(1..=2).most_edges(|| 5, || 100), 10);
        assert_eq!(Neighbours::within(2..).most_edges(|| 5, || 100), 100);
        assert_eq!(Neighbours::ALL.most_edges(|| 5, || 100), 100);
    }

    #[test]
    fn ranges_of_every_kind_name_their_places() {
        assert_eq!(Neighbours::within(..2).places(), 0..2);
        assert_eq!(Neighbours::within(..=2).places(), 0..3);
        assert_eq!(Neighbours::within(3..).places(), 3..u64::MAX);
        assert_eq!(Neighbours::within((Bound::Excluded(3), Bound::Included(u64::MAX))).places(), 4..u64::MAX);
        let (start, end) = (5, 2);
        assert!(Neighbours::within(start..end).places().is_empty());
        assert!(Neighbours::within(..).is_all() && !Neighbours::within(1..).is_all());
    }
}
