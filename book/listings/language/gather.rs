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
    let most = v.neighbors().filter(|w| o.choice[w] != 0).mode(|w| o.choice[w]);
    if most != UNREACHED && most != o.choice[v] {
        o.choice[v] = most;
        o.changed += 1;
    }
}
// ANCHOR_END: kernel

// ANCHOR: driver
/// The choices after a number of passes, or once no vertex changes.
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
    let edges = [(0, 1), (1, 0), (2, 0), (2, 1), (2, 3), (3, 4)];
    let graph = Graph::from_edges(edges)?;
    let choices = [5, 7, 0, 7, 0];
    // 0 and 1 exchange their choices. 2 sees 5, 7 and 7. 3 sees no choice.
    assert_eq!(settle(&Engine::cpu()?, &graph, &choices, 1)?, [7, 5, 7, 7, 0]);
    // Now 2 sees 7, 5 and 7.
    assert_eq!(settle(&Engine::cpu()?, &graph, &choices, 2)?, [5, 7, 7, 7, 0]);
    Ok(())
}
// ANCHOR_END: test
