//! Tests of the real `gts` binary, by what they look at.

mod advice;
mod bench;
mod book;
mod commands;
mod disk;
mod failures;
mod forged;
mod hybrid;
mod imports;
#[cfg(unix)]
mod interrupt;
#[cfg(unix)]
mod launch;
#[cfg(target_os = "linux")]
mod memory;
mod nodes;
#[cfg(target_os = "linux")]
mod paths;
mod plan;
mod run;
mod sandbox;
mod suites;
mod system;
mod tables;
