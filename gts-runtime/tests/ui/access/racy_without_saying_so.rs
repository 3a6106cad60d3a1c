use gts_graph::prelude::*;

#[gts_attributes]
pub struct Colours {
    #[wa(init = 0, merge = any)]
    pub colour: u32,
}

#[gts_kernel(scan)]
fn choose(c: &mut Colours, src: Vertex, dst: Vertex) {
    if c.colour[src] == c.colour[dst] {
        c.colour[dst] = src.id() as u32;
    }
}

fn main() {}
