use gts_graph::prelude::*;

#[gts_attributes]
pub struct Sssp {
    #[wa(init = UNREACHED, merge = min)]
    pub distance: f32,
    #[edge]
    pub weight: f32,
}

#[gts_kernel(traverse)]
fn relax(s: &mut Sssp, src: Vertex, dst: Vertex, e: Edge) {
    let d = s.distance[src] + s.weight[e];
    if d < s.distance[dst] {
        s.distance[dst] = d;
        activate(dst);
    }
}

fn main() {}
