use gts_graph::prelude::*;

#[gts_attributes]
pub struct A {
    #[edge]
    pub x: u32,
    #[edge]
    pub y: u32,
}

fn main() {}
