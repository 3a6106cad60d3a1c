//! Near vertices first: the program of the book's chapter on priorities.

// ANCHOR: names
use gts_runtime::prelude::*;
// ANCHOR_END: names

// ANCHOR: attributes
/// What the way to each vertex costs.
#[gts_attributes]
pub struct Tolls {
    /// The least toll known, or `UNREACHED`.
    #[wa(init = UNREACHED, merge = min)]
    pub paid: u32,
    /// The toll of the edge.
    #[edge]
    pub toll: u32,
    /// The largest toll that is near.
    #[param]
    pub near: u32,
    /// The largest that was near before.
    #[param]
    pub done: u32,
    /// The least toll that waits.
    #[global(merge = min)]
    pub least: u32,
}
// ANCHOR_END: attributes

// ANCHOR: kernel
#[gts_kernel(traverse)]
fn pay(tolls: &mut Tolls, src: Vertex, dst: Vertex, e: Edge) {
    let paid = tolls.paid[src] + tolls.toll[e];
    if tolls.paid[dst].fetch_min(paid) > paid && paid <= tolls.near {
        activate(dst);
    }
}
// ANCHOR_END: kernel

// ANCHOR: far
#[gts_kernel(vertex)]
fn find_least(tolls: &mut Tolls, v: Vertex) {
    if tolls.paid[v] > tolls.done {
        tolls.least.fetch_min(tolls.paid[v]);
    }
}

#[gts_kernel(vertex)]
fn bring_near(tolls: &mut Tolls, v: Vertex) {
    if tolls.paid[v] > tolls.done && tolls.paid[v] <= tolls.near {
        activate(v);
    }
}
// ANCHOR_END: far

// ANCHOR: driver
/// The least toll from `source` to every vertex, in the order of the vertices' IDs; `width` tolls are near at a time.
fn tolls(engine: &Engine, graph: &Graph, source: u64, width: u32) -> Result<Vec<u32>> {
    let source = graph.vertex(source)?;
    let mut run = engine.start::<Tolls>(graph)?;
    let mut near = width;
    run.set(Tolls::PAID, source, 0)?;
    run.set_param(Tolls::NEAR, near)?;
    run.activate(source)?;
    loop {
        run.traverse(pay)?;
        run.set_param(Tolls::DONE, near)?;
        run.apply(find_least)?;
        let least = run.global(Tolls::LEAST)?;
        if least == u32::MAX {
            return run.take(Tolls::PAID);
        }
        near = least.saturating_add(width);
        run.set_param(Tolls::NEAR, near)?;
        run.apply(bring_near)?;
    }
}
// ANCHOR_END: driver

// ANCHOR: test
#[test]
fn the_width_changes_the_way_and_not_the_answer() -> Result<(), Box<dyn std::error::Error>> {
    let edges = [(0, 1, 9u32), (0, 2, 2), (2, 1, 3), (1, 3, 1), (2, 3, 7), (4, 0, 1)];
    let graph = Graph::builder().weighted_edges(edges).build()?;
    for width in [0, 1, 4, 100] {
        assert_eq!(tolls(&Engine::cpu()?, &graph, 0, width)?, [0, 5, 2, 6, u32::MAX]);
    }
    Ok(())
}
// ANCHOR_END: test
