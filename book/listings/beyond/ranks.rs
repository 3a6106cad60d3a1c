//! Ranks that are threads of one process: how to try a driver on several ranks.

// ANCHOR: ranks
use gts_graph::algorithms::bfs::bfs;
use gts_graph::group::threads;
use gts_graph::prelude::*;
use std::num::NonZeroUsize;
use std::sync::Arc;

/// Returns the levels that each of `size` ranks computes, from the vertex 0.
fn levels(graph: &Graph, size: usize) -> Result<Vec<Vec<u32>>> {
    threads::ranks(size, |group| {
        let cpu = Engine::builder().device(DeviceChoice::Cpu);
        let one_thread = cpu.threads(NonZeroUsize::MIN);
        let engine = one_thread.group(Arc::new(group)).build()?;
        bfs(&mut engine.start(graph)?, graph.vertex(0)?)
    })
}
// ANCHOR_END: ranks

#[test]
fn all_ranks_have_the_levels_of_a_ring() -> Result<(), Box<dyn std::error::Error>> {
    let edges = (0..1000u64).map(|v| (v, (v + 1) % 1000));
    let graph = Graph::builder().edges(edges).page_size(1024).build()?;
    let expected: Vec<u32> = (0..1000).collect();
    assert_eq!(levels(&graph, 3)?, vec![expected; 3]);
    Ok(())
}
