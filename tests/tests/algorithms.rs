//! Every registered algorithm on the smaller graphs of the reference data, in all ways of running on the CPU.
//! `gts-gpu-check cpu algorithms` does the same on all graphs.

use gts_tests::algorithms::{self, Scope};
use gts_tests::data::{Data, DataError};

/// Vertices of the largest graph.
const VERTICES: u64 = 13_000;

#[test]
fn every_algorithm_is_right_on_every_graph() -> Result<(), DataError> {
    let Some(data) = Data::locate() else { return Ok(()) };
    let ways = algorithms::ways_of("cpu")?;
    let scope = Scope { ways: &ways, vertices: VERTICES, arcs: u64::MAX, filter: "", until: None };
    let report = algorithms::run(&data, &scope, |line| println!("{line}"))?;
    println!("{report}");
    assert!(report.failures().is_empty(), "{report}");
    assert!(report.run() > 0);
    Ok(())
}
