use gts_graph::prelude::*;

#[gts_attributes]
pub struct Forest {
    #[wa(init = UNREACHED, merge = min)]
    pub parent: VertexId,
    #[wa(init = 0, merge = any)]
    pub number: u64,
}

#[gts_fn]
fn degree(u: Vertex) -> u64 {
    u.out_degree()
}

#[gts_fn]
fn itself(u: Vertex) -> Vertex {
    u
}

#[gts_fn]
fn key(u: Vertex) -> u64 {
    u as u64
}

#[gts_kernel(vertex)]
fn draw(f: &mut Forest, v: Vertex) {
    f.number[v] = key(3);
    f.number[v] = key(f.parent[v]);
    f.number[v] = v as f32 as u64;
}

fn main() {}
