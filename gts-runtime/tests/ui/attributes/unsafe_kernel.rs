use gts_graph::prelude::*;

#[gts_attributes]
pub struct Bfs {
    #[wa(init = UNREACHED, merge = min)]
    pub level: u32,
}

#[gts_kernel(vertex)]
unsafe fn first(bfs: &mut Bfs, v: Vertex) {
    bfs.level[v] = 0;
}

#[gts_fn]
unsafe fn next(level: u32) -> u32 {
    level + 1
}

fn main() {}
