//! A kernel that intersects is bound by the rules of edge kernels: at all three of its vertices other threads write too.

use gts_graph::prelude::*;

#[gts_attributes]
struct Tally {
    #[ra]
    mark: u32,
    #[wa(init = 0, merge = sum)]
    count: u32,
    #[wa(init = 0, merge = sum)]
    seen: u32,
    #[edge(default = 1)]
    weight: u32,
}

#[gts_kernel(intersect)]
fn read_elsewhere(t: &mut Tally, u: Vertex, v: Vertex, w: Vertex) {
    t.count[u] += t.mark[w];
}

#[gts_kernel(intersect)]
fn by_hand(t: &mut Tally, u: Vertex, v: Vertex, w: Vertex) {
    t.count[w] = t.count[w] + 1;
}

#[gts_kernel(intersect)]
fn not_the_merge(t: &mut Tally, u: Vertex, v: Vertex, w: Vertex) {
    t.count[v].fetch_max(1);
}

#[gts_kernel(intersect)]
fn racing(t: &mut Tally, u: Vertex, v: Vertex, w: Vertex) {
    t.count[w] += 1;
    t.seen[u] += t.count[v];
}

#[gts_kernel(intersect)]
fn no_edge(t: &mut Tally, u: Vertex, v: Vertex, w: Vertex) {
    t.count[u] += t.weight[u];
}

fn main() {}
