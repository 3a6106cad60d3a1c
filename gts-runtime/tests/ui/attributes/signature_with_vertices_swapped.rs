use gts_graph::prelude::*;

#[gts_attributes]
pub struct Ranks {
    #[wa(init = 0.0, merge = sum)]
    pub rank: f64,
}

/// Would walk every edge backwards.
#[gts_kernel(scan)]
fn push(ranks: &mut Ranks, dst: Vertex, src: Vertex) {
    ranks.rank[dst] += 1.0 / src.out_degree() as f64;
}

#[gts_kernel(traverse(in))]
fn pull(ranks: &mut Ranks, _dst: Vertex, v: Vertex) {
    ranks.rank[v] += 1.0;
}

#[gts_kernel(intersect)]
fn meet(ranks: &mut Ranks, v: Vertex, u: Vertex, w: Vertex) {
    ranks.rank[w] += 1.0;
}

fn main() {}
