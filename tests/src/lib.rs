//! What GTS is held against: graphs with known answers, serial oracles that share no code with the system, the rules of
//! comparison, the product of everything that must not change an answer, and every algorithm on every graph.

pub mod algorithms;
pub mod compare;
pub mod data;
pub mod graphalytics;
pub mod oracle;
pub mod product;
