//! Exercise: the level of each vertex of an acyclic graph, one above the highest vertex that it depends on.

use gts_graph::prelude::*;

#[gts_attributes]
pub struct Levels {
    /// Edges in that come from vertices without a level.
    #[wa(init = 0, merge = sum)]
    pub waiting: u32,
    #[wa(init = UNREACHED, merge = min)]
    pub level: u32,
    #[param]
    pub round: u32,
}

#[gts_kernel(traverse)]
fn release(l: &mut Levels, src: Vertex, dst: Vertex) {
    l.waiting[dst] -= 1;
    activate(dst);
}

#[gts_kernel(vertex)]
fn place(l: &mut Levels, v: Vertex) {
    if l.waiting[v] == 0 {
        l.level[v] = l.round;
        activate(v);
    }
}

/// The level of each vertex; `u32::MAX` on and behind cycles.
fn levels(engine: &Engine, graph: &Graph) -> Result<Vec<u32>> {
    let mut run = engine.start::<Levels>(graph)?;
    run.set_by(Levels::WAITING, |v| graph.in_degree(v) as u32)?;
    run.set_param(Levels::ROUND, 0)?;
    run.apply(place)?;
    let mut round = 0;
    while run.frontier_size()? > 0 {
        round += 1;
        run.set_param(Levels::ROUND, round)?;
        run.advance(release)?;
        run.apply_active(place)?;
    }
    run.take(Levels::LEVEL)
}

#[test]
fn levels_are_lengths_of_longest_paths() -> Result<(), Box<dyn std::error::Error>> {
    let all = super::random_edges(60, 100, 9);
    // Edges that ascend make no cycle.
    let edges: Vec<_> = all.into_iter().filter(|(a, b)| a != b).map(|(a, b)| (a.min(b), a.max(b))).collect();
    let graph = Graph::from_edges(edges.iter().copied())?;
    let mut longest = std::collections::BTreeMap::new();
    for v in 0..60 {
        let into = edges.iter().filter(|edge| edge.1 == v).map(|edge| longest[&edge.0] + 1).max();
        longest.insert(v, into.unwrap_or(0));
    }
    let expected: Vec<u32> = graph.ids().ascending().map(|v| longest[&v]).collect();
    assert_eq!(levels(&Engine::cpu()?, &graph)?, expected);

    let cycle = Graph::from_edges([(0, 1), (1, 2), (2, 1), (2, 3)])?;
    assert_eq!(levels(&Engine::cpu()?, &cycle)?, [0, u32::MAX, u32::MAX, u32::MAX]);
    Ok(())
}
