//! Engines: a device and its options.

use super::hops::hops;
use gts_graph::prelude::*;

// ANCHOR: engine
fn engine() -> Result<Engine> {
    Engine::builder()
        .device(DeviceChoice::Auto)
        .device_memory(512 << 20)
        .build()
}
// ANCHOR_END: engine

#[test]
fn the_answer_does_not_depend_on_the_engine()
-> Result<(), Box<dyn std::error::Error>> {
    let graph = Graph::read("rmat:10")?;
    let source = graph.vertex(1)?;
    assert_eq!(
        hops(&engine()?, &graph, source)?,
        hops(&Engine::cpu()?, &graph, source)?
    );
    Ok(())
}
