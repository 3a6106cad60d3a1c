//! A kernel that intersects takes two or three vertices, then perhaps the edge between the first two, where it walks
//! out-edges.

use gts_graph::prelude::*;

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
    t.count[u] += t.weight[e];
}

#[gts_kernel(intersect)]
fn placed(t: &mut Tally, u: Vertex, v: Vertex, w: Vertex, e: Edge) {
    t.count[u] += e.position() as u32;
}

#[gts_kernel(intersect)]
fn after_the_edge(t: &mut Tally, u: Vertex, v: Vertex, e: Edge, w: Vertex) {
    t.count[u] += 1;
}

#[gts_kernel(intersect(in))]
fn backwards(t: &mut Tally, u: Vertex, v: Vertex, w: Vertex, e: Edge) {
    t.count[u] += 1;
}

#[gts_kernel(intersect(both))]
fn either_way(t: &mut Tally, u: Vertex, v: Vertex, e: Edge) {
    t.count[u] += 1;
}

#[gts_kernel(intersect)]
fn four(t: &mut Tally, u: Vertex, v: Vertex, w: Vertex, x: Vertex) {
    t.count[u] += 1;
}

fn main() {}
