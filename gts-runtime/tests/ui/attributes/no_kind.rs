use gts_graph::prelude::*;

#[gts_attributes]
pub struct A {
    pub x: u32,
}

fn main() {}
