use gts_graph::prelude::*;

#[gts_attributes]
pub struct Bfs {
    #[wa(init = UNREACHED, merge = min)]
    pub level: u32,
}

#[gts_kernel(traverse)]
fn expand(bfs: &mut Bfs, src: Vertex, dst: Vertex) {
    let twice = |x: u32| x * 2;
}

fn main() {}
