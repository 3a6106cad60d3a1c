//! Suites that take a few seconds each, in one program.

mod forged;
mod gather;
mod graphalytics;
mod imports;
mod keys;
mod matching;
mod neighbourhoods;
mod networkx;
mod out_of_core;
mod plans;
mod references;
mod sessions;
mod trusses;
