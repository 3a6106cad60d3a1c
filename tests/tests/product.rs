//! The product on the CPU. A CPU visits edges the same way with every technique, so larger graphs get only one.

use gts_runtime::prelude::DeviceChoice;
use gts_tests::data::{Data, DataError};
use gts_tests::product::{self, Case, Scope};

/// Arcs of the largest graph that gets every technique; `gts-gpu-check cpu product` runs all techniques on all graphs.
const ALL_TECHNIQUES_UP_TO: usize = 10_000;

#[test]
fn no_layout_changes_an_answer_on_the_cpu() -> Result<(), DataError> {
    let Some(data) = Data::locate() else { return Ok(()) };
    let cases = data.entries()?.iter().map(|entry| Case::open(&data, entry)).collect::<Result<Vec<_>, _>>()?;
    let scope = Scope { all_techniques_up_to: ALL_TECHNIQUES_UP_TO, ..Scope::everything(DeviceChoice::Cpu) };
    let report = product::product(&scope, &cases, |line| println!("{line}"))?;
    println!("{report}");
    assert!(report.failures().is_empty(), "{report}");
    assert!(report.run() > 0);
    Ok(())
}

/// Page sizes for several devices on small graphs, in bytes: with larger pages, one device would have all edges.
const SMALL_PAGES: [u32; 2] = [256, 4 << 10];

#[test]
fn unlike_devices_give_the_answers_of_one() -> Result<(), DataError> {
    let Some(data) = Data::locate() else { return Ok(()) };
    let cases = data.entries()?.iter().map(|entry| Case::open(&data, entry)).collect::<Result<Vec<_>, _>>()?;
    let (report, shared) = product::unlike_devices(&cases, &SMALL_PAGES, |line| println!("{line}"))?;
    println!("{report}{shared} cells in which every device had edges");
    assert!(report.failures().is_empty(), "{report}");
    assert!(2 * shared > report.run(), "{shared} cells of {} in which every device had edges", report.run());
    Ok(())
}

#[test]
fn ranks_give_the_answers_of_one() -> Result<(), DataError> {
    let Some(data) = Data::locate() else { return Ok(()) };
    let cases = data.entries()?.iter().map(|entry| Case::open(&data, entry)).collect::<Result<Vec<_>, _>>()?;
    let (report, in_part) = product::ranks(&cases, &SMALL_PAGES, |line| println!("{line}"));
    println!("{report}{in_part} cells in which no rank read all pages");
    assert!(report.failures().is_empty(), "{report}");
    assert!(in_part > 0);
    Ok(())
}
