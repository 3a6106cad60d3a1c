//! Measures the similarity of two rankings.

use std::cmp::Ordering;

/// Returns Kendall's tau-b of two rankings: 1 if they order all pairs equally, -1 if they order all pairs oppositely,
/// and near 0 if they are unrelated. Ties are counted as in the tau-b of M. G. Kendall (1945). Returns `None` if all
/// values of one ranking are equal.
pub fn kendall_tau(pairs: &[(f64, f64)]) -> Option<f64> {
    let (mut alike, mut first_ties, mut second_ties, mut all) = (0i64, 0i64, 0i64, 0i64);
    for (place, one) in pairs.iter().enumerate() {
        for other in &pairs[..place] {
            let (first, second) = (one.0.total_cmp(&other.0), one.1.total_cmp(&other.1));
            all += 1;
            first_ties += i64::from(first == Ordering::Equal);
            second_ties += i64::from(second == Ordering::Equal);
            alike += first as i64 * second as i64;
        }
    }
    let ranked = (all - first_ties) as f64 * (all - second_ties) as f64;
    (ranked > 0.0).then(|| alike as f64 / ranked.sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn rankings_that_are_the_same_or_reversed() {
        assert_eq!(kendall_tau(&[(1.0, 10.0), (2.0, 20.0), (3.0, 30.0)]), Some(1.0));
        assert_eq!(kendall_tau(&[(1.0, 30.0), (2.0, 20.0), (3.0, 10.0)]), Some(-1.0));
    }

    #[test]
    fn a_swap_and_a_tie_by_hand() {
        // One of six pairs is reversed: (5 - 1) / 6.
        let swapped = [(1.0, 1.0), (2.0, 3.0), (3.0, 2.0), (4.0, 4.0)];
        assert!((kendall_tau(&swapped).unwrap() - 4.0 / 6.0).abs() < 1e-12);
        // One of three pairs is tied in the second ranking: 2 / sqrt(3 x 2).
        let tied = [(1.0, 1.0), (2.0, 5.0), (3.0, 5.0)];
        assert!((kendall_tau(&tied).unwrap() - 2.0 / 6f64.sqrt()).abs() < 1e-12);
    }

    #[test]
    fn what_ranks_nothing_has_none() {
        assert_eq!(kendall_tau(&[]), None);
        assert_eq!(kendall_tau(&[(1.0, 2.0)]), None);
        assert_eq!(kendall_tau(&[(1.0, 2.0), (1.0, 3.0)]), None);
    }

    proptest! {
        #[test]
        fn it_is_symmetric_and_at_most_one(pairs in proptest::collection::vec((0u8..9, 0u8..9), 2..20)) {
            let pairs: Vec<_> = pairs.into_iter().map(|(a, b)| (f64::from(a), f64::from(b))).collect();
            let turned: Vec<_> = pairs.iter().map(|&(a, b)| (b, a)).collect();
            let (one, other) = (kendall_tau(&pairs), kendall_tau(&turned));
            prop_assert_eq!(one, other);
            prop_assert!(one.is_none_or(|tau| tau.abs() <= 1.0 + 1e-12));
        }
    }
}
