//! How a gather kernel is put together.

use gts_graph::prelude::*;

#[gts_attributes]
struct Labels {
    #[wa(init = 0, merge = any)]
    label: u32,
}

#[gts_kernel(gather)]
fn nothing_reduced(l: &mut Labels, v: Vertex) {
    l.label[v] = 1;
}

#[gts_kernel(gather)]
fn reduced_twice(l: &mut Labels, v: Vertex) {
    let a = v.neighbors().min(|dst| l.label[dst]);
    let b = v.neighbors().max(|dst| l.label[dst]);
    l.label[v] = a + b;
}

#[gts_kernel(gather)]
fn not_bound(l: &mut Labels, v: Vertex) {
    if v.neighbors().any(|dst| l.label[dst] == 0) {
        l.label[v] = 1;
    }
}

#[gts_kernel(gather)]
fn something_before(l: &mut Labels, v: Vertex) {
    l.label[v] = 7;
    let a = v.neighbors().min(|dst| l.label[dst]);
    l.label[v] = a;
}

#[gts_kernel(gather)]
fn something_behind(l: &mut Labels, v: Vertex) {
    let a = v.neighbors().min(|dst| l.label[dst]) + 1;
    l.label[v] = a;
}

#[gts_kernel(gather)]
fn a_pattern(l: &mut Labels, v: Vertex) {
    let mut a = v.neighbors().min(|dst| l.label[dst]);
    a += 1;
    l.label[v] = a;
}

#[gts_kernel(gather)]
fn an_unknown_operator(l: &mut Labels, v: Vertex) {
    let a = v.neighbors().minimum(|dst| l.label[dst]);
    l.label[v] = a;
}

#[gts_kernel(gather)]
fn an_adapter(l: &mut Labels, v: Vertex) {
    let a = v.neighbors().map(|dst| l.label[dst]).min(|label| label);
    l.label[v] = a;
}

#[gts_kernel(gather)]
fn of_something_else(l: &mut Labels, v: Vertex) {
    let a = l.label[v].neighbors().min(|dst| l.label[dst]);
    l.label[v] = a;
}

#[gts_kernel(gather)]
fn begins_elsewhere(l: &mut Labels, v: Vertex) {
    let a = neighbors.min(|dst| v.neighbors());
    l.label[v] = a;
}

#[gts_kernel(gather)]
fn an_edge_parameter(l: &mut Labels, v: Vertex, dst: Vertex) {
    let a = v.neighbors().min(|dst| l.label[dst]);
    l.label[v] = a;
}

#[gts_kernel(gather(sideways))]
fn a_direction(l: &mut Labels, v: Vertex) {
    let a = v.neighbors().min(|dst| l.label[dst]);
    l.label[v] = a;
}

fn main() {}
