//! Ways to compute with values that may be missing.
#![deny(warnings)]
// Users write programs without the lints of this workspace.
#![allow(missing_docs, unreachable_pub)]

use gts_graph::prelude::*;

#[gts_attributes]
pub struct Hops {
    #[wa(init = UNREACHED, merge = min)]
    pub hops: u32,
    #[wa(init = UNREACHED, merge = min)]
    pub landmarks: [u32; 8],
    #[param]
    pub most: u32,
}

#[gts_kernel(traverse)]
fn active_ones_have_values(h: &mut Hops, src: Vertex, dst: Vertex) {
    let hops = h.hops[src] + 1;
    if h.hops[dst].fetch_min(hops) > hops {
        activate(dst);
    }
}

#[gts_kernel(scan)]
fn guarded(h: &mut Hops, src: Vertex, dst: Vertex) {
    if h.hops[src] != UNREACHED {
        h.hops[dst].fetch_min(h.hops[src] + 1);
    }
    for i in 0..8 {
        let hops = h.landmarks[src][i];
        if hops < h.most {
            h.landmarks[dst][i].fetch_min(hops + 1);
        }
    }
}

#[gts_kernel(scan)]
fn left_early(h: &mut Hops, src: Vertex, dst: Vertex) {
    if h.hops[src] == UNREACHED || h.hops[src] + 1 >= h.hops[dst] {
        return;
    }
    h.hops[dst].fetch_min(h.hops[src] + 1);
}

#[gts_kernel(scan)]
fn saturating(h: &mut Hops, src: Vertex, dst: Vertex) {
    h.hops[dst].fetch_min(h.hops[src].saturating_add(1));
}

#[gts_kernel(vertex)]
fn vertices(h: &mut Hops, v: Vertex) {
    let mut hops = h.hops[v];
    if hops == UNREACHED {
        hops = 0;
    }
    h.hops[v] = hops * 2;
}

fn main() -> Result<()> {
    let graph = Graph::from_edges([(0, 1), (1, 2), (3, 0)])?;
    let engine = Engine::cpu()?;
    let first = graph.vertex(0)?;
    let start = || -> Result<Run<Hops>> {
        let mut run = engine.start::<Hops>(&graph)?;
        run.set(Hops::HOPS, first, 0)?;
        run.set_param(Hops::MOST, 100)?;
        run.activate(first)?;
        Ok(run)
    };
    let mut run = start()?;
    run.traverse(active_ones_have_values)?;
    assert_eq!(run.take(Hops::HOPS)?, [0, 1, 2, u32::MAX]);
    {
        let mut run = start()?;
        run.scan(guarded)?;
        run.scan(left_early)?;
        run.scan(saturating)?;
        run.apply(vertices)?;
        assert_eq!(run.take(Hops::HOPS)?, [0, 2, 4, 0]);
    }
    Ok(())
}
