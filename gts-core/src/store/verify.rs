//! Checks all that a store says of itself, also what opening it takes on trust.

use super::consistency::property;
use super::files::{FileName, StoreFiles};
use super::io::Io;
use super::{StoreError, StoreProgress, open};
use crate::build::SymmetrySums;
use crate::contract::ScalarType;
use crate::graph::{Graph, Kept, PageId, Side, Vertex};
use crate::page::{EdgeValue, EdgeVisitor};
use rayon::prelude::*;
use std::fmt;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

/// What was checked and found right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VerifyReport {
    /// Files, the manifest included.
    pub files: u64,
    /// Bytes of all files but the manifest.
    pub bytes: u64,
    /// Pages of both directions.
    pub pages: u64,
    /// Vertices.
    pub vertices: u64,
    /// Edges.
    pub edges: u64,
}

impl fmt::Display for VerifyReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { files, bytes, pages, vertices, edges } = self;
        write!(f, "{files} files of {bytes} bytes, {pages} pages, {vertices} vertices, {edges} edges: all as stated")
    }
}

pub(super) fn verify(io: &dyn Io, path: &Path, progress: StoreProgress<'_>) -> Result<VerifyReport, StoreError> {
    let graph = open::open(io, path, progress)?;
    let manifest = open::manifest(io, path)?;
    let files = StoreFiles { io, directory: path, manifest: &manifest };
    let facts = EdgeFacts::of(&graph);
    check_in_degrees(&files, &graph, &facts.in_degrees)?;
    let properties = graph.properties();
    for (what, kept, found) in [
        ("duplicates", properties.duplicates, facts.page.duplicates),
        ("self-loops", properties.self_loops, facts.page.self_loops),
    ] {
        if found && kept == Kept::Dropped {
            property(&files, what, Kept::Dropped, Kept::Kept)?;
        }
    }
    if properties.symmetric {
        property(&files, "symmetric", true, facts.page.symmetry.is_symmetric())?;
    }
    let pages = graph.out_topology().num_pages() + manifest.incoming.map_or(0, |pages| pages.count);
    Ok(VerifyReport {
        files: manifest.files.len() as u64 + 1,
        bytes: manifest.files.iter().map(|file| file.bytes).sum(),
        pages: u64::from(pages),
        vertices: graph.num_vertices(),
        edges: graph.num_edges(),
    })
}

/// Holds the in-degrees against the targets of the out-edges.
fn check_in_degrees(files: &StoreFiles<'_>, graph: &Graph, expected: &[u32]) -> Result<(), StoreError> {
    let mut pairs = (0..).zip(graph.in_degrees().iter().zip(expected));
    match pairs.find(|(_, (found, expected))| found != expected) {
        Some((vertex, (&found, &expected))) => Err(StoreError::Table {
            path: files.path(FileName::Degrees(Side::In)),
            vertex,
            found: u64::from(found),
            expected: u64::from(expected),
        }),
        None => Ok(()),
    }
}

/// What only a look at every edge tells.
struct EdgeFacts {
    in_degrees: Vec<u32>,
    page: PageFacts,
}

impl EdgeFacts {
    fn of(graph: &Graph) -> Self {
        match graph.value_type() {
            None => Self::with_values::<()>(graph),
            Some(ScalarType::F32) => Self::with_values::<f32>(graph),
            Some(ScalarType::F64) => Self::with_values::<f64>(graph),
            Some(ScalarType::I32) => Self::with_values::<i32>(graph),
            Some(ScalarType::U32) => Self::with_values::<u32>(graph),
            Some(_) => Self::with_values::<u64>(graph),
        }
    }

    fn with_values<V: EdgeValue>(graph: &Graph) -> Self {
        let in_degrees: Vec<AtomicU32> = graph.out_degrees().iter().map(|_| AtomicU32::new(0)).collect();
        let topology = graph.out_topology();
        let look = |page| {
            let mut look = Look { in_degrees: &in_degrees, previous: None, facts: PageFacts::default() };
            let page = topology.page(PageId(page));
            page.scan(0..page.num_entries(), V::from_bits(0), &mut look);
            look.facts
        };
        let facts = (0..topology.num_pages()).into_par_iter().map(look).reduce(PageFacts::default, PageFacts::join);
        Self { in_degrees: in_degrees.into_iter().map(AtomicU32::into_inner).collect(), page: facts }
    }
}

/// What the edges of some pages tell. A duplicate across two pages of a large vertex is not seen.
#[derive(Default)]
struct PageFacts {
    duplicates: bool,
    self_loops: bool,
    symmetry: SymmetrySums,
}

impl PageFacts {
    fn join(self, other: Self) -> Self {
        Self {
            duplicates: self.duplicates || other.duplicates,
            self_loops: self.self_loops || other.self_loops,
            symmetry: self.symmetry.join(other.symmetry),
        }
    }
}

/// Looks at each edge of a page.
struct Look<'a> {
    in_degrees: &'a [AtomicU32],
    previous: Option<(Vertex, Vertex)>,
    facts: PageFacts,
}

impl<V: EdgeValue> EdgeVisitor<V> for Look<'_> {
    type Source = ();

    fn begin(&mut self, _: Vertex) -> Option<()> {
        Some(())
    }

    fn edge(&mut self, (): (), src: Vertex, dst: Vertex, value: V) {
        self.in_degrees[dst.index()].fetch_add(1, Ordering::Relaxed);
        self.facts.self_loops |= src == dst;
        self.facts.duplicates |= self.previous.replace((src, dst)) == Some((src, dst));
        self.facts.symmetry.add(src.dense() << 32 | dst.dense(), value.to_bits());
    }
}
