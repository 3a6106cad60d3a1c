//! Checks all that a store says of itself, also what opening it takes on trust.

use super::consistency::property;
use super::files::{FileName, StoreFiles};
use super::io::Io;
use super::open::{self, Residence, StoredIo};
use super::stored::Notices;
use super::{StoreError, StoreProgress};
use crate::build::SymmetrySums;
use crate::contract::ScalarType;
use crate::graph::{Graph, Kept, Side, Vertex};
use crate::page::{EdgeValue, EdgeVisitor, PageGroup, PageRun, PageView, Topology};
use rayon::prelude::*;
use std::fmt;
use std::path::Path;
use std::sync::Arc;
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

/// Pages go through a buffer of this many bytes: a store is verified on machines that could not hold it.
const BUFFER: u64 = 256 << 20;

pub(super) fn verify(io: &Arc<dyn Io>, path: &Path, progress: StoreProgress<'_>) -> Result<VerifyReport, StoreError> {
    let with = StoredIo { io: Arc::clone(io), notices: Arc::new(Notices::new(None)) };
    let graph = open::open(io.as_ref(), path, &Residence::Files(BUFFER, &with), &|_, _| ())?;
    let manifest = open::manifest(io.as_ref(), path)?;
    let files = StoreFiles { io: io.as_ref(), directory: path, manifest: &manifest };
    let pages = [Some(&graph.parts().out), graph.parts().incoming.as_ref()];
    let total = pages.into_iter().flatten().map(Topology::bytes).sum();
    let mut done = Done { progress, done: 0, total };
    let facts = EdgeFacts::of(&graph, &mut done)?;
    if let Some(incoming) = &graph.parts().incoming {
        // Each page is checked as it comes; nothing else is asked of the in-edges.
        done.feed(incoming, |_| ())?;
    }
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
    let sides = 1 + usize::from(manifest.incoming.is_some());
    Ok(VerifyReport {
        files: (manifest.files.len() + manifest.stripes.len().saturating_sub(1) * sides) as u64 + 1,
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
    fn of(graph: &Graph, done: &mut Done<'_>) -> Result<Self, StoreError> {
        match graph.value_type() {
            None => Self::with_values::<()>(graph, done),
            Some(ScalarType::F32) => Self::with_values::<f32>(graph, done),
            Some(ScalarType::F64) => Self::with_values::<f64>(graph, done),
            Some(ScalarType::I32) => Self::with_values::<i32>(graph, done),
            Some(ScalarType::U32) => Self::with_values::<u32>(graph, done),
            Some(_) => Self::with_values::<u64>(graph, done),
        }
    }

    fn with_values<V: EdgeValue>(graph: &Graph, done: &mut Done<'_>) -> Result<Self, StoreError> {
        let in_degrees: Vec<AtomicU32> = graph.out_degrees().iter().map(|_| AtomicU32::new(0)).collect();
        let topology = graph.out_topology();
        let mut page = PageFacts::default();
        done.feed(topology, |group| {
            let pages: Vec<_> = topology.pages_in(group).collect();
            let look = |(_, view): (_, PageView<'_>)| {
                let mut look = Look { in_degrees: &in_degrees, previous: None, facts: PageFacts::default() };
                view.scan(0..view.num_entries(), V::from_bits(0), &mut look);
                look.facts
            };
            let facts = pages.into_par_iter().map(look).reduce(PageFacts::default, PageFacts::join);
            page = std::mem::take(&mut page).join(facts);
        })?;
        Ok(Self { in_degrees: in_degrees.into_iter().map(AtomicU32::into_inner).collect(), page })
    }
}

/// How much has been checked.
struct Done<'a> {
    progress: StoreProgress<'a>,
    done: u64,
    total: u64,
}

impl Done<'_> {
    /// Has every page read and checked, and looked at.
    fn feed(&mut self, topology: &Topology, mut look: impl FnMut(&PageGroup)) -> Result<(), StoreError> {
        let mut feed = topology.source().feed(&[PageRun::of(0..topology.num_pages())], usize::MAX)?;
        while let Some(group) = feed.next()? {
            look(&group);
            self.done += group.bytes().len() as u64;
            (self.progress)(self.done, self.total);
        }
        Ok(())
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
