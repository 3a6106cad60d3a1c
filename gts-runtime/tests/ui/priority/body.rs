//! What a priority may do, and what its value is.

use gts_graph::prelude::*;

#[gts_attributes(T = u32 | f32)]
struct Paths<T> {
    #[wa(init = UNREACHED, merge = min)]
    distance: T,
    #[wa(init = 0, merge = sum)]
    visits: u32,
    #[edge]
    weight: T,
    #[global(merge = sum)]
    asked: u64,
}

#[gts_kernel(priority)]
fn stores<T>(paths: &mut Paths<T>, v: Vertex) -> T {
    paths.visits[v] = 1;
    paths.distance[v]
}

#[gts_kernel(priority)]
fn updates<T>(paths: &mut Paths<T>, v: Vertex) -> u32 {
    paths.visits[v].fetch_add(1)
}

#[gts_kernel(priority)]
fn counts<T>(paths: &mut Paths<T>, v: Vertex) -> T {
    paths.asked += 1;
    paths.distance[v]
}

#[gts_kernel(priority)]
fn activates<T>(paths: &mut Paths<T>, v: Vertex) -> T {
    activate(v);
    paths.distance[v]
}

#[gts_kernel(priority)]
fn returns_early<T>(paths: &mut Paths<T>, v: Vertex) -> u32 {
    if paths.visits[v] > 3 {
        return 0;
    }
    paths.visits[v]
}

#[gts_kernel(priority)]
fn without_a_value<T>(paths: &mut Paths<T>, v: Vertex) -> u32 {
    let visits = paths.visits[v];
}

#[gts_kernel(priority)]
fn of_another_type<T>(paths: &mut Paths<T>, v: Vertex) -> T {
    paths.visits[v]
}

#[gts_kernel(priority)]
fn of_an_unknown_type<T>(paths: &mut Paths<T>, v: Vertex) -> Distance {
    paths.distance[v]
}

#[gts_kernel(priority)]
fn of_neighbours<T>(paths: &mut Paths<T>, v: Vertex) -> T {
    v.neighbors().min(|dst| paths.distance[dst])
}

#[gts_kernel(traverse)]
fn relax<T>(paths: &mut Paths<T>, src: Vertex, dst: Vertex, e: Edge) {
    paths.distance[dst].fetch_min(paths.distance[src] + paths.weight[e]);
}

/// One error is said once, where it is.
fn with_a_refused_priority(run: &mut Run<Paths<f32>>) -> Result<u32> {
    run.traverse_near(relax, stores, 0.5)
}

fn main() {}
