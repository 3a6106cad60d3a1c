use gts_graph::prelude::*;

#[gts_attributes]
pub struct Count {
    #[wa(init = 0, merge = any)]
    pub seen: u64,
    #[global(merge = sum)]
    pub total: u64,
}

#[gts_kernel(vertex)]
fn count(c: &mut Count, v: Vertex) {
    c.total += 1;
    c.seen[v] = c.total;
}

fn main() {}
