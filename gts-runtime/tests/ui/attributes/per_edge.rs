//! A `#[wa]` of edges is one number, with a merge that is an operation; no `#[ra]` comes from it.

use gts_graph::prelude::*;

#[gts_attributes]
struct Any {
    #[wa(per = edge, init = 0, merge = any)]
    support: u32,
}

#[gts_attributes]
struct Array {
    #[wa(per = edge, init = 0, merge = sum)]
    support: [u32; 4],
}

#[gts_attributes]
struct Name {
    #[wa(per = edge, init = UNREACHED, merge = min)]
    least: VertexId,
}

#[gts_attributes]
struct Unknown {
    #[wa(per = triangle, init = 0, merge = sum)]
    support: u32,
}

#[gts_attributes]
struct Kept {
    #[ra(from = support)]
    before: u32,
    #[wa(per = edge, init = 0, merge = sum)]
    support: u32,
}

#[gts_attributes]
struct Unmerged {
    #[wa(per = edge, init = 0)]
    support: u32,
}

fn main() {}
