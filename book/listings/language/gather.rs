//! Neighbours reduced into one value: the program of the book's chapter on gather kernels.

// ANCHOR: names
use gts_graph::prelude::*;
// ANCHOR_END: names

// ANCHOR: attributes
/// What each vertex would choose.
#[gts_attributes]
pub struct Opinion {
    /// The choice of the vertex.
    #[wa(init = 0, merge = any)]
    pub choice: u32,
    /// Vertices that have changed their choice.
    #[global(merge = sum)]
    pub changed: u64,
}
// ANCHOR_END: attributes

// ANCHOR: kernel
/// Every vertex that has neighbours takes the choice of most of them.
#[gts_kernel(gather)]
fn follow(o: &mut Opinion, v: Vertex) {
    if v.out_degree() == 0 {
        return;
    }
    let common = v.neighbors().filter(|dst| o.choice[dst] != 0).mode(|dst| o.choice[dst]);
    if common != UNREACHED && common != o.choice[v] {
        o.choice[v] = common;
        o.changed += 1;
    }
}
// ANCHOR_END: kernel

// ANCHOR: driver
/// Follows until no vertex changes, or a number of times. Vertices are in the order of their IDs.
fn settle(engine: &Engine, graph: &Graph, choices: &[u32], times: u32) -> Result<Vec<u32>> {
    let mut run = engine.start::<Opinion>(graph)?;
    run.set_dense(Opinion::CHOICE, choices)?;
    for _ in 0..times {
        run.gather(follow)?;
        if run.global(Opinion::CHANGED)? == 0 {
            break;
        }
    }
    run.take(Opinion::CHOICE)
}
// ANCHOR_END: driver

// ANCHOR: test
#[test]
fn all_see_what_their_neighbours_had_before() -> Result<(), Box<dyn std::error::Error>> {
    let graph = Graph::from_edges([(0, 1), (1, 0), (2, 0), (2, 1), (2, 3), (3, 4)])?;
    let choices = [5, 7, 0, 7, 0];
    // 0 and 1 take each other's. 2 sees 5, 7 and 7. What 3 sees does not count. 4 has no out-neighbours.
    assert_eq!(settle(&Engine::cpu()?, &graph, &choices, 1)?, [7, 5, 7, 7, 0]);
    // Now 2 sees 7, 5 and 7.
    assert_eq!(settle(&Engine::cpu()?, &graph, &choices, 2)?, [5, 7, 7, 7, 0]);
    Ok(())
}
// ANCHOR_END: test
