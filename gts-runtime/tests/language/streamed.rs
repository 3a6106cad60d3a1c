//! Runs with so little device memory that pages stream: limits and faults end them like other runs. A device without a
//! memory limit also runs them.

use super::device;
use gts_contract::ErrorWhat;
use gts_graph::prelude::*;
use gts_graph::{EngineBuilder, Error};
use std::time::Duration;

#[gts_attributes]
struct Streamed {
    #[wa(init = 0, merge = max)]
    most: u32,
    #[param]
    divisor: u32,
}

#[gts_kernel(scan)]
fn divide_edges(s: &mut Streamed, src: Vertex, dst: Vertex) {
    s.most[dst].fetch_max(src.out_degree() as u32 / s.divisor);
}

#[gts_kernel(scan)]
fn endless_edges(s: &mut Streamed, src: Vertex, dst: Vertex) {
    let mut rounds: u32 = 0;
    while s.divisor == 0 {
        rounds += 1;
    }
    s.most[dst].fetch_max(rounds + src.out_degree() as u32);
}

/// Returns a graph of many small pages.
fn graph() -> Graph {
    let vertices = 50_000u64;
    let edges = (0..vertices).flat_map(|v| [(v, (v + 1) % vertices), (v, (v + 7) % vertices)]);
    Graph::builder().edges(edges).page_size(256).build().expect("sound edges")
}

/// Returns the builder of an engine with the least sufficient memory.
pub(super) fn tight<A: Attributes>(graph: &Graph) -> Result<EngineBuilder> {
    let builder = Engine::builder().device(device());
    match builder.clone().device_memory(1).build()?.start::<A>(graph) {
        Err(Error::OutOfMemory { needed, .. }) => Ok(builder.device_memory(needed)),
        Ok(_) => Ok(builder),
        Err(error) => Err(error),
    }
}

#[test]
fn a_streamed_kernel_that_never_ends_is_ended() -> Result<()> {
    let graph = graph();
    let limited = tight::<Streamed>(&graph)?.time_limit(Duration::from_millis(300)).build()?;
    let mut run = limited.start::<Streamed>(&graph)?;
    run.set_param(Streamed::DIVISOR, 0)?;
    assert!(matches!(run.scan(endless_edges), Err(Error::TimeLimit { kernel: "endless_edges", .. })));
    Ok(())
}

#[test]
fn a_fault_leaves_a_streamed_run_usable() -> Result<()> {
    let graph = graph();
    let engine = tight::<Streamed>(&graph)?.build()?;
    let mut run = engine.start::<Streamed>(&graph)?;
    run.set_param(Streamed::DIVISOR, 0)?;
    match run.scan(divide_edges) {
        Err(Error::Fault { kernel: "divide_edges", site, value: 2, .. }) => {
            assert_eq!(site.what, ErrorWhat::DivisionByZero)
        }
        other => panic!("expected a fault, found {other:?}"),
    }
    run.set_param(Streamed::DIVISOR, 2)?;
    run.fill(Streamed::MOST, 0)?;
    run.scan(divide_edges)?;
    assert!(run.take(Streamed::MOST)?.iter().all(|&most| most == 1));
    Ok(())
}
