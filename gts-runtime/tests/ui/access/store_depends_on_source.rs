use gts_runtime::prelude::*;

#[gts_attributes]
pub struct Labels {
    #[wa(init = 0, merge = min)]
    pub label: u32,
}

#[gts_kernel(scan)]
fn spread(l: &mut Labels, src: Vertex, dst: Vertex) {
    l.label[dst] = l.label[src];
}

fn main() {}
