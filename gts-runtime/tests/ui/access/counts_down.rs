use gts_graph::prelude::*;

/// Removes vertices by the number of removed neighbours.
#[gts_attributes]
pub struct Peeling {
    /// Neighbours to be removed before the vertex.
    #[wa(init = 0, merge = sum)]
    pub left: u32,
    #[wa(init = UNREACHED, merge = min)]
    pub level: u32,
    #[wa(init = 0, merge = sum)]
    pub met: u32,
    #[global(merge = sum)]
    pub found: u64,
    #[param]
    pub enough: u32,
}

#[gts_kernel(traverse)]
pub fn peel(p: &mut Peeling, src: Vertex, dst: Vertex) {
    p.left[dst] -= 1;
    if p.left[dst] == 0 {
        activate(dst);
    }
}

#[gts_kernel(traverse(both), technique = edge8)]
fn peel_by_the_old_value(p: &mut Peeling, src: Vertex, dst: Vertex) {
    if src == dst {
        return;
    }
    if p.left[dst].fetch_sub(1) == 1 {
        activate(dst);
    }
}

#[gts_kernel(scan)]
fn infect(p: &mut Peeling, src: Vertex, dst: Vertex) {
    let enough = p.enough.max(1);
    p.met[dst] += 1;
    if p.met[dst] >= enough && p.level[dst] == UNREACHED {
        p.level[dst] = enough;
    }
}

#[gts_kernel(traverse)]
fn find(p: &mut Peeling, src: Vertex, dst: Vertex) {
    if p.level[dst] == UNREACHED {
        p.level[dst] = step() + 1;
        p.found += 1;
        activate(dst);
    }
}

// The test needs the source, so that there is no second kernel to offer.
#[gts_kernel(traverse)]
fn peel_beside(p: &mut Peeling, src: Vertex, dst: Vertex) {
    p.left[dst] -= 1;
    if p.left[dst] == src.out_degree() as u32 {
        activate(dst);
    }
}

fn main() {}
