use gts_graph::prelude::*;

#[gts_attributes]
pub struct Sums {
    #[wa(init = 0, merge = sum)]
    pub x: u32,
    #[wa(init = 0.0, merge = sum)]
    pub y: f32,
    #[ra]
    pub features: [f32; 8],
}

#[gts_kernel(vertex)]
fn wrong(s: &mut Sums, v: Vertex) {
    let list = [1u32; 8];
    s.x[v] += list.len();
    s.y[v] += s.y[v].exp2();
    s.x[v] += s.x[v].pow(2);
    s.y[v] += s.y[v].pow(2);
    s.x[v] += v.degree() as u32;
    s.x[v] += s.features[v].len();
    s.x[v] += s.x[v].wrapping_ad(1);
}

fn main() {}
