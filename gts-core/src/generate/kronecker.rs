//! Generates RMAT graphs, also called Kronecker graphs: Graph500's random graphs with a heavy-tailed degree
//! distribution.
//!
//! An edge is placed in one quadrant of the adjacency matrix, then in a quadrant of that quadrant, and so on down to a
//! single cell. The definition uses one random draw per level. This implementation uses one draw for four levels, with
//! a table of all 256 paths (Walker's alias method). The table is computed with exact integer weights, so it is
//! identical on every machine.

use crate::hash::Words;

/// The percentage of edges in the quadrants (0,0), (0,1), (1,0) and (1,1): Graph500's A, B, C and D.
pub(crate) const QUADRANTS: [u64; 4] = [57, 19, 19, 5];
/// The number of levels determined by one draw.
const LEVELS: u32 = 4;
/// The number of bits of a draw that select one of a bin's two paths.
const CHOICE_BITS: u32 = 24;

/// A generator of edge ends.
#[derive(Clone, Debug)]
pub(super) struct Kronecker {
    /// The number of complete groups of four levels.
    groups: u32,
    full: PathTable,
    /// The paths for the remaining levels, fewer than four.
    rest: PathTable,
}

impl Kronecker {
    pub(super) fn new(scale: u32) -> Self {
        Self { groups: scale / LEVELS, full: PathTable::new(LEVELS), rest: PathTable::new(scale % LEVELS) }
    }

    /// Writes the ends of edges `first` to `first + src.len() - 1`.
    pub(super) fn edges(&self, hash: Words, first: u64, src: &mut [u64], dst: &mut [u64]) {
        let draws = self.groups + u32::from(self.rest.levels > 0);
        let words = u64::from(draws.div_ceil(2));
        for (edge, (src, dst)) in (first..).zip(src.iter_mut().zip(dst)) {
            let (mut row, mut column, mut word) = (0, 0, 0);
            for draw in 0..draws {
                // Each word provides two draws, the low half first.
                word = if draw % 2 == 0 { hash.word(edge * words + u64::from(draw / 2)) } else { word >> 32 };
                let paths = if draw < self.groups { &self.full } else { &self.rest };
                let (r, c) = paths.draw(word as u32);
                row = row << paths.levels | r;
                column = column << paths.levels | c;
            }
            (*src, *dst) = (row, column);
        }
    }
}

/// An alias table of all paths through `levels` levels.
#[derive(Clone, Debug)]
struct PathTable {
    levels: u32,
    /// The number of bits that select a bin.
    bin_bits: u32,
    bins: Vec<Bin>,
}

/// A bin of the alias table with its two paths.
#[derive(Clone, Copy, Debug, Default)]
struct Bin {
    /// Draws below this threshold select the first path. Other draws select the second path.
    threshold: u32,
    /// The row and column of each path. The draw indexes the array, because a branch on a random value would be
    /// mispredicted.
    paths: [[u8; 2]; 2],
}

impl PathTable {
    fn new(levels: u32) -> Self {
        let count = 1usize << (2 * levels);
        let capacity = QUADRANTS.iter().sum::<u64>().pow(levels);
        let cell = |path: usize| {
            (0..levels).rev().fold([0, 0], |[row, column], level| {
                let quadrant = path >> (2 * level) & 3;
                [row << 1 | (quadrant >> 1) as u8, column << 1 | (quadrant & 1) as u8]
            })
        };
        // The weight of each path, multiplied by the number of bins, so that a bin holds exactly `capacity`.
        let mut weight: Vec<u64> = (0..count)
            .map(|path| (0..levels).map(|level| QUADRANTS[path >> (2 * level) & 3]).product::<u64>() * count as u64)
            .collect();
        let mut bins = vec![Bin::default(); count];
        let (mut small, mut large): (Vec<usize>, Vec<usize>) = (0..count).partition(|&path| weight[path] < capacity);
        let share = |weight: u64| ((u128::from(weight) << CHOICE_BITS) / u128::from(capacity)) as u32;
        while let (Some(&poor), Some(&rich)) = (small.last(), large.last()) {
            small.pop();
            bins[poor] = Bin { threshold: share(weight[poor]), paths: [cell(poor), cell(rich)] };
            weight[rich] -= capacity - weight[poor];
            if weight[rich] < capacity {
                large.pop();
                small.push(rich);
            }
        }
        // Weights are exact, and their sum equals the sum of the capacities, so each remaining path fills one bin.
        for path in large {
            bins[path] = Bin { threshold: share(capacity), paths: [cell(path); 2] };
        }
        Self { levels, bin_bits: 2 * levels, bins }
    }

    #[inline]
    fn draw(&self, bits: u32) -> (u64, u64) {
        let bin = &self.bins[(bits & ((1 << self.bin_bits) - 1)) as usize];
        let [row, column] = bin.paths[usize::from(bits >> (32 - CHOICE_BITS) >= bin.threshold)];
        (u64::from(row), u64::from(column))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares the probabilities of the table's paths with the products of their quadrants' probabilities.
    #[test]
    fn alias_table_gives_each_path_its_weight() {
        for levels in 1..=4 {
            let paths = PathTable::new(levels);
            let side = 1usize << levels;
            let mut mass = vec![0u64; side * side];
            for bin in &paths.bins {
                mass[bin.paths[0][0] as usize * side + bin.paths[0][1] as usize] += u64::from(bin.threshold);
                mass[bin.paths[1][0] as usize * side + bin.paths[1][1] as usize] +=
                    u64::from((1 << CHOICE_BITS) - bin.threshold);
            }
            for row in 0..side {
                for column in 0..side {
                    let exact: u64 = (0..levels).map(|l| QUADRANTS[(row >> l & 1) << 1 | (column >> l & 1)]).product();
                    let expected = exact as f64 / 100f64.powi(levels as i32);
                    let found = mass[row * side + column] as f64 / (paths.bins.len() as f64 * (1u64 << 24) as f64);
                    assert!((found - expected).abs() < 1e-5 * expected + 1e-7, "{levels} {row} {column}");
                }
            }
        }
    }
}
