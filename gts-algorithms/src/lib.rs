//! The algorithms that GTS ships, each in one small file that uses only the public API.
//!
//! ```
//! use gts_algorithms::bfs::{Bfs, bfs};
//! use gts_graph::algorithm::{self, Arguments};
//! use gts_graph::prelude::*;
//!
//! // Call the driver of an algorithm,
//! let graph = Graph::read("grid:3x3")?;
//! let engine = Engine::cpu()?;
//! let levels = bfs(&mut engine.start::<Bfs>(&graph)?, graph.vertex(4)?)?;
//! assert_eq!(levels, [2, 1, 2, 1, 0, 1, 2, 1, 2]);
//!
//! // or look it up by name, as the command line does.
//! let wcc = algorithm::find("wcc").expect("a shipped algorithm");
//! let answer = wcc.run(&engine, &graph, &Arguments::of(wcc))?;
//! assert!(answer.values("component").is_some());
//! # Ok::<(), Error>(())
//! ```
//!
//! | name | result | kernel | file |
//! |---|---|---|---|
//! | `afforest` | weakly connected components, skipping a giant one | traverse, vertex | `afforest.rs` |
//! | `betweenness` | shortest paths that lead through each vertex | traverse and back, vertex | `betweenness.rs` |
//! | `bfs` | hops from a source, and parents | traverse | `bfs.rs` |
//! | `cdlp` | communities by label propagation | gather | `cdlp.rs` |
//! | `closeness` | nearness of the others to given vertices | traverse, vertex | `closeness.rs`, `searches.rs` |
//! | `colouring` | greedy colouring | gather | `colouring.rs` |
//! | `cross-edges` | edges from one set of vertices to another | traverse, vertex | `cross_edges.rs` |
//! | `degree-distribution` | number of edges that leave and enter each vertex | vertex | `degree_distribution.rs` |
//! | `eccentricity` | hops to the farthest from given vertices | traverse, vertex | `eccentricity.rs`, `searches.rs` |
//! | `egonet` | a vertex, the vertices around it, and the edges between them | traverse, vertex | `egonet.rs` |
//! | `hits` | hubs and authorities | scan forward and back, vertex | `hits.rs` |
//! | `induced-subgraph` | all edges between given vertices | traverse, vertex | `induced_subgraph.rs` |
//! | `k-core` | core numbers | scan, traverse, vertex | `k_core.rs` |
//! | `k-hop` | vertices reached along at most k edges | traverse | `k_hop.rs` |
//! | `k-truss` | the subgraph whose every edge is in k - 2 triangles | intersect | `k_truss.rs` |
//! | `lcc` | Graphalytics' local clustering coefficients | intersect, vertex | `lcc.rs` |
//! | `match` | occurrences of a pattern: their number and a listing | a search in the runtime | `matching.rs` |
//! | `mis` | maximal independent set | gather | `mis.rs` |
//! | `pagerank` | Graphalytics' PageRank | scan, vertex | `pagerank.rs` |
//! | `personalised-pagerank` | PageRank relative to one vertex | scan, vertex | `personalised_pagerank.rs` |
//! | `radius` | radius and diameter by sketches | traverse, vertex | `radius.rs` |
//! | `random-walk-with-restart` | nearness of each vertex to a source | scan, vertex | `random_walk_with_restart.rs` |
//! | `random-walks` | visits of walkers that pick edges at random | traverse, vertex | `random_walks.rs` |
//! | `salsa` | hubs and authorities by a random walk | scan forward and back, vertex | `salsa.rs` |
//! | `scc` | strongly connected components | traverse and back, vertex | `scc.rs` |
//! | `spanning-forest` | the lightest edges that join all | scan, vertex | `spanning_forest.rs` |
//! | `sssp` | distances from a source | traverse | `sssp.rs` |
//! | `sssp-near-far` | distances, near vertices first | traverse by priority | `sssp_near_far.rs`, `sssp.rs` |
//! | `st-connectivity` | whether a path leads from one vertex to another | traverse | `st_connectivity.rs` |
//! | `triangles` | number of triangles | intersect | `triangles.rs` |
//! | `wcc` | weakly connected components | traverse over both directions | `wcc.rs` |
//! | `who-to-follow` | vertices that a user may want to follow | those of its two parts | `who_to_follow.rs` |
//!
//! A file contains the description of the algorithm and its source, its attributes, its kernels, its driver, and its
//! entry in the registry.
//!
//! # Where to go next
//!
//! - Each module's page states the costs and the source of the algorithm. [`wcc`] is a short one to copy.
//! - [`gts_graph::algorithm`] registers an algorithm of your own.
//! - [`check`] contains the serial versions that `gts run --check` compares with.

pub mod afforest;
pub mod betweenness;
pub mod bfs;
pub mod cdlp;
pub mod check;
pub mod closeness;
pub mod colouring;
mod components;
pub mod cross_edges;
pub mod degree_distribution;
pub mod eccentricity;
pub mod egonet;
pub mod hits;
pub mod induced_subgraph;
pub mod k_core;
pub mod k_hop;
pub mod k_truss;
pub mod lcc;
pub mod matching;
pub mod mis;
pub mod pagerank;
pub mod personalised_pagerank;
pub mod priority;
pub mod radius;
pub mod random_walk_with_restart;
pub mod random_walks;
mod ranks;
mod requirements;
pub mod salsa;
pub mod scc;
pub mod searches;
mod source;
pub mod spanning_forest;
pub mod sssp;
pub mod sssp_near_far;
pub mod st_connectivity;
pub mod triangles;
pub mod wcc;
mod weights;
pub mod who_to_follow;

/// Refers to this crate, so that a program that only uses the registry also links the algorithms.
pub const fn link() {}
