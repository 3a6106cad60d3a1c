use gts_graph::prelude::*;

#[gts_attributes]
pub struct Bfs {
    #[wa(init = UNREACHED, merge = min)]
    pub level: u32,
}

fn host(run: &mut Run<Bfs>) -> Result<()> {
    let limit = 3;
    #[gts_kernel(scan)]
    fn expand(bfs: &mut Bfs, src: Vertex, dst: Vertex) {
        bfs.level[dst].fetch_min(limit);
    }
    run.scan(expand)
}

fn main() {}
