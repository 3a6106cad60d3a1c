//! A hash table of keys.

use super::{AHEAD, HASH_BITS, WHAT};
use crate::memory::{self, NoMemory};
use xxhash_rust::xxh3::xxh3_64;

/// The number of low bits of a place that are an offset in a segment. Tests use small segments.
const OFFSET_BITS: u32 = if cfg!(test) { 8 } else { 15 };
/// Minimum number of bytes that a segment has room for.
const SEGMENT: usize = 1 << OFFSET_BITS;
/// The number of low bits of a slot that contain a place.
const PLACE_BITS: u32 = 36;
/// The bits of a slot that contain a place.
const PLACE: u64 = (1 << PLACE_BITS) - 1;
/// Bytes of an entry before its key: the index of the key, and its number of bytes.
const HEAD: usize = 8;
/// Bytes per cache line.
pub(super) const LINE: usize = 64;
/// Minimum number of slots in a table.
const LEAST_SLOTS: usize = 1 << 6;

/// The keys whose hashes have the same low bits.
#[derive(Default)]
pub(in crate::build) struct Shard {
    /// A hash table without chains. A slot contains the high bits of a key's hash, and the place of its entry plus one. Slots
    /// of kept keys are filled before those of later keys, which can therefore be emptied.
    slots: Vec<u64>,
    /// The entries of the keys in the order in which they have occurred. An entry is in one segment. A full segment never
    /// moves.
    segments: Vec<Vec<u8>>,
    /// The number of keys.
    keys: usize,
    /// The index of the next new key.
    next: u32,
    /// The number of segments that are kept, and the number of their keys.
    kept: (usize, usize),
}

/// A key to be sorted: some of its bytes as a number, and its shard and place.
pub(super) type PlacedKey = (u64, u64);

/// A key to look up.
#[derive(Clone, Copy)]
pub(super) struct HashedKey<'k> {
    pub(super) hash: u64,
    /// The byte that precedes the text, if keys have sides.
    pub(super) side: Option<u8>,
    pub(super) text: &'k [u8],
}

/// Returns the hash of a key.
#[inline]
pub(super) fn hash(key: &[u8]) -> u64 {
    xxh3_64(key) & HASH_BITS
}

/// Returns the index and the key of an entry.
#[inline]
fn decode(entry: &[u8]) -> (u32, &[u8]) {
    let number = |bytes: &[u8]| u32::from_ne_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    let (head, rest) = entry.split_at(HEAD);
    (number(head), &rest[..number(&head[4..]) as usize])
}

/// Prefetches the first and the last cache line of a key or an entry.
#[inline]
fn prefetch(start: *const u8, length: usize) {
    memory::prefetch(start);
    memory::prefetch(start.wrapping_add(length.saturating_sub(1)));
}

impl Shard {
    /// Returns the number of keys.
    pub(super) fn len(&self) -> usize {
        self.keys
    }

    /// Returns an index that is larger than those of all keys.
    pub(in crate::build) fn bound(&self) -> u32 {
        self.next
    }

    /// Returns the bytes in memory.
    pub(in crate::build) fn bytes(&self) -> usize {
        8 * self.slots.capacity() + self.segments.iter().map(Vec::capacity).sum::<usize>()
    }

    /// Returns the bytes in memory while the keys are sorted.
    pub(in crate::build) fn bytes_to_sort(&self) -> usize {
        self.bytes() + self.keys * size_of::<PlacedKey>()
    }

    /// Returns the index and the key of the entry at a place.
    #[inline]
    pub(super) fn entry(&self, place: u64) -> (u32, &[u8]) {
        decode(&self.segments[(place >> OFFSET_BITS) as usize][place as usize % SEGMENT..])
    }

    /// Returns the places of all entries.
    pub(super) fn places(&self) -> impl Iterator<Item = u64> {
        (0..).zip(&self.segments).flat_map(|(number, segment)| {
            let mut at = 0;
            std::iter::from_fn(move || {
                let place = number << OFFSET_BITS | at as u64;
                let entry = segment.get(at..).filter(|entry| !entry.is_empty())?;
                at += HEAD + decode(entry).1.len();
                Some(place)
            })
        })
    }

    /// Calls `found` with the indices of some keys, in order. New keys are added. `get` returns a key by its position.
    pub(super) fn number<'k>(
        &mut self,
        keys: usize,
        get: impl Fn(usize) -> HashedKey<'k>,
        mut found: impl FnMut(usize, u32),
    ) -> Result<(), NoMemory> {
        self.reserve(keys)?;
        // Slots and keys are loaded ahead of entries.
        for at in 0..keys + 2 * AHEAD {
            if at < keys {
                let HashedKey { hash, text, .. } = get(at);
                memory::prefetch((&raw const self.slots[self.slot_of(hash)]).cast());
                prefetch(text.as_ptr(), text.len());
            }
            if let Some(at) = at.checked_sub(AHEAD).filter(|at| *at < keys) {
                let HashedKey { hash, text, .. } = get(at);
                let slot = self.slots[self.find(hash, self.slot_of(hash))];
                // If the entry contains this key, the two have the same length.
                (slot & PLACE).checked_sub(1).into_iter().for_each(|place| self.prefetch(place, text.len()));
            }
            if let Some(at) = at.checked_sub(2 * AHEAD) {
                found(at, self.index_of(get(at))?);
            }
        }
        Ok(())
    }

    /// Prefetches the entry at a place. Its key is expected to have `length` bytes.
    #[inline]
    pub(super) fn prefetch(&self, place: u64, length: usize) {
        let start = self.segments[(place >> OFFSET_BITS) as usize].as_ptr().wrapping_add(place as usize % SEGMENT);
        prefetch(start, HEAD + length);
        memory::prefetch(start.wrapping_add(LINE));
    }

    /// Appends the indices of the keys of encoded entries. New keys are added.
    pub(in crate::build) fn number_entries(
        &mut self,
        mut entries: &[u8],
        indices: &mut Vec<u32>,
    ) -> Result<(), NoMemory> {
        let mut keys = Vec::new();
        while !entries.is_empty() {
            let (_, key) = decode(entries);
            entries = &entries[HEAD + key.len()..];
            keys.push(HashedKey { hash: hash(key), side: None, text: key });
        }
        indices.reserve(keys.len());
        self.number(keys.len(), |at| keys[at], |_, index| indices.push(index))
    }

    /// Keeps all present keys with indices below `next`. Later keys have other indices.
    pub(super) fn keep(&mut self, next: u32) {
        self.segments.last_mut().into_iter().for_each(Vec::shrink_to_fit);
        (self.kept, self.next) = ((self.segments.len(), self.keys), next);
    }

    /// Returns the encoded entries of later keys.
    pub(in crate::build) fn later(&self) -> &[Vec<u8>] {
        &self.segments[self.kept.0..]
    }

    /// Removes later keys. The indices begin again at `next`.
    pub(super) fn forget_later(&mut self, next: u32) {
        self.segments.truncate(self.kept.0);
        (self.keys, self.next) = (self.kept.1, next);
        let end = self.kept_end();
        self.slots.iter_mut().for_each(|slot| *slot = if *slot & PLACE <= end { *slot } else { 0 });
    }

    /// Returns the end of the kept keys' places.
    fn kept_end(&self) -> u64 {
        (self.kept.0 as u64) << OFFSET_BITS
    }

    fn slot_of(&self, hash: u64) -> usize {
        (((hash >> PLACE_BITS) * self.slots.len() as u64) >> (u64::BITS - PLACE_BITS)) as usize
    }

    /// Returns the slot after another.
    fn after(&self, slot: usize) -> usize {
        if slot + 1 == self.slots.len() { 0 } else { slot + 1 }
    }

    /// Returns the index of a key, which is added if it is new. There must be a free slot.
    #[inline]
    fn index_of(&mut self, key: HashedKey<'_>) -> Result<u32, NoMemory> {
        let HashedKey { hash, side, text } = key;
        let mut slot = self.find(hash, self.slot_of(hash));
        while let Some(place) = (self.slots[slot] & PLACE).checked_sub(1) {
            let (index, known) = self.entry(place);
            let is_equal = match side {
                None => known == text,
                Some(side) => known.split_first() == Some((&side, text)),
            };
            if is_equal {
                return Ok(index);
            }
            slot = self.find(hash, self.after(slot));
        }
        self.slots[slot] = (hash & !PLACE) | (self.add(side, text)? + 1);
        Ok(self.next - 1)
    }

    /// Returns the first slot, beginning with `slot`, that is free or contains the high bits of a hash.
    #[inline]
    fn find(&self, hash: u64, mut slot: usize) -> usize {
        while self.slots[slot] != 0 && self.slots[slot] >> PLACE_BITS != hash >> PLACE_BITS {
            slot = self.after(slot);
        }
        slot
    }

    /// Adds an entry, and returns its place.
    fn add(&mut self, side: Option<u8>, text: &[u8]) -> Result<u64, NoMemory> {
        let length = usize::from(side.is_some()) + text.len();
        let bytes = HEAD + length;
        let lacks = || NoMemory { what: WHAT, bytes: bytes as u64 };
        let has_room = |last: &Vec<u8>| last.len() < SEGMENT && (last.len() + bytes <= SEGMENT.max(last.capacity()));
        if !self.later().last().is_some_and(has_room) {
            // The first segment grows, so that a few keys take little memory.
            let room = if self.segments.is_empty() { bytes } else { SEGMENT.max(bytes) };
            let mut segment = Vec::new();
            segment.try_reserve_exact(room).map_err(|_| lacks())?;
            self.segments.push(segment);
        }
        let number = self.segments.len() - 1;
        let segment = &mut self.segments[number];
        segment.try_reserve(bytes).map_err(|_| lacks())?;
        let place = (number as u64) << OFFSET_BITS | segment.len() as u64;
        if place >= PLACE {
            return Err(lacks());
        }
        segment.extend_from_slice(&self.next.to_ne_bytes());
        segment.extend_from_slice(&(length as u32).to_ne_bytes());
        segment.extend(side);
        segment.extend_from_slice(text);
        (self.keys, self.next) = (self.keys + 1, self.next + 1);
        Ok(place)
    }

    /// Makes room for `more` keys, which leave at least a quarter of the slots free.
    fn reserve(&mut self, more: usize) -> Result<(), NoMemory> {
        let needed = (self.keys + more) / 3 * 4 + 4;
        if needed > self.slots.len() {
            let slots = needed.max(self.slots.len() / 2 * 3).max(LEAST_SLOTS);
            let filled = std::mem::replace(&mut self.slots, memory::filled(WHAT, slots, 0u64)?);
            let end = self.kept_end();
            filled.iter().filter(|slot| (1..=end).contains(&(**slot & PLACE))).for_each(|slot| self.fill(*slot));
            filled.iter().filter(|slot| **slot & PLACE > end).for_each(|slot| self.fill(*slot));
        }
        Ok(())
    }

    /// Stores a filled slot in the first free one.
    fn fill(&mut self, filled: u64) {
        let mut slot = self.slot_of(filled);
        while self.slots[slot] != 0 {
            slot = self.after(slot);
        }
        self.slots[slot] = filled;
    }
}
