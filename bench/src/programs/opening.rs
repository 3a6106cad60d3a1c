//! Measures the time to open a store, and the edges per second that one core checks. Opening from the page cache is
//! compared with plain reads of the same files into fresh memory by all cores. Opening from disk is compared with a
//! plain direct read. The stores contain an RMAT graph in its original order, and the same graph ordered by degree,
//! with in-edges.
//!
//! `gts-bench opening 20 22 [--in DIRECTORY] [--json]`

use crate::{disk, graphs, measure};
use gts_core::build::BuildOptions;
use gts_core::graph::{Graph, VertexOrder};
use gts_core::phase::{self, Phase};
use gts_core::threads;
use serde_json::json;
use std::error::Error;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

pub(super) fn main() -> Result<(), Box<dyn Error>> {
    threads::prepare()?;
    for scale in measure::numbers(&[20, 22]) {
        for (order, in_edges) in [(VertexOrder::Original, false), (VertexOrder::Degree, true)] {
            let directory = measure::option("--in").map_or_else(std::env::temp_dir, PathBuf::from);
            let store = directory.join(format!("gts-opening-{}-{scale}.gts", std::process::id()));
            let options = BuildOptions { order: order.into(), in_edges, ..BuildOptions::default() };
            let done = measure_store(scale, &options, &store);
            // Ignore a failed removal: the measurements are valid, and the files stay visible in the user's directory.
            let _ = std::fs::remove_dir_all(&store);
            done?;
        }
    }
    Ok(())
}

fn measure_store(scale: u32, options: &BuildOptions, store: &Path) -> Result<(), Box<dyn Error>> {
    let graph = graphs::generated(&format!("rmat:{scale}"), options)?;
    graph.save(store)?;
    let arcs = graph.num_edges() * (1 + u64::from(options.in_edges));
    let threads = rayon::current_num_threads();
    drop(graph);
    // Load the files into the page cache.
    let bytes = disk::read_all(store, false)?.1;
    let mut rounds = Vec::new();
    for _ in 0..measure::RUNS {
        let (small, _) = disk::read_all(store, false)?;
        let (huge, _) = disk::read_all(store, true)?;
        let begun = Instant::now();
        let opened = Graph::read(store)?;
        let opening = begun.elapsed();
        drop(opened);
        let check = check_on_one_core(store)?;
        let ratio = |plain: Duration| plain.as_secs_f64() / opening.as_secs_f64();
        let disk = from_disk(store, bytes)?;
        rounds.push([ratio(small), ratio(huge), opening.as_secs_f64(), measure::rate(arcs, check) / 1e9, disk]);
    }
    let median = |column: usize| measure::middle(rounds.iter().map(|round| round[column]).collect());
    let [small, huge, opening, check, disk] = [0, 1, 2, 3, 4].map(median);
    let order = options.order;
    measure::print(
        &json!({
            "program": "opening", "scale": scale, "order": order.to_string(), "in_edges": options.in_edges,
            "threads": threads, "bytes": bytes, "opening_seconds": opening, "over_plain_read": small,
            "over_plain_read_into_huge_pages": huge, "checked_arcs_per_second_a_core": check * 1e9,
            "from_disk_over_direct_read": disk,
        }),
        &format!(
            "rmat:{scale}, {order} order, {:.1} MiB, {threads} threads: opened in {:.1} ms, at {small:.2} of a plain read, \
             {huge:.2} of one into huge pages; all checks at {check:.2} G arcs/s a core; from disk \
             at {disk:.2} of a direct read",
            bytes as f64 / f64::from(1 << 20),
            1e3 * opening,
        ),
    );
    Ok(())
}

/// Opens a store of `bytes` bytes from disk. Returns the rate relative to that of a direct read of the out-edge pages.
fn from_disk(store: &Path, bytes: u64) -> Result<f64, Box<dyn Error>> {
    let pages = std::fs::metadata(store.join("out.pages"))?.len();
    disk::forget(store)?;
    let plain = disk::plain_read(store, pages)?;
    disk::forget(store)?;
    let begun = Instant::now();
    let opened = Graph::read(store)?;
    let opening = begun.elapsed();
    drop(opened);
    // Load the files into the page cache again for the next round.
    disk::read_all(store, false)?;
    Ok(bytes as f64 / opening.as_secs_f64() / plain)
}

/// Returns the time for one thread to check a whole store: checksums, structure and tables.
fn check_on_one_core(store: &Path) -> Result<Duration, Box<dyn Error>> {
    let pool = threads::pool("check", Some(NonZeroUsize::MIN))?;
    Ok(pool.install(|| {
        phase::start();
        let opened = Graph::read(store);
        let time = phase::so_far().time(Phase::Check);
        opened.map(|_| time)
    })?)
}
