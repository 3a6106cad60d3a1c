//! The value of an edge is updated by its merge, in kernels that intersect, and read by the host.

use gts_graph::prelude::*;

#[gts_attributes]
struct Truss {
    #[wa(per = edge, init = 0, merge = sum)]
    support: u32,
    #[wa(per = edge, init = 0, merge = max)]
    most: u32,
    #[wa(init = 0, merge = sum)]
    count: u32,
}

#[gts_kernel(scan)]
fn in_a_scan(t: &mut Truss, src: Vertex, dst: Vertex, e: Edge) {
    t.support[e] += 1;
}

#[gts_kernel(vertex)]
fn at_a_vertex(t: &mut Truss, v: Vertex) {
    t.support[v] += 1;
}

#[gts_kernel(intersect)]
fn without_the_edge(t: &mut Truss, u: Vertex, v: Vertex, w: Vertex) {
    t.support[v] += 1;
}

#[gts_kernel(intersect)]
fn whole(t: &mut Truss, u: Vertex, v: Vertex, w: Vertex, e: Edge) {
    t.support += 1;
}

#[gts_kernel(intersect)]
fn read(t: &mut Truss, u: Vertex, v: Vertex, w: Vertex, e: Edge) {
    t.count[u] += t.support[e];
}

#[gts_kernel(intersect)]
fn stored(t: &mut Truss, u: Vertex, v: Vertex, w: Vertex, e: Edge) {
    t.support[e] = 1;
}

#[gts_kernel(intersect)]
fn not_the_merge(t: &mut Truss, u: Vertex, v: Vertex, w: Vertex, e: Edge) {
    t.most[e] += 1;
}

#[gts_kernel(intersect, racy)]
fn asked_for_the_old_value(t: &mut Truss, u: Vertex, v: Vertex, w: Vertex, e: Edge) {
    if t.most[e].fetch_max(3) < 3 {
        t.count[u] += 1;
    }
}

#[gts_kernel(intersect)]
fn of_an_edge_at_an_edge(t: &mut Truss, u: Vertex, v: Vertex, w: Vertex, e: Edge) {
    t.count[e] += 1;
}

fn main() {}
