//! Handles vertices that are numbered by their IDs. Once edges are counted, numbers without edges are known, so that no
//! separate pass over the edges is needed to determine the vertices.

use crate::graph::Originals;
use crate::parallel::*;

/// A range of numbers in which some numbers have no vertex.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Gaps {
    /// The length of the range.
    numbers: usize,
    /// The numbers with a vertex, in ascending order.
    present: Vec<u32>,
}

impl Gaps {
    /// Determines the numbers without out-edges and in-edges. Returns `None` if every number has edges. `into` may be
    /// empty.
    pub(super) fn find(out: &[u32], into: &[u32]) -> Option<Self> {
        let is_present = |number: usize| out[number] > 0 || into.get(number).is_some_and(|&edges| edges > 0);
        let count = (0..out.len()).into_par_iter().count_if(is_present);
        if count == out.len() {
            return None;
        }
        let mut present = Vec::with_capacity(count);
        present.extend((0..out.len()).filter(|&number| is_present(number)).map(|number| number as u32));
        Some(Self { numbers: out.len(), present })
    }

    /// Returns the original IDs of the vertices, given the original ID `first` of number 0.
    pub(super) fn originals(&self, first: u64) -> Originals {
        super::renumber::compact(self.present.iter().map(|&number| first + u64::from(number)).collect::<Vec<_>>())
    }

    /// Converts a table indexed by number to a table indexed by rank. An empty table stays empty.
    pub(super) fn close<T: Copy>(&self, table: &mut Vec<T>) {
        if table.is_empty() {
            return;
        }
        for (rank, &number) in self.present.iter().enumerate() {
            table[rank] = table[number as usize];
        }
        table.truncate(self.present.len());
        table.shrink_to_fit();
    }

    /// Returns the length of the range.
    pub(super) fn numbers(&self) -> usize {
        self.numbers
    }

    /// Returns the number of vertices.
    pub(super) fn vertices(&self) -> u32 {
        self.present.len() as u32
    }

    /// Returns the number of the vertex with a given rank.
    pub(super) fn number(&self, rank: u32) -> u32 {
        self.present[rank as usize]
    }

    /// Returns the rank of the vertex with a given number.
    pub(super) fn rank(&self, number: u32) -> u32 {
        self.present.partition_point(|&present| present < number) as u32
    }

    /// Converts a table indexed by rank to a table indexed by number.
    pub(super) fn spread<T: Copy + Default>(&self, by_rank: &[T]) -> Vec<T> {
        let mut by_number = vec![T::default(); self.numbers];
        for (&number, &entry) in self.present.iter().zip(by_rank) {
            by_number[number as usize] = entry;
        }
        by_number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_without_edges_are_gaps() {
        assert_eq!(Gaps::find(&[1, 2], &[0, 0]), None);
        assert_eq!(Gaps::find(&[1, 0], &[0, 3]), None);
        let gaps = Gaps::find(&[0, 1, 0, 0, 2], &[0, 0, 0, 7, 0]).unwrap();
        let mut table = vec!['a', 'b', 'c', 'd', 'e'];
        gaps.close(&mut table);
        assert_eq!(table, ['b', 'd', 'e']);
        assert_eq!(gaps.originals(100), Originals::List(vec![101, 103, 104].into()));
        assert_eq!([0, 1, 2].map(|rank| gaps.number(rank)), [1, 3, 4]);
        assert_eq!(gaps.spread(&[2, 5, 1]), [0, 2, 0, 5, 1]);
        assert_eq!(Gaps::find(&[0, 0, 1], &[]).unwrap().originals(0), Originals::Range { first: 2, count: 1 });
    }
}
