use gts_runtime::prelude::*;

#[gts_attributes]
pub struct A {
    pub x: u32,
}

fn main() {}
