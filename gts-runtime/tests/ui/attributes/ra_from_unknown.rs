use gts_graph::prelude::*;

#[gts_attributes]
pub struct A {
    #[ra(from = y)]
    pub x: u32,
}

fn main() {}
