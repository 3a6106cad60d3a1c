//! Numbers keys that are names or UUIDs, as they are read.
//!
//! A hash selects one of several tables, which threads share. Equality is that of the bytes. Numbers are provisional: after
//! the last edge, the keys are sorted, and a table maps each number to the rank of its key. Ranks do not depend on the
//! order of the input.

mod shard;

use super::renumber::MAX_VERTICES;
use super::{BuildError, EdgeBatch};
use crate::graph::{KeyForm, KeyNames, shared_bytes};
use crate::memory::{self, NoMemory};
use crate::parallel::*;
pub(super) use shard::Shard;
use shard::{HashedKey, LINE, PlacedKey};
use std::sync::atomic::{AtomicU32, Ordering};

/// The bits of a hash that are used. Tests use few, so that keys collide.
const HASH_BITS: u64 = if cfg!(test) { 0xc000_0000_0000_003f } else { u64::MAX };
/// The number of tables.
pub(super) const SHARDS: usize = 64;
/// The number of edges per task.
const PIECE: usize = 1 << 12;
/// Maximum number of keys that are sorted by comparing whole keys.
const FEW: usize = 16;
/// The number of keys above which several threads sort them. Tests use few keys.
const MANY: usize = if cfg!(test) { 64 } else { 1 << 16 };
/// Keys that share more bytes are sorted by comparing whole keys. This bounds the depth of the sort.
const DEEP: usize = 1 << 10;
/// Minimum number of groups of keys that a task sorts.
const GROUPS: usize = 64;
/// The number of keys by which loads of entries run ahead.
const AHEAD: usize = 8;
/// The purpose of the memory, for errors.
const WHAT: &str = "keys";

/// The keys that have occurred, with their numbers.
pub(super) struct Interner {
    form: KeyForm,
    shards: Vec<Shard>,
    /// The bound of the kept keys' numbers; `None` if all keys are kept.
    kept: Option<usize>,
}

/// Buffers for the keys of a batch, which are used again.
#[derive(Default)]
pub(super) struct BatchKeys(Vec<Piece>);

/// The ends of some edges in order of shards.
#[derive(Default)]
struct Piece {
    /// The number of sources.
    sources: usize,
    hashes: Vec<u64>,
    ends: Vec<PieceEnd>,
    starts: Vec<u32>,
}

/// An end of an edge.
#[derive(Default)]
struct PieceEnd {
    hash: u64,
    /// The place of the key in the batch.
    place: u64,
    /// The index of the end. Sources come first.
    end: u32,
    number: AtomicU32,
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
        Self { form, shards, kept: None }
    }

    /// Returns the number of distinct keys.
    pub(super) fn len(&self) -> u64 {
        self.shards.iter().map(|shard| shard.len() as u64).sum()
    }

    /// Returns the bytes in memory.
    pub(super) fn bytes(&self) -> u64 {
        self.shards.iter().map(|shard| shard.bytes() as u64).sum()
    }

    /// Returns the bytes in memory while the keys are sorted.
    pub(super) fn bytes_to_sort(&self) -> u64 {
        self.shards.iter().map(|shard| shard.bytes_to_sort() as u64).sum()
    }

    /// Returns the shards. Each has an index in this list.
    pub(super) fn shards(&mut self) -> &mut [Shard] {
        &mut self.shards
    }

    /// Keeps the present keys and their numbers. Keys that are added later can be removed.
    pub(super) fn keep(&mut self) {
        let bound = self.bound();
        self.kept = Some(bound);
        self.shards.iter_mut().for_each(|shard| shard.keep((bound / SHARDS) as u32));
    }

    /// Returns the bound of the kept keys' numbers; `None` if all keys are kept.
    pub(super) fn kept(&self) -> Option<usize> {
        self.kept
    }

    /// Removes the keys that are not kept. Their numbers are used again.
    pub(super) fn forget_later(&mut self) {
        let next = self.kept.map(|bound| (bound / SHARDS) as u32);
        next.iter().for_each(|next| self.shards.par_iter_mut().for_each(|shard| shard.forget_later(*next)));
    }

    /// Replaces the places of keys in a batch by the keys' numbers.
    pub(super) fn number(&mut self, batch: &mut EdgeBatch, buffers: &mut BatchKeys) -> Result<(), BuildError> {
        let EdgeBatch { src, dst, text, keys, vertices, .. } = batch;
        if src.len() != dst.len() {
            return Err(BuildError::Batch { src: src.len(), dst: dst.len(), value: text.len() });
        }
        self.number_places(text, vertices, &mut [], buffers)?;
        if keys.is_empty() {
            self.number_places(text, src, dst, buffers)?;
        } else {
            let range = keys.len() as u64;
            if ![&*src, &*dst].iter().all(|ends| ends.par_iter().with_min_len(PIECE).all(|end| *end < range)) {
                return Err(BuildError::Batch { src: src.len(), dst: dst.len(), value: keys.len() });
            }
            // If keys have sides, an entry of the list may be the key of two vertices.
            let has_sides = self.form.has_sides;
            if !has_sides {
                self.number_places(text, keys, &mut [], buffers)?;
            }
            for ends in [&mut *src, &mut *dst] {
                ends.par_iter_mut().with_min_len(PIECE).for_each(|end| *end = keys[*end as usize]);
            }
            if has_sides {
                self.number_places(text, src, dst, buffers)?;
            }
        }
        text.clear();
        keys.clear();
        vertices.clear();
        Ok(())
    }

    /// Replaces the places of keys in two lists by the keys' numbers. The second list is empty or as long as the first.
    fn number_places(
        &mut self,
        text: &[u8],
        src: &mut [u64],
        dst: &mut [u64],
        BatchKeys(pieces): &mut BatchKeys,
    ) -> Result<(), BuildError> {
        let fits = |place: &u64| EdgeBatch::key_range(*place).end <= text.len();
        if ![&*src, &*dst].iter().all(|places| places.par_iter().with_min_len(PIECE).all(fits)) {
            return Err(BuildError::Batch { src: src.len(), dst: dst.len(), value: text.len() });
        }
        let mut dst = dst.chunks_mut(PIECE);
        let mut parts: Vec<_> = src.chunks_mut(PIECE).map(|src| (src, dst.next().unwrap_or_default())).collect();
        pieces.resize_with(pieces.len().max(parts.len()), Piece::default);
        let pieces = &mut pieces[..parts.len()];
        let form = self.form;
        pieces.par_iter_mut().zip(&parts).with_max_len(1).for_each(|(piece, (src, dst))| {
            piece.fill(text, src, dst, form);
        });
        let sides = sides(form);
        self.shards.par_iter_mut().enumerate().with_max_len(1).try_for_each(|(number, shard)| {
            for piece in &*pieces {
                let ends = &piece.ends[piece.starts[number] as usize..piece.starts[number + 1] as usize];
                let get = |at: usize| {
                    let PieceEnd { hash, place, end, .. } = ends[at];
                    let side = sides[usize::from(end as usize >= piece.sources)];
                    HashedKey { hash, side, text: &text[EdgeBatch::key_range(place)] }
                };
                let set = |at: usize, index: u32| {
                    let number = (index as usize * SHARDS + number) as u32;
                    ends[at].number.store(number, Ordering::Relaxed);
                };
                shard.number(ends.len(), get, set)?;
            }
            Ok::<_, NoMemory>(())
        })?;
        if self.bound() as u64 > MAX_VERTICES {
            return Err(BuildError::TooManyVertices { found: self.len(), max: MAX_VERTICES });
        }
        parts.par_iter_mut().zip(pieces).with_max_len(1).for_each(|((src, dst), piece)| {
            for PieceEnd { end, number, .. } in &mut piece.ends {
                let number = u64::from(*number.get_mut());
                match (*end as usize).checked_sub(piece.sources) {
                    None => src[*end as usize] = number,
                    Some(end) => dst[end] = number,
                }
            }
        });
        Ok(())
    }

    /// Returns a number that is larger than the numbers of all keys.
    pub(super) fn bound(&self) -> usize {
        self.shards.iter().map(|shard| shard.bound() as usize).max().unwrap_or(0) * SHARDS
    }

    /// Returns all keys in ascending order, each with its number.
    pub(super) fn sorted(&self) -> Result<impl Iterator<Item = (u32, &[u8])>, NoMemory> {
        let sorted = self.sort()?;
        Ok((0..sorted.len()).map(move |at| self.entry(self.at(&sorted, at))))
    }

    /// Returns all keys in ascending order, each with a number that the sort has used.
    fn sort(&self) -> Result<Vec<PlacedKey>, NoMemory> {
        let mut sorted: Vec<PlacedKey> = memory::reserved(WHAT, self.len() as usize)?;
        for (number, shard) in (0..).zip(&self.shards) {
            sorted.extend(shard.places().map(|place| (0, place * SHARDS as u64 + number)));
        }
        self.sort_from(&mut sorted, 0);
        Ok(sorted)
    }

    /// Sorts keys that share their first `shared` bytes. Skips the further bytes that all of them share, sorts by the next
    /// eight bytes, and sorts each group whose eight bytes are equal in the same way. The eight bytes are stored as a number
    /// beside the key's entry, so that comparisons read no keys.
    fn sort_from(&self, keys: &mut [PlacedKey], shared: usize) {
        let rest = |entry: u64| &self.key(entry)[shared..];
        let by_bytes = |one: &PlacedKey, other: &PlacedKey| rest(one.1).cmp(rest(other.1));
        if keys.len() <= FEW {
            return keys.sort_unstable_by(by_bytes);
        }
        if shared > DEEP {
            return keys.par_sort_unstable_by(by_bytes);
        }
        let first = rest(keys[0].1);
        let all_share = |keys: &[PlacedKey]| {
            (0..keys.len()).map(|at| shared_bytes(rest(self.at(keys, at)), first)).min().unwrap_or(0)
        };
        let is_many = keys.len() > MANY;
        let more = match is_many {
            true => keys.par_chunks(PIECE).map(all_share).reduce(|| first.len(), usize::min),
            false => all_share(keys),
        };
        let shared = shared + more;
        let lead = |key: &mut PlacedKey| key.0 = leading(&self.key(key.1)[shared..]);
        let is_equal = |one: &PlacedKey, other: &PlacedKey| one.0 == other.0;
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
        (0..sorted.len()).for_each(|rank| ranks[self.entry(self.at(&sorted, rank)).0 as usize] = rank as u32);
        let names = KeyNames::of_sorted(self.form, sorted.len(), |rank| self.key(self.at(&sorted, rank)));
        Ok(Interned { names, ranks })
    }

    /// Returns the number and the key of an entry.
    fn entry(&self, entry: u64) -> (u32, &[u8]) {
        let shard = entry as usize % SHARDS;
        let (index, key) = self.shards[shard].entry(entry / SHARDS as u64);
        ((index as usize * SHARDS + shard) as u32, key)
    }

    fn key(&self, entry: u64) -> &[u8] {
        self.entry(entry).1
    }

    /// Returns an entry of a list. Prefetches a later one.
    fn at(&self, list: &[PlacedKey], at: usize) -> u64 {
        if let Some((_, later)) = list.get(at + AHEAD) {
            self.shards[*later as usize % SHARDS].prefetch(later / SHARDS as u64, LINE);
        }
        list[at].1
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
    /// Groups the ends of some edges by shard.
    fn fill(&mut self, text: &[u8], src: &[u64], dst: &[u64], form: KeyForm) {
        let Self { sources, hashes, ends, starts } = self;
        let hash = |place: &u64| shard::hash(&text[EdgeBatch::key_range(*place)]);
        // The hash of a right key must differ from that of an equal left key.
        let other = if form.has_sides { HASH_BITS } else { 0 };
        *sources = src.len();
        hashes.clear();
        hashes.extend(src.iter().map(hash));
        hashes.extend(dst.iter().map(|place| hash(place) ^ other));
        let mut next = [0u32; SHARDS + 1];
        hashes.iter().for_each(|hash| next[shard_of(*hash) + 1] += 1);
        (0..SHARDS).for_each(|shard| next[shard + 1] += next[shard]);
        *starts = next.to_vec();
        ends.resize_with(hashes.len(), PieceEnd::default);
        for (end, (hash, place)) in hashes.iter().zip(src.iter().chain(dst)).enumerate() {
            let at = &mut next[shard_of(*hash)];
            ends[*at as usize] = PieceEnd { hash: *hash, place: *place, end: end as u32, ..PieceEnd::default() };
            *at += 1;
        }
    }
}

/// Returns the byte that precedes each key of a source, and the byte that precedes each key of a target.
fn sides(form: KeyForm) -> [Option<u8>; 2] {
    if form.has_sides { [Some(0), Some(1)] } else { [None; 2] }
}

fn shard_of(hash: u64) -> usize {
    hash as usize % SHARDS
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
            {
                let mut interner = Interner::new(TEXT);
                let mut numbered = Vec::new();
                for edges in edges.chunks(at) {
                    let mut batch = batch(edges);
                    interner.number(&mut batch, &mut BatchKeys::default()).unwrap();
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
        interner.number(&mut batch(&edges), &mut BatchKeys::default()).unwrap();
        let lengths: Vec<usize> = interner.sorted().unwrap().map(|(_, key)| key.len()).collect();
        assert_eq!(lengths, (1..=3000).collect::<Vec<_>>());
    }

    #[test]
    fn places_outside_the_text_are_refused() {
        let batch = || EdgeBatch { src: vec![3 << 16], dst: vec![0], text: b"abc".to_vec(), ..EdgeBatch::default() };
        let numbered = Interner::new(TEXT).number(&mut batch(), &mut BatchKeys::default());
        assert!(matches!(numbered, Err(BuildError::Batch { .. })), "{numbered:?}");
    }
}
