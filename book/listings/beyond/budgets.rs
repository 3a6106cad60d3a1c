//! A graph within budgets of memory: the program of the book's second chapter.

// ANCHOR: names
use gts_graph::algorithms::bfs::bfs;
use gts_graph::prelude::*;
use std::path::Path;
// ANCHOR_END: names

// ANCHOR: open
/// A stored graph with no more than `bytes` in host memory at a time.
fn open_within(store: &Path, bytes: u64) -> Result<Graph> {
    Ok(Graph::reader(store).host_memory(bytes).read()?)
}
// ANCHOR_END: open

// ANCHOR: engine
/// An engine that takes no more than `bytes` of a GPU's memory, where there is a GPU.
fn engine_within(bytes: u64) -> Result<Engine> {
    Engine::builder().device_memory(bytes).build()
}
// ANCHOR_END: engine

// ANCHOR: test
#[test]
fn the_answer_does_not_depend_on_the_budgets() -> Result<(), Box<dyn std::error::Error>> {
    // A ring of 100,000 vertices, with a chord from each.
    let edges = (0..100_000u64).flat_map(|v| [(v, (v + 1) % 100_000), (v, (v * 7) % 100_000)]);
    let graph = Graph::builder().edges(edges).page_size(4096).build()?;
    let folder = tempfile::tempdir()?;
    let store = folder.path().join("ring.gts");
    graph.save(&store)?;

    let small = open_within(&store, graph.host_bytes() / 2)?;
    assert!(!small.is_resident());
    let whole = bfs(&mut Engine::cpu()?.start(&graph)?, graph.vertex(1)?)?;
    let engine = engine_within(2 << 20)?;
    let streamed = bfs(&mut engine.start(&small)?, small.vertex(1)?)?;
    assert_eq!(streamed, whole);

    assert!(engine.take_report().read() > 0, "pages came from the disk");
    assert!(small.host_bytes() <= graph.host_bytes() / 2);
    for taken in engine.memory_taken() {
        assert!(taken.peak <= 2 << 20, "{taken:?}");
    }
    Ok(())
}
// ANCHOR_END: test
