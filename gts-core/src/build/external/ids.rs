//! Collects the original IDs that occur in edges while the edges are read.

use super::limits::Limits;
use crate::build::BuildError;
use crate::build::census::Census;
use crate::build::chunk::RawChunk;
use crate::build::renumber::compact;
use crate::graph::Originals;
use crate::parallel::*;
use std::sync::atomic::{AtomicU64, Ordering};

/// The number of edges per task.
const PIECE: usize = 1 << 15;
/// Bytes per ID while lists are merged: two lists, and the merged list.
const MERGED: u64 = 24;
/// Minimum number of IDs collected before they are sorted.
const LEAST: usize = 1 << 16;

/// A set of IDs: a bitmap up to a limit, and a sorted list as soon as an ID exceeds the limit.
pub(super) struct IdSet {
    seen: Seen,
    /// Maximum number of words in the bitmap.
    most_words: usize,
    limits: Limits,
}

enum Seen {
    Bits(Vec<AtomicU64>),
    /// A sorted list of IDs, and the IDs added since the list was sorted.
    List {
        known: Vec<u64>,
        fresh: Vec<u64>,
    },
}

impl IdSet {
    /// Creates an empty set that may use most of the memory budget.
    pub(super) fn new(limits: Limits) -> Self {
        Self { seen: Seen::Bits(Vec::new()), most_words: limits.work(0) / 16, limits }
    }

    /// Adds both ends of each edge in a chunk.
    pub(super) fn add(&mut self, chunk: &RawChunk) -> Result<(), BuildError> {
        if let Seen::Bits(words) = &mut self.seen {
            let highest = (0..chunk.len()).into_par_iter().with_min_len(PIECE).map(|edge| {
                let (src, dst) = chunk.get(edge);
                src.max(dst)
            });
            let Some(highest) = highest.max() else { return Ok(()) };
            if highest / 64 < self.most_words as u64 {
                let needed = (highest / 64) as usize + 1;
                if words.len() < needed {
                    words.resize_with(needed, AtomicU64::default);
                }
                mark(words, chunk);
                return Ok(());
            }
            self.limits.check_work(8 * words.len() as u64 + 8 * count(words))?;
            let known = list(std::mem::take(words));
            self.seen = Seen::List { known, fresh: Vec::new() };
        }
        if let Seen::List { known, fresh } = &mut self.seen {
            for edge in 0..chunk.len() {
                fresh.extend(<[u64; 2]>::from(chunk.get(edge)));
                if fresh.len() >= LEAST.max(known.len() / 2) {
                    merge(known, fresh);
                    self.limits.check_work(MERGED * known.len() as u64)?;
                }
            }
        }
        Ok(())
    }

    /// Fails if the list of IDs leaves too little memory for the build.
    pub(super) fn check(&self) -> Result<(), BuildError> {
        match &self.seen {
            Seen::Bits(words) if range(words).is_none() => {
                self.limits.check_work(8 * words.len() as u64 + 8 * count(words))
            }
            _ => Ok(()),
        }
    }

    /// Returns a census of the `edges` edges whose ends were added.
    pub(super) fn census(&self, edges: u64) -> Census {
        let mut census = Census::new();
        census.add_edges(edges);
        match &self.seen {
            Seen::Bits(words) => each(words, |id| census.add_id(id)),
            Seen::List { known, fresh } => known.iter().chain(fresh).for_each(|id| census.add_id(*id)),
        }
        census
    }

    /// Returns the maximum bytes needed to collect `vertices` IDs.
    pub(super) fn most_bytes(vertices: u64) -> u64 {
        // A bitmap uses at most half of the work memory. Therefore a list that can be merged also fits in memory
        // together with the bitmap.
        MERGED * vertices
    }

    /// Returns the IDs in ascending order.
    pub(super) fn finish(self) -> Originals {
        match self.seen {
            Seen::Bits(words) => {
                // Most graphs have consecutive IDs, which need no list.
                range(&words).unwrap_or_else(|| compact(list(words)))
            }
            Seen::List { mut known, mut fresh } => {
                merge(&mut known, &mut fresh);
                compact(known)
            }
        }
    }
}

fn mark(words: &[AtomicU64], chunk: &RawChunk) {
    let mark = |id: u64| {
        let (word, bit) = (&words[(id / 64) as usize], 1 << (id % 64));
        // Most IDs are already marked. A load shares the cache line, but an update would claim it exclusively.
        if word.load(Ordering::Relaxed) & bit == 0 {
            word.fetch_or(bit, Ordering::Relaxed);
        }
    };
    (0..chunk.len()).into_par_iter().with_min_len(PIECE).for_each(|edge| {
        let (src, dst) = chunk.get(edge);
        mark(src);
        mark(dst);
    });
}

/// Returns the number of bits that are set.
fn count(words: &[AtomicU64]) -> u64 {
    words.par_iter().map(|word| u64::from(word.load(Ordering::Relaxed).count_ones())).sum()
}

/// Returns the IDs whose bits are set, if they are consecutive.
fn range(words: &[AtomicU64]) -> Option<Originals> {
    let ((first, last), count) = (bounds(words)?, count(words));
    (last - first == count - 1).then_some(Originals::Range { first, count })
}

/// Returns the positions of the first and the last bit that is set.
fn bounds(words: &[AtomicU64]) -> Option<(u64, u64)> {
    let set = |word: &AtomicU64| word.load(Ordering::Relaxed) != 0;
    let (first, last) = (words.iter().position(set)?, words.iter().rposition(set)?);
    let bits = |word: usize| words[word].load(Ordering::Relaxed);
    Some((
        64 * first as u64 + u64::from(bits(first).trailing_zeros()),
        64 * last as u64 + 63 - u64::from(bits(last).leading_zeros()),
    ))
}

/// Returns the IDs whose bits are set, in ascending order.
fn list(words: Vec<AtomicU64>) -> Vec<u64> {
    let mut list = Vec::with_capacity(count(&words) as usize);
    each(&words, |id| list.push(id));
    list
}

fn each(words: &[AtomicU64], mut take: impl FnMut(u64)) {
    for (word, bits) in (0..).zip(words) {
        let mut rest = bits.load(Ordering::Relaxed);
        while rest != 0 {
            take(64 * word + u64::from(rest.trailing_zeros()));
            rest &= rest - 1;
        }
    }
}

/// Sorts the fresh IDs and merges them into the known IDs.
fn merge(known: &mut Vec<u64>, fresh: &mut Vec<u64>) {
    fresh.par_sort_unstable();
    fresh.dedup();
    let mut merged = Vec::with_capacity(known.len() + fresh.len());
    let (mut a, mut b) = (known.iter().peekable(), fresh.iter().peekable());
    loop {
        let next = match (a.peek(), b.peek()) {
            (None, None) => break,
            (Some(&&x), Some(&&y)) if x == y => {
                b.next();
                a.next();
                x
            }
            (Some(&&x), Some(&&y)) if x < y => {
                a.next();
                x
            }
            (Some(&&x), None) => {
                a.next();
                x
            }
            (_, Some(&&y)) => {
                b.next();
                y
            }
        };
        merged.push(next);
    }
    *known = merged;
    fresh.clear();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::chunk::Ends;

    fn found(ids: impl Iterator<Item = u64>, limits: Limits) -> Result<Originals, BuildError> {
        let mut set = IdSet::new(limits);
        let keys = ids.map(|id| id << 32 | id).collect();
        set.add(&RawChunk { first: 0, epoch: 0, ends: Ends::Narrow(keys), values: Vec::new() })?;
        set.check()?;
        Ok(set.finish())
    }

    #[test]
    fn only_ids_with_gaps_take_a_list_and_that_is_held_against_the_budget() {
        // The limit is sufficient for a bitmap of 200,000 IDs, but not for a list of them.
        let small = Limits::new((32 << 20) + (1 << 18));
        let range = Originals::Range { first: 70, count: 200_000 };
        assert_eq!(found(70..200_070, small).unwrap(), range);
        let gap = (0..200_000).filter(|id| *id != 777);
        let refused = found(gap.clone(), small);
        assert!(matches!(refused, Err(BuildError::Budget { needed, .. }) if needed > 199_999 * 8), "{refused:?}");
        assert_eq!(found(gap.clone(), Limits::new(64 << 20)).unwrap(), Originals::List(gap.collect::<Vec<_>>().into()));
        // An ID beyond the bitmap's limit converts the bitmap to a list.
        let far = (0..200_000).chain([u64::from(u32::MAX)]);
        assert!(matches!(found(far, small), Err(BuildError::Budget { .. })));
    }
}
