//! A kernel that intersects takes two or three vertices, and no edge.

use gts_runtime::prelude::*;

#[gts_attributes]
struct Tally {
    #[wa(init = 0, merge = sum)]
    count: u32,
    #[edge(default = 1)]
    weight: u32,
}

#[gts_kernel(intersect)]
fn alone(t: &mut Tally, u: Vertex) {
    t.count[u] += 1;
}

#[gts_kernel(intersect)]
fn weighted(t: &mut Tally, u: Vertex, v: Vertex, e: Edge) {
    t.count[u] += 1;
}

#[gts_kernel(intersect)]
fn four(t: &mut Tally, u: Vertex, v: Vertex, w: Vertex, x: Vertex) {
    t.count[u] += 1;
}

fn main() {}
