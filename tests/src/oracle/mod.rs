//! Serial versions of the algorithms, as simple as possible, over plain arrays.
//!
//! They share neither code nor methods with the system: a queue instead of frontiers, a heap instead of relaxation, a
//! forest instead of labels, a pull in f64 instead of a push. Answers are in the order of ascending IDs.

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
