//! Counts values among a vertex's neighbours, for `mode`, on the CPU.
//!
//! A thread counts the values of one vertex in a table that it reuses for the next vertex. If the vertex's whole list
//! was visited in one place, the result is stored at once. Lists in several pages, or in both topologies, are counted
//! in parts by several threads: the parts are merged, and the result is computed when the pass ends.

use super::column::Column;
use super::context::Context;
use super::scalar::{Memory, Scalar};
use gts_contract::{Direction, KernelDescriptor, ScalarType};
use gts_core::graph::{Vertex, VertexId};
use gts_core::hash::spread;
use gts_core::memory::{self, NoMemory};
use std::cell::RefCell;
use std::collections::HashMap;
use std::marker::PhantomData;
use std::sync::{Mutex, PoisonError};

/// A value that can be counted, with a key in the order of the values.
pub trait Tallyable: Scalar {
    /// Returns the key of a value.
    fn key(self) -> u64;
    /// Returns the value of a key.
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

/// The sign bit.
const SIGN_32: u32 = 1 << 31;
const SIGN_64: u64 = 1 << 63;

tallyable! {
    u32: |value| value.into(), |key| key as u32;
    u64: |value| value, |key| key;
    i32: |value| (value as u32 ^ SIGN_32).into(), |key| (key as u32 ^ SIGN_32) as i32;
    i64: |value| value as u64 ^ SIGN_64, |key| (key ^ SIGN_64) as i64;
    VertexId: |value| value.0, |key| VertexId(key);
}

/// Returns the key with the highest count: among several, the smallest.
fn most_frequent(counts: impl Iterator<Item = (u64, u32)>) -> Option<u64> {
    counts.max_by_key(|&(key, count)| (count, std::cmp::Reverse(key))).map(|(key, _)| key)
}

/// Counts by key, with open addressing.
#[derive(Debug, Default)]
struct Table {
    /// Keys and their counts; a count of 0 marks a free slot. Their number is a power of two.
    slots: Vec<(u64, u32)>,
    /// The slots in use.
    used: Vec<u32>,
    /// The failed allocation, if some values could not be counted.
    lacking: Option<NoMemory>,
}

/// Purpose of the counts' memory, for errors.
const WHAT: &str = "counts of neighbours' values";

impl Table {
    #[inline]
    fn add(&mut self, key: u64, count: u32) {
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

    fn counts(&self) -> impl Iterator<Item = (u64, u32)> + '_ {
        self.used.iter().map(|&slot| self.slots[slot as usize])
    }

    fn clear(&mut self) {
        for slot in self.used.drain(..) {
            self.slots[slot as usize].1 = 0;
        }
    }
}

thread_local! {
    /// The thread's last table, empty.
    static SPARE: RefCell<Option<Table>> = const { RefCell::new(None) };
}

/// The values of one vertex's neighbours, counted by one thread.
#[derive(Debug)]
pub struct Tallied<T> {
    table: Table,
    value: PhantomData<T>,
}

impl<T: Tallyable> Tallied<T> {
    /// Returns an empty count.
    pub fn begin() -> Self {
        Self { table: SPARE.take().unwrap_or_default(), value: PhantomData }
    }

    /// Counts a value.
    #[inline(always)]
    pub fn tally(&mut self, value: T) {
        self.table.add(value.key(), 1);
    }

    /// Stores the most frequent value if `edges` are all edges of the vertex that the kernel visits. Otherwise keeps
    /// the counts until the pass ends.
    pub fn settle<P: Memory>(
        mut self,
        column: &Column<'_, T, P>,
        gts: Context<'_>,
        v: Vertex,
        edges: u64,
        kernel: &KernelDescriptor,
    ) {
        let whole = match kernel.direction {
            Direction::Out => gts.out_degree(v) == edges,
            Direction::In => gts.in_degree(v) == edges,
            Direction::Both => false,
        };
        if let Some(lacking) = self.table.lacking.take() {
            gts.lacks(lacking);
        } else if !whole {
            if let Err(lacking) = gts.tallies.add(v, self.table.counts()) {
                gts.lacks(lacking);
            }
        } else if let Some(key) = most_frequent(self.table.counts()) {
            column.store(v, T::of(key));
        }
        self.table.clear();
        SPARE.set(Some(self.table));
    }
}

/// Keys and their counts.
type Counts = Vec<(u64, u32)>;

/// Shards of the counts, so that threads rarely wait for each other.
const SHARDS: usize = 64;

/// The counts of vertices whose lists were visited in parts: by vertex, in ascending order of keys.
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
    fn add(&self, v: Vertex, counts: impl Iterator<Item = (u64, u32)>) -> Result<(), NoMemory> {
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

    /// Returns the most frequent value of each vertex whose counts were kept, as the bits of its type. Nothing is kept
    /// afterwards.
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
