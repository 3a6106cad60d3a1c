//! Graphs in files.

mod error;

pub use error::StoreError;

use crate::graph::Graph;
use std::path::Path;

/// How a store is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SaveOptions {
    /// Whether a store that stands at the path is replaced; it stays as it is until the new one is whole.
    pub replace: bool,
}

pub(crate) fn open(_: &Path) -> Result<Graph, StoreError> {
    Err(StoreError::NotYet)
}

pub(crate) fn save(_: &Graph, _: &Path, _: &SaveOptions) -> Result<(), StoreError> {
    Err(StoreError::NotYet)
}
