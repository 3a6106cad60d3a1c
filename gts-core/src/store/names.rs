//! The file of names or UUIDs of a store.

use super::access::Reader;
use super::files::{FileName, failed};
use super::opened::{OpenFile, StoreFiles};
use crate::graph::{IdMapError, KeyNames, KeySource, NamesFile, Originals};
use crate::page::StoreError;
use std::path::PathBuf;
use std::sync::Arc;

/// Opens the keys of a store. `index` is the content of the index.
pub(super) fn open(files: &StoreFiles<'_>, index: Vec<u64>, originals: &Originals) -> Result<KeySource, StoreError> {
    let keys = &files.manifest.keys;
    let left = if keys.form.has_sides { files.manifest.properties.bipartite_rows } else { None };
    if !keys.form.kind.is_bytes() {
        return Ok(KeySource::integers(keys.form.kind, left, originals));
    }
    match files.open(FileName::Names)? {
        None => Err(failed("open", &files.path(FileName::Names))(std::io::ErrorKind::NotFound.into())),
        Some(OpenFile { reader, .. }) => {
            let file = StoredNames { path: files.path(FileName::Names), reader };
            let size = (files.manifest.vertices, left, keys.names);
            Ok(KeySource::Names(Arc::new(KeyNames::stored(keys.form, size, index, Box::new(file))?)))
        }
    }
}

/// The open file of names or UUIDs.
pub(super) struct StoredNames {
    pub(super) path: PathBuf,
    pub(super) reader: Box<dyn Reader>,
}

impl NamesFile for StoredNames {
    fn read(&self, buffer: &mut [u8], offset: u64) -> Result<(), StoreError> {
        self.reader.read_exact_at(buffer, offset).map_err(failed("read", &self.path))
    }

    fn changed(&self, found: u64, expected: u64) -> StoreError {
        StoreError::Checksum { path: self.path.clone(), found, expected }
    }

    fn malformed(&self, error: IdMapError) -> StoreError {
        StoreError::Ids { path: self.path.clone(), source: error }
    }
}
