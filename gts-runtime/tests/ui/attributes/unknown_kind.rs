use gts_graph::prelude::*;

#[gts_attributes]
pub struct Bfs {
    #[wa(init = UNREACHED, merge = min)]
    pub level: u32,
}

#[gts_kernel(skan)]
fn k(bfs: &mut Bfs, src: Vertex, dst: Vertex) {}

fn main() {}
