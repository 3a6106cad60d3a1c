//! Counter-based random bits: splitmix64, read at any position.

use gts_contract::ScalarType;

const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// The finaliser of splitmix64: a bijection in which every input bit reaches every output bit.
#[inline]
pub(super) const fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Returns a pseudorandom number that depends only on `number`: the first output of splitmix64 (S. Vigna) from that
/// state.
pub const fn mixed(number: u64) -> u64 {
    mix(number.wrapping_add(GOLDEN))
}

/// The random words of a seed, by number.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hash {
    key: u64,
}

impl Hash {
    pub(super) const fn new(seed: u64) -> Self {
        Self { key: mix(seed.wrapping_add(GOLDEN)) }
    }

    /// Returns word `number`: the output of a splitmix64 generator after `number` steps.
    #[inline]
    pub(super) const fn word(self, number: u64) -> u64 {
        mix(self.key.wrapping_add(number.wrapping_mul(GOLDEN)))
    }
}

/// Computes the weights of edges: a hash of the seed and both ends, the same in both directions.
pub(super) fn weights(seed: u64, ty: ScalarType, src: &[u64], dst: &[u64], value: &mut [u64]) {
    // The key differs from that of the edges, so that weights do not depend on the choice of the ends.
    let hash = Hash::new(!seed);
    for ((&u, &v), value) in src.iter().zip(dst).zip(value) {
        let bits = mix(hash.word(u.min(v)) ^ u.max(v));
        *value = match ty {
            ScalarType::F32 => u64::from((((bits >> 40) + 1) as f32 / (1u64 << 24) as f32).to_bits()),
            ScalarType::F64 => (((bits >> 11) + 1) as f64 / (1u64 << 53) as f64).to_bits(),
            _ => 1 + ((u128::from(bits) * 255) >> 64) as u64,
        };
    }
}
