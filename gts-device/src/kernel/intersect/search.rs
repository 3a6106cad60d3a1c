//! Searches for ascending values in a sorted slice.

/// Returns the estimated number of steps of a search for `few` ascending values among `many` sorted values. The search
/// for each value starts at the position of the previous value. Each search takes one step per doubling of the distance
/// between the two positions. `few` must not be 0.
#[inline(always)]
pub(crate) fn steps(few: usize, many: usize) -> usize {
    few * (1 + (usize::BITS - (many / few).leading_zeros()) as usize)
}

/// Calls `met` with each of the ascending `values` that is also in the sorted slice `among`.
#[inline(always)]
pub(crate) fn search<T: Copy + PartialOrd>(values: impl Iterator<Item = T>, mut among: &[T], mut met: impl FnMut(T)) {
    for value in values {
        among = &among[seek(among, value)..];
        match among.first() {
            Some(&found) if found == value => met(value),
            Some(_) => {}
            None => break,
        }
    }
}

/// Returns the index of the first value that is not less than `wanted`. The search gallops: its step length doubles
/// until a step reaches a value that is not less than `wanted`.
#[inline]
fn seek<T: Copy + PartialOrd>(values: &[T], wanted: T) -> usize {
    let mut reach = 1;
    while values.get(reach - 1).is_some_and(|&value| value < wanted) {
        reach *= 2;
    }
    let start = reach / 2;
    start + values[start..values.len().min(reach)].partition_point(|&value| value < wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some() -> Vec<u64> {
        (0..300).filter(|number| number * number % 7 < 3).collect()
    }

    #[test]
    fn seeking_finds_the_first_that_is_not_below() {
        let values = some();
        for wanted in 0..=301 {
            assert_eq!(seek(&values, wanted), values.partition_point(|&value| value < wanted));
        }
        assert_eq!(seek(&[], 3), 0);
    }

    #[test]
    fn a_search_finds_what_both_have() {
        let among = some();
        for every in [1, 2, 7, 100, 400] {
            let mut found = Vec::new();
            search((0..400).step_by(every), &among, |value| found.push(value));
            let expected: Vec<u64> = (0..400).step_by(every).filter(|value| among.contains(value)).collect();
            assert_eq!(found, expected, "one in {every}");
        }
    }

    #[test]
    fn a_search_takes_more_steps_the_farther_apart_values_lie() {
        assert_eq!([steps(1, 1), steps(3, 3), steps(3, 12), steps(2, 2000)], [2, 6, 12, 22]);
    }
}
