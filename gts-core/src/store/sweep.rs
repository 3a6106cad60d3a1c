//! Visits every edge of a store to check properties that involve several pages, and to compare the two sides.
//!
//! Hashes of the edges in out-pages are added, and those of the edges in in-pages are subtracted. If the sum is 0, both
//! sides contain the same edges, and so their degrees agree. Otherwise a sum per vertex locates the difference. In a
//! symmetric graph, the out-edges also serve as the in-edges. If there are no in-edges, the edges into each vertex are
//! counted and compared with the in-degrees.

use super::files::FileName;
use super::opened::StoreFiles;
use super::{StoreError, StoreProgress};
use crate::graph::{Graph, PageId, Vertex};
use crate::hash::EdgeKey;
use crate::page::{EdgeValue, EdgeVisitor, PageError, PageGroup, PageRun, PageView, Topology};
use crate::parallel::*;
use gts_contract::{ScalarType, Side};
use std::sync::atomic::{AtomicU64, Ordering};

/// Returns the bytes that a sweep needs in addition to the graph's tables and a buffer.
pub(super) fn bytes(vertices: u64) -> u64 {
    8 * vertices
}

/// Properties of a graph's edges.
#[derive(Debug, Default)]
pub(super) struct EdgeFacts {
    /// Whether several edges in the same direction connect two vertices.
    pub(super) duplicates: bool,
    /// The number of edges from a vertex to itself.
    pub(super) self_loops: u64,
    /// Whether an edge of a bipartite graph connects two rows or two columns.
    pub(super) mixed: bool,
    /// Whether an edge has no reverse edge although the graph is declared as symmetric.
    pub(super) asymmetric: bool,
}

/// Reads and verifies every page, and visits every edge.
///
/// # Errors
///
/// Fails if pages cannot be read, or if they contradict each other or the in-degrees.
pub(super) fn sweep(
    files: &StoreFiles<'_>,
    graph: &Graph,
    progress: StoreProgress<'_>,
) -> Result<EdgeFacts, StoreError> {
    match graph.value_type() {
        None => sweep_as::<()>(files, graph, progress),
        Some(ScalarType::F32) => sweep_as::<f32>(files, graph, progress),
        Some(ScalarType::F64) => sweep_as::<f64>(files, graph, progress),
        Some(ScalarType::I32) => sweep_as::<i32>(files, graph, progress),
        Some(ScalarType::U32) => sweep_as::<u32>(files, graph, progress),
        Some(_) => sweep_as::<u64>(files, graph, progress),
    }
}

fn sweep_as<V: EdgeValue>(
    files: &StoreFiles<'_>,
    graph: &Graph,
    progress: StoreProgress<'_>,
) -> Result<EdgeFacts, StoreError> {
    let parts = graph.parts();
    let symmetric = parts.properties.symmetric;
    let key = (symmetric || parts.incoming.is_some()).then(EdgeKey::random);
    let rows = parts.properties.bipartite_rows;
    let is_row = |vertex: Vertex| rows.is_some_and(|rows| parts.ids.rank(vertex).is_some_and(|rank| rank < rows));
    let is_row: Option<&(dyn Fn(Vertex) -> bool + Sync)> = rows.is_some().then_some(&is_row);
    let counts = if key.is_none() { Some(sums(files, graph.num_vertices())?) } else { None };
    let mut sweep = Sweep { files, graph, sums: counts.as_deref(), key, is_row, progress };
    let Seen { duplicates, self_loops, mixed, sum, .. } = sweep.sides::<V>()?;
    if let Some(incoming) = &parts.incoming
        && sum != 0
    {
        let sums = sums(files, graph.num_vertices())?;
        sweep.sums = Some(&sums);
        sweep.sides::<V>()?;
        let vertex = first_left(&sums, |_| 0).map_or(0, |(vertex, _)| vertex);
        let page = incoming.first_page_of(Vertex::from_dense(vertex)).unwrap_or(PageId(0));
        return Err(StoreError::Sides { path: files.page_path(Side::In, page), page, vertex });
    }
    if let Some(counts) = &counts {
        let degrees = graph.in_degrees();
        if let Some((vertex, expected)) = first_left(counts, |vertex| u64::from(degrees[vertex])) {
            let (path, found) = (files.path(FileName::Degrees(Side::In)), u64::from(degrees[vertex as usize]));
            return Err(StoreError::Table { path, vertex, found, expected });
        }
    }
    Ok(EdgeFacts { duplicates, self_loops, mixed, asymmetric: symmetric && sum != 0 })
}

/// Returns a vector with one sum per vertex, initially 0.
fn sums(files: &StoreFiles<'_>, vertices: u64) -> Result<Vec<AtomicU64>, StoreError> {
    let memory = || StoreError::Memory { path: files.directory.path().to_owned(), bytes: bytes(vertices) };
    let len = usize::try_from(vertices).map_err(|_| memory())?;
    let mut sums = Vec::new();
    sums.try_reserve_exact(len).map_err(|_| memory())?;
    sums.resize_with(len, AtomicU64::default);
    Ok(sums)
}

/// Returns the first vertex whose sum differs from the expected value, and the sum.
fn first_left(sums: &[AtomicU64], expected: impl Fn(usize) -> u64 + Sync) -> Option<(u64, u64)> {
    let sum = |vertex: usize| sums[vertex].load(Ordering::Relaxed);
    let vertex = (0..sums.len()).into_par_iter().position_first(|vertex| sum(vertex) != expected(vertex))?;
    Some((vertex as u64, sum(vertex)))
}

/// A sweep over the edges of a graph.
struct Sweep<'a> {
    files: &'a StoreFiles<'a>,
    graph: &'a Graph,
    /// The sum over the edges into each vertex, if a single sum over all edges is not sufficient.
    sums: Option<&'a [AtomicU64]>,
    /// The key for hashing edges; `None` if edges are counted, because there is no other side.
    key: Option<EdgeKey>,
    is_row: Option<&'a (dyn Fn(Vertex) -> bool + Sync)>,
    progress: StoreProgress<'a>,
}

impl Sweep<'_> {
    /// Visits every edge of every side. Returns the properties of the out-edges, and the sum over both sides.
    fn sides<V: EdgeValue>(&self) -> Result<Seen, StoreError> {
        let parts = self.graph.parts();
        let mut seen = match parts.properties.symmetric {
            true => self.side::<V, true, true>(&parts.out, Side::Out)?,
            false => self.side::<V, true, false>(&parts.out, Side::Out)?,
        };
        if let Some(incoming) = &parts.incoming {
            seen.sum = seen.sum.wrapping_add(self.side::<V, false, true>(incoming, Side::In)?.sum);
        }
        Ok(seen)
    }

    /// Visits every edge of a side. With `FORTH`, the lists contain out-edges, whose hashes are added at their targets.
    /// With `BACK`, the lists contain in-edges, whose hashes are subtracted.
    fn side<V: EdgeValue, const FORTH: bool, const BACK: bool>(
        &self,
        topology: &Topology,
        side: Side,
    ) -> Result<Seen, StoreError> {
        let parts = self.graph.parts();
        let before = if side == Side::In { parts.out.bytes() } else { 0 };
        let total = parts.out.bytes() + parts.incoming.as_ref().map_or(0, Topology::bytes);
        let (mut seen, mut done) = (Seen::default(), before);
        let mut feed = topology.source().feed(&[PageRun::of(0..topology.num_pages())], usize::MAX)?;
        while let Some(group) = feed.next()? {
            seen = seen.join(self.group::<V, FORTH, BACK>(topology, &group));
            done += group.bytes().len() as u64;
            (self.progress)(done, total);
        }
        // Groups are delivered in arbitrary order.
        seen.seams.sort_unstable_by_key(|seam| seam.page);
        for pair in seen.seams.windows(2) {
            let [before, after] = [&pair[0], &pair[1]];
            if before.vertex == after.vertex && after.first < before.last {
                let source = PageError::Order { entry: 0, found: after.first, previous: before.last };
                return Err(StoreError::Page {
                    path: self.files.page_path(side, after.page),
                    page: after.page,
                    source,
                });
            }
            seen.duplicates |= before.vertex == after.vertex && after.first == before.last;
        }
        Ok(seen)
    }

    fn group<V: EdgeValue, const FORTH: bool, const BACK: bool>(&self, topology: &Topology, group: &PageGroup) -> Seen {
        let pages: Vec<_> = topology.pages_in(group).collect();
        let look = |(page, view): (PageId, PageView<'_>)| {
            let (sums, key, is_row) = (self.sums, self.key, self.is_row);
            let mut look =
                Look::<'_, FORTH, BACK> { sums, key, is_row, previous: None, back: 0, seen: Seen::default() };
            view.scan(0..view.num_entries(), V::from_bits(0), &mut look);
            look.seen.seams.extend(Seam::of(page, &view));
            look.seen
        };
        pages.into_par_iter().map(look).reduce(Seen::default, Seen::join)
    }
}

/// Properties of the edges in some pages.
#[derive(Default)]
struct Seen {
    duplicates: bool,
    self_loops: u64,
    mixed: bool,
    /// The sum of all hashes if there are no sums per vertex.
    sum: u64,
    /// The seams of large pages.
    seams: Vec<Seam>,
}

impl Seen {
    fn join(mut self, mut other: Self) -> Self {
        self.seams.append(&mut other.seams);
        Self {
            duplicates: self.duplicates || other.duplicates,
            self_loops: self.self_loops + other.self_loops,
            mixed: self.mixed || other.mixed,
            sum: self.sum.wrapping_add(other.sum),
            seams: self.seams,
        }
    }
}

/// The first and the last neighbour in one page of a large vertex.
struct Seam {
    page: PageId,
    vertex: u64,
    first: u64,
    last: u64,
}

impl Seam {
    fn of(page: PageId, view: &PageView<'_>) -> Option<Self> {
        let (first, last) = (view.neighbor(0)?, view.neighbor(view.num_entries() - 1)?);
        let vertex = view.vertices().start;
        view.is_large().then_some(Self { page, vertex, first: first.dense(), last: last.dense() })
    }
}

/// A visitor for each edge of a page.
struct Look<'a, const FORTH: bool, const BACK: bool> {
    sums: Option<&'a [AtomicU64]>,
    key: Option<EdgeKey>,
    is_row: Option<&'a (dyn Fn(Vertex) -> bool + Sync)>,
    previous: Option<(Vertex, Vertex)>,
    /// The sum over the edges into the current vertex.
    back: u64,
    seen: Seen,
}

impl<V: EdgeValue, const FORTH: bool, const BACK: bool> EdgeVisitor<V> for Look<'_, FORTH, BACK> {
    type Source = ();

    #[inline]
    fn begin(&mut self, _: Vertex) -> Option<()> {
        Some(())
    }

    #[inline]
    fn edge(&mut self, (): (), src: Vertex, dst: Vertex, value: V) {
        let key = self.key;
        let hash = |src: Vertex, dst: Vertex| {
            let edge = src.dense() << 32 | dst.dense();
            match key {
                Some(key) if V::BYTES == 0 => key.hash_bare(edge),
                Some(key) => key.hash(edge, value.to_bits()),
                None => 1,
            }
        };
        if BACK {
            self.back = self.back.wrapping_add(hash(dst, src));
        }
        if FORTH {
            let hash = hash(src, dst);
            match self.sums {
                Some(sums) => {
                    sums[dst.index()].fetch_add(hash, Ordering::Relaxed);
                }
                None => self.seen.sum = self.seen.sum.wrapping_add(hash),
            }
            self.seen.self_loops += u64::from(src == dst);
            self.seen.duplicates |= self.previous.replace((src, dst)) == Some((src, dst));
            if let Some(is_row) = self.is_row {
                self.seen.mixed |= is_row(src) == is_row(dst);
            }
        }
    }

    #[inline]
    fn end(&mut self, src: Vertex) {
        if BACK {
            let back = std::mem::take(&mut self.back);
            match self.sums {
                Some(sums) => {
                    sums[src.index()].fetch_sub(back, Ordering::Relaxed);
                }
                None => self.seen.sum = self.seen.sum.wrapping_sub(back),
            }
        }
    }
}
