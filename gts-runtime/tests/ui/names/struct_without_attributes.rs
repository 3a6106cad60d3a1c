use gts_graph::prelude::*;

pub struct Bfs {
    pub level: u32,
}

#[gts_kernel(traverse)]
fn expand(bfs: &mut Bfs, src: Vertex, dst: Vertex) {
    activate(dst);
}

fn main() {}
