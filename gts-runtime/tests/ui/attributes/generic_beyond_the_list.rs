use gts_graph::prelude::*;

#[gts_attributes(T = f32 | f64)]
pub struct A<T, U> {
    #[wa(init = 0.0, merge = sum)]
    pub x: T,
    #[wa(init = 0, merge = sum)]
    pub y: U,
}

fn main() {}
