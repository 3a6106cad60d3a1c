//! A virtual warp is a power of two of lanes, up to two warps.

use gts_graph::prelude::*;

#[gts_attributes]
pub struct Bfs {
    #[wa(init = UNREACHED, merge = min)]
    pub level: u32,
}

#[gts_kernel(scan, technique = edge3)]
fn three(bfs: &mut Bfs, src: Vertex, dst: Vertex) {}

#[gts_kernel(traverse, technique = edge128)]
fn four_warps(bfs: &mut Bfs, src: Vertex, dst: Vertex) {}

fn main() {}
