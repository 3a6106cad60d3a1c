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

#[gts_kernel(vertex)]
fn apply(r: &mut Rank, v: Vertex) {
    r.damping = 0.5;
    r.next[v] = r.damping;
}

fn main() {}
