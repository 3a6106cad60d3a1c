use gts_graph::prelude::*;

#[gts_attributes]
pub struct Sums {
    #[wa(init = 0, merge = sum)]
    pub x: u32,
}

#[gts_kernel(gather)]
fn misspelt(s: &mut Sums, v: Vertex) {
    let sum = v.neighbours().sum(|dst| s.x[dst]);
    s.x[v] = sum;
}

#[gts_kernel(vertex)]
fn walked(s: &mut Sums, v: Vertex) {
    for w in v.neighbors() {
        s.x[v] += s.x[w];
    }
}

#[gts_kernel(vertex)]
fn reduced(s: &mut Sums, v: Vertex) {
    let sum = v.neighbors().sum(|dst| s.x[dst]);
    s.x[v] = sum;
}

#[gts_kernel(scan)]
fn three(s: &mut Sums, u: Vertex, v: Vertex, w: Vertex) {
    s.x[w] += 1;
}

fn main() {}
