//! Determines the order of vertices in a listing of matches.
//!
//! A pattern with symmetries can be mapped to a match in several ways. A listing contains only the smallest of the
//! resulting rows. Therefore the rows depend neither on the search order nor on the order of the graph.

use super::symmetry::symmetry;
use super::{MOST_VERTICES, Pattern, PatternPlan};
use crate::memory::{self, NoMemory};
use crate::parallel::*;

/// Minimum number of rows per task.
const LEAST_SHARE: usize = 1 << 12;

/// A symmetry of the columns that leaves the columns before a given position unchanged.
#[derive(Clone, Debug)]
struct Move {
    /// The column whose vertex moves to the given position.
    from: usize,
    /// The column from which each column receives its vertex.
    of: Vec<usize>,
}

/// The columns of a listing: the vertices of a pattern in ascending order of their numbers in the pattern's text.
#[derive(Clone, Debug)]
pub struct Columns {
    numbers: Vec<u64>,
    /// The search level that provides the vertex of each column.
    levels: Vec<usize>,
    /// The symmetries that move another vertex to each column.
    moves: Vec<Vec<Move>>,
}

impl Columns {
    /// Creates the columns for the matches found by a search with `plan`.
    pub fn new(pattern: &Pattern, plan: &PatternPlan) -> Self {
        let mut order: Vec<usize> = (0..pattern.num_vertices()).collect();
        order.sort_unstable_by_key(|&v| pattern.number(v));
        let column = |vertex: usize| order.iter().position(|&v| v == vertex).unwrap_or(0);
        let level =
            |&vertex: &usize| plan.levels().iter().position(|level| usize::from(level.vertex) == vertex).unwrap_or(0);
        let moves = |place: usize| {
            let to_place = |from: usize| {
                let images = symmetry(pattern, &order, place, order[from])?;
                Some(Move { from, of: images.into_iter().map(column).collect() })
            };
            (place + 1..order.len()).filter_map(to_place).collect()
        };
        Self {
            numbers: order.iter().map(|&v| pattern.number(v)).collect(),
            levels: order.iter().map(level).collect(),
            moves: (0..order.len()).map(moves).collect(),
        }
    }

    /// Returns the numbers of the pattern's vertices in ascending order.
    pub fn numbers(&self) -> &[u64] {
        &self.numbers
    }

    /// Arranges all consecutive matches of a search, on all threads. Returns the order that sorts the rows.
    ///
    /// # Errors
    ///
    /// Fails if there is too little memory for the order.
    pub fn arrange_all(&self, rows: &mut [u32]) -> Result<Vec<u64>, NoMemory> {
        let columns = self.levels.len();
        rows.par_chunks_exact_mut(columns).with_min_len(LEAST_SHARE).for_each(|row| self.arrange(row));
        let numbers = (0..rows.len() / columns).into_par_iter().with_min_len(LEAST_SHARE).map(|row| row as u64);
        let mut order = memory::collected_in_parallel("the order of matches", numbers)?;
        let row = |number: &u64| &rows[*number as usize * columns..][..columns];
        order.par_sort_unstable_by(|one, other| row(one).cmp(row(other)));
        Ok(order)
    }

    /// Reorders a match from the levels of the search to the columns. If there are several ways to map the pattern to
    /// the match, the one with the smallest row is used.
    ///
    /// # Panics
    ///
    /// Panics if the row has fewer entries than there are columns.
    pub fn arrange(&self, row: &mut [u32]) {
        let columns = self.levels.len();
        let mut found = [0; MOST_VERTICES];
        found[..columns].copy_from_slice(&row[..columns]);
        for (entry, &level) in row.iter_mut().zip(&self.levels) {
            *entry = found[level];
        }
        for (place, moves) in self.moves.iter().enumerate() {
            let least = moves.iter().min_by_key(|moved| row[moved.from]).filter(|moved| row[moved.from] < row[place]);
            if let Some(moved) = least {
                found[..columns].copy_from_slice(&row[..columns]);
                for (entry, &from) in row.iter_mut().zip(&moved.of) {
                    *entry = found[from];
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn columns(text: &str) -> Columns {
        let pattern = Pattern::parse(text).unwrap();
        Columns::new(&pattern, &PatternPlan::new(&pattern, false, 8000, |_, _| 1000.0))
    }

    /// Returns all permutations of the numbers below `count`.
    fn orders(count: u32) -> Vec<Vec<u32>> {
        (0..count).fold(vec![Vec::new()], |orders, last| {
            let longer = |order: &Vec<u32>| {
                let order = order.clone();
                (0..=order.len()).map(move |at| [&order[..at], &[last], &order[at..]].concat())
            };
            orders.iter().flat_map(longer).collect()
        })
    }

    #[test]
    fn columns_go_by_the_numbers_of_the_text() {
        let columns = columns("30 2\n2 10\nv 2 a\nv 10 b");
        assert_eq!(columns.numbers(), [2, 10, 30]);
        let mut row = vec![0; 3];
        columns.levels.iter().zip([7, 8, 9]).for_each(|(&level, value)| row[level] = value);
        columns.arrange(&mut row);
        assert_eq!(row, [7, 8, 9]);
    }

    #[test]
    fn of_symmetric_rows_the_first_is_taken() {
        // Each shape is followed by its number of symmetries.
        let shapes = [
            ("0 1\n1 2\n2 0", 6),
            ("0 1\n1 2\n2 3\n3 0", 8),
            ("0 1\n1 2\n2 3\n3 0\n0 2", 4),
            ("5 1\n5 2\n5 3\n5 4", 24),
            ("0 1\n1 2\n2 3\n3 4", 2),
            ("0 1\n1 2\n2 3\n3 4\nv 0 a", 1),
            ("0 1\n2 3\n4 5\n0 2\n2 4\n4 0", 6),
            ("0 3\n0 4\n0 5\n1 3\n1 4\n1 5\n2 3\n2 4\n2 5", 72),
        ];
        for (text, symmetries) in shapes {
            let columns = columns(text);
            let all = orders(columns.numbers().len() as u32);
            let arranged = |row: &Vec<u32>| {
                let mut row = row.clone();
                columns.arrange(&mut row);
                row
            };
            let rows: BTreeSet<Vec<u32>> = all.iter().map(arranged).collect();
            assert_eq!(rows.len() * symmetries, all.len(), "{text}");
            // Matches are compared by their edges. Rows with the same edges are one match, and the listing must contain
            // the smallest of these rows.
            let pattern = Pattern::parse(text).unwrap();
            let mut by_number: Vec<usize> = (0..pattern.num_vertices()).collect();
            by_number.sort_by_key(|&v| pattern.number(v));
            let edges = |row: &Vec<u32>| {
                let joined = |(u, v): &(usize, usize)| pattern.neighbors(by_number[*u]) >> by_number[*v] & 1 == 1;
                let pairs = (0..row.len()).flat_map(|u| (0..u).map(move |v| (u, v))).filter(joined);
                pairs.map(|(u, v)| (row[u].min(row[v]), row[u].max(row[v]))).collect::<BTreeSet<_>>()
            };
            if !pattern.labels().is_empty() {
                continue;
            }
            for row in &rows {
                let first = all.iter().filter(|other| edges(other) == edges(row)).min();
                assert_eq!(first, Some(row), "{text}");
            }
        }
    }
}
