//! Pseudorandom numbers as a function of a position: splitmix64 (G. L. Steele, D. Lea, C. H. Flood: Fast splittable
//! pseudorandom number generators. OOPSLA 2014) with random access.

use std::hash::{BuildHasher, RandomState};

/// The increment of the generator's state: the golden ratio as an odd 64-bit integer.
pub const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// Applies the finaliser of splitmix64: a bijection in which every input bit affects every output bit.
#[inline(always)]
pub const fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Returns the first output of splitmix64 from the given state.
#[inline(always)]
pub const fn mixed(state: u64) -> u64 {
    mix(state.wrapping_add(GOLDEN))
}

/// Returns a 32-bit hash for a table index: the upper half of the key's product with the golden ratio.
#[inline(always)]
pub const fn spread(key: u64) -> u32 {
    (key.wrapping_mul(GOLDEN) >> 32) as u32
}

/// A sequence of pseudorandom words derived from a seed, with random access.
#[derive(Clone, Copy, Debug)]
pub struct Words {
    key: u64,
}

impl Words {
    /// Creates the sequence for a seed.
    pub const fn new(seed: u64) -> Self {
        Self { key: mixed(seed) }
    }

    /// Returns word `number`: the output of a splitmix64 generator that has advanced `number` steps.
    #[inline]
    pub const fn word(self, number: u64) -> u64 {
        mix(self.key.wrapping_add(number.wrapping_mul(GOLDEN)))
    }
}

/// The key for hashing edges. Each comparison draws a random key, so that different edge sets with equal sums of hashes
/// cannot be constructed in advance.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EdgeKey([u64; 2]);

impl EdgeKey {
    /// Draws a random key.
    pub(crate) fn random() -> Self {
        let state = RandomState::new();
        Self([0u8, 1].map(|part| state.hash_one(part)))
    }

    /// Returns the hash of an edge, given as `src << 32 | dst` and the bits of its value.
    #[inline]
    pub(crate) fn hash(&self, edge: u64, value: u64) -> u64 {
        self.hash_bare(edge.wrapping_add(mix(value ^ self.0[1])))
    }

    /// Returns the hash of an edge in a graph without values, given as `src << 32 | dst`.
    #[inline]
    pub(crate) fn hash_bare(&self, edge: u64) -> u64 {
        mix(edge ^ self.0[0])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_are_those_of_the_reference_code() {
        // The first outputs of S. Vigna's splitmix64.c from state 0. The generator's state grows by [`GOLDEN`] per
        // output.
        assert_eq!(mixed(0), 0xe220_a839_7b1d_cdaf);
        assert_eq!(mixed(GOLDEN), 0x6e78_9e6a_a1b9_65f4);
        assert_eq!(Words::new(0).word(0), mix(mixed(0)));
    }
}
