//! Random numbers as pure functions of their keys. There is no generator state, and the order of the draws is
//! irrelevant, so every device draws the same bits.
//!
//! Each number is computed by mixing the seed, the pass, the key and the draw in turn, with the finaliser of SplitMix64
//! (G. L. Steele, D. Lea, C. H. Flood: Fast splittable pseudorandom number generators. OOPSLA 2014). `random.cuh`
//! contains the same functions for the CUDA device. With `mixed(x)` for the first output of SplitMix64 from state `x`:
//!
//! ```text
//! pass = runs * 2^32 + step
//! bits = mixed(mixed(mixed(mixed(mixed(seed) ^ pass) ^ key[0]) ^ key[1]) ^ draw)
//! ```
//!
//! `runs` is the number of earlier runs of the kernel in the step, so it is 0 for a kernel that runs once per step.

use gts_core::hash::mixed;

#[inline(always)]
const fn take_up(state: u64, number: u64) -> u64 {
    mixed(state ^ number)
}

/// Returns the word from which all random numbers of a pass are derived. `runs` is the number of earlier runs of the
/// kernel in the step.
pub const fn of_pass(seed: u64, step: u32, runs: u32) -> u64 {
    take_up(take_up(0, seed), (runs as u64) << 32 | step as u64)
}

/// Returns 64 random bits for a key of two numbers and a draw number.
#[inline(always)]
pub const fn bits(of_pass: u64, key: [u64; 2], draw: u64) -> u64 {
    take_up(take_up(take_up(of_pass, key[0]), key[1]), draw)
}

/// Converts random bits to a number in [0, 1) with 24 significant bits.
#[inline(always)]
pub(crate) const fn to_f32(bits: u64) -> f32 {
    (bits >> 40) as f32 * (1.0 / (1u32 << 24) as f32)
}

/// Converts random bits to a number in [0, 1) with 53 significant bits.
#[inline(always)]
pub(crate) const fn to_f64(bits: u64) -> f64 {
    (bits >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
}

/// Converts random bits to a number in `0..bound`, or to 0 if `bound` is 0. The probabilities of two numbers differ by
/// a factor of at most 1 + `bound` / 2^64, approximately.
#[inline(always)]
pub const fn below(bits: u64, bound: u64) -> u64 {
    ((bits as u128 * bound as u128) >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_of_the_key_counts() {
        let draws = [
            bits(of_pass(0, 0, 0), [0, 0], 0),
            bits(of_pass(1, 0, 0), [0, 0], 0),
            bits(of_pass(0, 1, 0), [0, 0], 0),
            bits(of_pass(0, 0, 1), [0, 0], 0),
            bits(of_pass(0, 0, 0), [1, 0], 0),
            bits(of_pass(0, 0, 0), [0, 1], 0),
            bits(of_pass(0, 0, 0), [0, 0], 1),
        ];
        for (at, one) in draws.iter().enumerate() {
            assert!(draws[at + 1..].iter().all(|other| other != one), "{draws:x?}");
        }
    }

    #[test]
    fn numbers_fill_their_range_evenly() {
        const DRAWS: u64 = 200_000;
        let (mut counts, mut sum) = ([0u32; 7], 0.0);
        for draw in 0..DRAWS {
            let bits = bits(of_pass(42, 3, 0), [17, u64::MAX], draw);
            counts[below(bits, 7) as usize] += 1;
            assert!((0.0..1.0).contains(&to_f32(bits)) && (0.0..1.0).contains(&to_f64(bits)));
            sum += to_f64(bits);
        }
        // The tolerances are six standard deviations of a binomial count and of the mean of uniform numbers.
        let expected = DRAWS as f64 / 7.0;
        assert!(counts.iter().all(|&count| (f64::from(count) - expected).abs() < 6.0 * expected.sqrt()), "{counts:?}");
        assert!((sum / DRAWS as f64 - 0.5).abs() < 6.0 / (12.0 * DRAWS as f64).sqrt());
        assert_eq!((below(u64::MAX, 0), below(u64::MAX, 5), to_f32(0)), (0, 4, 0.0));
        assert!(to_f32(u64::MAX) < 1.0 && to_f64(u64::MAX) < 1.0);
    }
}
