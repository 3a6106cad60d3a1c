use gts_graph::prelude::*;

#[gts_attributes]
pub struct A<T> {
    #[wa(init = 0.0, merge = sum)]
    pub x: T,
}

fn main() {}
