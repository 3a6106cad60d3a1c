use gts_graph::prelude::*;

const FIRST: u32 = 1;

#[gts_attributes]
pub struct Bfs {
    #[wa(init = UNREACHED, merge = min)]
    pub level: u32,
}

#[gts_kernel(traverse)]
fn expand(bfs: &mut Bfs, src: Vertex, dst: Vertex) {
    if bfs.level[dst] == UNREACHED {
        bfs.level[dst] = step() + FIRST;
        activate(dst);
    }
}

fn main() {}
