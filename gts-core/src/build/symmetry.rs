//! Finds out whether each edge has its reverse.

use super::order::mix;
use super::record::Record;
use rayon::prelude::*;

/// Whether the edges, as a set with repetitions, are the same turned around. Two sums of 64 bits over mixed edges are
/// compared, so edges that are not symmetric pass once in about 2^128.
pub(super) fn is_symmetric<R: Record>(edges: &[Vec<R>]) -> bool {
    let difference = |sums: (u64, u64), edge: &R| {
        let (there, back) = (edge.key(), edge.key().rotate_left(32));
        if there == back {
            return sums;
        }
        let value = edge.value();
        let sum = |sum: u64, salt: u64| {
            let hash = |key: u64| mix(mix(key ^ salt).wrapping_add(value));
            sum.wrapping_add(hash(there)).wrapping_sub(hash(back))
        };
        (sum(sums.0, 0x51ed_270b_2f2a_9d35), sum(sums.1, 0xc2b2_ae3d_27d4_eb4f))
    };
    let add = |a: (u64, u64), b: (u64, u64)| (a.0.wrapping_add(b.0), a.1.wrapping_add(b.1));
    let bucket = |bucket: &Vec<R>| bucket.iter().fold((0, 0), difference);
    edges.par_iter().map(bucket).reduce(|| (0, 0), add) == (0, 0)
}
