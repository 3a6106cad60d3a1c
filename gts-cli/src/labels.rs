//! Names of vertices, from a table of numbers and names.

use crate::error::Failure;
use gts_graph::core::import;
use gts_graph::core::read::ReadError;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

/// Names of vertices by original ID.
#[derive(Default)]
pub(crate) struct Labels(Arc<HashMap<u64, String>>);

impl Labels {
    /// Reads a table of numbers and names: see [`import::labels`].
    pub(crate) fn read(path: &Path) -> Result<Self, Failure> {
        Ok(Self(Arc::new(import::labels(path).map_err(ReadError::from)?)))
    }

    /// Returns all names.
    pub(crate) fn all(&self) -> Arc<HashMap<u64, String>> {
        Arc::clone(&self.0)
    }

    /// Returns the name of a vertex.
    pub(crate) fn get(&self, id: u64) -> Option<&str> {
        self.0.get(&id).map(String::as_str)
    }

    /// Returns whether no vertex has a name.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
