use gts_graph::prelude::*;

#[gts_attributes]
pub struct Sums {
    #[wa(init = 0, merge = sum)]
    pub x: u32,
    #[wa(init = 0.0, merge = sum)]
    pub features: [f32; 8],
}

#[gts_kernel(scan)]
fn collect(s: &mut Sums, src: Vertex, dst: Vertex) {
    let list = Vec::new();
    s.x[dst] += 1;
}

#[gts_kernel(scan)]
fn iterate(s: &mut Sums, src: Vertex, dst: Vertex) {
    s.features[dst][0] += s.features[src].iter().map(|x| x * 2.0).sum();
}

fn main() {}
