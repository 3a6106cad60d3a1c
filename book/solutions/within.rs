//! Exercise: the vertices within a number of hops.

use gts_graph::prelude::*;

#[gts_attributes]
pub struct Hops {
    #[wa(init = UNREACHED, merge = min)]
    pub level: u32,
    /// Steps after which the traversal ends.
    #[param]
    pub limit: u32,
}

#[gts_kernel(traverse)]
fn expand(hops: &mut Hops, src: Vertex, dst: Vertex) {
    if step() < hops.limit && hops.level[dst] == UNREACHED {
        hops.level[dst] = step() + 1;
        activate(dst);
    }
}

/// The hops to each vertex, or `u32::MAX` if there are more than `limit`.
fn within(engine: &Engine, graph: &Graph, root: u64, limit: u32) -> Result<Vec<u32>> {
    let root = graph.vertex(root)?;
    let mut run = engine.start::<Hops>(graph)?;
    run.set_param(Hops::LIMIT, limit)?;
    run.set(Hops::LEVEL, root, 0)?;
    run.activate(root)?;
    run.traverse(expand)?;
    run.take(Hops::LEVEL)
}

#[test]
fn levels_are_those_of_a_queue() -> Result<(), Box<dyn std::error::Error>> {
    let edges = super::random_edges(200, 100, 7);
    let root = edges[0].0;
    let mut levels = vec![u32::MAX; 200];
    let mut queue = std::collections::VecDeque::from([(root, 0)]);
    while let Some((v, level)) = queue.pop_front() {
        if levels[v as usize] == u32::MAX && level <= 3 {
            levels[v as usize] = level;
            queue.extend(edges.iter().filter(|edge| edge.0 == v).map(|edge| (edge.1, level + 1)));
        }
    }
    assert!(levels.contains(&3));
    assert_eq!(within(&Engine::cpu()?, &Graph::from_edges(edges)?, root, 3)?, levels);
    Ok(())
}
