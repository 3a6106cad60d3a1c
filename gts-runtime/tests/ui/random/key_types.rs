use gts_graph::prelude::*;

#[gts_attributes]
pub struct Picks {
    #[wa(init = 0, merge = any)]
    pub pick: u64,
    #[wa(init = 0.0, merge = any)]
    pub chance: f32,
}

#[gts_kernel(vertex)]
fn pick(picks: &mut Picks, v: Vertex) {
    picks.pick[v] = random(v);
    picks.pick[v] = random(picks.chance[v], 1);
    picks.pick[v] = random(v, 0.5);
    picks.pick[v] = random_below(v, 0, v);
}

fn main() {}
