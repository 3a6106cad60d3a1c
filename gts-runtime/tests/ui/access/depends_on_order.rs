use gts_graph::prelude::*;

#[gts_attributes]
pub struct Bounded {
    #[wa(init = UNREACHED, merge = min)]
    pub hops: [u8; 4],
    #[wa(init = UNREACHED, merge = min)]
    pub distance: u32,
    #[wa(init = 0, merge = max)]
    pub offered: u32,
    #[wa(init = 0, merge = or)]
    pub bits: u64,
    #[wa(init = 0, merge = max)]
    pub seen: u32,
    #[wa(init = 0, merge = sum)]
    pub improved: u32,
    #[wa(init = UNREACHED, merge = any)]
    pub parent: VertexId,
    #[edge(default = 1)]
    pub weight: u32,
    #[param]
    pub bound: u32,
    #[global(merge = sum)]
    pub found: u64,
}

#[gts_kernel(traverse)]
fn bounded(b: &mut Bounded, src: Vertex, dst: Vertex) {
    if step() >= b.bound {
        return;
    }
    let mut better = false;
    for i in 0..4 {
        let hops = b.hops[src][i];
        if hops != UNREACHED {
            if b.hops[dst][i].fetch_min(hops + 1) > hops + 1 {
                better = true;
            }
        }
    }
    if better {
        activate(dst);
    }
}

#[gts_kernel(traverse)]
fn when_seen(b: &mut Bounded, src: Vertex, dst: Vertex) {
    let bits = b.bits[src];
    if bits & !b.bits[dst].fetch_or(bits) != 0 {
        b.seen[dst].fetch_max(step());
        activate(dst);
    }
}

#[gts_kernel(traverse)]
fn drawn(b: &mut Bounded, src: Vertex, dst: Vertex, e: Edge) {
    let distance = b.distance[src] + b.weight[e];
    if random_f32(e, 0) < 0.5 && b.distance[dst].fetch_min(distance) > distance {
        activate(dst);
    }
}

#[gts_kernel(traverse)]
fn offers(b: &mut Bounded, src: Vertex, dst: Vertex, e: Edge) {
    let distance = b.distance[src] + b.weight[e];
    b.offered[dst].fetch_max(distance);
    if b.distance[dst].fetch_min(distance) > distance {
        activate(dst);
    }
}

#[gts_kernel(traverse)]
fn while_far(b: &mut Bounded, src: Vertex, dst: Vertex, e: Edge) {
    let distance = b.distance[src] + b.weight[e];
    if b.distance[src] > 10 {
        b.bits[dst] |= 1;
    }
    if b.distance[dst].fetch_min(distance) > distance {
        activate(dst);
    }
}

#[gts_kernel(traverse)]
fn tree(b: &mut Bounded, src: Vertex, dst: Vertex, e: Edge) {
    let distance = b.distance[src] + b.weight[e];
    if b.distance[dst].fetch_min(distance) > distance {
        b.parent[dst] = src.id();
        activate(dst);
    }
}

#[gts_kernel(traverse)]
fn improvements(b: &mut Bounded, src: Vertex, dst: Vertex, e: Edge) {
    let distance = b.distance[src] + b.weight[e];
    if b.distance[dst].fetch_min(distance) > distance {
        b.improved[dst] += 1;
        activate(dst);
    }
}

#[gts_kernel(traverse)]
fn paths(b: &mut Bounded, src: Vertex, dst: Vertex) {
    if b.distance[dst] == UNREACHED {
        b.distance[dst] = step() + 1;
        b.improved[dst] += 1;
        activate(dst);
    }
}

#[gts_kernel(traverse)]
fn finds(b: &mut Bounded, src: Vertex, dst: Vertex) {
    if b.distance[dst] == UNREACHED {
        b.distance[dst] = step() + 1;
        b.found += 1;
        activate(dst);
    }
}

fn main() {}
