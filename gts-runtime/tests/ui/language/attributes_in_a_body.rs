//! A macro cannot ask which features are on, and a body has no documentation.

use gts_graph::prelude::*;

#[gts_attributes]
pub struct Bfs {
    #[wa(init = UNREACHED, merge = min)]
    pub level: u32,
    #[cfg(feature = "debug")]
    #[wa(init = 0, merge = sum)]
    pub visits: u32,
    #[cfg_attr(feature = "debug", doc = "The weight of an edge.")]
    #[edge]
    pub weight: u32,
}

#[gts_kernel(vertex)]
fn debugged(bfs: &mut Bfs, v: Vertex) {
    #[cfg(feature = "debug")]
    {
        bfs.level[v] = 100;
    }
    /// Resets the level.
    bfs.level[v] = 0;
    #[inline]
    let level = #[cfg_attr(feature = "debug", allow(unused))]
    1;
    #[allow(unused_variables)]
    let allowed = level;
}

#[gts_kernel(vertex)]
fn of_a_parameter(bfs: &mut Bfs, #[cfg(feature = "debug")] v: Vertex) {}

#[gts_fn]
fn next(#[cfg(not(feature = "debug"))] level: u32) -> u32 {
    #[cfg(feature = "debug")]
    let level = 3;
    level + 1
}

#[gts_kernel(gather)]
fn gathered(bfs: &mut Bfs, v: Vertex) {
    #[cfg(feature = "debug")]
    let level = 3;
    let least = v.neighbors().min(|u| bfs.level[u]);
    bfs.level[v] = least;
}

fn main() {}
