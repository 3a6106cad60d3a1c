//! Labels of vertices, from a table with a number and a label in each row.

use crate::error::Failure;
use gts_graph::core::read::ReadError;
use gts_graph::core::{files, import};
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

/// Names of vertices by original ID.
#[derive(Default)]
pub(crate) struct Labels(Arc<HashMap<u64, String>>);

impl Labels {
    /// Reads a regular file with a number and a label in each row: see [`import::labels`].
    pub(crate) fn read(path: &Path) -> Result<Self, Failure> {
        let next = "--labels takes a table of numbers and labels: Parquet, Arrow, or text, which may be compressed";
        files::open(path).map_err(|error| Failure::unread(path, error, next))?;
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
