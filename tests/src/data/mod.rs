//! Graphs with reference answers, stored in a folder next to the workspace.

mod plain;
mod reader;
mod reference;

pub use plain::{Arc, PlainGraph};
pub use reference::{Published, Reference, UNREACHED};

use serde::Deserialize;
use std::io;
use std::path::{Path, PathBuf};

/// An error in reading test data, with the file and the reason.
pub type DataError = Box<dyn std::error::Error + Send + Sync>;

/// A folder that contains `manifest.json`, `graphs/`, `ref/` and `published/`.
#[derive(Clone, Debug)]
pub struct Data {
    root: PathBuf,
}

/// A graph in the manifest.
#[derive(Clone, Debug, Deserialize)]
pub struct Entry {
    /// Name of the graph and of its answers.
    pub name: String,
    /// Name of the graph's file below `graphs/`.
    pub file: String,
    /// Format of the file.
    pub format: Layout,
    /// Whether edges are directed.
    pub directed: bool,
    /// Whether the third column is a weight.
    #[serde(default)]
    pub weighted: bool,
    /// File that lists the vertices, if any.
    pub vfile: Option<String>,
}

/// Format of a graph file.
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
    /// A WebGraph. The same arcs are stored as text next to it.
    BvGraph,
}

impl Data {
    /// Returns the data in `GTS_TEST_DATA`, or by default in a folder next to the workspace.
    ///
    /// If there is no data, prints a line and returns `None`.
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
        // Write to standard error directly: the test harness would hide the output of a test that passes.
        let _ = std::io::Write::write_fmt(&mut std::io::stderr(), format_args!("skipped: {missing}\n"));
        None
    }

    /// Returns all graphs in the manifest.
    ///
    /// # Errors
    ///
    /// The manifest cannot be read.
    pub fn entries(&self) -> Result<Vec<Entry>, DataError> {
        let path = self.root.join("manifest.json");
        let text = std::fs::read(&path).map_err(|error| at(&path, error))?;
        Ok(serde_json::from_slice(&text)?)
    }

    /// Returns the graph in the form to which all reference answers refer. Self-loops are dropped, parallel arcs are
    /// merged with the smallest weight, and undirected edges are stored in both directions.
    ///
    /// # Errors
    ///
    /// A file cannot be read, or differs from the manifest.
    pub fn graph(&self, entry: &Entry) -> Result<PlainGraph, DataError> {
        reader::read(self, entry).map(|raw| raw.canonical(!entry.directed))
    }

    /// Reads an adjacency list below `graphs/`: each line contains a vertex and its neighbours.
    ///
    /// # Errors
    ///
    /// The file cannot be read.
    pub fn adjacency(&self, file: &str) -> Result<PlainGraph, DataError> {
        reader::adjacency(&self.path("graphs").join(file)).map(|raw| raw.canonical(false))
    }

    /// Reads a weighted graph from `graphs/NAME.e`.
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

    /// Returns the computed reference answers for the graph.
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

    /// Returns the path of a file in the data folder.
    pub fn path(&self, relative: &str) -> PathBuf {
        self.root.join(relative)
    }
}

/// Returns the text of a file, decompressing `.gz` and `.zst` files.
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
