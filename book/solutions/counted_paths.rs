//! Solution: the number of shortest paths to each vertex, settled after each step.

use gts_graph::prelude::*;

/// Shortest paths from a root.
#[gts_attributes]
pub struct Paths {
    /// Hops from the root, or `UNREACHED`.
    #[wa(init = UNREACHED, merge = min)]
    pub level: u32,
    /// Number of shortest paths, once the vertex has a level.
    #[wa(init = 0, merge = sum)]
    pub paths: u64,
    /// Paths that arrived in this step.
    #[wa(init = 0, merge = sum)]
    pub arrived: u64,
}

#[gts_kernel(traverse)]
fn arrive(p: &mut Paths, src: Vertex, dst: Vertex) {
    if p.level[dst] == UNREACHED {
        p.arrived[dst] += p.paths[src];
        activate(dst);
    }
}

#[gts_kernel(vertex)]
fn settle(p: &mut Paths, v: Vertex) {
    p.level[v] = step();
    p.paths[v] = p.arrived[v];
}

/// Returns the number of shortest paths from `root` to every vertex.
fn paths(engine: &Engine, graph: &Graph, root: u64) -> Result<Vec<u64>> {
    let root = graph.vertex(root)?;
    let mut run = engine.start::<Paths>(graph)?;
    run.set(Paths::LEVEL, root, 0)?;
    run.set(Paths::PATHS, root, 1)?;
    run.activate(root)?;
    while run.advance(arrive)? > 0 {
        run.apply_active(settle)?;
    }
    run.take(Paths::PATHS)
}

#[test]
fn paths_are_those_of_rounds_over_all_edges() -> Result<(), Box<dyn std::error::Error>> {
    // In a grid of 5 rows and 5 columns, each step leads right or down.
    let cells = (0..25u64).flat_map(|v| [(v % 5 < 4, v, v + 1), (v < 20, v, v + 5)]);
    let edges: Vec<(u64, u64)> = cells.filter(|(is, ..)| *is).map(|(_, src, dst)| (src, dst)).collect();
    // All paths to a cell have the same number of edges, so all of them are shortest.
    let mut expected = [0u64; 25];
    expected[0] = 1;
    for v in 1..25u64 {
        expected[v as usize] = edges.iter().filter(|(_, dst)| *dst == v).map(|(src, _)| expected[*src as usize]).sum();
    }
    let graph = Graph::from_edges(edges)?;
    let found = paths(&Engine::cpu()?, &graph, 0)?;
    assert_eq!((found.as_slice(), found[24]), (expected.as_slice(), 70));
    Ok(())
}
