//! The graphs with reference answers, in a folder beside the workspace.

mod plain;
mod reader;
mod reference;

pub use plain::{Arc, PlainGraph};
pub use reference::{Published, Reference, UNREACHED};

use serde::Deserialize;
use std::io;
use std::path::{Path, PathBuf};

/// An error while test data is read, with the file and the reason.
pub type DataError = Box<dyn std::error::Error + Send + Sync>;

/// A folder with `manifest.json`, `graphs/`, `ref/` and `published/`.
#[derive(Clone, Debug)]
pub struct Data {
    root: PathBuf,
}

/// One graph of the manifest.
#[derive(Clone, Debug, Deserialize)]
pub struct Entry {
    /// The name of the graph and of its answers.
    pub name: String,
    /// The file below `graphs/`.
    pub file: String,
    /// The format of the file.
    pub format: Layout,
    /// Whether edges are directed.
    pub directed: bool,
    /// Whether the third column is a weight.
    #[serde(default)]
    pub weighted: bool,
    /// The file that lists the vertices, if there is one.
    pub vfile: Option<String>,
}

/// Format of a graph's file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Layout {
    /// Columns separated by whitespace: source, target, and optionally a weight.
    Edges,
    /// Matrix Market coordinates.
    Mtx,
    /// METIS adjacency lists.
    Metis,
    /// DIMACS arcs.
    Dimacs,
    /// A WebGraph, with the same arcs as text beside it.
    BvGraph,
}

impl Data {
    /// Returns the data beside the workspace, or in `GTS_TEST_DATA`.
    ///
    /// If there is none, prints a line and returns `None`; with `CI` set that is a failure.
    ///
    /// # Panics
    ///
    /// Panics if `CI` is set and there is no data.
    pub fn locate() -> Option<Self> {
        let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data");
        let root = std::env::var_os("GTS_TEST_DATA").map_or(beside, PathBuf::from);
        if root.join("manifest.json").is_file() {
            return Some(Self { root });
        }
        let missing = format!("no test graphs in {}", root.display());
        assert!(std::env::var_os("CI").is_none(), "{missing}, and CI needs them");
        // Written directly: the test harness would swallow the output of a test that passes.
        let _ = std::io::Write::write_fmt(&mut std::io::stderr(), format_args!("skipped: {missing}\n"));
        None
    }

    /// Returns the graphs of the manifest.
    ///
    /// # Errors
    ///
    /// The manifest cannot be read.
    pub fn entries(&self) -> Result<Vec<Entry>, DataError> {
        let path = self.root.join("manifest.json");
        let text = std::fs::read(&path).map_err(|error| at(&path, error))?;
        Ok(serde_json::from_slice(&text)?)
    }

    /// Returns the graph in the form of all reference answers: self-loops dropped, parallel arcs merged with the
    /// smallest weight, undirected edges in both directions.
    ///
    /// # Errors
    ///
    /// A file cannot be read, or differs from the manifest.
    pub fn graph(&self, entry: &Entry) -> Result<PlainGraph, DataError> {
        reader::read(self, entry).map(|raw| raw.canonical(!entry.directed))
    }

    /// Returns a graph below `graphs/`, with one line per vertex: the vertex and its neighbours.
    ///
    /// # Errors
    ///
    /// The file cannot be read.
    pub fn adjacency(&self, file: &str) -> Result<PlainGraph, DataError> {
        reader::adjacency(&self.path("graphs").join(file)).map(|raw| raw.canonical(false))
    }

    /// Returns a weighted graph below `graphs/`, from `NAME.e`.
    ///
    /// # Errors
    ///
    /// The file cannot be read.
    pub fn weighted_edges(&self, name: &str, directed: bool) -> Result<PlainGraph, DataError> {
        let entry = Entry {
            name: name.to_owned(),
            file: format!("{name}.e"),
            format: Layout::Edges,
            directed,
            weighted: true,
            vfile: Some(format!("{name}.v")),
        };
        self.graph(&entry)
    }

    /// Returns the graph's computed answers.
    ///
    /// # Errors
    ///
    /// The answers cannot be read.
    pub fn reference(&self, entry: &Entry) -> Result<Reference, DataError> {
        Reference::open(&self.root.join("ref"), &entry.name)
    }

    /// Returns the path of the graph's file.
    pub fn file(&self, entry: &Entry) -> PathBuf {
        self.root.join("graphs").join(&entry.file)
    }

    /// Returns the path of a file below the folder.
    pub fn path(&self, relative: &str) -> PathBuf {
        self.root.join(relative)
    }
}

/// Returns the text of a file, decompressed if its name ends in `.gz` or `.zst`.
fn text(path: &Path) -> Result<String, DataError> {
    let file = || std::fs::File::open(path).map(io::BufReader::new);
    let read = || -> io::Result<String> {
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("gz") => io::read_to_string(flate2::bufread::MultiGzDecoder::new(file()?)),
            Some("zst") => {
                let decoder = ruzstd::decoding::StreamingDecoder::new(file()?).map_err(io::Error::other)?;
                io::read_to_string(decoder)
            }
            _ => io::read_to_string(file()?),
        }
    };
    read().map_err(|error| at(path, error))
}

fn at(path: &Path, error: impl std::fmt::Display) -> DataError {
    format!("{}: {error}", path.display()).into()
}
