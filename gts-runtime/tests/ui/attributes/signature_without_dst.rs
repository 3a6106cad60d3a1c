use gts_graph::prelude::*;

#[gts_attributes]
pub struct Bfs {
    #[wa(init = UNREACHED, merge = min)]
    pub level: u32,
}

#[gts_kernel(scan)]
fn k(bfs: &mut Bfs, src: Vertex) {}

fn main() {}
