//! The graph model, the page format, stores, imports, generators and the cost model.
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
//!     println!("20 - {}", roads.original(v?));
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
//! Nothing in this crate depends on a device or on the syntax of kernels.

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
pub mod pattern;
pub mod phase;
pub mod read;
pub mod store;
mod stream;
pub mod summaries;
pub mod threads;
pub mod units;
mod vertex;
