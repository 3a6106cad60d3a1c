//! Exercise: every vertex of a forest finds its root in a logarithmic number of passes.

use gts_graph::prelude::*;

#[gts_attributes]
pub struct Forest {
    /// A vertex above this one; at first its parent, at the end its root.
    #[wa(init = UNREACHED, merge = any)]
    pub above: VertexId,
    /// The vertex above that one.
    #[wa(init = UNREACHED, merge = any)]
    pub higher: VertexId,
    #[global(merge = sum)]
    pub moved: u64,
}

#[gts_kernel(scan)]
fn hang(forest: &mut Forest, src: Vertex, dst: Vertex) {
    forest.above[dst] = src;
}

#[gts_kernel(vertex)]
fn plant(forest: &mut Forest, v: Vertex) {
    if forest.above[v] == UNREACHED {
        forest.above[v] = v;
    }
}

#[gts_kernel(vertex)]
fn look(forest: &mut Forest, v: Vertex) {
    forest.higher[v] = forest.above[forest.above[v]];
}

#[gts_kernel(vertex)]
fn climb(forest: &mut Forest, v: Vertex) {
    if forest.higher[v] != forest.above[v] {
        forest.above[v] = forest.higher[v];
        forest.moved += 1;
    }
}

/// The root of each vertex, and the number of rounds. Edges lead from parents to children.
fn roots(engine: &Engine, graph: &Graph) -> Result<(Vec<u64>, u32)> {
    let mut run = engine.start::<Forest>(graph)?;
    run.scan(hang)?;
    run.apply(plant)?;
    let mut rounds = 0;
    loop {
        run.apply(look)?;
        run.apply(climb)?;
        rounds += 1;
        if run.global(Forest::MOVED)? == 0 {
            return Ok((run.take(Forest::ABOVE)?.into_iter().map(u64::from).collect(), rounds));
        }
    }
}

#[test]
fn roots_are_those_of_a_walk() -> Result<(), Box<dyn std::error::Error>> {
    // A path of 40 vertices, and trees under the multiples of 10 from 50 on.
    let mut edges: Vec<(u64, u64)> = (0..39).map(|v| (v, v + 1)).collect();
    edges.extend((50..90).filter(|v| v % 10 != 0).map(|v| (v - v % 10 + v % 10 / 2, v)));
    let (roots, rounds) = roots(&Engine::cpu()?, &Graph::from_edges(edges.iter().copied())?)?;
    let walked = |mut v: u64| {
        while let Some(&(parent, _)) = edges.iter().find(|(_, child)| *child == v) {
            v = parent;
        }
        v
    };
    assert_eq!(roots, (0..40).chain(50..90).map(walked).collect::<Vec<_>>());
    assert!(rounds <= 7, "{rounds} rounds for a path of 39 edges");
    Ok(())
}
