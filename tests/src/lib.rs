//! References for GTS: graphs with known answers, serial oracles that share no code with the system, the rules of
//! comparison, the product of everything that must not change an answer, every algorithm on every graph, and a second
//! reader of stores.

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
