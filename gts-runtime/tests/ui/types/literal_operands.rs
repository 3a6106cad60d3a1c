//! Literals with which an operation always fails.

use gts_graph::prelude::*;

#[gts_attributes]
pub struct Numbers {
    #[wa(init = 0, merge = any)]
    pub small: u8,
    #[wa(init = 0, merge = any)]
    pub large: u64,
}

#[gts_kernel(vertex)]
fn fails(n: &mut Numbers, v: Vertex) {
    n.large[v] = 1 << 66;
    n.small[v] = n.small[v] >> 8;
    n.large[v] = n.large[v] / 0;
    let mut left = n.large[v];
    left %= 0;
    n.large[v] = left;
}

fn main() {}
