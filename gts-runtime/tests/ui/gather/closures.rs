//! What stands in the closures of a reduction, and what does not reach behind it.

use gts_graph::prelude::*;

#[gts_attributes]
struct Labels {
    #[wa(init = 0, merge = sum)]
    label: u32,
    #[ra]
    before: u32,
}

#[gts_kernel(gather)]
fn no_closure(l: &mut Labels, v: Vertex) {
    let a = v.neighbors().count();
    l.label[v] = a as u32;
}

#[gts_kernel(gather)]
fn too_many_parameters(l: &mut Labels, v: Vertex) {
    let a = v.neighbors().sum(|dst, e, x| l.label[dst]);
    l.label[v] = a;
}

#[gts_kernel(gather)]
fn a_pattern(l: &mut Labels, v: Vertex) {
    let a = v.neighbors().sum(|(dst, e)| l.label[dst]);
    l.label[v] = a;
}

#[gts_kernel(gather)]
fn two_names(l: &mut Labels, v: Vertex) {
    let a = v.neighbors().filter(|u| l.label[u] > 0).sum(|dst| l.label[dst]);
    l.label[v] = a;
}

#[gts_kernel(gather)]
fn an_update(l: &mut Labels, v: Vertex) {
    let a = v.neighbors().sum(|dst| l.label[dst].fetch_add(1));
    l.label[v] = a;
}

#[gts_kernel(gather)]
fn an_activation(l: &mut Labels, v: Vertex) {
    let a = v.neighbors().count(|dst| {
        activate(dst);
        true
    });
    l.label[v] = a as u32;
}

#[gts_kernel(gather)]
fn an_update_before(l: &mut Labels, v: Vertex) {
    let old = l.label[v].fetch_add(1);
    let a = v.neighbors().sum(|dst| l.label[dst]);
    l.label[v] = a + old;
}

#[gts_kernel(gather)]
fn the_neighbour_behind(l: &mut Labels, v: Vertex) {
    let a = v.neighbors().sum(|dst| l.label[dst]);
    l.label[v] = a + l.label[dst];
}

#[gts_kernel(gather)]
fn an_ra_elsewhere(l: &mut Labels, v: Vertex) {
    let a = v.neighbors().sum(|dst| l.before[dst]);
    l.label[v] = a;
}

#[gts_kernel(gather)]
fn a_closure_behind(l: &mut Labels, v: Vertex) {
    let a = v.neighbors().sum(|dst| l.label[dst]);
    let f = |x| x + 1;
    l.label[v] = a;
}

#[gts_kernel(gather)]
fn a_place(l: &mut Labels, v: Vertex) {
    let a = v.neighbors().max(|_, e| e.position());
    l.label[v] = a as u32;
}

fn main() {}
