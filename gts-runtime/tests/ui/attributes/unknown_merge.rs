use gts_graph::prelude::*;

#[gts_attributes]
pub struct A {
    #[wa(init = 0, merge = product)]
    pub x: u32,
}

fn main() {}
