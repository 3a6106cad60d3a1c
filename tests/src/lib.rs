//! References and checks for GTS: graphs with known answers, serial oracles that share no code with GTS, rules of
//! comparison, checks that options do not change answers, runs of every algorithm on every graph, and a second reader
//! of stores.

pub mod algorithms;
pub mod compare;
pub mod data;
pub mod graphalytics;
pub mod oracle;
pub mod plans;
pub mod product;
pub mod second;
pub mod sessions;
pub mod steps;
