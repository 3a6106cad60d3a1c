//! Serial versions of the algorithms, as plain as can be, over plain arrays.
//!
//! They share no code with the system, nor its way of computing: a queue instead of frontiers, a heap instead of
//! relaxation, a forest instead of labels, a pull in f64 instead of a push. Answers are by rank of ascending ID.

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
