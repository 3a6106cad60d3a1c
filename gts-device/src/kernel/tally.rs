//! Counts the values of a vertex's neighbours on the CPU, to compute `mode`.
//!
//! A thread counts the values of one vertex in a table, and reuses the table for the next vertex. If a single visit
//! covers all edges of the vertex, the thread immediately stores the result. If the edges are in several pages or in
//! both topologies, the values are counted in parts, possibly by several threads. At the end of the pass, the counts of
//! all parts are merged and the result is computed.

use super::scalar::Scalar;
use gts_contract::ScalarType;
use gts_core::graph::{Vertex, VertexId};
use gts_core::hash::spread;
use gts_core::memory::{self, NoMemory};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// A type whose values can be counted. Each value has a key, and keys are in the same order as the values.
pub trait Tallyable: Scalar {
    /// Returns the key of a value.
    fn key(self) -> u64;
    /// Returns the value that has this key.
    fn of(key: u64) -> Self;
}

macro_rules! tallyable {
    ($($type:ty: |$value:ident| $key:expr, |$number:ident| $of:expr;)*) => {$(
        impl Tallyable for $type {
            #[inline(always)]
            fn key(self) -> u64 { let $value = self; $key }
            #[inline(always)]
            fn of($number: u64) -> Self { $of }
        }
    )*};
}

/// The sign bits, which are flipped so that keys of negative values are smaller.
const SIGN_32: u32 = 1 << 31;
const SIGN_64: u64 = 1 << 63;

tallyable! {
    u32: |value| value.into(), |key| key as u32;
    u64: |value| value, |key| key;
    i32: |value| (value as u32 ^ SIGN_32).into(), |key| (key as u32 ^ SIGN_32) as i32;
    i64: |value| value as u64 ^ SIGN_64, |key| (key ^ SIGN_64) as i64;
    VertexId: |value| value.to_bits(), |key| VertexId::from_bits(key);
}

/// Returns the key with the highest count, or the smallest of several such keys.
pub(super) fn most_frequent(counts: impl Iterator<Item = (u64, u32)>) -> Option<u64> {
    counts.max_by_key(|&(key, count)| (count, std::cmp::Reverse(key))).map(|(key, _)| key)
}

/// A hash table of counts with open addressing.
#[derive(Debug, Default)]
pub(super) struct Table {
    /// Keys and their counts. A count of 0 marks a free slot. The number of slots is 0 or a power of two.
    slots: Vec<(u64, u32)>,
    /// The indices of the used slots.
    used: Vec<u32>,
    /// The failed allocation if the table could not grow, in which case some values were not counted.
    pub(super) lacking: Option<NoMemory>,
}

/// The name of the tables in allocation errors.
const WHAT: &str = "counts of neighbours' values";

impl Table {
    #[inline]
    pub(super) fn add(&mut self, key: u64, count: u32) {
        if 2 * (self.used.len() + 1) > self.slots.len()
            && let Err(lacking) = self.grow()
        {
            self.lacking = Some(lacking);
            return;
        }
        let mask = self.slots.len() - 1;
        let mut at = spread(key) as usize & mask;
        loop {
            let slot = &mut self.slots[at];
            if slot.1 == 0 {
                *slot = (key, count);
                self.used.push(at as u32);
                return;
            }
            if slot.0 == key {
                slot.1 += count;
                return;
            }
            at = (at + 1) & mask;
        }
    }

    #[cold]
    fn grow(&mut self) -> Result<(), NoMemory> {
        let slots = (2 * self.slots.len()).max(64);
        let mut larger = Self {
            slots: memory::filled(WHAT, slots, (0, 0))?,
            used: memory::reserved(WHAT, slots / 2)?,
            lacking: self.lacking,
        };
        self.counts().for_each(|(key, count)| larger.add(key, count));
        *self = larger;
        Ok(())
    }

    pub(super) fn counts(&self) -> impl Iterator<Item = (u64, u32)> + '_ {
        self.used.iter().map(|&slot| self.slots[slot as usize])
    }

    pub(super) fn clear(&mut self) {
        for slot in self.used.drain(..) {
            self.slots[slot as usize].1 = 0;
        }
    }
}

/// Keys and their counts.
type Counts = Vec<(u64, u32)>;

/// Number of shards that store the retained counts. Threads rarely wait for each other, because they usually access
/// different shards.
const SHARDS: usize = 64;

/// The retained counts of vertices whose lists are visited in parts. The counts of a vertex are in ascending order of
/// keys.
#[derive(Debug)]
pub struct Tallies {
    shards: Vec<Mutex<HashMap<u64, Counts>>>,
}

impl Default for Tallies {
    fn default() -> Self {
        Self { shards: (0..SHARDS).map(|_| Mutex::default()).collect() }
    }
}

impl Tallies {
    pub(super) fn add(&self, v: Vertex, counts: impl Iterator<Item = (u64, u32)>) -> Result<(), NoMemory> {
        let mut counts: Counts = memory::collected(WHAT, counts)?;
        counts.sort_unstable();
        let shard = &self.shards[v.index() % SHARDS];
        let mut shard = shard.lock().unwrap_or_else(PoisonError::into_inner);
        memory::reserve_entry(WHAT, &mut shard)?;
        let known = shard.entry(v.dense()).or_default();
        if !known.is_empty() {
            memory::append(WHAT, &mut counts, known)?;
            counts.sort_unstable();
            counts.dedup_by(|next, first| {
                let same = next.0 == first.0;
                first.1 += if same { next.1 } else { 0 };
                same
            });
        }
        *known = counts;
        Ok(())
    }

    /// Removes the retained counts of all vertices. Returns each vertex with its most frequent value, as bits of type
    /// `scalar`.
    pub fn drain(&mut self, scalar: ScalarType) -> impl Iterator<Item = (Vertex, u64)> + '_ {
        let bits = move |key: u64| match scalar {
            ScalarType::I32 => i32::of(key) as u32 as u64,
            ScalarType::I64 => i64::of(key) as u64,
            _ => key,
        };
        let shards = self.shards.iter_mut().map(|shard| shard.get_mut().unwrap_or_else(PoisonError::into_inner));
        let vertices = shards.flat_map(HashMap::drain);
        vertices.filter_map(move |(v, counts)| Some((Vertex::from_dense(v), bits(most_frequent(counts.into_iter())?))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_values_as_frequent_the_smallest_is_taken() {
        let mut table = Table::default();
        let values = [5i32, -7, 3, 5, -7, i32::MAX, 3, 1000];
        values.iter().for_each(|value| table.add(value.key(), 1));
        assert_eq!(most_frequent(table.counts()).map(i32::of), Some(-7));
        table.clear();
        assert_eq!(most_frequent(table.counts()), None);
    }

    #[test]
    fn tables_grow() {
        let mut table = Table::default();
        (0..5000u64).for_each(|key| table.add(key, 1));
        table.add(4321, 1);
        assert_eq!((table.counts().count(), most_frequent(table.counts())), (5000, Some(4321)));
    }

    #[test]
    fn parts_of_a_list_are_merged() {
        let mut tallies = Tallies::default();
        let v = Vertex::from_dense(3);
        tallies.add(v, [(9, 1), (4, 2)].into_iter()).expect("memory");
        tallies.add(v, [(9, 2), (7, 2)].into_iter()).expect("memory");
        assert_eq!(tallies.drain(ScalarType::U64).collect::<Vec<_>>(), [(v, 9)]);
        assert_eq!(tallies.drain(ScalarType::U64).collect::<Vec<_>>(), []);
    }
}
