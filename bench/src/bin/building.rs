//! Building a graph in memory: from generated pairs to pages.
//!
//! `cargo run --release -p gts-bench --bin building -- 22 [--json]`

use gts_bench::graphs;
use gts_bench::measure;
use gts_core::build::BuildOptions;
use serde_json::json;
use std::error::Error;
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    for scale in measure::numbers(&[22]) {
        let start = Instant::now();
        let (graph, _) = graphs::generated(&format!("rmat:{scale}"), &BuildOptions::default())?;
        let time = start.elapsed();
        let rate = measure::rate(graph.num_edges(), time);
        let per_edge = graph.out_topology().num_pages() as f64 * f64::from(graph.out_topology().format().page_size())
            / graph.num_edges() as f64;
        let peak = measure::peak_memory().unwrap_or(0);
        measure::print(
            &json!({
                "program": "building", "scale": scale, "edges": graph.num_edges(), "seconds": time.as_secs_f64(),
                "edges_per_second": rate, "page_bytes_per_edge": per_edge, "peak_bytes": peak,
            }),
            &format!(
                "build rmat:{scale}: {} edges in {time:.2?}, {:.1} M edges/s, {per_edge:.2} bytes an edge in pages, \
                 peak memory {:.2} GiB ({:.1} bytes an edge)",
                graph.num_edges(),
                rate / 1e6,
                peak as f64 / (1u64 << 30) as f64,
                peak as f64 / graph.num_edges() as f64,
            ),
        );
    }
    Ok(())
}
