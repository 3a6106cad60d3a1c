use gts_graph::prelude::*;

#[gts_attributes]
pub struct Bfs {
    #[wa(init = UNREACHED, merge = min)]
    pub level: u32,
}

#[gts_kernel(scan)]
fn spread(bfs: &mut Bfs, src: Vertex, dst: Vertex) {
    bfs.level[dst].fetch_min(3);
}

#[gts_kernel(vertex)]
fn first(bfs: &mut Bfs, v: Vertex) {
    bfs.level[v] = 0;
    spread(bfs, v, v);
}

fn main() {}
