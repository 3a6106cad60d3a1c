use gts_graph::prelude::*;

#[gts_attributes(T = f32 | f64)]
pub struct Bounded<T>
where
    T: Copy,
{
    #[wa(init = 0.0, merge = sum)]
    pub x: T,
}

#[gts_kernel(scan)]
fn add<T>(b: &mut Bounded<T>, src: Vertex, dst: Vertex) {
    b.x[dst] += 1.0;
}

#[gts_attributes(T = f32 | f64)]
pub struct Inline<T: Copy> {
    #[wa(init = 0.0, merge = sum)]
    pub x: T,
}

#[gts_kernel(scan)]
fn put<T>(b: &mut Inline<T>, src: Vertex, dst: Vertex) {
    b.x[dst] += 1.0;
}

#[gts_attributes]
pub struct Unlisted<T> {
    #[wa(init = 0.0, merge = sum)]
    pub x: T,
}

#[gts_kernel(scan)]
fn more<T>(b: &mut Unlisted<T>, src: Vertex, dst: Vertex) {
    b.x[dst] += 1.0;
}

fn main() {}
