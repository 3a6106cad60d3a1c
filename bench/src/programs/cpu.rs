//! Measures PageRank and BFS on the CPU device, compared with a parallel pull PageRank and a serial queue BFS on CSR.
//!
//! `gts-bench cpu 20 22 [--json]`

use crate::csr::Csr;
use crate::{graphs, measure, peers};
use gts_core::build::BuildOptions;
use gts_core::graph::Graph;
use gts_graph::algorithms::{bfs, pagerank};
use gts_graph::prelude::{DeviceChoice, Engine, Propagation};
use serde_json::json;
use std::error::Error;

/// Iterations per PageRank run.
const ITERATIONS: u32 = 10;
const DAMPING: f32 = 0.85;

pub(super) fn main() -> Result<(), Box<dyn Error>> {
    for scale in measure::numbers(&[20, 22]) {
        let options = BuildOptions { in_edges: true, ..BuildOptions::default() };
        let graph = graphs::generated(&format!("rmat:{scale}"), &options)?;
        compare_pagerank(&graph, scale)?;
        compare_bfs(&graph, scale)?;
    }
    Ok(())
}

fn compare_pagerank(graph: &Graph, scale: u32) -> Result<(), Box<dyn Error>> {
    let options = pagerank::Options { damping: f64::from(DAMPING), iterations: u64::from(ITERATIONS), tolerance: None };
    let incoming = Csr::incoming(graph);
    let pull =
        || Ok::<_, std::convert::Infallible>(peers::pull_pagerank(&incoming, graph.out_degrees(), DAMPING, ITERATIONS));
    let (theirs, expected) = measure::median(pull)?;
    let edges = graph.num_edges() * u64::from(ITERATIONS);
    for (name, propagation) in [("pagerank, push", Propagation::Push), ("pagerank, pull", Propagation::Pull)] {
        let engine = Engine::builder().device(DeviceChoice::Cpu).propagation(propagation).build()?;
        let (ours, found) = measure::median(|| pagerank::pagerank_f32(&mut engine.start(graph)?, &options))?;
        let off = |(a, b): (&f32, &f32)| (a - b).abs() > 1e-3 * b.abs();
        if found.ranks.iter().zip(&expected).any(off) {
            return Err(format!("{name}: ranks differ from those of the CSR pull").into());
        }
        report(name, "CSR pull", scale, [measure::rate(edges, ours), measure::rate(edges, theirs)]);
    }
    Ok(())
}

fn compare_bfs(graph: &Graph, scale: u32) -> Result<(), Box<dyn Error>> {
    let source = graphs::hub(graph);
    let out = Csr::out(graph);
    let queue = || Ok::<_, std::convert::Infallible>(peers::queue_bfs(&out, source.dense() as usize));
    let (theirs, expected) = measure::median(queue)?;
    let edges = graphs::walked(graph, |vertex| expected[vertex] != u32::MAX);
    for (name, propagation) in [("bfs, push", Propagation::Push), ("bfs, pull", Propagation::Pull)] {
        let engine = Engine::builder().device(DeviceChoice::Cpu).propagation(propagation).build()?;
        let (ours, found) = measure::median(|| bfs::bfs(&mut engine.start(graph)?, source))?;
        if found != expected {
            return Err(format!("{name}: levels differ from those of the queue").into());
        }
        report(name, "serial queue", scale, [measure::rate(edges, ours), measure::rate(edges, theirs)]);
    }
    Ok(())
}

fn report(algorithm: &str, peer: &str, scale: u32, [ours, theirs]: [f64; 2]) {
    measure::print(
        &json!({
            "program": "cpu", "algorithm": algorithm, "scale": scale, "edges_per_second": ours, "peer": peer,
            "peer_edges_per_second": theirs, "ratio": ours / theirs,
        }),
        &format!(
            "{algorithm} rmat:{scale}: GTS {:.1} M edges/s, {peer} {:.1} M edges/s, ratio {:.2}",
            ours / 1e6,
            theirs / 1e6,
            ours / theirs
        ),
    );
}
