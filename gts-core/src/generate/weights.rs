//! Computes the weights of generated edges.

use crate::hash::{Words, mix};
use gts_contract::ScalarType;

/// Computes the weight of each edge as a hash of the seed and both ends. The weight is the same in both directions.
pub(super) fn of_edges(seed: u64, ty: ScalarType, src: &[u64], dst: &[u64], value: &mut [u64]) {
    // The key differs from the key for edges, so weights are independent of the drawn ends.
    let words = Words::new(!seed);
    for ((&u, &v), value) in src.iter().zip(dst).zip(value) {
        let bits = mix(words.word(u.min(v)) ^ u.max(v));
        *value = match ty {
            ScalarType::F32 => u64::from((((bits >> 40) + 1) as f32 / (1u64 << 24) as f32).to_bits()),
            ScalarType::F64 => (((bits >> 11) + 1) as f64 / (1u64 << 53) as f64).to_bits(),
            _ => 1 + ((u128::from(bits) * 255) >> 64) as u64,
        };
    }
}
