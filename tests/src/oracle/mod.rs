//! Serial implementations of the algorithms over plain arrays, kept as simple as possible.
//!
//! The oracles share neither code nor methods with GTS: a queue instead of frontiers, a heap instead of relaxation, a
//! forest instead of labels, a pull in f64 instead of a push. Answers are in ascending order of IDs.

mod bfs;
mod components;
mod dijkstra;
pub mod matching;
mod pagerank;

pub use bfs::levels;
pub use components::components;
pub use dijkstra::distances;
pub use pagerank::{DAMPING, ranks};

#[cfg(test)]
mod tests;
