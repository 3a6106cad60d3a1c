//! The encoding of sorted keys: blocks of 64 keys, so that one block is read to find a key.
//!
//! UUIDs are 16 bytes each. Before each name are the number of bytes that it shares with the previous name of the block,
//! and the number of its further bytes, which follow. Both numbers have seven bits per byte, the low bits first. If left
//! and right vertices have keys of their own, a key begins with a byte for its side, so that left keys come first.

use crate::graph::KeyKind;
use crate::graph::key::{KeyForm, LONGEST_KEY, is_text};
use std::cmp::Ordering;
use xxhash_rust::xxh3::xxh3_64;

/// The number of keys in a block. The last block may have fewer.
pub(crate) const BLOCK_KEYS: u64 = 64;
/// Maximum number of bytes in a block: each key has a side, and two numbers of up to three bytes.
pub(super) const MOST_BYTES: u64 = BLOCK_KEYS * (LONGEST_KEY as u64 + 7);

/// The decoded keys of a block.
#[derive(Debug, Default)]
pub(crate) struct BlockKeys {
    text: Vec<u8>,
    ends: Vec<usize>,
}

impl BlockKeys {
    /// Returns the number of keys.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns a key; an empty string if there is none.
    pub(super) fn get(&self, index: usize) -> &[u8] {
        let start = index.checked_sub(1).map_or(Some(0), |before| self.ends.get(before).copied());
        let range = start.zip(self.ends.get(index).copied());
        range.and_then(|(start, end)| self.text.get(start..end)).unwrap_or_default()
    }

    /// Finds a key. The error is the index at which it would be.
    pub(super) fn find(&self, key: &[u8]) -> Result<usize, usize> {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low + (high - low) / 2;
            match self.get(middle).cmp(key) {
                Ordering::Less => low = middle + 1,
                Ordering::Equal => return Ok(middle),
                Ordering::Greater => high = middle,
            }
        }
        Err(low)
    }

    /// Decodes a block of `count` keys. The error describes the problem.
    pub(super) fn decode(&mut self, form: KeyForm, mut bytes: &[u8], count: usize) -> Result<(), &'static str> {
        self.text.clear();
        self.ends.clear();
        let (mut start, sides) = (0, usize::from(form.has_sides));
        for index in 0..count {
            let (shared, length) = match form.kind {
                KeyKind::Text => (number(&mut bytes)?, number(&mut bytes)?),
                _ => (0, 16 + sides),
            };
            let (rest, later) = bytes.split_at_checked(length).ok_or("a key exceeds its block")?;
            bytes = later;
            let end = self.text.len();
            if shared > end - start {
                return Err("a key shares more than the previous key has");
            }
            self.text.extend_from_within(start..start + shared);
            self.text.extend_from_slice(rest);
            let (before, key) = self.text.split_at(end);
            if sides > 0 && key.first().is_none_or(|side| *side > 1) {
                return Err("a key has no side");
            }
            if form.kind == KeyKind::Text && !is_text(&key[sides..]) {
                return Err("a key is no text of 1 byte to 64 KiB");
            }
            if index > 0 && before[start..] >= *key {
                return Err("keys do not ascend");
            }
            self.ends.push(self.text.len());
            start = end;
        }
        if bytes.is_empty() { Ok(()) } else { Err("bytes follow the last key") }
    }
}

/// Reads a number of up to three bytes.
fn number(bytes: &mut &[u8]) -> Result<usize, &'static str> {
    let mut number = 0;
    for shift in [0, 7, 14] {
        let (&byte, rest) = bytes.split_first().ok_or("a length exceeds its block")?;
        *bytes = rest;
        number |= usize::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Ok(number);
        }
    }
    Err("a length is too large")
}

/// Returns the number of leading bytes that two keys share.
pub(crate) fn shared_bytes(one: &[u8], other: &[u8]) -> usize {
    const STEP: usize = 16;
    let steps = one.chunks_exact(STEP).zip(other.chunks_exact(STEP)).take_while(|(one, other)| one == other).count();
    let rest = one[steps * STEP..].iter().zip(&other[steps * STEP..]);
    steps * STEP + rest.take_while(|(one, other)| one == other).count()
}

/// Encodes sorted keys as blocks.
#[derive(Debug)]
pub(crate) struct BlockWriter {
    kind: KeyKind,
    /// Encoded bytes that have not been taken.
    bytes: Vec<u8>,
    /// Bytes that have been taken.
    taken: u64,
    /// The start of the present block in `bytes`.
    start: usize,
    last: Vec<u8>,
    keys: u64,
    index: Vec<u64>,
}

impl BlockWriter {
    pub(crate) fn new(kind: KeyKind) -> Self {
        let (bytes, last, index) = (Vec::new(), Vec::new(), Vec::new());
        Self { kind, bytes, taken: 0, start: 0, last, keys: 0, index }
    }

    /// Appends a key, which follows the previous one.
    pub(crate) fn push(&mut self, key: &[u8]) {
        if self.keys.is_multiple_of(BLOCK_KEYS) {
            self.end_block();
            self.last.clear();
        }
        self.keys += 1;
        let mut shared = 0;
        if self.kind == KeyKind::Text {
            shared = shared_bytes(key, &self.last);
            for mut number in [shared, key.len() - shared] {
                while number >= 0x80 {
                    self.bytes.push(number as u8 | 0x80);
                    number >>= 7;
                }
                self.bytes.push(number as u8);
            }
        }
        self.bytes.extend_from_slice(&key[shared..]);
        self.last.truncate(shared);
        self.last.extend_from_slice(&key[shared..]);
    }

    fn end_block(&mut self) {
        if self.start < self.bytes.len() {
            let checksum = xxh3_64(&self.bytes[self.start..]);
            self.index.extend([self.taken + self.start as u64, checksum]);
            self.start = self.bytes.len();
        }
    }

    /// Takes the bytes of complete blocks.
    pub(crate) fn take(&mut self) -> Vec<u8> {
        let rest = self.bytes.split_off(self.start);
        self.taken += self.start as u64;
        self.start = 0;
        std::mem::replace(&mut self.bytes, rest)
    }

    /// Returns the bytes of complete blocks.
    pub(crate) fn complete(&self) -> usize {
        self.start
    }

    /// Returns the bytes and the index of all keys.
    pub(crate) fn finish(mut self) -> (Vec<u8>, Vec<u64>) {
        self.end_block();
        (self.bytes, self.index)
    }
}
