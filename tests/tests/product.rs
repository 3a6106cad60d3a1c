//! The product on the CPU, and runs on several devices and ranks. Larger graphs run a sample of the cells.

use gts_graph::prelude::DeviceChoice;
use gts_tests::data::{Data, DataError};
use gts_tests::product::{self, Case, Scope};

/// Maximum number of arcs of a graph that gets every technique. A CPU visits edges in the same way with every
/// technique. `gts-gpu-check cpu product` runs all cells.
const ALL_TECHNIQUES_UP_TO: usize = 1_000;
/// Maximum number of arcs of a graph that gets every width at every page size.
const ALL_WIDTHS_UP_TO: usize = 1_000;
/// Maximum number of arcs of a graph in the product. `gts-gpu-check cpu product` runs every graph.
const LARGEST: usize = 1_000_000;
/// Maximum number of arcs of a graph that several devices or ranks share. Ignored tests run every graph.
const SHARED_UP_TO: usize = 60_000;

/// Page sizes for several devices on small graphs, in bytes: with larger pages, one device would have all edges.
const SMALL_PAGES: [u32; 2] = [256, 4 << 10];

/// Checks that unequal devices return the answers of one device on all graphs with at most `arcs` arcs.
fn check_unlike_devices(arcs: usize) -> Result<(), DataError> {
    let Some(data) = Data::locate() else { return Ok(()) };
    let cases = Case::all(&data, arcs)?;
    let (report, shared) = product::unlike_devices(&cases, &SMALL_PAGES, |line| println!("{line}"))?;
    println!("{report}{shared} cells in which every device had edges");
    assert!(report.failures().is_empty(), "{report}");
    assert!(2 * shared > report.run(), "{shared} cells of {} in which every device had edges", report.run());
    Ok(())
}

/// Checks that ranks return the answers of one rank on all graphs with at most `arcs` arcs.
fn check_ranks(arcs: usize) -> Result<(), DataError> {
    let Some(data) = Data::locate() else { return Ok(()) };
    let cases = Case::all(&data, arcs)?;
    let (report, in_part) = product::ranks(&cases, &SMALL_PAGES, |line| println!("{line}"));
    println!("{report}{in_part} cells in which no rank read all pages");
    assert!(report.failures().is_empty(), "{report}");
    assert!(in_part > 0);
    Ok(())
}

#[test]
fn no_layout_changes_an_answer_on_the_cpu() -> Result<(), DataError> {
    let Some(data) = Data::locate() else { return Ok(()) };
    let cases = Case::all(&data, LARGEST)?;
    let scope = Scope {
        all_techniques_up_to: ALL_TECHNIQUES_UP_TO,
        all_widths_up_to: ALL_WIDTHS_UP_TO,
        ..Scope::everything(DeviceChoice::Cpu)
    };
    let report = product::product(&scope, &cases, |line| println!("{line}"))?;
    println!("{report}");
    assert!(report.failures().is_empty(), "{report}");
    assert!(report.run() > 0);
    Ok(())
}

#[test]
fn unlike_devices_give_the_answers_of_one() -> Result<(), DataError> {
    check_unlike_devices(SHARED_UP_TO)
}

#[test]
fn ranks_give_the_answers_of_one() -> Result<(), DataError> {
    check_ranks(SHARED_UP_TO)
}

#[test]
#[ignore = "takes a minute"]
fn unlike_devices_give_the_answers_of_one_on_every_graph() -> Result<(), DataError> {
    check_unlike_devices(usize::MAX)
}

#[test]
#[ignore = "takes a minute"]
fn ranks_give_the_answers_of_one_on_every_graph() -> Result<(), DataError> {
    check_ranks(usize::MAX)
}
