use gts_graph::prelude::*;

#[gts_attributes]
pub struct Values {
    #[wa(init = [0, 1, 2, 3], merge = sum)]
    pub list: [u32; 4],
    #[wa(init = 1, merge = sum)]
    pub ratio: f32,
    #[wa(init = 0.5, merge = sum)]
    pub whole: u32,
}

fn main() {}
