use gts_graph::prelude::*;

#[gts_attributes]
pub struct Hops {
    #[wa(init = UNREACHED, merge = min)]
    pub hops: u32,
    #[ra(from = hops)]
    pub before: u32,
    #[wa(init = UNREACHED, merge = min)]
    pub landmarks: [u32; 8],
    #[wa(init = UNREACHED, merge = min)]
    pub parent: VertexId,
    #[wa(init = 0, merge = sum)]
    pub total: u64,
    #[global(merge = sum)]
    pub all: u64,
}

/// Wraps to 0 at every vertex that has an unreached neighbour.
#[gts_kernel(scan)]
fn relax(h: &mut Hops, src: Vertex, dst: Vertex) {
    h.hops[dst].fetch_min(h.hops[src] + 1);
}

#[gts_kernel(scan)]
fn relax_landmarks(h: &mut Hops, src: Vertex, dst: Vertex) {
    for i in 0..8 {
        h.landmarks[dst][i].fetch_min(h.landmarks[src][i] + 1);
    }
}

#[gts_kernel(scan)]
fn relax_in_turns(h: &mut Hops, src: Vertex, dst: Vertex) {
    h.hops[dst].fetch_min(1 + h.before[src]);
}

/// The source of a traversal has a value; the target may have none.
#[gts_kernel(traverse)]
fn compare(h: &mut Hops, src: Vertex, dst: Vertex) {
    let fine = h.hops[src] + 1;
    if h.hops[dst] - 1 == fine {
        h.total[dst] += h.hops[dst] as u64;
    }
}

#[gts_kernel(vertex)]
fn gain(h: &mut Hops, v: Vertex) {
    let old = h.hops[v].fetch_min(3);
    let gain = old - h.hops[v];
    let mut wide = h.landmarks[v][0] as u64;
    wide *= 2;
    h.total[v] += wide + gain as u64;
    h.all += old as u64;
    h.total[v] += h.parent[v] as u64 / 2;
}

/// Looks at another place than it reads.
#[gts_kernel(scan)]
fn guarded(h: &mut Hops, src: Vertex, dst: Vertex) {
    if h.hops[dst] != UNREACHED {
        h.hops[dst].fetch_min(h.hops[src] + 1);
    }
}

#[gts_kernel(gather)]
fn least(h: &mut Hops, v: Vertex) {
    let least = v.neighbors().min(|dst| h.hops[dst]);
    h.hops[v] = least + 1;
}

fn main() {}
