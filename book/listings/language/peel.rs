//! Peeling and independent sets: the programs of the book's chapter on settling.

// ANCHOR: attributes
use gts_graph::prelude::*;

/// Vertices that are left after peeling.
#[gts_attributes]
pub struct Core {
    /// Edges to vertices that are left.
    #[wa(init = 0, merge = sum)]
    pub degree: u32,
    /// Whether the vertex was removed.
    #[wa(init = false, merge = or)]
    pub removed: bool,
    /// Vertices of at most this degree are removed.
    #[param]
    pub k: u32,
}
// ANCHOR_END: attributes

// ANCHOR: remove
#[gts_kernel(traverse)]
fn remove(core: &mut Core, src: Vertex, dst: Vertex) {
    core.degree[dst] -= 1;
    activate(dst);
}
// ANCHOR_END: remove

// ANCHOR: peel
#[gts_kernel(vertex)]
fn peel(core: &mut Core, v: Vertex) {
    if !core.removed[v] && core.degree[v] <= core.k {
        core.removed[v] = true;
        activate(v);
    }
}
// ANCHOR_END: peel

// ANCHOR: driver
/// Whether peeling removes each vertex, in ascending order of the IDs.
fn peeled(engine: &Engine, graph: &Graph, k: u32) -> Result<Vec<bool>> {
    let mut run = engine.start::<Core>(graph)?;
    run.set_by(Core::DEGREE, |v| graph.out_degree(v) as u32)?;
    run.set_param(Core::K, k)?;
    run.apply(peel)?;
    while run.frontier_size()? > 0 {
        run.advance(remove)?;
        run.apply_active(peel)?;
    }
    run.take(Core::REMOVED)
}
// ANCHOR_END: driver

// ANCHOR: luby
/// A maximal independent set.
#[gts_attributes]
pub struct Independent {
    /// Key of the vertex in this round.
    #[wa(init = 0, merge = any)]
    pub key: u64,
    /// Smallest key of an undecided neighbour.
    #[wa(init = UNREACHED, merge = min)]
    pub least: u64,
    /// Whether the vertex is in the set.
    #[wa(init = false, merge = or)]
    pub chosen: bool,
    /// Whether a neighbour is in the set.
    #[wa(init = false, merge = or)]
    pub beside: bool,
}

#[gts_kernel(vertex)]
fn draw(set: &mut Independent, v: Vertex) {
    if !set.chosen[v] && !set.beside[v] {
        set.key[v] = random(v, 0);
        set.least[v] = UNREACHED;
        activate(v);
    }
}

#[gts_kernel(traverse)]
fn offer(set: &mut Independent, src: Vertex, dst: Vertex) {
    if src != dst {
        set.least[dst].fetch_min(set.key[src]);
    }
}

#[gts_kernel(vertex)]
fn choose(set: &mut Independent, v: Vertex) {
    if !set.chosen[v] && !set.beside[v] && set.key[v] < set.least[v] {
        set.chosen[v] = true;
        activate(v);
    }
}

#[gts_kernel(traverse)]
fn exclude(set: &mut Independent, src: Vertex, dst: Vertex) {
    set.beside[dst] = true;
}
// ANCHOR_END: luby

// ANCHOR: rounds
/// Whether each vertex is in the set.
fn independent(engine: &Engine, graph: &Graph) -> Result<Vec<bool>> {
    let mut run = engine.start::<Independent>(graph)?;
    loop {
        run.apply(draw)?;
        if run.frontier_size()? == 0 {
            return run.take(Independent::CHOSEN);
        }
        run.advance(offer)?;
        run.apply(choose)?;
        run.advance(exclude)?;
    }
}
// ANCHOR_END: rounds

// ANCHOR: test
#[test]
fn a_triangle_with_a_tail() -> Result<(), Box<dyn std::error::Error>> {
    let edges = [(1, 2), (2, 3), (3, 1), (3, 4), (4, 5)];
    let graph = Graph::builder().edges(edges).symmetrise(true).build()?;
    let engine = Engine::cpu()?;
    assert_eq!(peeled(&engine, &graph, 1)?, [false, false, false, true, true]);
    assert_eq!(peeled(&engine, &graph, 2)?, [true; 5]);
    Ok(())
}
// ANCHOR_END: test

#[test]
fn the_set_is_independent_and_maximal() -> Result<(), Box<dyn std::error::Error>> {
    let edges = super::both_ways(&super::random_edges(60, 90, 3));
    let chosen = independent(&Engine::cpu()?, &Graph::from_edges(edges.iter().copied())?)?;
    let is = |v: u64| chosen[v as usize];
    assert!(edges.iter().all(|&(a, b)| !(is(a) && is(b))), "{chosen:?}");
    assert!((0..60).all(|v| is(v) || edges.iter().any(|&(a, b)| a == v && is(b))), "{chosen:?}");
    Ok(())
}
