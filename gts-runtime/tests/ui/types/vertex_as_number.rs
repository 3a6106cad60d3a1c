use gts_graph::prelude::*;

#[gts_attributes]
pub struct Forest {
    #[wa(init = UNREACHED, merge = min)]
    pub parent: VertexId,
    #[wa(init = 0, merge = sum)]
    pub level: u32,
    #[wa(init = 0, merge = any)]
    pub number: u64,
}

#[gts_kernel(vertex)]
fn roots(f: &mut Forest, v: Vertex) {
    if v == 0 {
        f.parent[v] = v;
    }
    if v.id() == 0 {
        f.level[v] += 1;
    }
    if f.parent[v] < 10 {
        f.level[v] += 1;
    }
    f.number[v] = v;
}

#[gts_kernel(scan)]
fn shifted(f: &mut Forest, src: Vertex, dst: Vertex) {
    f.level[src + 1] += 1;
}

fn main() {}
