//! Tests of the real `gts` binary, by what they look at.

mod bench;
mod book;
mod commands;
mod disk;
mod failures;
#[cfg(unix)]
mod interrupt;
mod plan;
mod run;
mod sandbox;
mod suites;
