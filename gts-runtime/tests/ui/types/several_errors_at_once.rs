use gts_graph::prelude::*;

#[gts_attributes]
pub struct Rank {
    #[ra(from = next)]
    pub rank: f32,
    #[wa(init = 0.0, merge = sum)]
    pub next: f32,
    #[param]
    pub damping: f32,
}

#[gts_kernel(scan)]
fn push(r: &mut Rank, src: Vertex, dst: Vertex) {
    r.next[dst] += r.rank[dst];
    r.next[dst] += true;
    r.nxt[dst] += 1.0;
}

fn main() {}
