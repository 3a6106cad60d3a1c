//! Numbers keys that are names or UUIDs, as they are read.
//!
//! A hash selects one of several tables, which threads share. Equality is that of the bytes. Numbers are provisional: after
//! the last edge, the keys are sorted, and a table maps each number to the rank of its key. Ranks do not depend on the
//! order of the input.

use super::renumber::MAX_VERTICES;
use super::{BuildError, EdgeBatch};
use crate::graph::{KeyForm, KeyNames, shared_bytes};
use crate::memory::{self, NoMemory};
use crate::parallel::*;
use std::sync::atomic::{AtomicU32, Ordering};
use xxhash_rust::xxh3::xxh3_64;

/// The number of tables.
const SHARDS: usize = 64;
/// The number of edges per task.
const PIECE: usize = 1 << 14;
/// Maximum number of keys that are sorted by comparing whole keys.
const FEW: usize = 16;
/// The number of keys above which several threads sort them. Tests use few keys.
const MANY: usize = if cfg!(test) { 64 } else { 1 << 16 };
/// Keys that share more bytes are sorted by comparing whole keys. This bounds the depth of the sort.
const DEEP: usize = 1 << 10;
/// Minimum number of groups of keys that a task sorts.
const GROUPS: usize = 64;
/// The number of keys by which loads of slots run ahead.
const AHEAD: usize = 8;
/// Minimum number of slots in a table.
const LEAST_SLOTS: usize = 1 << 6;
/// The purpose of the memory, for errors.
const WHAT: &str = "keys";

/// The keys that have occurred, with their numbers.
pub(super) struct Interner {
    form: KeyForm,
    shards: Vec<Shard>,
    /// The bits of a hash that are used. A test uses few, so that keys collide.
    mask: u64,
}

/// The keys whose hashes have the same low bits.
#[derive(Default)]
struct Shard {
    /// A hash table without chains. A slot contains the high half of a key's hash, and the index of the key plus one.
    slots: Vec<u64>,
    text: Vec<u8>,
    ends: Vec<usize>,
}

/// The ends of some edges in order of shards.
struct Piece {
    /// The number of sources.
    sources: usize,
    hashes: Vec<u64>,
    /// Sources have the first indices, targets the next.
    order: Vec<u32>,
    starts: [u32; SHARDS + 1],
    numbers: Vec<AtomicU32>,
}

/// All keys in ascending order.
pub(super) struct Interned {
    pub(super) names: KeyNames,
    /// The rank of each number; `u32::MAX` for a number without a key.
    pub(super) ranks: Vec<u32>,
}

impl Interner {
    pub(super) fn new(form: KeyForm) -> Self {
        let shards = (0..SHARDS).map(|_| Shard::default()).collect();
        Self { form, shards, mask: u64::MAX }
    }

    /// Creates an interner that uses only eight bits of each hash.
    #[cfg(test)]
    pub(super) fn colliding(form: KeyForm) -> Self {
        Self { mask: 0xff, ..Self::new(form) }
    }

    /// Returns the number of distinct keys.
    pub(super) fn len(&self) -> u64 {
        self.shards.iter().map(|shard| shard.ends.len() as u64).sum()
    }

    /// Returns the bytes in memory.
    pub(super) fn bytes(&self) -> u64 {
        let bytes = |shard: &Shard| shard.text.capacity() + 8 * (shard.ends.capacity() + shard.slots.capacity());
        self.shards.iter().map(|shard| bytes(shard) as u64).sum()
    }

    /// Replaces the places of keys in a batch by the keys' numbers.
    pub(super) fn number(&mut self, batch: &mut EdgeBatch) -> Result<(), BuildError> {
        let EdgeBatch { src, dst, text, keys, vertices, .. } = batch;
        if src.len() != dst.len() {
            return Err(BuildError::Batch { src: src.len(), dst: dst.len(), value: text.len() });
        }
        self.number_places(text, vertices, &mut [])?;
        if keys.is_empty() {
            self.number_places(text, src, dst)?;
        } else {
            let range = keys.len() as u64;
            if ![&*src, &*dst].iter().all(|ends| ends.par_iter().with_min_len(PIECE).all(|end| *end < range)) {
                return Err(BuildError::Batch { src: src.len(), dst: dst.len(), value: keys.len() });
            }
            // If keys have sides, an entry of the list may be the key of two vertices.
            let has_sides = self.form.has_sides;
            if !has_sides {
                self.number_places(text, keys, &mut [])?;
            }
            for ends in [&mut *src, &mut *dst] {
                ends.par_iter_mut().with_min_len(PIECE).for_each(|end| *end = keys[*end as usize]);
            }
            if has_sides {
                self.number_places(text, src, dst)?;
            }
        }
        text.clear();
        keys.clear();
        vertices.clear();
        Ok(())
    }

    /// Replaces the places of keys in two lists by the keys' numbers. The second list is empty or as long as the first.
    fn number_places(&mut self, text: &[u8], src: &mut [u64], dst: &mut [u64]) -> Result<(), BuildError> {
        let fits = |place: &u64| EdgeBatch::key_range(*place).end <= text.len();
        if ![&*src, &*dst].iter().all(|places| places.par_iter().with_min_len(PIECE).all(fits)) {
            return Err(BuildError::Batch { src: src.len(), dst: dst.len(), value: text.len() });
        }
        let part = |places: &[u64], start: usize| -> std::ops::Range<usize> {
            start.min(places.len())..(start + PIECE).min(places.len())
        };
        let starts: Vec<usize> = (0..src.len()).step_by(PIECE).collect();
        let pieces: Vec<Piece> = starts
            .par_iter()
            .with_max_len(1)
            .map(|&start| Piece::new(text, &src[part(src, start)], &dst[part(dst, start)], self.form, self.mask))
            .collect();
        let (src_of, dst_of) = (&*src, &*dst);
        let [left, right] = sides(self.form);
        self.shards.par_iter_mut().enumerate().with_max_len(1).try_for_each(|(number, shard)| {
            for (piece, place) in pieces.iter().zip((0..).step_by(PIECE)) {
                shard.number(number, piece, text, |end| match end.checked_sub(piece.sources) {
                    None => (left, src_of[place + end]),
                    Some(end) => (right, dst_of[place + end]),
                })?;
            }
            Ok::<_, NoMemory>(())
        })?;
        if self.bound() as u64 > MAX_VERTICES {
            return Err(BuildError::TooManyVertices { found: self.len(), max: MAX_VERTICES });
        }
        let number = |number: &AtomicU32| u64::from(number.load(Ordering::Relaxed));
        src.par_chunks_mut(PIECE).zip(&pieces).for_each(|(src, piece)| {
            src.iter_mut().zip(&piece.numbers).for_each(|(end, found)| *end = number(found));
        });
        dst.par_chunks_mut(PIECE).zip(&pieces).for_each(|(dst, piece)| {
            dst.iter_mut().zip(&piece.numbers[piece.sources..]).for_each(|(end, found)| *end = number(found));
        });
        Ok(())
    }

    /// Returns a number that is larger than the numbers of all keys.
    pub(super) fn bound(&self) -> usize {
        self.shards.iter().map(|shard| shard.ends.len()).max().unwrap_or(0) * SHARDS
    }

    /// Returns the numbers of all keys in ascending order of the keys.
    pub(super) fn sorted(&self) -> Result<impl ExactSizeIterator<Item = u32>, NoMemory> {
        Ok(self.sort()?.into_iter().map(|(_, number)| number))
    }

    /// Returns the numbers of all keys in ascending order of the keys, each with a number that the sort has used.
    fn sort(&self) -> Result<Vec<(u64, u32)>, NoMemory> {
        let mut sorted: Vec<(u64, u32)> = memory::reserved(WHAT, self.len() as usize)?;
        for (number, shard) in self.shards.iter().enumerate() {
            sorted.extend((number as u32..).step_by(SHARDS).take(shard.ends.len()).map(|number| (0, number)));
        }
        self.sort_from(&mut sorted, 0);
        Ok(sorted)
    }

    /// Sorts keys that share their first `shared` bytes. Skips the further bytes that all of them share, sorts by the next
    /// eight bytes, and sorts each group whose eight bytes are equal in the same way. The eight bytes are stored as a number
    /// beside the key's number, so that comparisons read no keys.
    fn sort_from(&self, keys: &mut [(u64, u32)], shared: usize) {
        let rest = |number: u32| &self.key(number)[shared..];
        let by_bytes = |one: &(u64, u32), other: &(u64, u32)| rest(one.1).cmp(rest(other.1));
        if keys.len() <= FEW {
            return keys.sort_unstable_by(by_bytes);
        }
        if shared > DEEP {
            return keys.par_sort_unstable_by(by_bytes);
        }
        let first = rest(keys[0].1);
        let all_share =
            |keys: &[(u64, u32)]| keys.iter().map(|key| shared_bytes(rest(key.1), first)).min().unwrap_or(0);
        let is_many = keys.len() > MANY;
        let more = match is_many {
            true => keys.par_chunks(PIECE).map(all_share).reduce(|| first.len(), usize::min),
            false => all_share(keys),
        };
        let shared = shared + more;
        let lead = |key: &mut (u64, u32)| key.0 = leading(&self.key(key.1)[shared..]);
        let is_equal = |one: &(u64, u32), other: &(u64, u32)| one.0 == other.0;
        let shared = shared + size_of::<u64>();
        if !is_many {
            keys.iter_mut().for_each(lead);
            keys.sort_unstable_by_key(|key| key.0);
            return keys
                .chunk_by_mut(is_equal)
                .filter(|equal| equal.len() > 1)
                .for_each(|equal| self.sort_from(equal, shared));
        }
        keys.par_iter_mut().with_min_len(PIECE).for_each(lead);
        keys.par_sort_unstable_by_key(|key| key.0);
        let (large, small): (Vec<_>, Vec<_>) =
            keys.chunk_by_mut(is_equal).filter(|equal| equal.len() > 1).partition(|equal| equal.len() > MANY);
        large.into_iter().for_each(|equal| self.sort_from(equal, shared));
        small.into_par_iter().with_min_len(GROUPS).for_each(|equal| self.sort_from(equal, shared));
    }

    /// Ranks the keys.
    pub(super) fn finish(self) -> Result<Interned, NoMemory> {
        let sorted = self.sort()?;
        let mut ranks = memory::filled(WHAT, self.bound(), u32::MAX)?;
        (0..).zip(&sorted).for_each(|(rank, (_, number))| ranks[*number as usize] = rank);
        let names = KeyNames::of_sorted(self.form, sorted.len(), |rank| self.key(sorted[rank].1));
        Ok(Interned { names, ranks })
    }

    /// Returns the key with a number.
    pub(super) fn key(&self, number: u32) -> &[u8] {
        self.shards[number as usize % SHARDS].key(number as usize / SHARDS)
    }
}

/// Returns the first eight bytes as a number with the order of the bytes.
fn leading(key: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    let length = key.len().min(8);
    bytes[..length].copy_from_slice(&key[..length]);
    u64::from_be_bytes(bytes)
}

impl Piece {
    fn new(text: &[u8], src: &[u64], dst: &[u64], form: KeyForm, mask: u64) -> Self {
        let hash = |place: &u64| xxh3_64(&text[EdgeBatch::key_range(*place)]);
        // The hash of a right key must differ from that of an equal left key.
        let other = if form.has_sides { u64::MAX } else { 0 };
        let hashes = src.iter().map(hash).chain(dst.iter().map(|place| hash(place) ^ other));
        let hashes: Vec<u64> = hashes.map(|hash| hash & mask).collect();
        let mut starts = [0u32; SHARDS + 1];
        hashes.iter().for_each(|hash| starts[shard_of(*hash) + 1] += 1);
        (0..SHARDS).for_each(|shard| starts[shard + 1] += starts[shard]);
        let (mut next, mut order) = (starts, vec![0; hashes.len()]);
        for (end, hash) in (0..).zip(&hashes) {
            let place = &mut next[shard_of(*hash)];
            order[*place as usize] = end;
            *place += 1;
        }
        let numbers = hashes.iter().map(|_| AtomicU32::new(0)).collect();
        Self { sources: src.len(), hashes, order, starts, numbers }
    }
}

/// Returns the bytes in front of the keys of sources, and of targets.
fn sides(form: KeyForm) -> [&'static [u8]; 2] {
    if form.has_sides { [&[0], &[1]] } else { [&[], &[]] }
}

fn shard_of(hash: u64) -> usize {
    hash as usize % SHARDS
}

impl Shard {
    fn key(&self, index: usize) -> &[u8] {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.text[start..self.ends[index]]
    }

    /// Sets the numbers of this shard's keys in a piece. `place` returns the side and the place of an end's key.
    fn number(
        &mut self,
        shard: usize,
        piece: &Piece,
        text: &[u8],
        place: impl Fn(usize) -> (&'static [u8], u64),
    ) -> Result<(), NoMemory> {
        let ends = &piece.order[piece.starts[shard] as usize..piece.starts[shard + 1] as usize];
        self.reserve(ends.len())?;
        for (at, &end) in ends.iter().enumerate() {
            if let Some(later) = ends.get(at + AHEAD) {
                let slot = self.slot_of(piece.hashes[*later as usize]);
                memory::prefetch((&raw const self.slots[slot]).cast());
            }
            let (side, place) = place(end as usize);
            let key = &text[EdgeBatch::key_range(place)];
            let index = self.index_of(piece.hashes[end as usize], side, key)?;
            piece.numbers[end as usize].store((index * SHARDS + shard) as u32, Ordering::Relaxed);
        }
        Ok(())
    }

    fn slot_of(&self, hash: u64) -> usize {
        (hash >> 32) as usize & (self.slots.len() - 1)
    }

    /// Returns the index of a key, which is added if it is new. There must be a free slot.
    #[inline]
    fn index_of(&mut self, hash: u64, side: &[u8], key: &[u8]) -> Result<usize, NoMemory> {
        let high = hash >> 32 << 32;
        let mut slot = self.slot_of(hash);
        while self.slots[slot] != 0 {
            let (found, index) = (self.slots[slot], self.slots[slot] as u32 as usize - 1);
            if found ^ high <= u64::from(u32::MAX) && self.key(index).strip_prefix(side) == Some(key) {
                return Ok(index);
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
        let lacks = |_| NoMemory { what: WHAT, bytes: key.len() as u64 };
        self.text.try_reserve(side.len() + key.len()).map_err(lacks)?;
        self.ends.try_reserve(1).map_err(lacks)?;
        self.text.extend_from_slice(side);
        self.text.extend_from_slice(key);
        self.ends.push(self.text.len());
        self.slots[slot] = high | self.ends.len() as u64;
        Ok(self.ends.len() - 1)
    }

    /// Makes room for `more` keys, which leave at least a quarter of the slots free.
    fn reserve(&mut self, more: usize) -> Result<(), NoMemory> {
        let needed = ((self.ends.len() + more) / 3 * 4 + 4).next_power_of_two().max(LEAST_SLOTS);
        if needed <= self.slots.len() {
            return Ok(());
        }
        let filled = std::mem::replace(&mut self.slots, memory::filled(WHAT, needed, 0u64)?);
        for filled in filled.into_iter().filter(|slot| *slot != 0) {
            let mut slot = self.slot_of(filled);
            while self.slots[slot] != 0 {
                slot = (slot + 1) & (needed - 1);
            }
            self.slots[slot] = filled;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::KeyKind;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    const TEXT: KeyForm = KeyForm { kind: KeyKind::Text, has_sides: false };

    fn batch(edges: &[(String, String)]) -> EdgeBatch {
        let mut batch = EdgeBatch::default();
        for (src, dst) in edges {
            let (src, dst) = (batch.add_key(src.as_bytes()), batch.add_key(dst.as_bytes()));
            batch.src.push(src);
            batch.dst.push(dst);
        }
        batch
    }

    proptest! {
        #[test]
        fn ranks_are_those_of_the_sorted_keys_even_if_hashes_collide(
            edges in prop::collection::vec(("(https://example/[ab]/)?[a-d\t\"é😀]{1,6}", "[a-d]{1,3}"), 0..600),
            at in 1usize..600,
        ) {
            let keys: BTreeSet<&String> = edges.iter().flat_map(|(src, dst)| [src, dst]).collect();
            let keys: Vec<&String> = keys.into_iter().collect();
            for mut interner in [Interner::new(TEXT), Interner::colliding(TEXT)] {
                let mut numbered = Vec::new();
                for edges in edges.chunks(at) {
                    let mut batch = batch(edges);
                    interner.number(&mut batch).unwrap();
                    numbered.extend(batch.src.into_iter().zip(batch.dst));
                }
                prop_assert_eq!(interner.len(), keys.len() as u64);
                let Interned { names, ranks } = interner.finish().unwrap();
                names.verify().unwrap();
                for ((src, dst), (from, to)) in edges.iter().zip(numbered) {
                    prop_assert_eq!(keys[ranks[from as usize] as usize], src);
                    prop_assert_eq!(keys[ranks[to as usize] as usize], dst);
                }
                for (rank, key) in (0..).zip(&keys) {
                    prop_assert_eq!(&names.get(rank).unwrap().to_string(), *key);
                }
            }
        }
    }

    #[test]
    fn long_keys_that_begin_alike_are_sorted() {
        let mut interner = Interner::new(TEXT);
        let key = |length: usize| "a".repeat(1 + length);
        let edges: Vec<_> = (0..3000).map(|edge| (key(edge * 7 % 3000), key(edge))).collect();
        interner.number(&mut batch(&edges)).unwrap();
        let lengths: Vec<usize> = interner.sorted().unwrap().map(|number| interner.key(number).len()).collect();
        assert_eq!(lengths, (1..=3000).collect::<Vec<_>>());
    }

    #[test]
    fn places_outside_the_text_are_refused() {
        let batch = || EdgeBatch { src: vec![3 << 16], dst: vec![0], text: b"abc".to_vec(), ..EdgeBatch::default() };
        let numbered = Interner::new(TEXT).number(&mut batch());
        assert!(matches!(numbered, Err(BuildError::Batch { .. })), "{numbered:?}");
    }
}
