use gts_graph::prelude::*;

#[gts_attributes]
pub struct Picks {
    #[wa(init = 0, merge = any)]
    pub pick: u64,
    #[wa(init = 0.0, merge = any)]
    pub chance: f32,
}

#[gts_fn]
fn dice(sides: u64) -> u64 {
    random_below(1, 2, sides)
}

#[gts_kernel(vertex)]
fn pick(picks: &mut Picks, v: Vertex) {
    let random = dice(6);
    picks.chance[v] = random_f32 + random(v, 1);
}

#[gts_kernel(vertex)]
fn sum(picks: &mut Picks, v: Vertex) {
    picks.chance[v] = random(v, 1);
}

fn main() {}
