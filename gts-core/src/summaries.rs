//! Summarises values on all threads: counts, sums, histograms and largest values.
//!
//! Results do not depend on the number of threads: every block of values has a fixed size, and the blocks' results are
//! joined in order.

use crate::memory::{self, NoMemory};
use crate::parallel::*;
use bytemuck::Zeroable;
use std::cmp::Reverse;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// The number of values per block. One thread processes a block in about ten microseconds.
const BLOCK: usize = 1 << 14;

/// Folds the values of each block, starting from `nothing`, and joins the blocks' results in order.
///
/// ```
/// let values = [3.0, 1.0, 4.0];
/// let largest = gts_core::summaries::fold(&values, || 0.0, |most: f64, value| most.max(*value), f64::max);
/// assert_eq!(largest, 4.0);
/// ```
pub fn fold<T: Sync, R: Send>(
    values: &[T],
    nothing: impl Fn() -> R + Sync,
    add: impl Fn(R, &T) -> R + Sync,
    join: impl Fn(R, R) -> R,
) -> R {
    let of_block = |block: &[T]| block.iter().fold(nothing(), &add);
    let blocks: Vec<R> = values.par_chunks(BLOCK).map(of_block).collect();
    blocks.into_iter().reduce(join).unwrap_or_else(nothing)
}

/// Returns the number of values for which `passes` is true.
///
/// ```
/// assert_eq!(gts_core::summaries::count(&[1, 2, 3], |value| value % 2 == 1), 2);
/// ```
pub fn count<T: Sync>(values: &[T], passes: impl Fn(&T) -> bool + Sync) -> u64 {
    sum(values, |value| u64::from(passes(value)))
}

/// Returns the number of integers below `end` for which `passes` is true.
///
/// ```
/// let (one, other) = ([1, 2, 3], [1, 3, 3]);
/// assert_eq!(gts_core::summaries::count_below(3, |place| one[place] == other[place]), 2);
/// ```
pub fn count_below(end: usize, passes: impl Fn(usize) -> bool + Sync) -> u64 {
    sum_below(end, |number| u64::from(passes(number)))
}

/// Returns the sum of `term` over the integers below `end`. The result does not depend on the number of threads.
///
/// ```
/// assert_eq!(gts_core::summaries::sum_below(4, |number| 2 * number as u64), 12);
/// assert_eq!(gts_core::summaries::sum_below(4, |number| number as f64 / 2.0), 3.0);
/// ```
pub fn sum_below<S: Send + std::iter::Sum<S>>(end: usize, term: impl Fn(usize) -> S + Sync) -> S {
    let of_block = |block: usize| (block * BLOCK..end.min((block + 1) * BLOCK)).map(&term).sum();
    let blocks: Vec<S> = (0..end.div_ceil(BLOCK)).into_par_iter().map(of_block).collect();
    blocks.into_iter().sum()
}

/// Returns the results of `of` for all values, in the order of the values.
///
/// # Errors
///
/// Fails if there is too little memory. `what` names the result in the error message.
pub fn mapped<T: Sync, U: Send>(
    what: &'static str,
    values: &[T],
    of: impl Fn(&T) -> U + Sync,
) -> Result<Vec<U>, NoMemory> {
    memory::collected_in_parallel(what, values.par_iter().with_min_len(BLOCK).map(&of))
}

/// Calls `change` on each value.
pub fn change<T: Send>(values: &mut [T], change: impl Fn(&mut T) + Sync) {
    values.par_iter_mut().with_min_len(BLOCK).for_each(&change);
}

/// Returns the sum of `term` over all values.
///
/// ```
/// assert_eq!(gts_core::summaries::sum(&[1u32, 2, 3], |&value| u64::from(value)), 6);
/// ```
pub fn sum<T: Sync, S: Send + std::iter::Sum<S>>(values: &[T], term: impl Fn(&T) -> S + Sync) -> S {
    let of_block = |block: &[T]| block.iter().map(&term).sum();
    let blocks: Vec<S> = values.par_chunks(BLOCK).map(of_block).collect();
    blocks.into_iter().sum()
}

/// Returns the smallest value, or `None` if there are no values.
pub fn smallest<T: Copy + Ord + Send + Sync>(values: &[T]) -> Option<T> {
    values.par_iter().with_min_len(BLOCK).map(|&value| value).min()
}

/// Returns the largest value, or `None` if there are no values.
pub fn largest<T: Copy + Ord + Send + Sync>(values: &[T]) -> Option<T> {
    values.par_iter().with_min_len(BLOCK).map(|&value| value).max()
}

/// Returns the index of the first value for which `passes` is true.
pub fn first<T: Sync>(values: &[T], passes: impl Fn(&T) -> bool + Sync) -> Option<usize> {
    values.par_iter().with_min_len(BLOCK).position_first(&passes)
}

/// Counts the values in each of `buckets` buckets. `bucket` returns the bucket of a value. A value without an existing
/// bucket is not counted. Each thread has its own counts, so there should be far fewer buckets than values.
///
/// ```
/// let lengths = gts_core::summaries::histogram(&["a", "bc", "d", "efg"], 3, |word| Some(word.len()));
/// assert_eq!(lengths, Ok(vec![0, 2, 1]));
/// ```
///
/// # Errors
///
/// Too little memory.
pub fn histogram<T: Sync>(
    values: &[T],
    buckets: usize,
    bucket: impl Fn(&T) -> Option<usize> + Sync,
) -> Result<Vec<u64>, NoMemory> {
    let none = || memory::zeroed("histogram", buckets);
    let add = |counts: Result<Vec<u64>, NoMemory>, block: &[T]| {
        let mut counts = counts?;
        for place in block.iter().filter_map(&bucket) {
            if let Some(count) = counts.get_mut(place) {
                *count += 1;
            }
        }
        Ok(counts)
    };
    let join = |one: Result<Vec<u64>, NoMemory>, other: Result<Vec<u64>, NoMemory>| {
        let mut one = one?;
        one.iter_mut().zip(other?).for_each(|(one, other)| *one += other);
        Ok(one)
    };
    values.par_chunks(BLOCK).fold(none, add, join)
}

/// Returns the indices of the `count` values with the largest keys, in descending order of keys. Ties are ordered by
/// index. `key` receives a value and its index, and returns `None` to exclude the value.
///
/// ```
/// let best = gts_core::summaries::top(&[5, 9, 2, 9], 2, |_, value| Some(*value));
/// assert_eq!(best, Ok(vec![1, 3]));
/// ```
///
/// # Errors
///
/// Fails if there is too little memory: each block retains up to `count` values.
pub fn top<T: Sync, K: Ord + Copy + Send>(
    values: &[T],
    count: usize,
    key: impl Fn(usize, &T) -> Option<K> + Sync,
) -> Result<Vec<usize>, NoMemory> {
    const WHAT: &str = "greatest values";
    if count == 0 {
        return Ok(Vec::new());
    }
    let of_block = |(number, block): (usize, &[T])| {
        let keyed = |(place, value)| key(place, value).map(|key| (Reverse(key), place));
        let mut best = memory::collected(WHAT, (number * BLOCK..).zip(block).filter_map(keyed))?;
        if count < best.len() {
            best.select_nth_unstable(count - 1);
            best.truncate(count);
            best.shrink_to_fit();
        }
        Ok(best)
    };
    let blocks: Vec<Vec<_>> = values.par_chunks(BLOCK).enumerate().map(of_block).collect::<Result<_, NoMemory>>()?;
    let mut best = memory::reserved(WHAT, blocks.iter().map(Vec::len).sum())?;
    blocks.into_iter().for_each(|mut block| best.append(&mut block));
    best.par_sort_unstable();
    best.truncate(count);
    memory::collected_in_parallel(WHAT, best.into_par_iter().with_min_len(BLOCK).map(|(_, place)| place))
}

/// Collects the values that `choose` returns for the integers below `count`, in order. `choose` is called twice per
/// integer, and must return the same result both times.
///
/// ```
/// let squares = gts_core::summaries::chosen("squares", 5, |n| (n % 2 == 0).then_some(n * n));
/// assert_eq!(squares, Ok(vec![0, 4, 16]));
/// ```
///
/// # Errors
///
/// Fails if there is too little memory. `what` names the result in the error message.
pub fn chosen<U: Zeroable + Send>(
    what: &'static str,
    count: usize,
    choose: impl Fn(usize) -> Option<U> + Sync,
) -> Result<Vec<U>, NoMemory> {
    let of_block = |block: usize| (block * BLOCK..count.min((block + 1) * BLOCK)).filter_map(&choose);
    let blocks = count.div_ceil(BLOCK);
    let counts: Vec<usize> = (0..blocks).into_par_iter().map(|block| of_block(block).count()).collect();
    let mut found = memory::zeroed(what, counts.iter().sum())?;
    parts(&mut found, &counts).into_par_iter().enumerate().for_each(|(block, part)| {
        write(part, of_block(block));
    });
    Ok(found)
}

/// Inverts an order: returns the position in `order` of each number below its length. The result is `u32::MAX` for a
/// missing number, and any one of the positions for a repeated number.
///
/// ```
/// assert_eq!(gts_core::summaries::inverse("places", &[2, 0, 9]), Ok(vec![1, u32::MAX, 0]));
/// ```
///
/// # Errors
///
/// Fails if there is too little memory. `what` names the result in the error message.
pub fn inverse(what: &'static str, order: &[u32]) -> Result<Vec<u32>, NoMemory> {
    let unknown = (0..order.len()).into_par_iter().with_min_len(BLOCK).map(|_| u32::MAX);
    let mut inverse = memory::collected_in_parallel(what, unknown)?;
    let places = memory::atomic(&mut inverse);
    order.par_iter().with_min_len(BLOCK).zip(0..order.len() as u32).for_each(|(&number, place)| {
        if let Some(found) = places.get(number as usize) {
            found.store(place, Relaxed);
        }
    });
    Ok(inverse)
}

/// Writes each value to its index in `values`, on all threads. If several values share an index, any one of them may
/// remain. Skips a value whose index is out of range.
///
/// ```
/// let mut values = [0; 3];
/// gts_core::summaries::scatter(&mut values, &[2, 0, 9], &[7, 5, 1]);
/// assert_eq!(values, [5, 0, 7]);
/// ```
pub fn scatter(values: &mut [u32], places: &[u64], written: &[u32]) {
    let values = memory::atomic(values);
    places.par_iter().with_min_len(BLOCK).zip(written).for_each(|(&place, &value)| {
        if let Some(found) = usize::try_from(place).ok().and_then(|place| values.get(place)) {
            found.store(value, Relaxed);
        }
    });
}

/// Sorts values in ascending order on all threads. The sort is not stable.
///
/// ```
/// let mut values = [3, 1, 2];
/// gts_core::summaries::sort(&mut values);
/// assert_eq!(values, [1, 2, 3]);
/// ```
pub fn sort<T: Ord + Send>(values: &mut [T]) {
    values.par_sort_unstable();
}

/// Writes the values of an iterator to `places`. Drops values that exceed the slice's length.
pub(crate) fn write<T>(places: &mut [T], values: impl Iterator<Item = T>) {
    let mut places = places.iter_mut();
    // Internal iteration is faster than calling `next` on nested iterators.
    values.for_each(|value| {
        if let Some(place) = places.next() {
            *place = value;
        }
    });
}

/// Splits a slice into parts of the given lengths. The lengths must add up to the length of the slice.
pub(crate) fn parts<'a, T>(mut whole: &'a mut [T], lengths: &[usize]) -> Vec<&'a mut [T]> {
    let cut = |&length: &usize| whole.split_off_mut(..length).unwrap_or_default();
    lengths.iter().map(cut).collect()
}

/// Returns the number of distinct results of `number` below `bound`.
///
/// ```
/// assert_eq!(gts_core::summaries::distinct(&[4u64, 1, 4], 5, |&value| value), Ok(2));
/// ```
///
/// # Errors
///
/// Fails if there is too little memory: two bytes are needed per number below the bound.
pub fn distinct<T: Sync>(values: &[T], bound: usize, number: impl Fn(&T) -> u64 + Sync) -> Result<u64, NoMemory> {
    Ok(count(&marked("numbers that values have", bound, values, |value| [number(value)])?, |seen| *seen))
}

/// Returns, for each number below `bound`, whether any value maps to it.
///
/// ```
/// let ends = [(1u64, 3), (3, 9)];
/// let marked = gts_core::summaries::marked("ends", 5, &ends, |&(src, dst)| [src, dst]);
/// assert_eq!(marked, Ok(vec![false, true, false, true, false]));
/// ```
///
/// # Errors
///
/// Fails if there is too little memory. `what` names the result in the error message.
pub fn marked<T: Sync, I: IntoIterator<Item = u64>>(
    what: &'static str,
    bound: usize,
    values: &[T],
    numbers: impl Fn(&T) -> I + Sync,
) -> Result<Vec<bool>, NoMemory> {
    let unmarked = (0..bound).into_par_iter().with_min_len(BLOCK).map(|_| AtomicBool::new(false));
    let marks = memory::collected_in_parallel(what, unmarked)?;
    let mark = |number: u64| {
        let mark = usize::try_from(number).ok().and_then(|number| marks.get(number));
        // Most numbers recur. A redundant store would take the cache line from other threads.
        if let Some(mark) = mark.filter(|mark| !mark.load(Relaxed)) {
            mark.store(true, Relaxed);
        }
    };
    values.par_iter().with_min_len(BLOCK).for_each(|value| numbers(value).into_iter().for_each(mark));
    mapped(what, &marks, |mark| mark.load(Relaxed))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;
    use std::num::NonZeroUsize;

    /// Generates values that span several blocks, with few distinct values.
    fn values() -> impl Strategy<Value = Vec<u32>> {
        let short = prop::collection::vec(0u32..50, 0..40);
        (short, 0..3 * BLOCK).prop_map(|(short, length)| {
            let repeated = short.iter().copied().cycle().take(length);
            let each = |(place, value): (usize, u32)| value.wrapping_mul(place as u32 | 1) % 97;
            if short.is_empty() { Vec::new() } else { repeated.enumerate().map(each).collect() }
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        #[test]
        fn summaries_are_those_of_serial_loops(values in values(), wanted in 0usize..200, buckets in 0usize..120) {
            prop_assert_eq!(count(&values, |v| v % 3 == 0), values.iter().filter(|v| **v % 3 == 0).count() as u64);
            let below = |place: usize| values[place] as usize % 10 < place;
            let expected = (0..values.len()).filter(|&place| below(place)).count() as u64;
            prop_assert_eq!(count_below(values.len(), below), expected);
            let doubled: Vec<u32> = values.iter().map(|v| 2 * v).collect();
            prop_assert_eq!(mapped("doubled", &values, |v| 2 * v), Ok(doubled.clone()));
            let mut changed = values.clone();
            change(&mut changed, |v| *v *= 2);
            prop_assert_eq!(changed, doubled);
            prop_assert_eq!(sum(&values, |&v| u64::from(v)), values.iter().map(|&v| u64::from(v)).sum::<u64>());
            let below = |place: usize| u64::from(values[place]) * place as u64;
            prop_assert_eq!(sum_below(values.len(), below), (0..values.len()).map(below).sum::<u64>());
            let mut ascending = values.clone();
            sort(&mut ascending);
            prop_assert!(ascending.is_sorted() && sum(&ascending, |&v| u64::from(v)) == sum(&values, |&v| u64::from(v)));
            // Every third index receives a value. The last values have indices beyond the slice.
            let places: Vec<u64> = (0..values.len() as u64).map(|place| 3 * place).collect();
            let mut scattered = vec![1000; values.len()];
            scatter(&mut scattered, &places, &values);
            let expected = (0..values.len()).map(|place| if place % 3 == 0 { values[place / 3] } else { 1000 });
            prop_assert_eq!(scattered, expected.collect::<Vec<_>>());
            prop_assert_eq!(smallest(&values), values.iter().min().copied());
            prop_assert_eq!(largest(&values), values.iter().max().copied());
            prop_assert_eq!(first(&values, |v| *v == 96), values.iter().position(|v| *v == 96));
            let mut expected = vec![0; buckets];
            for &value in values.iter().filter(|v| **v % 5 != 0 && (**v as usize) < buckets) {
                expected[value as usize] += 1;
            }
            prop_assert_eq!(histogram(&values, buckets, |v| (v % 5 != 0).then_some(*v as usize)), Ok(expected));
            let seen: BTreeSet<_> = values.iter().filter(|v| (**v as usize) < buckets).collect();
            prop_assert_eq!(distinct(&values, buckets, |&v| v.into()), Ok(seen.len() as u64));
            let named = |v: u32| values.iter().any(|value| *value == v || value / 2 == v);
            let expected: Vec<bool> = (0..buckets as u32).map(named).collect();
            prop_assert_eq!(marked("numbers", buckets, &values, |&v| [v.into(), (v / 2).into()]), Ok(expected));
            let odd = |place: usize| (values[place] % 2 == 1).then_some(values[place]);
            let expected: Vec<u32> = values.iter().copied().filter(|v| v % 2 == 1).collect();
            prop_assert_eq!(chosen("odd ones", values.len(), odd), Ok(expected));
            for wanted in [0, 1, wanted, values.len() / 2, usize::MAX] {
                let mut places: Vec<usize> = (0..values.len()).filter(|&place| values[place] != 7).collect();
                places.sort_by_key(|&place| (Reverse(values[place]), place));
                places.truncate(wanted);
                prop_assert_eq!(top(&values, wanted, |_, &v| (v != 7).then_some(v)), Ok(places));
            }
        }
    }

    #[test]
    fn sums_do_not_depend_on_the_number_of_threads() {
        let values: Vec<f64> = (1..5 * BLOCK).map(|n| 1.0 / n as f64).collect();
        let with = |threads| {
            let pool = crate::threads::pool("test", NonZeroUsize::new(threads)).expect("some threads");
            pool.install(|| sum(&values, |value| *value)).to_bits()
        };
        assert_eq!(with(1), with(3));
    }
}
