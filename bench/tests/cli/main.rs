//! Tests of the real `gts-bench` binary, by subject.

mod failures;
mod figures;
mod paper;
mod pictures;
mod programs;
mod reference;
#[allow(dead_code, reason = "some of it serves the tests of `gts` only")]
#[path = "../../../gts-cli/tests/cli/sandbox.rs"]
mod sandbox;
mod suites;
mod tables;

/// The program under test.
const PROGRAM: &str = env!("CARGO_BIN_EXE_gts-bench");
