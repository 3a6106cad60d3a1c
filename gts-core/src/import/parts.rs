//! Several files as one stream of edges.

use super::value::Seen;
use super::{ImportError, ImportOptions, open_one};
use crate::build::{Declared, DeclaredVertices, EdgeBatch, EdgeStream};
use crate::files;
use std::path::{Path, PathBuf};

/// A stream of the edges of one file, which may be one of several.
pub(super) trait FileStream: EdgeStream {
    /// Returns the columns of a table, as messages show them; empty if the file has none.
    fn columns(&self) -> &str;

    /// Returns the properties of the weights read.
    fn seen(&self) -> Seen;
}

/// A stream of the edges of several files, one after the other.
pub(super) struct JoinedFiles {
    options: ImportOptions,
    /// The files after the current one, in reverse.
    later: Vec<PathBuf>,
    path: PathBuf,
    current: Box<dyn FileStream>,
    first: CommonSchema,
    declared: Declared,
    seen: Seen,
    notes: Vec<String>,
    /// The bytes of the files before the current one.
    read: u64,
    /// The bytes of all files; `None` if one of them is a pipe.
    total: Option<u64>,
    ended: bool,
}

/// The properties in which all files of a graph must agree.
struct CommonSchema {
    path: PathBuf,
    columns: String,
    declared: Declared,
}

impl JoinedFiles {
    /// Opens the first file. Files without a record at the beginning are passed over.
    pub(super) fn open(paths: &[PathBuf], options: &ImportOptions) -> Result<Self, ImportError> {
        let mut later: Vec<_> = paths.iter().rev().cloned().collect();
        let sizes = paths.iter().map(|path| match files::is_pipe(path) {
            true => None,
            false => path.metadata().ok().map(|found| found.len()),
        });
        let total = sizes.sum();
        let mut read = 0;
        loop {
            let path = later.pop().unwrap_or_default();
            let current = open_one(&path, options)?;
            let declared = Declared { edges: None, ..current.declared() };
            if is_empty(current.as_ref()) && !later.is_empty() {
                read += current.progress().0;
                continue;
            }
            let first =
                CommonSchema { path: path.clone(), columns: current.columns().into(), declared: declared.clone() };
            let (options, seen) = (options.clone(), Seen::default());
            return Ok(Self {
                options,
                later,
                path,
                current,
                first,
                declared,
                seen,
                notes: Vec::new(),
                read,
                total,
                ended: false,
            });
        }
    }

    /// Adds the totals of the current file, which has ended, to those of the files before.
    fn close(&mut self) {
        self.seen.merge(self.current.seen());
        self.read += self.current.progress().0;
        let prefix = format!("{}: ", files::shown(&self.path));
        for note in self.current.notes() {
            let is_known = |known: &String| known.ends_with(note.strip_prefix(&prefix).unwrap_or(&note));
            // The same note on every file would hide all other notes.
            if !self.notes.iter().any(is_known) {
                self.notes.push(note);
            }
        }
    }

    /// Opens the next file that has edges. Returns `false` after the last file.
    fn open_next(&mut self) -> Result<bool, ImportError> {
        while let Some(path) = self.later.pop() {
            let next = open_one(&path, &self.options)?;
            if is_empty(next.as_ref()) {
                self.read += next.progress().0;
                continue;
            }
            self.first.check(&path, next.as_ref())?;
            (self.path, self.current) = (path, next);
            return Ok(true);
        }
        Ok(false)
    }
}

/// Returns whether a file contains no record, so that its columns are unknown.
fn is_empty(stream: &dyn FileStream) -> bool {
    stream.columns().is_empty() && stream.declared().vertices == DeclaredVertices::FromEdges
}

impl CommonSchema {
    /// Fails if another file differs.
    fn check(&self, path: &Path, stream: &dyn FileStream) -> Result<(), ImportError> {
        let declared = stream.declared();
        let pairs = [
            (stream.columns().to_owned(), self.columns.clone()),
            (keys(&declared), keys(&self.declared)),
            (weights(&declared), weights(&self.declared)),
            (direction(&declared), direction(&self.declared)),
            (vertices(&declared), vertices(&self.declared)),
        ];
        match pairs.into_iter().find(|(found, expected)| found != expected) {
            Some((found, expected)) => {
                let [path, first] = [path, &self.path].map(|path| files::shown(path).to_string().into());
                Err(ImportError::Unlike { path, found, first, expected })
            }
            None if declared.vertices != self.declared.vertices => {
                let (path, first) = (path.into(), self.path.clone());
                let (found, expected) = ("other vertices".into(), "its own".into());
                Err(ImportError::Unlike { path, found, first, expected })
            }
            None => Ok(()),
        }
    }
}

fn keys(declared: &Declared) -> String {
    format!("keys of type {}", declared.keys)
}

fn weights(declared: &Declared) -> String {
    match declared.value_type {
        Some(_) => "weights".into(),
        None => "no weights".into(),
    }
}

fn direction(declared: &Declared) -> String {
    let name = format!("{:?}", declared.direction).to_ascii_lowercase();
    format!("{name} edges")
}

fn vertices(declared: &Declared) -> String {
    let rows = declared.rows.map_or(String::new(), |rows| format!(", {rows} of them rows"));
    match &declared.vertices {
        DeclaredVertices::FromEdges if declared.right.is_some() => "two name spaces".into(),
        DeclaredVertices::FromEdges => "the vertices of its edges".into(),
        DeclaredVertices::Range { first, count } => format!("{count} vertices from {first} on{rows}"),
        DeclaredVertices::List(list) => format!("a list of {} vertices", list.len()),
    }
}

impl EdgeStream for JoinedFiles {
    fn next(&mut self, batch: &mut EdgeBatch) -> Result<bool, ImportError> {
        batch.clear();
        while !self.ended {
            if self.current.next(batch)? {
                return Ok(true);
            }
            self.close();
            self.ended = !self.open_next()?;
        }
        if self.declared.value_type.is_some() && self.declared.store_as.is_none() {
            self.declared.store_as = Some(self.seen.narrowest());
        }
        Ok(false)
    }

    fn declared(&self) -> Declared {
        self.declared.clone()
    }

    fn progress(&self) -> (u64, Option<u64>) {
        let current = if self.ended { 0 } else { self.current.progress().0 };
        (self.read + current, self.total)
    }

    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }
}
