//! Tests of the real `gts` binary, by subject.

mod advice;
mod answers;
#[cfg(unix)]
mod book;
#[cfg(unix)]
mod chapter;
mod commands;
mod disk;
mod exports;
mod failures;
mod files;
mod forged;
mod help;
mod hybrid;
mod identity;
mod imports;
#[cfg(unix)]
mod interrupt;
mod keys;
#[cfg(unix)]
mod launch;
#[cfg(unix)]
mod masks;
#[cfg(target_os = "linux")]
mod memory;
mod nodes;
#[cfg(target_os = "linux")]
mod paths;
mod plan;
mod reading;
mod run;
mod sandbox;
mod sides;
mod system;
mod tables;
mod typed;
mod words;

/// The program under test.
const PROGRAM: &str = env!("CARGO_BIN_EXE_gts");
