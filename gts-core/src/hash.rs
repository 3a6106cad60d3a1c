//! Numbers that look random, as a function of a number: splitmix64 (G. L. Steele, D. Lea, C. H. Flood: Fast splittable
//! pseudorandom number generators. OOPSLA 2014), read at any position.

use std::hash::{BuildHasher, RandomState};

/// The step of the generator: the golden ratio in 64 bits, odd.
pub const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// Returns the finaliser of splitmix64: a bijection in which every input bit reaches every output bit.
#[inline(always)]
pub const fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Returns the first output of splitmix64 from that state.
#[inline(always)]
pub const fn mixed(state: u64) -> u64 {
    mix(state.wrapping_add(GOLDEN))
}

/// Returns 32 bits for the place of a key in a table: the upper half of its product with the golden ratio.
#[inline(always)]
pub const fn spread(key: u64) -> u32 {
    (key.wrapping_mul(GOLDEN) >> 32) as u32
}

/// The random words of a seed, by number.
#[derive(Clone, Copy, Debug)]
pub struct Words {
    key: u64,
}

impl Words {
    /// Creates the words of a seed.
    pub const fn new(seed: u64) -> Self {
        Self { key: mixed(seed) }
    }

    /// Returns word `number`: the output of a splitmix64 generator that has made `number` steps.
    #[inline]
    pub const fn word(self, number: u64) -> u64 {
        mix(self.key.wrapping_add(number.wrapping_mul(GOLDEN)))
    }
}

/// The key of a hash of edges. Each comparison draws a random key, so that different edges with equal sums cannot be
/// constructed in advance.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EdgeKey([u64; 2]);

impl EdgeKey {
    /// Draws a key.
    pub(crate) fn random() -> Self {
        let state = RandomState::new();
        Self([0u8, 1].map(|part| state.hash_one(part)))
    }

    /// Hashes an edge, `src << 32 | dst`, and the bits of its value.
    #[inline]
    pub(crate) fn hash(&self, edge: u64, value: u64) -> u64 {
        self.hash_bare(edge.wrapping_add(mix(value ^ self.0[1])))
    }

    /// Hashes an edge of a graph without values.
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
        // The first outputs of S. Vigna's splitmix64.c from state 0, whose state grows by the golden ratio.
        assert_eq!(mixed(0), 0xe220_a839_7b1d_cdaf);
        assert_eq!(mixed(GOLDEN), 0x6e78_9e6a_a1b9_65f4);
        assert_eq!(Words::new(0).word(0), mix(mixed(0)));
    }
}
