//! Solution: hops from a root by a monotone kernel.

use gts_graph::prelude::*;
use std::collections::VecDeque;

/// Hops from a root.
#[gts_attributes]
pub struct Hops {
    /// Hops from the root, or `UNREACHED`.
    #[wa(init = UNREACHED, merge = min)]
    pub level: u32,
}

#[gts_kernel(traverse)]
fn improve(hops: &mut Hops, src: Vertex, dst: Vertex) {
    let level = hops.level[src] + 1;
    if hops.level[dst].fetch_min(level) > level {
        activate(dst);
    }
}

/// Returns the hops from `root` to every vertex.
fn hops(engine: &Engine, graph: &Graph, root: u64) -> Result<Vec<u32>> {
    let root = graph.vertex(root)?;
    let mut run = engine.start::<Hops>(graph)?;
    run.set(Hops::LEVEL, root, 0)?;
    run.activate(root)?;
    run.traverse(improve)?;
    run.take(Hops::LEVEL)
}

#[test]
fn levels_are_those_of_a_queue() -> Result<(), Box<dyn std::error::Error>> {
    let edges: Vec<(u64, u64)> = (0..90).flat_map(|v| [(v, (v * 2 + 1) % 90), (v, v * v % 90)]).collect();
    let mut expected = [u32::MAX; 90];
    expected[2] = 0;
    let mut queue = VecDeque::from([2]);
    while let Some(v) = queue.pop_front() {
        for &(_, dst) in edges.iter().filter(|(src, _)| *src == v) {
            if expected[dst as usize] == u32::MAX {
                expected[dst as usize] = expected[v as usize] + 1;
                queue.push_back(dst);
            }
        }
    }
    let graph = Graph::from_edges(edges)?;
    assert_eq!(hops(&Engine::cpu()?, &graph, 2)?, expected);
    Ok(())
}
