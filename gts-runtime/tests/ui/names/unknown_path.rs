use gts_graph::prelude::*;

#[gts_attributes]
pub struct Bfs {
    #[wa(init = UNREACHED, merge = min)]
    pub level: u32,
}

#[gts_kernel(traverse)]
fn expand(bfs: &mut Bfs, src: Vertex, dst: Vertex) {
    if bfs.level[dst] == u32::MAX {
        bfs.level[dst] = std::cmp::max(step(), 1);
        activate(dst);
    }
}

fn main() {}
