//! How far two orders of the same things agree.

use std::cmp::Ordering;

/// Returns Kendall's tau-b (M. G. Kendall, 1945) of pairs of values: 1 where both have the same order, -1 where one is the
/// reverse of the other. `None` where one of them orders nothing.
pub(super) fn kendall(pairs: &[(f64, f64)]) -> Option<f64> {
    let (mut agreeing, mut one_alone, mut other_alone) = (0i64, 0i64, 0i64);
    for (index, first) in pairs.iter().enumerate() {
        for second in &pairs[index + 1..] {
            match (first.0.total_cmp(&second.0), first.1.total_cmp(&second.1)) {
                (Ordering::Equal, Ordering::Equal) => {}
                (Ordering::Equal, _) => other_alone += 1,
                (_, Ordering::Equal) => one_alone += 1,
                (one, other) => {
                    agreeing += if one == other { 1 } else { -1 };
                    one_alone += 1;
                    other_alone += 1;
                }
            }
        }
    }
    // Pairs that each of the two orders.
    let ordered = (one_alone as f64 * other_alone as f64).sqrt();
    (ordered > 0.0).then(|| agreeing as f64 / ordered)
}

/// Returns the place of each value by its size, from 1. Values that are the same share the first of their places.
pub(super) fn ranks(values: &[f64]) -> Vec<usize> {
    values.iter().map(|value| 1 + values.iter().filter(|other| *other < value).count()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_agree_as_far_as_their_pairs_do() {
        assert_eq!(kendall(&[(1.0, 2.0), (2.0, 3.0), (3.0, 9.0)]), Some(1.0));
        assert_eq!(kendall(&[(1.0, 3.0), (2.0, 2.0), (3.0, 1.0)]), Some(-1.0));
        // Of three pairs two agree.
        assert_eq!(kendall(&[(1.0, 1.0), (2.0, 3.0), (3.0, 2.0)]), Some(1.0 / 3.0));
        assert_eq!(kendall(&[(1.0, 1.0), (1.0, 2.0)]), None);
        assert_eq!(kendall(&[]), None);
        // Two of three pairs are ordered by the first value, all three by the second.
        let tied = kendall(&[(1.0, 1.0), (1.0, 2.0), (2.0, 3.0)]).unwrap();
        assert!((tied - 2.0 / 6f64.sqrt()).abs() < 1e-12);
    }

    #[test]
    fn the_smallest_value_has_the_first_place() {
        assert_eq!(ranks(&[3.0, 1.0, 2.0, 1.0]), [4, 1, 3, 1]);
    }
}
