//! Sorted keys that are byte strings: names and UUIDs.

mod block;

pub(crate) use block::{BLOCK_KEYS, BlockKeys, BlockWriter, shared_bytes};

use super::key::KeyForm;
use super::{IdMapError, Key, KeyKind, StoreError};
use crate::parallel::*;
use block::MOST_BYTES;
use std::borrow::Cow;
use std::fmt;
use xxhash_rust::xxh3::xxh3_64;

/// The number of keys that one task encodes.
const PIECE: usize = 1 << 10 << 6;

/// The keys of a graph in ascending order, in memory or in a file.
pub(crate) struct KeyNames {
    form: KeyForm,
    count: u64,
    /// The number of keys of left vertices; `None` if keys have no sides.
    left: Option<u64>,
    /// The offset and the checksum of each block.
    index: Vec<u64>,
    /// Bytes of all blocks.
    bytes: u64,
    blocks: NameBlocks,
}

/// The encoded blocks of keys.
enum NameBlocks {
    Memory(Vec<u8>),
    File(Box<dyn NamesFile>),
}

/// An open file with the blocks of keys.
pub(crate) trait NamesFile: Send + Sync {
    /// Fills the buffer with the bytes from `offset` on.
    fn read(&self, buffer: &mut [u8], offset: u64) -> Result<(), StoreError>;
    /// Returns the error for a block whose checksum differs.
    fn changed(&self, found: u64, expected: u64) -> StoreError;
    /// Returns the error for malformed blocks.
    fn malformed(&self, error: IdMapError) -> StoreError;
}

/// The rank of a key.
pub(crate) enum Place {
    /// The key has this rank.
    At(u64),
    /// The key is missing, and would have this rank.
    Before(u64),
}

impl KeyNames {
    /// Encodes `count` ascending keys. `key` returns the key of a rank.
    pub(crate) fn of_sorted<'k>(form: KeyForm, count: usize, key: impl Fn(usize) -> &'k [u8] + Sync) -> Self {
        let piece = |first: &usize| {
            let mut writer = BlockWriter::new(form.kind);
            (*first..count.min(first + PIECE)).for_each(|rank| writer.push(key(rank)));
            writer.finish()
        };
        let starts: Vec<usize> = (0..count).step_by(PIECE).collect();
        let pieces: Vec<(Vec<u8>, Vec<u64>)> = starts.par_iter().with_max_len(1).map(piece).collect();
        let mut all = Vec::with_capacity(pieces.iter().map(|(bytes, _)| bytes.len()).sum());
        let mut index = Vec::with_capacity(2 * count.div_ceil(BLOCK_KEYS as usize));
        for (bytes, blocks) in pieces {
            index.extend(blocks.chunks(2).flat_map(|block| [block[0] + all.len() as u64, block[1]]));
            all.extend(bytes);
        }
        let left = form.has_sides.then(|| (0..count).filter(|rank| key(*rank).first() == Some(&0)).count() as u64);
        Self { form, count: count as u64, left, index, bytes: all.len() as u64, blocks: NameBlocks::Memory(all) }
    }

    /// Creates the keys of a store, whose blocks are in `file`.
    pub(crate) fn stored(
        form: KeyForm,
        (count, left, bytes): (u64, Option<u64>, u64),
        index: Vec<u64>,
        file: Box<dyn NamesFile>,
    ) -> Result<Self, StoreError> {
        let names = Self { form, count, left, index, bytes, blocks: NameBlocks::File(file) };
        match (0..names.blocks()).find(|&block| !names.is_plausible(block)) {
            Some(block) => Err(names.malformed(block, "its offset is wrong")),
            None => Ok(names),
        }
    }

    /// Returns whether a block has a size that a block can have.
    fn is_plausible(&self, block: u64) -> bool {
        let range = self.range(block);
        let bytes = range.end.saturating_sub(range.start);
        let fits = match self.form.kind {
            KeyKind::Text => (1..=MOST_BYTES).contains(&bytes),
            _ => bytes == (16 + u64::from(self.form.has_sides)) * self.keys_of(block),
        };
        fits && range.end <= self.bytes && (block > 0 || range.start == 0)
    }

    /// Returns the number of keys.
    pub(crate) fn len(&self) -> u64 {
        self.count
    }

    pub(crate) fn form(&self) -> KeyForm {
        self.form
    }

    /// Returns the number of keys of left vertices; `None` if keys have no sides.
    pub(crate) fn left(&self) -> Option<u64> {
        self.left
    }

    /// Finds the number of keys of left vertices in the blocks.
    pub(crate) fn find_left(&self) -> Result<u64, StoreError> {
        // Every key of a right vertex is longer than its side.
        let (Place::At(rank) | Place::Before(rank)) = self.find(&[1])?;
        Ok(rank)
    }

    /// Returns the bytes of all blocks.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns the offset and the checksum of each block.
    pub(crate) fn index(&self) -> &[u64] {
        &self.index
    }

    /// Returns the bytes in memory.
    pub(crate) fn bytes_in_memory(&self) -> u64 {
        let blocks = if let NameBlocks::Memory(bytes) = &self.blocks { bytes.len() as u64 } else { 0 };
        blocks + 8 * self.index.len() as u64
    }

    /// Returns the number of entries in the index of `count` keys.
    pub(crate) fn index_len(count: u64) -> u64 {
        2 * count.div_ceil(BLOCK_KEYS)
    }

    /// Returns the number of blocks.
    pub(crate) fn blocks(&self) -> u64 {
        self.count.div_ceil(BLOCK_KEYS)
    }

    fn keys_of(&self, block: u64) -> u64 {
        (self.count - block * BLOCK_KEYS).min(BLOCK_KEYS)
    }

    fn range(&self, block: u64) -> std::ops::Range<u64> {
        let offset = |block: u64| self.index.get(2 * block as usize).copied().unwrap_or(self.bytes);
        offset(block)..offset(block + 1)
    }

    /// Calls `take` with the encoded bytes of a block, after their checksum has been verified.
    pub(crate) fn with_bytes<T>(&self, block: u64, take: impl FnOnce(&[u8]) -> T) -> Result<T, StoreError> {
        let range = self.range(block);
        match &self.blocks {
            NameBlocks::Memory(bytes) => Ok(take(&bytes[range.start as usize..range.end as usize])),
            NameBlocks::File(file) => {
                let mut bytes = vec![0; (range.end - range.start) as usize];
                file.read(&mut bytes, range.start)?;
                let (found, expected) = (xxh3_64(&bytes), self.index[2 * block as usize + 1]);
                if found == expected { Ok(take(&bytes)) } else { Err(file.changed(found, expected)) }
            }
        }
    }

    /// Decodes a block.
    pub(crate) fn read(&self, block: u64, keys: &mut BlockKeys) -> Result<(), StoreError> {
        let count = self.keys_of(block) as usize;
        let decoded = self.with_bytes(block, |bytes| keys.decode(self.form, bytes, count))?;
        decoded.map_err(|problem| self.malformed(block, problem))
    }

    fn malformed(&self, block: u64, problem: &'static str) -> StoreError {
        let error = IdMapError::Names { block, problem };
        match &self.blocks {
            NameBlocks::File(file) => file.malformed(error),
            NameBlocks::Memory(_) => StoreError::Ids { path: "memory".into(), source: error },
        }
    }

    /// Decodes all blocks, and checks that keys ascend from block to block.
    pub(crate) fn verify(&self) -> Result<(), StoreError> {
        let blocks: Vec<u64> = (0..self.blocks()).collect();
        blocks.par_chunks(PIECE / BLOCK_KEYS as usize).try_for_each(|blocks| {
            let (mut keys, mut last) = (BlockKeys::default(), Vec::new());
            for &block in blocks {
                if block == blocks[0] && block > 0 {
                    self.read(block - 1, &mut keys)?;
                    last = keys.get(keys.len() - 1).to_vec();
                }
                self.read(block, &mut keys)?;
                if block > 0 && *last >= *keys.get(0) {
                    return Err(self.malformed(block, "keys do not ascend"));
                }
                last = keys.get(keys.len() - 1).to_vec();
            }
            Ok(())
        })
    }

    /// Returns the key of a rank, which must exist.
    pub(crate) fn get(&self, rank: u64) -> Result<Key<'static>, StoreError> {
        let mut keys = BlockKeys::default();
        self.read(rank / BLOCK_KEYS, &mut keys)?;
        Ok(self.key(&keys, (rank % BLOCK_KEYS) as usize))
    }

    /// Returns a key of a decoded block.
    pub(crate) fn key(&self, keys: &BlockKeys, index: usize) -> Key<'static> {
        let mut bytes = keys.get(index);
        let side = if self.form.has_sides { bytes.split_off_first() } else { None };
        let key = match <[u8; 16]>::try_from(bytes) {
            Ok(uuid) if self.form.kind == KeyKind::Uuid => Key::Uuid(uuid),
            _ => Key::Text(Cow::Owned(String::from_utf8_lossy(bytes).into_owned())),
        };
        match side {
            None => key,
            Some(0) => Key::Left(Box::new(key)),
            Some(_) => Key::Right(Box::new(key)),
        }
    }

    /// Finds a key by reading about as many blocks as the number of blocks has bits.
    pub(crate) fn find(&self, key: &[u8]) -> Result<Place, StoreError> {
        let mut keys = BlockKeys::default();
        let (mut low, mut high) = (0, self.blocks());
        while low < high {
            let middle = low + (high - low) / 2;
            self.read(middle, &mut keys)?;
            match keys.find(key) {
                Err(0) => high = middle,
                Err(index) if index == keys.len() => low = middle + 1,
                Err(index) => return Ok(Place::Before(middle * BLOCK_KEYS + index as u64)),
                Ok(index) => return Ok(Place::At(middle * BLOCK_KEYS + index as u64)),
            }
        }
        Ok(Place::Before((low * BLOCK_KEYS).min(self.count)))
    }
}

impl PartialEq for KeyNames {
    /// Compares the checksums of all blocks.
    fn eq(&self, other: &Self) -> bool {
        (self.form, self.count, self.bytes, &self.index) == (other.form, other.count, other.bytes, &other.index)
    }
}

impl Eq for KeyNames {}

impl fmt::Debug for KeyNames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeyNames").field("form", &self.form).field("count", &self.count).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
