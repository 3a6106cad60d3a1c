//! Ways over neighbours and steps, chosen in a program.

// ANCHOR: engine
use gts_graph::prelude::*;

/// An engine whose kernels push, with equal shares of the edges per warp, and
/// whose host begins each step.
fn engine() -> Result<Engine> {
    Engine::builder()
        .technique(Some(Technique::Balanced))
        .propagation(Propagation::Push)
        .steps_by(StepsBy::Host)
        .build()
}
// ANCHOR_END: engine

#[test]
fn an_answer_does_not_depend_on_the_ways() -> Result<(), Box<dyn std::error::Error>> {
    let edges = (0..900u64).flat_map(|v| [(v, (v + 1) % 900), ((v + 30) % 900, v)]);
    let graph = Graph::builder().edges(edges).symmetrise(true).build()?;
    let mut usual = Engine::builder().build()?.start(&graph)?;
    let mut pushing = engine()?.start(&graph)?;
    let source = graph.vertex(0)?;
    let levels = gts_graph::algorithms::bfs::bfs(&mut pushing, source)?;
    assert_eq!(levels, gts_graph::algorithms::bfs::bfs(&mut usual, source)?);
    assert_eq!((levels[0], levels[1], levels[31]), (0, 1, 2));
    Ok(())
}
