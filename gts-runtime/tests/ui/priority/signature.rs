//! How a priority is announced.

use gts_graph::prelude::*;

#[gts_attributes]
struct Paths {
    #[wa(init = UNREACHED, merge = min)]
    distance: u32,
    #[wa(init = false, merge = or)]
    known: bool,
}

#[gts_kernel(priority)]
fn without_a_type(paths: &mut Paths, v: Vertex) {
    paths.distance[v]
}

#[gts_kernel(priority)]
fn a_condition(paths: &mut Paths, v: Vertex) -> bool {
    paths.known[v]
}

#[gts_kernel(priority)]
fn a_vertex(paths: &mut Paths, v: Vertex) -> VertexId {
    v.id()
}

#[gts_kernel(priority)]
fn a_pair(paths: &mut Paths, v: Vertex) -> [u32; 2] {
    [paths.distance[v], 0]
}

#[gts_kernel(priority)]
fn of_an_edge(paths: &mut Paths, src: Vertex, dst: Vertex) -> u32 {
    paths.distance[dst]
}

#[gts_kernel(priority)]
fn of_nothing(paths: &mut Paths) -> u32 {
    7
}

#[gts_kernel(priority(in))]
fn with_a_direction(paths: &mut Paths, v: Vertex) -> u32 {
    paths.distance[v]
}

#[gts_kernel(priority, technique = edge8)]
fn with_a_technique(paths: &mut Paths, v: Vertex) -> u32 {
    paths.distance[v]
}

#[gts_kernel(priority, racy)]
fn with_races(paths: &mut Paths, v: Vertex) -> u32 {
    paths.distance[v]
}

#[gts_kernel(priorities)]
fn misspelt(paths: &mut Paths, v: Vertex) -> u32 {
    paths.distance[v]
}

fn main() {}
