//! The meaning of a graph's name.

use super::ReadError;
use super::shards::{self, is_pattern};
use crate::advice::Advice;
use crate::files::{self, STANDARD_INPUT};
use crate::generate;
use crate::import::{ImportError, bv_stream_of};
use crate::store::{self, StoreError};
use std::ffi::OsStr;
use std::fmt;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The source that a graph's name stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GraphSource {
    /// A store.
    Store(PathBuf),
    /// The files or pipes to import as one graph. The path `-` is standard input.
    Files(Vec<PathBuf>),
    /// The specification of a graph to generate.
    Generator(String),
}

impl GraphSource {
    /// Distinguishes stores, files and generators. A folder with a manifest is a store, and any other folder contains
    /// the files of a graph. `-` is standard input. A file or a pipe is to be imported. A name with `*`, `?` or `[` that
    /// is not that of a file is a pattern of names. A BV graph of WebGraph is named by either of its files, or by their common
    /// name without the endings. Any other text must begin with the name of a generator.
    ///
    /// # Errors
    ///
    /// The name is none of these, it belongs to a store that is being replaced, no file has a name of the pattern, or
    /// the system cannot determine whether the file exists.
    pub fn parse(name: impl AsRef<OsStr>) -> Result<Self, ReadError> {
        let name = name.as_ref();
        let path = PathBuf::from(name);
        if path == Path::new(STANDARD_INPUT) {
            return Ok(Self::Files(vec![path]));
        }
        match files::find(&path) {
            Ok(Some(found)) if found.is_dir() => {
                let is_store = store::is_store(&path).map_err(|error| ImportError::io(&path, error))?;
                return if is_store { Ok(Self::Store(path)) } else { shards::in_folder(&path).map(Self::Files) };
            }
            Ok(Some(_)) => return Ok(Self::Files(vec![bv_stream_of(&path).unwrap_or(path)])),
            Ok(None) if is_pattern(name) => return shards::of_pattern(name).map(Self::Files),
            Ok(None) => {}
            // A name that no file can have may still be a generator's.
            Err(error) if error.kind() == ErrorKind::InvalidFilename || error.kind() == ErrorKind::InvalidInput => {}
            Err(error) => return Err(ImportError::io(&path, error).into()),
        }
        if let Some(stream) = bv_stream_of(&path) {
            return Ok(Self::Files(vec![stream]));
        }
        if let Some(text) = name.to_str().filter(|text| generate::is_generator(text)) {
            return Ok(Self::Generator(text.to_owned()));
        }
        match store::info(&path) {
            Err(error @ (StoreError::SteppedAside { .. } | StoreError::BeingReplaced { .. })) => Err(error.into()),
            _ => Err(ReadError::Missing { graph: path }),
        }
    }

    /// Returns the source that several names stand for: the one that a single name stands for, or all files of several.
    ///
    /// # Errors
    ///
    /// As for [`parse`](Self::parse). Also fails if one of several names is that of a store or a generator.
    pub fn parse_all(names: &[impl AsRef<OsStr>]) -> Result<Self, ReadError> {
        if let [name] = names {
            return Self::parse(name);
        }
        let mut all = Vec::new();
        for name in names {
            match Self::parse(name)? {
                Self::Files(files) => all.extend(files),
                other => {
                    let kind = if matches!(other, Self::Store(_)) { "a store" } else { "a generator" };
                    return Err(ReadError::Option {
                        problem: format!("`{other}` is {kind}, and only files can be read together"),
                        advice: Advice::new("name the graph alone", "name the graph alone, without `and`"),
                    });
                }
            }
        }
        Ok(Self::Files(all))
    }
}

impl fmt::Display for GraphSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Store(path) => path.display().fmt(f),
            Self::Generator(text) => f.write_str(text),
            Self::Files(paths) => match &paths[..] {
                [] => f.write_str("no file"),
                [one] => one.display().fmt(f),
                [first, _] => write!(f, "{} and another file", first.display()),
                [first, rest @ ..] => write!(f, "{} and {} other files", first.display(), rest.len()),
            },
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
        assert_eq!(GraphSource::parse(folder.path()).unwrap(), GraphSource::Files(vec![file.clone()]));
        assert_eq!(GraphSource::parse(&file).unwrap(), GraphSource::Files(vec![file]));
        std::fs::write(folder.path().join("manifest"), "").unwrap();
        assert_eq!(GraphSource::parse(folder.path()).unwrap(), GraphSource::Store(folder.path().to_owned()));
        assert_eq!(GraphSource::parse("-").unwrap(), GraphSource::Files(vec!["-".into()]));
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
