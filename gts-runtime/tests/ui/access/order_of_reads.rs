use gts_graph::prelude::*;

#[gts_attributes]
pub struct Reads {
    #[wa(init = 255, merge = min)]
    pub parity: u8,
    #[wa(init = UNREACHED, merge = min)]
    pub level: u32,
    #[wa(init = 0, merge = sum)]
    pub low: u32,
    #[edge(default = 1)]
    pub weight: u32,
}

#[gts_kernel(traverse)]
fn may_stay(r: &mut Reads, src: Vertex, dst: Vertex) {
    if r.parity[dst] == 255 {
        r.parity[dst] = ((step() + 1) % 256) as u8;
        activate(dst);
    }
}

#[gts_kernel(traverse)]
fn before_the_store(r: &mut Reads, src: Vertex, dst: Vertex) {
    if r.level[dst] <= step() + 2 {
        r.low[dst] += 1;
    }
    if r.level[dst] == UNREACHED {
        r.level[dst] = step() + 1;
        activate(dst);
    }
}

#[gts_kernel(traverse)]
fn beside_the_store(r: &mut Reads, src: Vertex, dst: Vertex, e: Edge) {
    if r.weight[e] > 3 && r.level[dst] == UNREACHED {
        r.level[dst] = step() + 1;
        activate(dst);
    }
    if r.level[dst] == step() + 1 {
        r.low[dst] += r.weight[e];
    }
}

#[gts_kernel(traverse)]
fn two_stores(r: &mut Reads, src: Vertex, dst: Vertex) {
    if r.level[dst] == UNREACHED {
        r.level[dst] = step() + 1;
        activate(dst);
    }
    r.level[src] = step();
}

#[gts_kernel(traverse)]
fn first_of_the_step(r: &mut Reads, src: Vertex, dst: Vertex) {
    let old = r.level[dst].fetch_min(step() + 1);
    if old > step() + 1 {
        r.low[dst] += 1;
        activate(dst);
    }
}

#[gts_kernel(traverse)]
fn one_edge_of_the_step(r: &mut Reads, src: Vertex, dst: Vertex, e: Edge) {
    if r.level[dst] == UNREACHED {
        r.level[dst] = step() + 1;
        if r.weight[e] > 3 {
            activate(dst);
        }
    }
}

#[gts_kernel(gather)]
fn block_of_a_gather(r: &mut Reads, v: Vertex) {
    let most = v.neighbors().max(|dst| r.low[dst]);
    if r.parity[Vertex::new(most as u64)] == 3 {
        r.parity[v] = 4;
    }
}

#[gts_kernel(vertex)]
fn jump(r: &mut Reads, v: Vertex) {
    r.low[v] = r.low[Vertex::new(r.low[v] as u64)];
}

fn main() {}
