use gts_graph::prelude::*;

#[gts_attributes]
pub struct Hops {
    #[wa(init = UNREACHED, merge = min)]
    pub hops: u32,
    #[wa(init = 0, merge = max)]
    pub most: u32,
}

#[gts_fn]
fn next(hops: u32) -> u32 {
    hops + 1
}

#[gts_fn]
fn later(hops: u32, by: u32) -> u32 {
    if by == 0 { hops } else { next(hops) + by }
}

#[gts_fn]
fn guarded(hops: u32) -> u32 {
    if hops == u32::MAX { 0 } else { hops + 1 }
}

#[gts_fn]
fn itself(hops: u32) -> u32 {
    hops
}

#[gts_kernel(scan)]
fn relax(h: &mut Hops, src: Vertex, dst: Vertex) {
    h.hops[dst].fetch_min(next(h.hops[src]));
}

#[gts_kernel(scan)]
fn relax_later(h: &mut Hops, src: Vertex, dst: Vertex) {
    if h.hops[dst] != UNREACHED {
        h.most[dst].fetch_max(later(3, h.hops[dst]) + later(h.hops[src], 2));
    }
}

#[gts_kernel(scan)]
fn fine(h: &mut Hops, src: Vertex, dst: Vertex) {
    h.most[dst].fetch_max(guarded(h.hops[src]));
    if h.hops[src] != UNREACHED {
        h.hops[dst].fetch_min(next(h.hops[src]));
    }
}

#[gts_kernel(vertex)]
fn returned(h: &mut Hops, v: Vertex) {
    h.most[v] = itself(h.hops[v]) + 1;
}

#[gts_fn]
fn pick(one: u32, other: u32, first: bool) -> u32 {
    if first { one } else { other }
}

#[gts_kernel(traverse)]
fn picked(h: &mut Hops, src: Vertex, dst: Vertex) {
    h.most[dst].fetch_max(pick(h.hops[src], h.hops[dst], h.most[dst] == 3) + 1);
}

fn main() {}
