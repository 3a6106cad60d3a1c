use gts_graph::prelude::Vertex as V;
use gts_graph::prelude::*;

type Level = u32;
const K: usize = 4;

#[gts_attributes]
pub struct Bfs {
    #[wa(init = UNREACHED, merge = min)]
    pub level: Level,
    #[wa(init = 0.0, merge = sum)]
    pub features: [f32; K],
}

#[gts_attributes]
pub struct Counts {
    #[wa(init = 0, merge = sum)]
    pub count: u32,
}

#[gts_kernel(scan)]
fn count(c: &mut Counts, src: V, dst: V) {
    c.count[dst] += 1;
}

#[gts_kernel(scan)]
fn typed(c: &mut Counts, src: Vertex, dst: Vertex) {
    let one: Level = 1;
    c.count[dst] += one;
}

#[gts_fn]
fn next(level: Level) -> u32 {
    level + 1
}

fn main() {}
