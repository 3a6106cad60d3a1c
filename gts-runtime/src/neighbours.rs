//! Passes over a part of each vertex's list: the first neighbours alone, or those from a place on.

use crate::error::Result;
use crate::kernel::{Attributes, Scan, Traverse};
use crate::run::Run;
use std::ops::{Bound, Range, RangeBounds};

/// Places in the list of each vertex, from 0, whose edges a pass visits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Neighbours {
    start: u64,
    end: u64,
}

impl Neighbours {
    /// All of them.
    pub const ALL: Self = Self { start: 0, end: u64::MAX };

    /// Those in a range.
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

    /// Whether none is left out.
    pub fn is_all(&self) -> bool {
        *self == Self::ALL
    }

    /// The places.
    pub fn places(&self) -> Range<u64> {
        self.start..self.end
    }

    /// The most places that count as few: most lists are longer.
    const FEW: u64 = 2;

    /// Returns an upper bound of the edges that a pass visits. For a few places it multiplies them by the number of vertices;
    /// otherwise it takes the sum of the lengths of their lists.
    pub(crate) fn most_edges(&self, vertices: impl FnOnce() -> u64, edges: impl FnOnce() -> u64) -> u64 {
        let places = self.end - self.start;
        if places <= Self::FEW { vertices().saturating_mul(places) } else { edges() }
    }
}

impl Default for Neighbours {
    fn default() -> Self {
        Self::ALL
    }
}

/// A run whose next pass visits a part of each vertex's list; made by [`Run::neighbours`].
#[derive(Debug)]
pub struct SomeNeighbours<'a, A: Attributes> {
    run: &'a mut Run<A>,
    neighbours: Neighbours,
}

impl<'a, A: Attributes> SomeNeighbours<'a, A> {
    pub(crate) fn new(run: &'a mut Run<A>, neighbours: Neighbours) -> Self {
        Self { run, neighbours }
    }

    /// As [`Run::scan`], for these edges of every vertex.
    ///
    /// # Errors
    ///
    /// As for [`Run::scan`].
    pub fn scan<K: Scan<Attributes = A>>(self, kernel: impl Fn() -> K) -> Result<()> {
        self.of_run(|run| run.scan(kernel))
    }

    /// As [`Run::advance`], for these edges of the active vertices.
    ///
    /// # Errors
    ///
    /// As for [`Run::advance`].
    pub fn advance<K: Traverse<Attributes = A>>(self, kernel: impl Fn() -> K) -> Result<u64> {
        self.of_run(|run| run.advance(kernel))
    }

    fn of_run<T>(self, pass: impl FnOnce(&mut Run<A>) -> Result<T>) -> Result<T> {
        self.run.walk_neighbours(self.neighbours);
        let done = pass(self.run);
        self.run.walk_neighbours(Neighbours::ALL);
        done
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
