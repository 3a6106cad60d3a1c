use gts_graph::prelude::*;

#[gts_attributes]
pub struct A {
    #[wa(init = 0, merge = sum)]
    pub x: u128,
}

fn main() {}
