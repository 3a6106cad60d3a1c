//! Which values an operator reduces.

use gts_graph::prelude::*;

#[gts_attributes]
struct Labels {
    #[wa(init = 0, merge = any)]
    label: u32,
    #[wa(init = 0.0, merge = any)]
    share: f32,
    #[wa(init = UNREACHED, merge = any)]
    vertex: VertexId,
}

#[gts_kernel(gather)]
fn sums_of_bools(l: &mut Labels, v: Vertex) {
    let a = v.neighbors().sum(|dst| l.label[dst] > 3);
    l.label[v] = a;
}

#[gts_kernel(gather)]
fn largest_vertex(l: &mut Labels, v: Vertex) {
    let a = v.neighbors().max(|dst| dst.id());
    l.vertex[v] = a;
}

#[gts_kernel(gather)]
fn smallest_bool(l: &mut Labels, v: Vertex) {
    let a = v.neighbors().min(|dst| l.label[dst] > 3);
    l.label[v] = a as u32;
}

#[gts_kernel(gather)]
fn any_number(l: &mut Labels, v: Vertex) {
    let a = v.neighbors().any(|dst| l.label[dst]);
    l.label[v] = a as u32;
}

#[gts_kernel(gather)]
fn bits_of_floats(l: &mut Labels, v: Vertex) {
    let a = v.neighbors().or(|dst| l.share[dst]);
    l.share[v] = a;
}

#[gts_kernel(gather)]
fn most_frequent_float(l: &mut Labels, v: Vertex) {
    let a = v.neighbors().mode(|dst| l.share[dst]);
    l.share[v] = a;
}

#[gts_kernel(gather)]
fn an_edge_itself(l: &mut Labels, v: Vertex) {
    let a = v.neighbors().min(|dst, e| e);
    l.label[v] = 3;
}

#[gts_kernel(gather)]
fn counts_are_64_bits(l: &mut Labels, v: Vertex) {
    let a = v.neighbors().count(|dst| l.label[dst] > 3);
    l.label[v] = a;
}

#[gts_kernel(gather)]
fn an_open_type(l: &mut Labels, v: Vertex) {
    let a = v.neighbors().sum(|_| 1);
    l.label[v] = 3;
}

fn main() {}
