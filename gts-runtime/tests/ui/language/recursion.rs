use gts_graph::prelude::*;

#[gts_fn]
fn factorial(n: u32) -> u32 {
    if n == 0 { 1 } else { n * factorial(n - 1) }
}

#[gts_attributes]
pub struct A {
    #[wa(init = 0, merge = any)]
    pub x: u32,
}

#[gts_kernel(vertex)]
fn apply(a: &mut A, v: Vertex) {
    a.x[v] = factorial(5);
}

fn main() {}
