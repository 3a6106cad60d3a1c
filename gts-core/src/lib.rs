//! The graph model of GTS: graphs in pages, stores, imports, generators, and the cost model of runs. Nothing in this
//! crate depends on a device or on the syntax of kernels.
//!
//! [`Graph::read`](graph::Graph::read) reads a graph from a file in any format, a store or a generator, and
//! [`Graph::reader`](graph::Graph::reader) does the same with options:
//!
//! ```
//! use gts_core::graph::{Graph, VertexOrder};
//!
//! # let folder = std::env::temp_dir().join(format!("gts-core-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder)?;
//! let file = folder.join("roads.txt");
//! std::fs::write(&file, "# Undirected graph\n10 20 2.5\n20 30 0.5\n")?;
//!
//! let roads = Graph::read(&file)?;
//! for v in roads.neighbors(roads.vertex(20)?) {
//!     println!("20 - {}", roads.original(v?)); // 10 and 30
//! }
//!
//! // The same file with options, saved for later runs.
//! let roads = Graph::reader(&file).weights::<f32>().order(VertexOrder::Degree).read()?;
//! roads.save(folder.join("roads.gts"))?;
//! let roads = Graph::read(folder.join("roads.gts"))?;
//! assert_eq!(roads.value_extremes::<f32>().transpose()?, Some([0.5, 2.5]));
//!
//! // A generated graph, specified as on the command line.
//! let kronecker = Graph::read("rmat:10,edge-factor=8")?;
//! assert_eq!(kronecker.num_edges(), 8 << 10);
//! # std::fs::remove_dir_all(&folder)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Where to go next
//!
//! - [`Graph`](graph::Graph) lists what a program can read from a graph, and [`Graph::builder`](graph::Graph::builder)
//!   builds one from edges in memory.
//! - [`import`] describes the formats of files, and [`generate`] the specifications of generators.
//! - [`store`] opens, verifies and removes graphs on disk.
//! - [`cost`] predicts the time and the memory of runs. [`pattern`] plans searches for small graphs in large ones.
//! - [`page`], [`encoding`] and [`build`] define pages, the meaning of their bytes, and how edges become pages.
//! - [`gts-graph`](https://docs.rs/gts-graph) is the crate that programs depend on.

pub mod advice;
pub mod build;
pub mod cost;
pub mod encoding;
pub mod files;
pub mod generate;
pub mod graph;
pub mod hash;
pub mod import;
pub mod memory;
pub mod page;
pub mod parallel;
pub mod pattern;
pub mod phase;
pub mod read;
pub mod store;
mod stream;
pub mod summaries;
pub mod threads;
pub mod units;
mod vertex;
