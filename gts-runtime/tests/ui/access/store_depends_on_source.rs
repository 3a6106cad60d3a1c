use gts_graph::prelude::*;

#[gts_attributes]
pub struct Labels {
    #[wa(init = 0, merge = min)]
    pub label: u32,
}

#[gts_kernel(scan)]
fn spread(l: &mut Labels, src: Vertex, dst: Vertex) {
    l.label[dst] = l.label[src];
}

// The local holds the source when its ID is read, and the target when the ID is stored.
#[gts_kernel(scan)]
fn spread_through_a_local(l: &mut Labels, src: Vertex, dst: Vertex) {
    let mut at = src;
    let id = at.id() as u32;
    at = dst;
    l.label[at] = id;
}

fn main() {}
