//! Traversals that process near vertices first.

// ANCHOR: names
use gts_graph::prelude::*;
// ANCHOR_END: names

// ANCHOR: attributes
/// Tolls on the way to each vertex.
#[gts_attributes]
pub struct Tolls {
    /// The smallest known toll, or `UNREACHED`.
    #[wa(init = UNREACHED, merge = min)]
    pub paid: u32,
    /// Toll of the edge.
    #[edge]
    pub toll: u32,
    /// The largest toll from which a path continues.
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
/// Returns the distance of the vertex so far.
#[gts_kernel(priority)]
fn nearness(tolls: &mut Tolls, v: Vertex) -> u32 {
    tolls.paid[v]
}
// ANCHOR_END: priority

// ANCHOR: driver
/// Returns the smallest toll from `source` to every vertex.
fn tolls(run: &mut Run<Tolls>, source: Vertex, width: u32) -> Result<Vec<u32>> {
    run.set(Tolls::PAID, source, 0)?;
    run.activate(source)?;
    run.traverse_near(pay, nearness, width)?;
    run.take(Tolls::PAID)
}
// ANCHOR_END: driver

// ANCHOR: test
#[test]
fn all_widths_give_one_answer() -> Result<(), Box<dyn std::error::Error>> {
    let edges = [(0, 1, 9u32), (0, 2, 2), (2, 1, 3), (1, 3, 1), (4, 0, 1)];
    let graph = Graph::builder().weighted_edges(edges).build()?;
    for width in [0, 1, 4, 100] {
        let mut run = Engine::cpu()?.start(&graph)?;
        let found = tolls(&mut run, graph.vertex(0)?, width)?;
        assert_eq!(found, [0, 5, 2, 6, u32::MAX]);
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

/// As `tolls`, but no path continues from a vertex beyond the budget.
fn affordable(run: &mut Run<Tolls>, source: Vertex, budget: u32) -> Result<Vec<u32>> {
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
fn a_budget_ends_paths() -> Result<(), Box<dyn std::error::Error>> {
    let edges = [(0, 1, 9u32), (0, 2, 2), (2, 1, 3), (1, 3, 1), (3, 4, 1), (4, 5, 1)];
    let graph = Graph::builder().weighted_edges(edges).build()?;
    let (engine, source, unreached) = (Engine::cpu()?, graph.vertex(0)?, u32::MAX);
    let found = |budget| affordable(&mut engine.start(&graph)?, source, budget);
    assert_eq!(found(5)?, [0, 5, 2, 6, unreached, unreached]);
    assert_eq!(found(1)?, [0, 9, 2, unreached, unreached, unreached]);
    assert_eq!(found(100)?, tolls(&mut engine.start(&graph)?, source, 3)?);
    Ok(())
}
