use gts_graph::prelude::*;

#[gts_attributes]
pub struct A {
    #[wa(merge = sum)]
    pub x: u32,
}

fn main() {}
