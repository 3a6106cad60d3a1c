//! `ordered` is for kernels that intersect one direction, and these have no technique.

use gts_graph::prelude::*;

#[gts_attributes]
struct Tally {
    #[wa(init = 0, merge = sum)]
    count: u32,
}

#[gts_kernel(intersect(both), ordered)]
fn either_way(t: &mut Tally, u: Vertex, v: Vertex, w: Vertex) {
    t.count[u] += 1;
}

#[gts_kernel(scan, ordered)]
fn scanned(t: &mut Tally, src: Vertex, dst: Vertex) {
    t.count[dst] += 1;
}

#[gts_kernel(intersect, technique = edge8)]
fn by_technique(t: &mut Tally, u: Vertex, v: Vertex, w: Vertex) {
    t.count[u] += 1;
}

fn main() {}
