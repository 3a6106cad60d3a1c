//! Imports LDBC Graphalytics graphs: `NAME.v` lists the vertices, and `NAME.e` the edges as `source target [weight]`.
//!
//! The vertices are those of the .v file, which lists each vertex once. Further fields in this file are ignored, but
//! every line must have the same number of fields. Either file may be given; the other file must be beside it,
//! compressed or not. The options determine whether edges are directed. Otherwise `NAME.properties`, which is part of
//! the published graphs, does. Without this file, edges are directed.

use super::blocks::Blocks;
use super::edges::{COMMENT, EdgeColumns};
use super::format::without_compression;
use super::parts::FileStream;
use super::scan::{Cursor, Fault, Problem};
use super::text::{Lines, Piece, TextStream};
use super::value::Seen;
use super::{ImportError, ImportOptions};
use crate::build::{Declared, DeclaredVertices, Direction, budget_of_listed};
use crate::files;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The extensions of compressed files. The empty extension is tried first.
const COMPRESSED: [&str; 3] = ["", ".gz", ".zst"];
/// Minimum number of bytes that a build needs per vertex, for its degrees and its record ID.
const TABLES: u64 = 12;

/// Opens a graph as a stream of edges. `path` is the path of either file.
pub(super) fn open(path: &Path, options: &ImportOptions) -> Result<Box<dyn FileStream>, ImportError> {
    let (edges, vertices) = (beside(path, "e")?, beside(path, "v")?);
    let vertices = Vertices::new(read_vertices(&vertices, options.memory)?);
    let mut blocks = Blocks::open(&edges, options.memory)?;
    let mut block = blocks.next()?;
    let (columns, _, notes) = EdgeColumns::read(&mut blocks, &mut block, options, true)?;
    let declared = Declared {
        vertices: vertices.declared(),
        direction: options.direction(published_direction(path)),
        unread_weights: columns.leaves_weights(),
        ..Declared::default()
    };
    let reading = columns.reading;
    let stream = TextStream::new(blocks, block, Edges { columns, vertices }, reading, declared, Seen::default());
    Ok(Box::new(stream.with_notes(notes)))
}

/// Returns the file with extension `ending` that belongs to the same graph as `path`.
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
        match files::find(&candidate) {
            Ok(None) => {}
            Ok(Some(_)) => return Ok(candidate),
            Err(error) => return Err(ImportError::io(&candidate, error)),
        }
    }
    Err(ImportError::Io {
        path: wanted,
        source: io::ErrorKind::NotFound.into(),
        advice: "a Graphalytics graph is two files, .v and .e: put both into one folder, or name the format `edges`",
    })
}

/// Returns all files of the graph to which `path` belongs.
pub(super) fn files_of(path: &Path) -> Vec<PathBuf> {
    let both = ["v", "e"].into_iter().filter_map(|ending| beside(path, ending).ok());
    [path.into(), properties(path)].into_iter().chain(both).collect()
}

/// Returns whether a path is that of a graph's edges, rather than of its vertices.
pub(super) fn is_edge_file(path: &Path) -> bool {
    without_compression(path).extension().is_some_and(|own| own == "e")
}

fn properties(path: &Path) -> PathBuf {
    without_compression(path).with_extension("properties")
}

/// Returns the direction declared in the properties file, in the line `graph.NAME.directed = …`. Edges are directed if
/// the line or the file is missing.
fn published_direction(path: &Path) -> Direction {
    let text = files::read_small(&properties(path)).unwrap_or_default();
    let undirected = text
        .lines()
        .filter_map(|line| line.split_once('='))
        .any(|(key, value)| key.trim().ends_with(".directed") && value.trim().eq_ignore_ascii_case("false"));
    if undirected { Direction::Undirected } else { Direction::Directed }
}

/// Returns the vertices of a file in ascending order. Fails if their tables exceed the budget, or if a vertex is listed
/// twice.
fn read_vertices(path: &Path, memory: Option<u64>) -> Result<Vec<u64>, ImportError> {
    let mut blocks = Blocks::open(path, memory)?;
    let (mut vertices, mut fields) = (Vec::new(), 0);
    // The number of vertices that exceed the budget, and are only counted.
    let mut beyond = 0;
    loop {
        let block = blocks.next()?;
        if block.text.is_empty() {
            break;
        }
        let mut cursor = Cursor::new(block.rest());
        while cursor.next_data_line(COMMENT) {
            let id = vertex(&mut cursor, &mut fields).map_err(|fault| block.error(path, fault))?;
            if beyond == 0 {
                vertices.push(id);
            } else {
                beyond += 1;
            }
            cursor.next_line();
        }
        if memory.is_some_and(|budget| TABLES * vertices.len() as u64 > budget) {
            beyond += vertices.len() as u64;
            vertices = Vec::new();
        }
        blocks.recycle(block);
    }
    if let Some(budget) = memory.filter(|_| beyond > 0) {
        return Err(ImportError::Vertices { path: path.into(), needed: budget_of_listed(beyond), budget });
    }
    if !vertices.is_sorted() {
        vertices.sort_unstable();
    }
    match vertices.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(listed_twice(path, memory, pair[0])?),
        None => Ok(vertices),
    }
}

/// Reads a vertex. The number of fields on its line must equal that of the first line, which is stored in `expected`.
fn vertex(cursor: &mut Cursor<'_>, expected: &mut usize) -> Result<u64, Fault> {
    let id = cursor.id()?;
    let mut found = 1;
    cursor.skip_blanks();
    while !cursor.at_line_end() && !COMMENT.contains(cursor.peek()) {
        cursor.word();
        cursor.skip_blanks();
        found += 1;
    }
    if *expected == 0 {
        *expected = found;
    }
    match *expected == found {
        true => Ok(id),
        false => Err(cursor.fault(Problem::Fields { expected: *expected, found, advice: "correct the line" })),
    }
}

/// Reads the file again to locate the second line that lists the vertex `twice`.
#[cold]
fn listed_twice(path: &Path, memory: Option<u64>, twice: u64) -> Result<ImportError, ImportError> {
    let problem = Problem::Expected {
        what: "a vertex that no line before lists",
        advice: "list each vertex once: delete the line",
    };
    let mut blocks = Blocks::open(path, memory)?;
    let mut found = 0;
    loop {
        let block = blocks.next()?;
        let mut cursor = Cursor::new(block.rest());
        while cursor.next_data_line(COMMENT) {
            let at = cursor.at;
            found += u64::from(cursor.id() == Ok(twice));
            if found == 2 {
                return Ok(block.error(path, Fault { at, problem }));
            }
            cursor.next_line();
        }
        if block.text.is_empty() {
            // The file has changed since it was first read.
            return Ok(block.error(path, Fault { at: 0, problem }));
        }
        blocks.recycle(block);
    }
}

/// The vertices that edges may contain.
enum Vertices {
    Range {
        first: u64,
        count: u64,
    },
    /// A list that is shared with the declared vertices, so that memory contains only one copy.
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
    columns: EdgeColumns,
    vertices: Vertices,
}

impl Lines for Edges {
    fn parse(&self, text: &[u8], _row: u64, piece: &mut Piece) -> Result<(), Fault> {
        let known = |src, dst| {
            let both = self.vertices.contains(src) && self.vertices.contains(dst);
            if both { Ok(()) } else { Err(Problem::Undeclared) }
        };
        self.columns.parse(text, piece, known)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::{BuildOptions, build_store};
    use crate::graph::VertexOrder;
    use crate::store::SaveOptions;
    use crate::store::io::FileSystem;

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
        let needed = match opened(Some(11_000)).err() {
            Some(ImportError::Vertices { needed, budget: 11_000, .. }) => needed,
            other => panic!("{other:?}"),
        };
        let options =
            BuildOptions { memory: Some(needed), order: VertexOrder::Degree.into(), ..BuildOptions::default() };
        let (mut stream, store) = (opened(Some(needed)).unwrap(), folder.path().join("g.gts"));
        let built = build_store(&FileSystem, stream.as_mut(), &options, store, &SaveOptions::default());
        assert_eq!(built.unwrap().vertices, 1000);
    }
}
