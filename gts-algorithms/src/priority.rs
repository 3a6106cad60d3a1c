//! Priorities of vertices: a pseudorandom order that is the same on every device.

use gts_graph::prelude::*;

/// Returns the priority of a vertex, by its dense number: the finaliser of SplitMix64 (G. L. Steele, D. Lea, C. H.
/// Flood, 2014). No two vertices have the same priority.
#[gts_fn]
pub fn priority(seed: u64, vertex: u64) -> u64 {
    let start = vertex.wrapping_add(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let once = (start ^ (start >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let twice = (once ^ (once >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    twice ^ (twice >> 31)
}
