//! Attribute memory, aligned for every element type.

use gts_core::memory::{self, NoMemory};
use gts_core::page::{HostBytes, HostMemory};
use gts_core::parallel::*;
use gts_device::error::Result;
use gts_device::kernel::RawColumn;
use gts_device::replicated::{HostValues, ReplicaMemory};
use rayon::ThreadPool;

/// Number of words per unit of work when filling memory. A fill of at most one unit runs on the calling thread, because
/// waking a pool takes microseconds.
const WORDS: usize = 1 << 15;

/// Words in ordinary process memory, or in memory from an allocator.
#[derive(Debug)]
enum WordMemory {
    Own(Vec<u64>),
    Given(HostBytes),
}

impl WordMemory {
    fn as_slice(&self) -> &[u64] {
        match self {
            Self::Own(words) => words,
            Self::Given(bytes) => bytemuck::cast_slice(bytes.as_slice()),
        }
    }

    fn as_mut_slice(&mut self) -> &mut [u64] {
        match self {
            Self::Own(words) => words,
            Self::Given(bytes) => bytemuck::cast_slice_mut(bytes.as_mut_slice()),
        }
    }
}

/// A fixed number of bytes, aligned to 8 bytes.
#[derive(Debug)]
pub(super) struct Bytes {
    words: WordMemory,
    length: usize,
}

impl Default for Bytes {
    fn default() -> Self {
        Self { words: WordMemory::Own(Vec::new()), length: 0 }
    }
}

impl Bytes {
    /// Allocates zeroed memory with an allocator.
    pub(super) fn zeroed_in(memory: &dyn HostMemory, length: usize, what: &'static str) -> Result<Self> {
        // GPUs merge 16 bytes at a time.
        let whole = length.next_multiple_of(16);
        let bytes = HostBytes::zeroed(memory, whole).ok_or(NoMemory { what, bytes: whole as u64 })?;
        Ok(Self { words: WordMemory::Given(bytes), length })
    }

    /// Allocates zeroed process memory.
    pub(super) fn zeroed(length: usize, what: &'static str) -> Result<Self> {
        Ok(Self { words: WordMemory::Own(memory::zeroed(what, length.div_ceil(8))?), length })
    }

    /// Allocates memory filled with copies of `value`, whose size must divide `length`. The pool's threads fill large
    /// memory, so that these threads are the first to touch the memory's pages.
    pub(super) fn filled(length: usize, value: &[u8], pool: &ThreadPool, what: &'static str) -> Result<Self> {
        let words = length.div_ceil(8);
        if let ([word], true) = (pattern(value).as_slice(), words > WORDS) {
            let repeated = || {
                let words = (0..words).into_par_iter().with_min_len(WORDS).map(|_| *word);
                memory::collected_in_parallel(what, words)
            };
            return Ok(Self { words: WordMemory::Own(pool.install(repeated)?), length });
        }
        let mut bytes = Self::zeroed(length, what)?;
        bytes.fill_by(pool, value);
        Ok(bytes)
    }

    pub(super) fn as_slice(&self) -> &[u8] {
        &bytemuck::cast_slice(self.words.as_slice())[..self.length]
    }

    pub(super) fn as_mut_slice(&mut self) -> &mut [u8] {
        &mut bytemuck::cast_slice_mut(self.words.as_mut_slice())[..self.length]
    }

    /// Fills the memory with copies of `value`, whose size must divide the length.
    pub(super) fn fill(&mut self, value: &[u8]) {
        match value {
            [byte] => self.as_mut_slice().fill(*byte),
            _ => self.as_mut_slice().chunks_exact_mut(value.len()).for_each(|bytes| bytes.copy_from_slice(value)),
        }
    }

    /// Fills the memory like [`Bytes::fill`], but divides large memory among the threads of a pool.
    pub(super) fn fill_by(&mut self, pool: &ThreadPool, value: &[u8]) {
        let pattern = pattern(value);
        let words = self.words.as_mut_slice();
        if words.len() <= WORDS {
            return write(words, &pattern);
        }
        // Each part starts with a whole copy of the pattern.
        let part = WORDS.next_multiple_of(pattern.len());
        pool.install(|| words.par_chunks_mut(part).for_each(|words| write(words, &pattern)));
    }

    /// Lends the bytes to a collective.
    pub(super) fn lend(&mut self) -> ReplicaMemory<'_> {
        ReplicaMemory::Host(match &mut self.words {
            WordMemory::Own(words) => HostValues::new(&mut bytemuck::cast_slice_mut(words)[..self.length]),
            WordMemory::Given(bytes) => HostValues::in_buffer(bytes, self.length),
        })
    }

    pub(super) fn column(&mut self) -> RawColumn {
        RawColumn::new(self.as_mut_slice())
    }
}

/// Returns the shortest repetition of a value that consists of whole 8-byte words.
fn pattern(value: &[u8]) -> Vec<u64> {
    // The greatest common divisor of the value's size and 8.
    let divisor = 1 << value.len().trailing_zeros().min(3);
    bytemuck::pod_collect_to_vec(&value.repeat(8 / divisor))
}

/// Fills words with copies of a pattern.
fn write(words: &mut [u64], pattern: &[u64]) {
    match pattern {
        [] => {}
        [word] => words.fill(*word),
        _ => words.chunks_mut(pattern.len()).for_each(|words| words.copy_from_slice(&pattern[..words.len()])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gts_core::threads;

    #[test]
    fn values_of_every_size_are_repeated() -> Result<()> {
        let pool = threads::pool("test", std::num::NonZeroUsize::new(3))?;
        for size in [1, 2, 4, 8, 12, 24, 64] {
            let value: Vec<u8> = (1..=size as u8).collect();
            for count in [0, 1, 7, 1000, 300_000] {
                let expected = value.repeat(count);
                let mut filled = Bytes::filled(expected.len(), &value, &pool, "values")?;
                assert!(filled.as_slice() == expected, "{count} of {size}");
                filled.fill(&vec![0; size]);
                assert!(filled.as_slice().iter().all(|byte| *byte == 0));
                filled.fill_by(&pool, &value);
                assert!(filled.as_slice() == expected, "{count} of {size}");
            }
        }
        Ok(())
    }
}
