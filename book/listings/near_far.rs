//! Near vertices first: the program of the book's chapter on priorities.

// ANCHOR: names
use gts_graph::prelude::*;
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
    /// The largest toll that one can pay.
    #[param]
    pub budget: u32,
}

#[gts_kernel(traverse)]
fn pay(tolls: &mut Tolls, src: Vertex, dst: Vertex, e: Edge) {
    let paid = tolls.paid[src] + tolls.toll[e];
    if tolls.paid[dst].fetch_min(paid) > paid {
        activate(dst);
    }
}
// ANCHOR_END: attributes

// ANCHOR: priority
/// How near a vertex is.
#[gts_kernel(priority)]
fn nearness(tolls: &mut Tolls, v: Vertex) -> u32 {
    tolls.paid[v]
}
// ANCHOR_END: priority

// ANCHOR: driver
/// The least toll from `source` to every vertex, in the order of the vertices' IDs; `width` tolls are near at a time.
fn tolls(engine: &Engine, graph: &Graph, source: u64, width: u32) -> Result<Vec<u32>> {
    let source = graph.vertex(source)?;
    let mut run = engine.start::<Tolls>(graph)?;
    run.set(Tolls::PAID, source, 0)?;
    run.activate(source)?;
    run.traverse_near(pay, nearness, width)?;
    run.take(Tolls::PAID)
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

// ANCHOR: filter
#[gts_kernel(vertex)]
fn keep_affordable(tolls: &mut Tolls, v: Vertex) {
    if tolls.paid[v] <= tolls.budget {
        activate(v);
    }
}

/// As `tolls`, but no path goes on from a vertex beyond the budget.
fn affordable(engine: &Engine, graph: &Graph, source: u64, budget: u32) -> Result<Vec<u32>> {
    let source = graph.vertex(source)?;
    let mut run = engine.start::<Tolls>(graph)?;
    run.set(Tolls::PAID, source, 0)?;
    run.set_param(Tolls::BUDGET, budget)?;
    run.activate(source)?;
    while run.advance(pay)? > 0 {
        run.apply_active(keep_affordable)?;
    }
    run.take(Tolls::PAID)
}
// ANCHOR_END: filter

#[test]
fn a_budget_ends_the_way() -> Result<(), Box<dyn std::error::Error>> {
    let edges = [(0, 1, 9u32), (0, 2, 2), (2, 1, 3), (1, 3, 1), (3, 4, 1), (4, 5, 1)];
    let graph = Graph::builder().weighted_edges(edges).build()?;
    let (engine, unreached) = (Engine::cpu()?, u32::MAX);
    assert_eq!(affordable(&engine, &graph, 0, 5)?, [0, 5, 2, 6, unreached, unreached]);
    assert_eq!(affordable(&engine, &graph, 0, 1)?, [0, 9, 2, unreached, unreached, unreached]);
    assert_eq!(affordable(&engine, &graph, 0, 100)?, tolls(&engine, &graph, 0, 3)?);
    Ok(())
}
