use gts_graph::prelude::*;

#[gts_attributes]
pub struct A {
    #[wa(init = 0, merge = min)]
    pub x: u32,
}

#[gts_kernel(vertex)]
fn wrong(a: &mut A, v: Vertex) {
    assert!();
    assert!(a.x[v] < 3, a.x[v], 4);
    assert!(a.x[v] < 3, a.x[v].fetch_min(2));
    assert!(a.x[v], 2);
    assert!(a.x[v] < 3, [1u32, 2]);
}

#[gts_kernel(vertex)]
fn not_in_the_language(a: &mut A, v: Vertex) {
    assert!(a.x[v] < 3, "too large");
    assert(a.x[v] < 3);
    debug_assert!(a.x[v] < 3);
    assert!(match a.x[v] {});
    let y = assert!(a.x[v] < 3);
}

fn main() {}
