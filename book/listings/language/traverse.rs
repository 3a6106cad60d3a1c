//! Hop plots and widest paths: the programs of the book's chapter on traversals.

// ANCHOR: hops
use gts_graph::prelude::*;

/// Hops from a root.
#[gts_attributes]
pub struct Hops {
    /// Level of the vertex, or `UNREACHED`.
    #[wa(init = UNREACHED, merge = min)]
    pub level: u32,
}

#[gts_kernel(traverse)]
fn expand(hops: &mut Hops, src: Vertex, dst: Vertex) {
    if hops.level[dst] == UNREACHED {
        hops.level[dst] = step() + 1;
        activate(dst);
    }
}
// ANCHOR_END: hops

// ANCHOR: plot
/// The number of vertices at each distance from `root`.
fn hop_plot(engine: &Engine, graph: &Graph, root: u64) -> Result<Vec<u64>> {
    let root = graph.vertex(root)?;
    let mut run = engine.start::<Hops>(graph)?;
    run.set(Hops::LEVEL, root, 0)?;
    run.activate(root)?;
    let mut plot = vec![1];
    loop {
        match run.advance(expand)? {
            0 => return Ok(plot),
            found => plot.push(found),
        }
    }
}
// ANCHOR_END: plot

// ANCHOR: back
#[gts_kernel(traverse(in))]
fn expand_back(hops: &mut Hops, src: Vertex, dst: Vertex) {
    if hops.level[dst] == UNREACHED {
        hops.level[dst] = step() + 1;
        activate(dst);
    }
}
// ANCHOR_END: back

// ANCHOR: widest
/// Paths whose narrowest edge is as wide as possible.
#[gts_attributes]
pub struct Widest {
    /// Width of the widest path from the root that was found.
    #[wa(init = 0, merge = max)]
    pub width: u32,
    /// Width of an edge.
    #[edge]
    pub capacity: u32,
}

#[gts_kernel(traverse)]
fn widen(w: &mut Widest, src: Vertex, dst: Vertex, e: Edge) {
    let through = w.width[src].min(w.capacity[e]);
    if w.width[dst].fetch_max(through) < through {
        activate(dst);
    }
}
// ANCHOR_END: widest

// ANCHOR: widths
/// The width of the widest path from `root` to each vertex; 0 if there is none.
fn widths(engine: &Engine, graph: &Graph, root: u64) -> Result<Vec<u32>> {
    let root = graph.vertex(root)?;
    let mut run = engine.start::<Widest>(graph)?;
    run.set(Widest::WIDTH, root, u32::MAX)?;
    run.activate(root)?;
    run.traverse(widen)?;
    run.take(Widest::WIDTH)
}
// ANCHOR_END: widths

// ANCHOR: test
#[test]
fn the_long_way_is_wider() -> Result<(), Box<dyn std::error::Error>> {
    let edges = [(0, 1, 9u32), (1, 2, 8), (2, 3, 7), (0, 3, 2), (4, 0, 1)];
    let graph = Graph::builder().weighted_edges(edges).build()?;
    let engine = Engine::cpu()?;
    assert_eq!(widths(&engine, &graph, 0)?, [u32::MAX, 9, 8, 7, 0]);
    assert_eq!(hop_plot(&engine, &graph, 0)?, [1, 2, 1]);
    Ok(())
}
// ANCHOR_END: test

#[test]
fn hops_backwards() -> Result<(), Box<dyn std::error::Error>> {
    let graph = Graph::builder().edges([(0, 1), (1, 2), (3, 2)]).in_edges(true).build()?;
    let last = graph.vertex(2)?;
    let mut run = Engine::cpu()?.start::<Hops>(&graph)?;
    run.set(Hops::LEVEL, last, 0)?;
    run.activate(last)?;
    assert_eq!(run.traverse(expand_back)?, 3);
    assert_eq!(run.take(Hops::LEVEL)?, [2, 1, 0, 1]);
    Ok(())
}
