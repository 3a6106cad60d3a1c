//! Graphs open and save themselves.

use super::io::{FileSystem, Io};
use super::{OpenOptions, SaveOptions, StoreError, content, open_with, save};
use crate::graph::Graph;
use std::path::Path;
use std::sync::Arc;

impl Graph {
    /// Opens a store, reads it into memory, and verifies every checksum and the structure of every page.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        Self::open_with(path, &OpenOptions::default())
    }

    /// Opens a store with the given options. Pages that exceed the memory limit stay in the store's files, and each
    /// page is verified when it is read.
    pub fn open_with(path: impl AsRef<Path>, options: &OpenOptions) -> Result<Self, StoreError> {
        let io: Arc<dyn Io> = Arc::new(FileSystem);
        open_with(&io, path, options, &|_, _| ())
    }

    /// Writes a store atomically: `path` never contains an incomplete store. Fails if `path` exists;
    /// [`Graph::save_with`] can replace a store.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), StoreError> {
        self.save_with(path, &SaveOptions::default())
    }

    /// Writes a store with the given options.
    pub fn save_with(&self, path: impl AsRef<Path>, options: &SaveOptions) -> Result<(), StoreError> {
        save(&FileSystem, self, path, options)
    }

    /// Returns a hash of the pages, the degrees and the IDs. The hash is the same for a graph and its stores. Any
    /// change to an edge, a value, an ID, the vertex order or the page size changes the hash. If the graph was not
    /// opened from a store, the first call reads all pages, on all threads.
    pub fn content(&self) -> u64 {
        *self.parts().content.get_or_init(|| content::of_graph(self))
    }
}
