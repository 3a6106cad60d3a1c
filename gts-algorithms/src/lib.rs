//! The algorithms that GTS ships, each in one small file and written with the public API alone.
//!
//! | name | what | kernel | file |
//! |---|---|---|---|
//! | `bfs` | hops from a source | traverse | `bfs.rs` |
//! | `pagerank` | Graphalytics' PageRank | scan, vertex | `pagerank.rs` |
//! | `sssp` | distances from a source | traverse | `sssp.rs` |
//! | `wcc` | weakly connected components | traverse over both directions | `wcc.rs` |
//!
//! A file holds what the algorithm computes and where it comes from, its attributes, its kernels, its driver, and its
//! entry in the registry. [`check`] holds the serial versions that `gts run --check` compares with.

pub mod bfs;
pub mod check;
pub mod pagerank;
mod source;
pub mod sssp;
pub mod wcc;
mod weights;

/// Names this crate, so that a program which only asks the registry links the algorithms too.
pub const fn link() {}
