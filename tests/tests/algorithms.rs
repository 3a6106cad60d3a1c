//! Every registered algorithm on the smaller graphs of the reference data, in all ways of running on the CPU.
//! `gts-gpu-check cpu algorithms` does the same on all graphs.

use gts_tests::algorithms::{self, Scope, Way};
use gts_tests::data::{Data, DataError};

/// Vertices of the largest graph.
const VERTICES: u64 = 4_000;

/// Checks all algorithms in some of the ways.
fn check(ways: &[Way]) -> Result<(), DataError> {
    let Some(data) = Data::locate() else { return Ok(()) };
    let scope = Scope { ways, vertices: VERTICES, arcs: u64::MAX, filter: "", until: None };
    let report = algorithms::run(&data, &scope, |line| println!("{line}"))?;
    println!("{report}");
    assert!(report.failures().is_empty(), "{report}");
    assert!(report.run() > 0);
    Ok(())
}

// Two tests, because one would leave a core idle.
#[test]
fn every_algorithm_is_right_in_the_first_half_of_the_ways() -> Result<(), DataError> {
    let ways = algorithms::ways_of("cpu")?;
    check(&ways[..ways.len() / 2])
}

#[test]
fn every_algorithm_is_right_in_the_second_half_of_the_ways() -> Result<(), DataError> {
    let ways = algorithms::ways_of("cpu")?;
    check(&ways[ways.len() / 2..])
}
