use gts_graph::prelude::*;

#[gts_attributes]
pub struct Nibble {
    #[wa(init = 0.0, merge = sum)]
    pub waiting: f64,
}

#[gts_kernel(traverse)]
fn push(n: &mut Nibble, src: Vertex, dst: Vertex) {
    let share = n.waiting[src] / src.out_degree() as f64;
    n.waiting[dst] += 0.85 * share;
    activate(dst);
}

fn main() {}
