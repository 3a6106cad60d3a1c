use gts_graph::prelude::*;

#[gts_attributes]
pub struct A {
    #[wa(init = 0, merge = any)]
    pub name: String,
}

fn main() {}
