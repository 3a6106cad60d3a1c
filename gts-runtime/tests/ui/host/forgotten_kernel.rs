use gts_graph::prelude::*;

#[gts_attributes]
pub struct Bfs {
    #[wa(init = UNREACHED, merge = min)]
    pub level: u32,
}

fn expand(bfs: &mut Bfs, src: Vertex, dst: Vertex) {
    if bfs.level[dst] > bfs.level[src] {
        bfs.level[dst] = 3;
    }
}

fn host(run: &mut Run<Bfs>) -> Result<()> {
    run.scan(expand)
}

fn main() {}
