use gts_graph::prelude::*;

#[gts_attributes]
pub struct Bfs {
    #[wa(init = UNREACHED, merge = min)]
    pub level: u32,
}

#[gts_kernel(traverse)]
fn expand(bfs: &mut Bfs, src: Vertex, dst: Vertex) {
    match bfs.level[src] {
        0 => activate(dst),
        _ => {}
    }
}

fn main() {}
