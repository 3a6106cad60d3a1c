use gts_graph::prelude::*;

#[gts_attributes]
pub struct A {
    #[wa(init = 0.0, merge = or)]
    pub x: f32,
}

fn main() {}
