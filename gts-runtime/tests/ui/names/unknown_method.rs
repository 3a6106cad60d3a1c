use gts_graph::prelude::*;

#[gts_attributes]
pub struct Bfs {
    #[wa(init = UNREACHED, merge = min)]
    pub level: u32,
}

#[gts_kernel(traverse)]
fn expand(bfs: &mut Bfs, src: Vertex, dst: Vertex) {
    bfs.level[dst].fetch_mn(step() + 1);
    if src.out_degre() > 3 {
        activate(dst);
    }
}

fn main() {}
