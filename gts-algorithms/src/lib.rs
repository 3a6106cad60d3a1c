//! The algorithms that GTS ships, each in one small file and written with the public API alone.
//!
//! | name | what | kernel | file |
//! |---|---|---|---|
//! | `betweenness` | shortest paths that lead through each vertex | traverse and back, vertex | `betweenness.rs` |
//! | `bfs` | hops from a source, and parents | traverse | `bfs.rs` |
//! | `k-core` | core numbers | scan, traverse, vertex | `k_core.rs` |
//! | `pagerank` | Graphalytics' PageRank | scan, vertex | `pagerank.rs` |
//! | `scc` | strongly connected components | traverse and back, vertex | `scc.rs` |
//! | `sssp` | distances from a source | traverse | `sssp.rs` |
//! | `wcc` | weakly connected components | traverse over both directions | `wcc.rs` |
//!
//! A file holds what the algorithm computes and where it comes from, its attributes, its kernels, its driver, and its
//! entry in the registry. [`check`] holds the serial versions that `gts run --check` compares with.

pub mod betweenness;
pub mod bfs;
pub mod check;
mod components;
pub mod k_core;
pub mod pagerank;
mod requirements;
pub mod scc;
mod source;
pub mod sssp;
pub mod wcc;
mod weights;

/// Names this crate, so that a program which only asks the registry links the algorithms too.
pub const fn link() {}
