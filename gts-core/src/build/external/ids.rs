//! Finds the original IDs that edges name while they pass by.

use super::limits::Limits;
use crate::build::BuildError;
use crate::build::collect::RawChunk;
use crate::build::renumber::compact;
use crate::graph::Originals;
use rayon::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};

/// Edges that one task looks at.
const PIECE: usize = 1 << 15;
/// The least IDs gathered before they are sorted.
const LEAST: usize = 1 << 16;

/// The IDs seen: a bit for each up to some limit, a sorted list as soon as one lies beyond.
pub(super) struct IdSet {
    seen: Seen,
    /// Words that the bits may take.
    most_words: usize,
    limits: Limits,
}

enum Seen {
    Bits(Vec<AtomicU64>),
    /// Sorted IDs, and those that came since.
    List {
        known: Vec<u64>,
        fresh: Vec<u64>,
    },
}

impl IdSet {
    /// A set of no IDs, which has most of the memory to itself.
    pub(super) fn new(limits: Limits) -> Self {
        Self { seen: Seen::Bits(Vec::new()), most_words: limits.work(0) / 16, limits }
    }

    /// Adds the ends of edges.
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
            let known = list(std::mem::take(words));
            self.seen = Seen::List { known, fresh: Vec::new() };
        }
        if let Seen::List { known, fresh } = &mut self.seen {
            for edge in 0..chunk.len() {
                fresh.extend(<[u64; 2]>::from(chunk.get(edge)));
                if fresh.len() >= LEAST.max(known.len() / 2) {
                    merge(known, fresh);
                    // Both lists, and the merged one beside them.
                    self.limits.check(known.len() as u64 * 24)?;
                }
            }
        }
        Ok(())
    }

    /// The IDs, ascending.
    pub(super) fn finish(self) -> Originals {
        match self.seen {
            Seen::Bits(words) => compact(list(words)),
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
        // Most IDs are marked already, and a load shares the cache line where an update would claim it.
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

/// The IDs whose bits are set.
fn list(words: Vec<AtomicU64>) -> Vec<u64> {
    let count: usize = words.par_iter().map(|word| word.load(Ordering::Relaxed).count_ones() as usize).sum();
    let mut list = Vec::with_capacity(count);
    for (word, bits) in (0..).zip(words) {
        let mut rest = bits.into_inner();
        while rest != 0 {
            list.push(64 * word + u64::from(rest.trailing_zeros()));
            rest &= rest - 1;
        }
    }
    list
}

/// Sorts what is fresh into what is known.
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
