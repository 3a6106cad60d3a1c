//! The tables in the repository are equal to the generated ones.

use gts_bench::tables;
use std::fs;

#[test]
fn tables_are_up_to_date() {
    for (name, table) in tables::all().expect("the sources of the algorithms") {
        let kept = fs::read_to_string(tables::folder().join(name)).expect("the table is in the tree");
        assert_eq!(kept, table, "{name}: make it again with `cargo run -p gts-bench -- tables`");
    }
}

#[test]
fn every_algorithm_has_kernels_or_a_driver_and_a_registration() {
    gts_graph::algorithms::link();
    for size in tables::sizes().expect("the sources of the algorithms") {
        assert!(size.ours.algorithm() > 0 && size.ours.registration > 0, "{size:?}");
    }
}
