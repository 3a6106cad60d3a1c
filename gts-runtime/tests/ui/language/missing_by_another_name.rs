//! An attribute that begins with the largest integer begins without a value, however the integer is written.

use gts_graph::prelude::*;

#[gts_attributes]
pub struct Levels {
    #[wa(init = u32::MAX, merge = min)]
    pub named: u32,
    #[wa(init = 4294967295, merge = any)]
    pub written: u32,
    #[wa(init = 255, merge = min)]
    pub small: u8,
    // A maximum begins with the largest value only if it never changes.
    #[wa(init = 255, merge = max)]
    pub most: u8,
}

#[gts_kernel(scan)]
fn next(l: &mut Levels, src: Vertex, dst: Vertex) {
    l.named[dst].fetch_min(l.named[src] + 1);
}

#[gts_kernel(vertex)]
fn other(l: &mut Levels, v: Vertex) {
    l.written[v] = l.written[v] + 1;
    l.small[v] = l.small[v] * 2;
    l.most[v] = l.most[v] / 2 + 1;
}

fn main() {}
