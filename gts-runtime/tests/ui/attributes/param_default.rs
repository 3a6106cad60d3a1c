use gts_graph::prelude::*;

#[gts_attributes]
pub struct A {
    #[wa(init = 0, merge = sum)]
    pub x: u32,
    #[param(default = 0.85)]
    pub whole: u32,
    #[param(default = x + 1)]
    pub computed: u32,
    #[param(init = 1)]
    pub misnamed: u32,
}

fn main() {}
