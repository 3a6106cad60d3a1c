use gts_graph::prelude::*;

#[gts_attributes]
pub struct Places {
    #[wa(init = 0, merge = sum)]
    pub places: u64,
}

#[gts_kernel(scan)]
fn place(a: &mut Places, src: Vertex, dst: Vertex, e: Edge) {
    a.places[dst] += e.position(1);
    a.places[dst] += e.place();
}

#[gts_kernel(scan)]
fn store(a: &mut Places, src: Vertex, dst: Vertex, e: Edge) {
    a.places[dst] = e.position();
}

fn main() {}
