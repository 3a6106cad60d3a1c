//! Graphs by name: a file in any of the supported formats, a store, or a generator such as `rmat:20`.
//!
//! ```
//! use gts_core::graph::Graph;
//! # use gts_core::read::ReadError;
//!
//! let graph = Graph::read("rmat:10")?;
//! assert_eq!(graph.num_vertices(), 1024);
//!
//! let graph = Graph::reader("chain:100").weights::<f32>().drop_self_loops(true).read()?;
//! assert_eq!(graph.num_undirected_edges(), Some(99));
//! # Ok::<(), ReadError>(())
//! ```
//!
//! [`Graph::read`] accepts the same arguments as the command line, and [`GraphReader`] has a method for each flag. The
//! library prints nothing: [`Graph::notes`] returns remarks of the reader, for example about skipped columns.

mod error;
mod reader;
mod reading;
mod shards;
mod source;
mod weights;

pub use error::ReadError;
pub use reader::GraphReader;
pub use source::GraphSource;
pub use weights::{Needs, UnknownWeights, WeightChoice};

use crate::graph::Graph;
use std::ffi::OsStr;

impl Graph {
    /// Reads a graph by name, with default options. A folder with a manifest is a store. A file, a pipe, all files in
    /// another folder, or all files that match a pattern such as `part-*` are imported; `-` is standard input. Any other
    /// text is the specification of a generator, such as `rmat:16`, `grid:100x100` or `chain:100,weights=f32`; [`generate`] lists
    /// them. [`import`] describes the formats of files, which may be compressed by gzip or zstd.
    ///
    /// Vertices are numbered in ascending order of their IDs. Weights are read if the file has any. [`Graph::notes`]
    /// returns remarks of the reader, for example about skipped columns.
    ///
    /// [`generate`]: crate::generate
    /// [`import`]: crate::import
    ///
    /// # Examples
    ///
    /// ```
    /// use gts_core::graph::Graph;
    ///
    /// let path = std::env::temp_dir().join(format!("gts-read-{}.txt", std::process::id()));
    /// std::fs::write(&path, "# a comment\n10 20\n20 30\n")?;
    /// let graph = Graph::read(&path)?;
    /// assert_eq!((graph.num_vertices(), graph.num_edges()), (3, 2));
    /// # std::fs::remove_file(&path)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// There is no such file, store or generator; the file or the store is damaged or of another kind; or memory is too
    /// small.
    pub fn read(graph: impl AsRef<OsStr>) -> Result<Self, ReadError> {
        Self::reader(graph).read()
    }

    /// Returns a reader for the same graph as [`Graph::read`], with a method for each option.
    ///
    /// # Examples
    ///
    /// ```
    /// use gts_core::graph::{Graph, VertexOrder};
    ///
    /// let graph = Graph::reader("rmat:8,weights=u32").symmetrise(true).order(VertexOrder::Degree).read()?;
    /// assert!(graph.properties().symmetric);
    /// # Ok::<(), gts_core::read::ReadError>(())
    /// ```
    pub fn reader(graph: impl AsRef<OsStr>) -> GraphReader {
        GraphReader::new(graph.as_ref())
    }
}
