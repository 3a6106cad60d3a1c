//! The meaning of a graph's name.

use super::ReadError;
use crate::import::ImportError;
use crate::store::{self, StoreError};
use crate::{files, generate};
use std::ffi::OsStr;
use std::io::ErrorKind;
use std::path::PathBuf;

/// The source that a graph's name stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GraphSource {
    /// A store.
    Store(PathBuf),
    /// A file to import.
    File(PathBuf),
    /// The specification of a graph to generate.
    Generator(String),
}

impl GraphSource {
    /// Distinguishes stores, files and generators. A folder is a store, a file is to be imported, and any other text
    /// must begin with the name of a generator.
    ///
    /// # Errors
    ///
    /// The name is none of these, it belongs to a store that is being replaced, or the system cannot determine whether
    /// the file exists.
    pub fn parse(name: impl AsRef<OsStr>) -> Result<Self, ReadError> {
        let name = name.as_ref();
        let path = PathBuf::from(name);
        match files::find(&path) {
            Ok(Some(found)) if found.is_dir() => return Ok(Self::Store(path)),
            Ok(Some(_)) => return Ok(Self::File(path)),
            Ok(None) => {}
            // A name that no file can have may still be a generator's.
            Err(error) if error.kind() == ErrorKind::InvalidFilename || error.kind() == ErrorKind::InvalidInput => {}
            Err(error) => return Err(ImportError::io(&path, error).into()),
        }
        if let Some(text) = name.to_str().filter(|text| generate::is_generator(text)) {
            return Ok(Self::Generator(text.to_owned()));
        }
        match store::info(&path) {
            Err(error @ (StoreError::SteppedAside { .. } | StoreError::BeingReplaced { .. })) => Err(error.into()),
            _ => Err(ReadError::Missing { graph: path }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_told_apart() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("rmat:3");
        std::fs::write(&file, "0 1\n").unwrap();
        assert_eq!(GraphSource::parse(folder.path()).unwrap(), GraphSource::Store(folder.path().to_owned()));
        assert_eq!(GraphSource::parse(&file).unwrap(), GraphSource::File(file));
        assert_eq!(GraphSource::parse("rmat:3").unwrap(), GraphSource::Generator("rmat:3".to_owned()));
        // The system reports an error for a link to itself.
        #[cfg(unix)]
        {
            let circle = folder.path().join("circle");
            std::os::unix::fs::symlink(&circle, &circle).unwrap();
            assert!(matches!(GraphSource::parse(&circle), Err(ReadError::Import(ImportError::Io { .. }))));
        }
        let error = GraphSource::parse("absent.txt").unwrap_err().to_string();
        assert_eq!(error, "there is no file or store `absent.txt`");
    }
}
