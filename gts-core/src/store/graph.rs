//! Saving a graph, and the hash of its content.

use super::io::FileSystem;
use super::{SaveOptions, StoreError, content, save};
use crate::graph::Graph;
use std::path::Path;

impl Graph {
    /// Writes a store atomically: `path` never contains an incomplete store. Fails if `path` exists;
    /// [`Graph::save_with`] can replace a store.
    ///
    /// # Examples
    ///
    /// ```
    /// use gts_core::graph::Graph;
    ///
    /// let store = std::env::temp_dir().join(format!("gts-save-{}.gts", std::process::id()));
    /// Graph::read("chain:10")?.save(&store)?;
    /// assert_eq!(Graph::read(&store)?.num_vertices(), 10);
    /// # gts_core::store::remove(&gts_core::store::io::FileSystem, &store)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// `path` exists, or the system cannot write there.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), StoreError> {
        self.save_with(path, &SaveOptions::default())
    }

    /// Writes a store with the given options.
    ///
    /// # Examples
    ///
    /// ```
    /// use gts_core::graph::Graph;
    /// use gts_core::store::SaveOptions;
    ///
    /// let store = std::env::temp_dir().join(format!("gts-save-with-{}.gts", std::process::id()));
    /// let replace = SaveOptions { replace: true, ..SaveOptions::default() };
    /// Graph::read("chain:10")?.save_with(&store, &replace)?;
    /// # gts_core::store::remove(&gts_core::store::io::FileSystem, &store)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// `path` exists and is not to be replaced, or the system cannot write there.
    pub fn save_with(&self, path: impl AsRef<Path>, options: &SaveOptions) -> Result<(), StoreError> {
        save(&FileSystem, self, path, options)
    }

    /// Returns a hash of the pages, the degrees and the IDs. The hash is the same for a graph and its stores. Any
    /// change to an edge, a value, an ID, the vertex order or the page size changes the hash. If the graph was not
    /// opened from a store, the first call reads all pages, on all threads.
    ///
    /// # Examples
    ///
    /// ```
    /// # let graph = gts_core::graph::Graph::from_edges([(1, 2), (1, 3), (2, 3)])?;
    /// assert_eq!(graph.content(), graph.clone().content());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn content(&self) -> u64 {
        *self.parts().content.get_or_init(|| content::of_graph(self))
    }
}
