//! LDBC Graphalytics: `NAME.v` lists the vertices, `NAME.e` the edges, `source target [weight]`.
//!
//! Every vertex of the .v file exists, and no other. What follows a vertex on its line is left out. Either file may be
//! named; the other is looked for beside it, compressed or not. Whether edges are directed the options say, or else
//! `NAME.properties`, which comes with the published graphs; without either they are.

use super::blocks::Blocks;
use super::edges::{COMMENT, first_columns, parse, reading};
use super::format::without_compression;
use super::scan::{Cursor, Fault, Problem};
use super::text::{Lines, Piece, TextStream};
use super::value::{Reading, Seen};
use super::{ImportError, ImportOptions, Weights};
use crate::build::{Declared, DeclaredVertices, Direction, EdgeStream};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Endings of compressed files, tried after the plain one.
const COMPRESSED: [&str; 3] = ["", ".gz", ".zst"];
/// Bytes that a build takes at least for a vertex: its degrees and its record ID.
const TABLES: u64 = 12;

/// Begins the edges of a graph, of which `path` is either file.
pub(super) fn open(path: &Path, options: &ImportOptions) -> Result<Box<dyn EdgeStream>, ImportError> {
    let (edges, vertices) = (beside(path, "e")?, beside(path, "v")?);
    let vertices = Vertices::new(read_vertices(&vertices, options.memory)?);
    let mut blocks = Blocks::open(&edges, options.memory)?;
    let mut block = blocks.next()?;
    let columns = first_columns(&mut blocks, &mut block)?;
    let reading = reading(columns, options);
    let declared = Declared {
        vertices: vertices.declared(),
        direction: options.direction(published_direction(path)),
        ..Declared::default()
    };
    let edges = Edges { reading, surplus: options.weights == Weights::Ignore, vertices };
    Ok(Box::new(TextStream::new(blocks, block, edges, reading, declared, Seen::default())))
}

/// The file with this ending that belongs to `path`.
fn beside(path: &Path, ending: &str) -> Result<PathBuf, ImportError> {
    let plain = without_compression(path);
    if plain.extension().is_some_and(|own| own == ending) {
        return Ok(path.into());
    }
    let wanted = plain.with_extension(ending);
    for compressed in COMPRESSED {
        let mut name = wanted.clone().into_os_string();
        name.push(compressed);
        let candidate = PathBuf::from(name);
        if candidate.exists() {
            return Ok(candidate);
        }
    }
    Err(ImportError::Io {
        path: wanted,
        source: io::ErrorKind::NotFound.into(),
        advice: "a Graphalytics graph is two files, .v and .e: put both into one folder, or name the format `edges`",
    })
}

/// All files of the graph of which `path` is one.
pub(super) fn files_of(path: &Path) -> Vec<PathBuf> {
    let both = ["v", "e"].into_iter().filter_map(|ending| beside(path, ending).ok());
    [path.into(), properties(path)].into_iter().chain(both).collect()
}

fn properties(path: &Path) -> PathBuf {
    without_compression(path).with_extension("properties")
}

/// What the line `graph.NAME.directed = …` of the properties file says, if there is one.
fn published_direction(path: &Path) -> Direction {
    let text = std::fs::read_to_string(properties(path)).unwrap_or_default();
    let undirected = text
        .lines()
        .filter_map(|line| line.split_once('='))
        .any(|(key, value)| key.trim().ends_with(".directed") && value.trim().eq_ignore_ascii_case("false"));
    if undirected { Direction::Undirected } else { Direction::Directed }
}

/// The vertices of a file, ascending, unless their tables are more than the budget allows.
fn read_vertices(path: &Path, memory: Option<u64>) -> Result<Vec<u64>, ImportError> {
    let mut blocks = Blocks::open(path, memory)?;
    let mut vertices = Vec::new();
    loop {
        let block = blocks.next()?;
        if block.text.is_empty() {
            break;
        }
        let mut cursor = Cursor::new(block.rest());
        while cursor.next_data_line(COMMENT) {
            vertices.push(cursor.id().map_err(|fault| block.error(path, fault))?);
            cursor.next_line();
        }
        let (read, size) = blocks.progress();
        let bytes = TABLES * vertices.len() as u64;
        if let Some(budget) = memory.filter(|&budget| bytes > budget) {
            let needed = (u128::from(bytes) * u128::from(size) / u128::from(read.max(1))) as u64;
            return Err(ImportError::Vertices { path: path.into(), needed: needed.max(bytes), budget });
        }
        blocks.recycle(block);
    }
    if !vertices.is_sorted() {
        vertices.sort_unstable();
    }
    vertices.dedup();
    Ok(vertices)
}

/// The vertices that edges may name.
enum Vertices {
    Range {
        first: u64,
        count: u64,
    },
    /// The list that is declared, too: it is there once.
    List(Arc<Vec<u64>>),
}

impl Vertices {
    fn new(ids: Vec<u64>) -> Self {
        match (ids.first(), ids.last()) {
            (Some(&first), Some(&last)) if last - first == ids.len() as u64 - 1 => {
                Self::Range { first, count: ids.len() as u64 }
            }
            _ => Self::List(ids.into()),
        }
    }

    fn declared(&self) -> DeclaredVertices {
        match self {
            Self::Range { first, count } => DeclaredVertices::Range { first: *first, count: *count },
            Self::List(ids) => DeclaredVertices::List(ids.clone()),
        }
    }

    #[inline]
    fn contains(&self, id: u64) -> bool {
        match self {
            Self::Range { first, count } => id.wrapping_sub(*first) < *count,
            Self::List(ids) => ids.binary_search(&id).is_ok(),
        }
    }
}

struct Edges {
    reading: Reading,
    surplus: bool,
    vertices: Vertices,
}

impl Lines for Edges {
    fn parse(&self, text: &[u8], _row: u64, piece: &mut Piece) -> Result<(), Fault> {
        let known = |src, dst| {
            let both = self.vertices.contains(src) && self.vertices.contains(dst);
            if both { Ok(()) } else { Err(Problem::Undeclared) }
        };
        parse(&mut Cursor::new(text), self.reading, self.surplus, piece, known)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_of_vertices_is_there_once_and_held_against_the_budget() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("g.e");
        std::fs::write(&path, "1 5\n").unwrap();
        std::fs::write(folder.path().join("g.v"), (0..1000).map(|id| format!("{}\n", 4 * id + 1)).collect::<String>())
            .unwrap();
        let opened = |memory| open(&path, &ImportOptions { memory, ..ImportOptions::default() });
        let stream = opened(Some(1 << 20)).unwrap();
        let (DeclaredVertices::List(a), DeclaredVertices::List(b)) =
            (stream.declared().vertices, stream.declared().vertices)
        else {
            panic!("IDs with gaps are a list");
        };
        assert!(Arc::ptr_eq(&a, &b));
        match opened(Some(11_000)).err() {
            Some(ImportError::Vertices { needed: 12_000, budget: 11_000, .. }) => {}
            other => panic!("{other:?}"),
        }
    }
}
