use gts_graph::prelude::*;

#[gts_attributes]
pub struct Borrowed<'a> {
    #[wa(init = 0, merge = sum)]
    pub x: u32,
}

#[gts_kernel(scan)]
fn add(b: &mut Borrowed<'_>, src: Vertex, dst: Vertex) {
    b.x[dst] += 1;
}

#[gts_attributes(T = f32 | f64)]
pub struct Mixed<'a, T> {
    #[wa(init = 0.0, merge = sum)]
    pub x: T,
}

#[gts_attributes]
pub struct Long<const N: usize> {
    #[wa(init = 0, merge = sum)]
    pub x: u32,
}

#[gts_kernel(scan)]
fn more(l: &mut Long<3>, src: Vertex, dst: Vertex) {
    l.x[dst] += 1;
}

fn main() {}
