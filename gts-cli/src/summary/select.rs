//! Selects and counts keys with all threads.

use gts_graph::core::memory::{self, NoMemory};
use gts_graph::core::parallel::*;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

/// Purpose of the memory, for error messages.
pub(super) const WHAT: &str = "lines of the summary";
/// Minimum number of places per task.
const PIECE: usize = 1 << 14;
/// Tasks per thread, so that a slow task does not delay the others.
const TASKS_PER_THREAD: usize = 4;
/// Number of counters that is always worth its memory.
const FEW: u64 = 1 << 16;
/// Counts that a task keeps locally until another key takes the entry. A frequent key then causes few updates of memory
/// that all threads share.
const KEPT: usize = 256;

/// A sequence of places. A place may have a key.
pub(super) trait Source: Sync {
    /// Returns the number of places.
    fn len(&self) -> usize;

    /// Calls `take` with the places of a piece that have a key, in order, each with its key.
    fn each(&self, piece: Range<usize>, take: impl FnMut(usize, u64));
}

/// Returns the number of places in a piece. Each task processes one piece.
fn piece_len(len: usize) -> usize {
    len.div_ceil(TASKS_PER_THREAD * rayon::current_num_threads()).max(PIECE)
}

/// Returns 0..`len` in pieces.
fn pieces(len: usize) -> impl Items<Item = Range<usize>> {
    let piece = piece_len(len);
    (0..len.div_ceil(piece)).into_par_iter().map(move |task| task * piece..len.min((task + 1) * piece))
}

/// Returns the `wanted` places of the lowest ranks in order, each with its rank; of equal ranks the smaller places.
/// `rank` converts a key to a rank.
///
/// # Errors
///
/// Too little memory.
pub(super) fn least(
    wanted: usize,
    source: &impl Source,
    rank: impl Fn(u64) -> u64 + Sync,
) -> Result<Vec<(u64, usize)>, NoMemory> {
    if wanted == 0 {
        return Ok(Vec::new());
    }
    let of_pieces = pieces(source.len()).map(|piece| least_of(wanted, piece, source, &rank));
    let join = |one: Result<Vec<_>, NoMemory>, other: Result<Vec<_>, NoMemory>| {
        let mut one = one?;
        memory::append(WHAT, &mut one, &other?)?;
        keep_least(wanted, &mut one);
        Ok(one)
    };
    let mut least = of_pieces.reduce(|| Ok(Vec::new()), join)?;
    least.par_sort_unstable();
    Ok(least)
}

/// Returns the same for a piece, unordered.
fn least_of(
    wanted: usize,
    piece: Range<usize>,
    source: &impl Source,
    rank: impl Fn(u64) -> u64,
) -> Result<Vec<(u64, usize)>, NoMemory> {
    // Collects up to twice the wanted number before the lowest are selected, so that the cost per place is small for
    // any number.
    let most = wanted.saturating_mul(2).min(piece.len());
    let mut least: Vec<(u64, usize)> = memory::reserved(WHAT, most)?;
    // A place with the same rank as the worst of `wanted` entries is larger than their places, so it is not selected.
    let mut worst = None;
    source.each(piece, |place, key| {
        let rank = rank(key);
        if worst.is_none_or(|worst| rank < worst) {
            if least.len() == most {
                keep_least(wanted, &mut least);
                worst = least.last().map(|last| last.0);
            }
            least.push((rank, place));
        }
    });
    keep_least(wanted, &mut least);
    Ok(least)
}

/// Keeps the `wanted` lowest entries and moves the largest of them to the end.
fn keep_least(wanted: usize, entries: &mut Vec<(u64, usize)>) {
    if entries.len() > wanted {
        entries.select_nth_unstable(wanted - 1);
        entries.truncate(wanted);
    }
}

/// Number of places per key.
pub(super) enum Tally {
    /// A counter per key, from the first key on.
    Counters {
        /// The first key.
        first: u64,
        /// The counters.
        counters: Vec<AtomicU32>,
    },
    /// Keys in order, with the number of places that have them.
    Runs(Vec<(u64, u32)>),
}

impl Tally {
    /// Counts the places per key. There must be fewer than 2^32 places.
    ///
    /// # Errors
    ///
    /// Too little memory.
    pub(super) fn new(source: &impl Source) -> Result<Self, NoMemory> {
        let bounds = pieces(source.len()).map(|piece| {
            let (mut low, mut high) = (u64::MAX, 0);
            source.each(piece, |_, key| (low, high) = (low.min(key), high.max(key)));
            (low, high)
        });
        let (low, high) = bounds.reduce(|| (u64::MAX, 0), |one, other| (one.0.min(other.0), one.1.max(other.1)));
        if low > high {
            return Ok(Self::Runs(Vec::new()));
        }
        // Counters then take no more memory than the keys.
        if high - low < FEW.max(2 * source.len() as u64) {
            let counters = (0..(high - low) as usize + 1).into_par_iter().map(|_| AtomicU32::new(0));
            let counters = memory::collected_in_parallel(WHAT, counters)?;
            pieces(source.len()).for_each(|piece| count(source, piece, low, &counters));
            return Ok(Self::Counters { first: low, counters });
        }
        Ok(Self::Runs(runs(source)?))
    }

    /// Returns the key at `index`, and the number of places that have it.
    pub(super) fn get(&self, index: usize) -> (u64, u32) {
        match self {
            Self::Counters { first, counters } => (first + index as u64, counters[index].load(Ordering::Relaxed)),
            Self::Runs(runs) => runs[index],
        }
    }

    /// Returns the number of distinct keys.
    pub(super) fn distinct(&self) -> usize {
        let of_pieces = pieces(self.len()).map(|piece| {
            let mut found = 0;
            self.each(piece, |_, _| found += 1);
            found
        });
        of_pieces.sum()
    }
}

/// Views the keys of a tally as places, and the number of places per key as their keys.
impl Source for Tally {
    fn len(&self) -> usize {
        match self {
            Self::Counters { counters, .. } => counters.len(),
            Self::Runs(runs) => runs.len(),
        }
    }

    fn each(&self, piece: Range<usize>, mut take: impl FnMut(usize, u64)) {
        for index in piece {
            let (_, size) = self.get(index);
            if size > 0 {
                take(index, size.into());
            }
        }
    }
}

/// Adds 1 to the counter of each key of a piece; the first counter is that of the key `low`.
fn count(source: &impl Source, piece: Range<usize>, low: u64, counters: &[AtomicU32]) {
    let add = |(index, count): (usize, u32)| {
        if count > 0 {
            counters[index].fetch_add(count, Ordering::Relaxed);
        }
    };
    let mut kept = [(0, 0); KEPT];
    source.each(piece, |_, key| {
        let index = (key - low) as usize;
        let own = &mut kept[index % KEPT];
        if own.0 != index {
            add(std::mem::replace(own, (index, 0)));
        }
        own.1 += 1;
    });
    kept.into_iter().for_each(add);
}

/// Returns the keys in ascending order, with the number of places per key.
fn runs(source: &impl Source) -> Result<Vec<(u64, u32)>, NoMemory> {
    let mut keys: Vec<u64> = memory::zeroed(WHAT, source.len())?;
    let of_pieces = keys.par_chunks_mut(piece_len(source.len())).zip(pieces(source.len())).map(|(keys, piece)| {
        let mut found = 0;
        source.each(piece, |_, key| {
            keys[found] = key;
            found += 1;
        });
        // Sorting moves the unused entries to the end.
        keys[found..].fill(u64::MAX);
        found
    });
    let found = of_pieces.sum();
    keys.par_sort_unstable();
    keys.truncate(found);
    let begins = |place: &usize| *place == 0 || keys[place - 1] != keys[*place];
    let starts = pieces(keys.len()).map(|piece| memory::collected(WHAT, piece.filter(begins)));
    let join = |one: Result<Vec<_>, NoMemory>, other: Result<Vec<_>, NoMemory>| {
        let mut one = one?;
        memory::append(WHAT, &mut one, &other?)?;
        Ok(one)
    };
    let starts = starts.reduce(|| Ok(Vec::new()), join)?;
    let run = |run: usize| {
        let end = starts.get(run + 1).copied().unwrap_or(keys.len());
        (keys[starts[run]], (end - starts[run]) as u32)
    };
    memory::collected_in_parallel(WHAT, (0..starts.len()).into_par_iter().map(run))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    impl Source for Vec<Option<u64>> {
        fn len(&self) -> usize {
            self.as_slice().len()
        }

        fn each(&self, piece: Range<usize>, mut take: impl FnMut(usize, u64)) {
            let keys = self[piece.clone()].iter();
            piece.zip(keys).filter_map(|(place, key)| Some((place, (*key)?))).for_each(|(place, key)| take(place, key));
        }
    }

    /// Returns keys with few values, with many in a small range, or with any; some places have none.
    fn keys() -> impl Strategy<Value = Vec<Option<u64>>> {
        let few = prop::collection::vec(prop::option::of(0u64..4), 0..300);
        let near = prop::collection::vec(prop::option::of(1000u64..5000), 0..300);
        let any = prop::collection::vec(prop::option::of(prop_oneof![any::<u64>(), Just(u64::MAX)]), 0..300);
        let same = (prop::option::of(0u64..9), 0..3 * PIECE).prop_map(|(key, len)| vec![key; len]);
        (same, prop_oneof![few, near, any]).prop_map(|(same, others)| [same, others].concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn the_least_are_those_of_a_sort(keys in keys(), wanted in prop_oneof![0usize..20, Just(usize::MAX)]) {
            for rank in [|key| key, |key: u64| !key] {
                let placed = keys.iter().enumerate().filter_map(|(place, key)| Some((rank((*key)?), place)));
                let mut expected: Vec<_> = placed.collect();
                expected.sort_unstable();
                expected.truncate(wanted);
                prop_assert_eq!(least(wanted, &keys, rank).expect("memory"), expected);
            }
        }

        #[test]
        fn a_tally_counts_every_key(keys in keys()) {
            let mut expected = BTreeMap::new();
            keys.iter().flatten().for_each(|key| *expected.entry(*key).or_insert(0u32) += 1);
            let tally = Tally::new(&keys).expect("memory");
            prop_assert_eq!(tally.distinct(), expected.len());
            let counted = (0..tally.len()).map(|index| tally.get(index)).filter(|(_, size)| *size > 0);
            prop_assert!(counted.eq(expected));
        }
    }
}
