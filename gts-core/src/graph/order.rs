//! Determines the vertex order: maps ranks of original IDs to dense numbers.

use crate::graph::VertexOrder;
use crate::hash::Words;
use crate::parallel::*;
use std::cmp::Reverse;

/// The side length of the squares in which positions are transposed.
const SQUARE: u32 = 32;
/// The minimum degree of vertices that are sorted. A counting sort orders the vertices with smaller degrees.
const HUB: u64 = 1 << 18;

/// Returns the dense number of each rank in an order. `degree` returns the sum of in-degree and out-degree for a rank.
/// Returns `None` if dense numbers equal ranks.
pub(crate) fn numbering(order: VertexOrder, vertices: u32, degree: impl Fn(u32) -> u64 + Sync) -> Option<Vec<u32>> {
    match order {
        VertexOrder::Degree => Some(by_degree(vertices, degree)),
        _ => numbers(order, vertices),
    }
}

/// Returns the dense number of each rank in an order that does not depend on degrees. Returns `None` if dense numbers
/// equal ranks.
pub(crate) fn numbers(order: VertexOrder, vertices: u32) -> Option<Vec<u32>> {
    match order {
        VertexOrder::Random { seed } => Some(shuffled(vertices, seed)),
        VertexOrder::Original | VertexOrder::Degree | VertexOrder::Layers { .. } | VertexOrder::Inherited => None,
    }
}

/// Returns a Fisher-Yates shuffle of 0..vertices. The result is the same on every machine.
fn shuffled(vertices: u32, seed: u64) -> Vec<u32> {
    let mut numbers: Vec<u32> = (0..vertices).collect();
    let words = Words::new(seed);
    for last in (1..vertices).rev() {
        let other = below(words.word(u64::from(last)), last + 1);
        numbers.swap(last as usize, other as usize);
    }
    numbers
}

/// Maps 64 random bits to a number below `bound`, with a bias below 2^-32.
fn below(bits: u64, bound: u32) -> u32 {
    ((u128::from(bits) * u128::from(bound)) >> 64) as u32
}

/// Returns the dense number of each rank, in descending order of the sum of in-degree and out-degree.
pub(crate) fn by_degree(vertices: u32, degree: impl Fn(u32) -> u64 + Sync) -> Vec<u32> {
    // There is one table of counts per thread, unless the tables would take more memory than the numbers.
    let shares = rayon::current_num_threads().min(vertices as usize / HUB as usize).max(1);
    by_degree_in(vertices.div_ceil(shares as u32).max(1), vertices, degree)
}

/// Numbers the vertices in degree order. Each task counts and numbers `share` ranks.
fn by_degree_in(share: u32, vertices: u32, degree: impl Fn(u32) -> u64 + Sync) -> Vec<u32> {
    let ranks = |number: usize| {
        let first = number as u32 * share;
        first..vertices.min(first.saturating_add(share))
    };
    let shares: Vec<usize> = (0..vertices.div_ceil(share) as usize).collect();
    // There are few hubs, so they are sorted. The other vertices have few distinct degrees, so a counting sort orders
    // them.
    let counted = shares.into_par_iter().map(|number| {
        let mut counts = vec![0u32; HUB as usize];
        let mut hubs = Vec::new();
        for rank in ranks(number) {
            match degree(rank) {
                degree if degree >= HUB => hubs.push((Reverse(degree), rank)),
                degree => counts[degree as usize] += 1,
            }
        }
        (counts, hubs)
    });
    let (mut places, hubs): (Vec<Vec<u32>>, Vec<Vec<_>>) = counted.collect::<Vec<_>>().into_iter().unzip();
    let mut hubs: Vec<(Reverse<u64>, u32)> = hubs.concat();
    hubs.par_sort_unstable();
    let mut before = hubs.len() as u32;
    for degree in (0..HUB as usize).rev() {
        for places in &mut places {
            before += std::mem::replace(&mut places[degree], before);
        }
    }
    let mut numbers = vec![0; vertices as usize];
    numbers.par_chunks_mut(share as usize).zip(places).enumerate().for_each(|(number, (numbers, mut places))| {
        for (rank, number) in ranks(number).zip(numbers) {
            if let Some(place) = places.get_mut(degree(rank) as usize) {
                *number = transposed(*place, vertices);
                *place += 1;
            }
        }
    });
    for (place, &(_, rank)) in (0..).zip(&hubs) {
        numbers[rank as usize] = transposed(place, vertices);
    }
    numbers
}

/// Transposes a position within its square of 1,024 positions, so that adjacent positions get numbers 32 apart.
/// Positions at the end that do not fill a square are unchanged.
fn transposed(place: u32, vertices: u32) -> u32 {
    let square = SQUARE * SQUARE;
    if place / square == vertices / square {
        return place;
    }
    (place & !(square - 1)) | ((place % SQUARE) * SQUARE) | (place / SQUARE % SQUARE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Returns the expected numbers, computed by sorting.
    fn sorted(degrees: &[u64]) -> Vec<u32> {
        let mut ranks: Vec<u32> = (0..degrees.len() as u32).collect();
        ranks.sort_by_key(|&rank| Reverse(degrees[rank as usize]));
        let mut numbers = vec![0; degrees.len()];
        for (place, &rank) in (0..).zip(&ranks) {
            numbers[rank as usize] = transposed(place, degrees.len() as u32);
        }
        numbers
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn degrees_are_sorted_whatever_the_shares(
            degrees in prop::collection::vec(prop_oneof![0u64..40, HUB - 2..HUB + 3, Just(u64::from(u32::MAX) * 2)], 0..3000),
            share in 300u32..4000,
        ) {
            let expected = sorted(&degrees);
            let count = degrees.len() as u32;
            prop_assert_eq!(&by_degree(count, |rank| degrees[rank as usize]), &expected);
            prop_assert_eq!(&by_degree_in(share, count, |rank| degrees[rank as usize]), &expected);
        }
    }
}
