//! Ranges of list positions, for passes over a part of each vertex's list.

use std::ops::{Bound, Range, RangeBounds};

/// The range of positions that a pass visits in each vertex's list. Positions are counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Neighbors {
    start: u64,
    end: u64,
}

impl Neighbors {
    /// All positions.
    pub const ALL: Self = Self { start: 0, end: u64::MAX };

    /// Creates the range from the bounds of `places`.
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

    /// Returns whether the range includes all positions.
    pub fn is_all(&self) -> bool {
        *self == Self::ALL
    }

    /// Returns the range as a half-open range of positions.
    pub fn places(&self) -> Range<u64> {
        self.start..self.end
    }

    /// Maximum number of positions for which `most_edges` returns the product. The product is a tight bound only if
    /// most lists are longer.
    const FEW: u64 = 2;

    /// Returns an upper bound on the number of edges that a pass visits. The bound is the product of positions and
    /// vertices if there are at most `FEW` positions, otherwise the total length of the lists.
    pub fn most_edges(&self, vertices: impl FnOnce() -> u64, edges: impl FnOnce() -> u64) -> u64 {
        let places = self.end - self.start;
        if places <= Self::FEW { vertices().saturating_mul(places) } else { edges() }
    }
}

impl Default for Neighbors {
    fn default() -> Self {
        Self::ALL
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_places_bound_the_edges_of_a_pass() {
        assert_eq!(Neighbors::within(1..=2).most_edges(|| 5, || 100), 10);
        assert_eq!(Neighbors::within(2..).most_edges(|| 5, || 100), 100);
        assert_eq!(Neighbors::ALL.most_edges(|| 5, || 100), 100);
    }

    #[test]
    fn ranges_of_every_kind_name_their_places() {
        assert_eq!(Neighbors::within(..2).places(), 0..2);
        assert_eq!(Neighbors::within(..=2).places(), 0..3);
        assert_eq!(Neighbors::within(3..).places(), 3..u64::MAX);
        assert_eq!(Neighbors::within((Bound::Excluded(3), Bound::Included(u64::MAX))).places(), 4..u64::MAX);
        let (start, end) = (5, 2);
        assert!(Neighbors::within(start..end).places().is_empty());
        assert!(Neighbors::within(..).is_all() && !Neighbors::within(1..).is_all());
    }
}
