//! Densely packed values of the vertices in a set. All threads pack and unpack the values of large sets.

use gts_contract::Merge;
use gts_core::parallel::*;
use gts_core::{memory, threads};
use gts_device::error::Result;
use gts_device::kernel::merge_elements;
use gts_device::replicated::Merged;
use std::ops::Range;

/// The number of words of a set per unit of work.
const WORDS: usize = 1 << 10;

/// A set of vertices, with the offsets of its members' packed values.
pub(super) struct PackedSet {
    words: Vec<u64>,
    /// The number of members before each block of [`WORDS`] words, followed by the total number of members.
    before: Vec<usize>,
}

/// Runs `action` for each part, with all threads if there are several parts.
fn each<T: Send>(mut parts: Vec<T>, action: impl Fn(T) + Send + Sync) -> Result<()> {
    match (parts.pop(), parts.is_empty()) {
        (Some(only), true) => action(only),
        (Some(last), false) => {
            threads::prepare()?;
            parts.push(last);
            parts.into_par_iter().for_each(action);
        }
        (None, _) => {}
    }
    Ok(())
}

/// Calls `action` for each member of a range of words, in ascending order. The arguments are the member's index among
/// all members, and the member's bit number within the range.
fn members(words: &[u64], mut action: impl FnMut(usize, usize)) {
    let mut place = 0;
    for (number, &word) in words.iter().enumerate() {
        let mut left = word;
        while left != 0 {
            action(place, 64 * number + left.trailing_zeros() as usize);
            left &= left - 1;
            place += 1;
        }
    }
}

impl PackedSet {
    pub(super) fn new(words: Vec<u64>) -> Result<Self> {
        let mut before = memory::reserved("active vertices", words.len().div_ceil(WORDS) + 1)?;
        before.push(0);
        let mut sum = 0;
        for part in words.chunks(WORDS) {
            sum += part.iter().map(|word| word.count_ones() as usize).sum::<usize>();
            before.push(sum);
        }
        Ok(Self { words, before })
    }

    /// Creates a set from the bytes of its words.
    pub(super) fn read(bytes: &[u8]) -> Result<Self> {
        Self::new(memory::collected("active vertices", bytes.chunks_exact(8).map(bytemuck::pod_read_unaligned))?)
    }

    pub(super) fn words(&self) -> &[u64] {
        &self.words
    }

    pub(super) fn count(&self) -> usize {
        self.before.last().copied().unwrap_or(0)
    }

    /// Splits packed values into one slice per block of words.
    fn cut<'a>(&self, mut packed: &'a [u8], value: usize) -> Vec<&'a [u8]> {
        let lengths = self.before.windows(2).map(|pair| (pair[1] - pair[0]) * value);
        let mut next = |length: usize| packed.split_off(..length).unwrap_or_default();
        lengths.map(&mut next).collect()
    }

    /// Appends the members' values to a message. `values` contains the values of all vertices in the set's range.
    pub(super) fn pack(&self, values: &[u8], value: usize, message: &mut Vec<u8>) -> Result<()> {
        let start = message.len();
        message.resize(start + self.count() * value, 0);
        let mut rest = &mut message[start..];
        let lengths = self.before.windows(2).map(|pair| (pair[1] - pair[0]) * value);
        let parts = lengths.map(|length| rest.split_off_mut(..length).unwrap_or_default());
        let parts = self.words.chunks(WORDS).zip(parts).zip(values.chunks(64 * WORDS * value)).collect();
        each(parts, |((words, packed), values)| {
            members(words, |place, number| {
                packed[place * value..][..value].copy_from_slice(&values[number * value..][..value]);
            });
        })
    }

    /// Writes the members' packed values into `values`, which contains the values of all vertices in the set's range.
    pub(super) fn unpack(&self, packed: &[u8], value: usize, values: &mut [u8]) -> Result<()> {
        let parts = self.words.chunks(WORDS).zip(self.cut(packed, value)).zip(values.chunks_mut(64 * WORDS * value));
        each(parts.collect(), |((words, packed), values)| {
            members(words, |place, number| {
                values[number * value..][..value].copy_from_slice(&packed[place * value..][..value]);
            });
        })
    }

    /// Merges the members' packed values into `totals`. `merged` is the set of vertices that already have a total. At
    /// all other vertices, the packed value becomes the total.
    pub(super) fn merge(&self, attribute: &Merged, packed: &[u8], merged: &[u64], totals: &mut [u8]) -> Result<()> {
        let value = attribute.value_bytes();
        let totals = totals.chunks_mut(64 * WORDS * value);
        let parts = self.words.chunks(WORDS).zip(self.cut(packed, value)).zip(merged.chunks(WORDS)).zip(totals);
        each(parts.collect(), |(((words, packed), merged), totals)| {
            members(words, |place, number| {
                let part = &packed[place * value..][..value];
                let total = &mut totals[number * value..][..value];
                match merged[number / 64] >> (number % 64) & 1 == 1 {
                    false => total.copy_from_slice(part),
                    // The first rank that has activated the vertex determines the value.
                    true if attribute.merge == Merge::Any => {}
                    true => merge_elements(attribute.scalar, attribute.merge, attribute.vertex_bytes, total, part),
                }
            });
        })
    }
}

/// Maps a range of set words to the byte range of the covered vertices' values. `vertices` is the total number of
/// vertices.
pub(super) fn value_range(words: &Range<usize>, vertices: u64, value: usize) -> Range<usize> {
    let at = |word: usize| (64 * word).min(vertices as usize) * value;
    at(words.start)..at(words.end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_packed_and_unpacked_by_all_threads() {
        let vertices = 64 * WORDS * 3 + 17;
        let mut words = vec![0u64; vertices.div_ceil(64)];
        let chosen: Vec<usize> = (0..vertices).filter(|v| v % 7 == 3 || *v > 64 * WORDS * 3).collect();
        chosen.iter().for_each(|&v| words[v / 64] |= 1 << (v % 64));
        let values: Vec<u8> = (0..3 * vertices).map(|byte| (byte % 251) as u8).collect();
        let set = PackedSet::new(words).expect("memory");
        assert_eq!(set.count(), chosen.len());
        let mut message = vec![9];
        set.pack(&values, 3, &mut message).expect("threads");
        let expected: Vec<u8> = chosen.iter().flat_map(|&v| values[3 * v..3 * v + 3].to_vec()).collect();
        assert_eq!(message[1..], expected);
        let mut back = vec![0; values.len()];
        set.unpack(&message[1..], 3, &mut back).expect("threads");
        for v in 0..vertices {
            let wanted = if set.words()[v / 64] >> (v % 64) & 1 == 1 { &values[3 * v..3 * v + 3] } else { &[0; 3] };
            assert_eq!(&back[3 * v..3 * v + 3], wanted);
        }
    }
}
