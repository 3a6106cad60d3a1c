//! Checks the tables and the manifest's entries against the pages.

use super::StoreError;
use super::files::{FileName, MANIFEST};
use super::opened::StoreFiles;
use crate::encoding::slotted::Layout;
use crate::graph::{Graph, GraphParts, PageId, Vertex};
use crate::page::{EdgeVisitor, Ends, Imbalance, PageFormat, PageView, Rvt};
use crate::parallel::*;
use crate::summaries;
use gts_contract::Side;
use std::sync::Arc;

/// The tables that are checked against each page.
#[derive(Clone)]
pub(crate) struct PageTables {
    /// The direction of the pages' edges.
    pub(crate) side: Side,
    /// The degree of each vertex in this direction.
    pub(crate) degrees: Arc<Vec<u32>>,
    /// The first out-neighbour of each vertex. `None` for pages of in-edges, or if the store lacks this table.
    pub(crate) heads: Option<Arc<Vec<u32>>>,
    /// The vertices with an edge in the other direction, to which all neighbours must belong. `None` if every vertex
    /// has such an edge.
    pub(crate) ends: Option<Arc<Ends>>,
}

/// A table entry that contradicts a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mismatch {
    pub(crate) table: FileName,
    pub(crate) vertex: u64,
    /// The value in the table.
    pub(crate) found: u64,
    /// The value according to the page.
    pub(crate) expected: u64,
}

impl PageTables {
    /// Checks the table entries for the vertices of a page.
    pub(crate) fn check(
        &self,
        format: &PageFormat,
        rvt: &Rvt,
        page: PageId,
        view: &PageView<'_>,
    ) -> Result<(), Mismatch> {
        // Large pages, and pages that seem to contradict a table, are checked vertex by vertex to locate the wrong
        // entry.
        if !view.is_large() && self.agree(view) {
            return Ok(());
        }
        for number in view.vertices() {
            let vertex = Vertex::from_dense(number);
            let list = view.list(vertex);
            let entries = u64::from(list.end - list.start);
            let degree = self.degrees.get(vertex.index()).map_or(0, |&degree| u64::from(degree));
            let (stated, first) = if view.is_large() { large(format, rvt, page, degree) } else { (degree, true) };
            if entries != stated {
                let found = degree;
                // A single page of a large vertex reveals the difference from the right degree.
                let expected = (degree + entries).saturating_sub(stated);
                return Err(Mismatch { table: FileName::Degrees(self.side), vertex: number, found, expected });
            }
            if let Some(heads) = self.heads.as_deref().filter(|_| first) {
                let mut head = First(None);
                view.scan(list.start..list.end.min(list.start + 1), (), &mut head);
                let expected = head.0.unwrap_or(u64::from(u32::MAX));
                let found = heads.get(vertex.index()).map_or(0, |&head| u64::from(head));
                if found != expected {
                    return Err(Mismatch { table: FileName::Heads, vertex: number, found, expected });
                }
            }
        }
        Ok(())
    }

    /// Returns whether a fast check confirms the table entries of all vertices in a small page.
    fn agree(&self, view: &PageView<'_>) -> bool {
        let vertices = view.vertices().start as usize..view.vertices().end as usize;
        let Some(degrees) = self.degrees.get(vertices.clone()) else { return false };
        let lists = view.lists().zip(degrees);
        match self.heads.as_deref() {
            None => lists.fold(true, |agree, (list, &degree)| agree & (list.end - list.start == degree)),
            Some(heads) => heads.get(vertices).is_some_and(|heads| {
                lists.zip(heads).fold(true, |agree, ((list, &degree), &head)| {
                    let first = if list.is_empty() { None } else { view.neighbor(list.start) };
                    let first = first.map_or(u64::from(u32::MAX), Vertex::dense);
                    agree & (list.end - list.start == degree) & (first == u64::from(head))
                })
            }),
        }
    }
}

/// Returns the number of entries in a page of a large vertex with this degree, and whether the page is the vertex's
/// first. All pages of a large vertex except the last are full.
fn large(format: &PageFormat, rvt: &Rvt, page: PageId, degree: u64) -> (u64, bool) {
    let vertex = Vertex::from_dense(rvt.start_vid(page));
    let capacity = Layout::new(format).capacity(1);
    let before = rvt.first_page_of(vertex).map_or(0, |first| u64::from(page.0 - first.0));
    let rest = degree.saturating_sub(before * capacity);
    (if rvt.lp_range(page) == 1 { rest } else { rest.min(capacity) }, before == 0)
}

/// Checks the stored imbalance of pages against the degrees.
pub(super) fn check_imbalance(files: &StoreFiles<'_>, graph: &Graph, side: Side) -> Result<(), StoreError> {
    let Some(topology) = graph.topology(side) else { return Ok(()) };
    let degrees = match side {
        Side::Out => graph.out_degrees(),
        Side::In => graph.in_degrees(),
    };
    let (found, expected) = (topology.imbalance().bytes(), Imbalance::of(topology.rvt(), degrees));
    let mut pages = (0..).map(PageId).zip(found.iter().zip(expected.bytes()));
    match pages.find(|(_, (found, expected))| found != expected) {
        None => Ok(()),
        Some((page, (&found, &expected))) => {
            let path = files.path(FileName::Imbalance(side));
            Err(StoreError::Imbalance { path, page, found, expected })
        }
    }
}

/// Checks the manifest's entries about the tables, without reading pages.
pub(super) fn check_tables(files: &StoreFiles<'_>, parts: &GraphParts) -> Result<(), StoreError> {
    check_sum(files, &parts.out_degrees)?;
    let in_degrees = if parts.properties.symmetric { &parts.out_degrees } else { &parts.in_degrees };
    check_sum(files, in_degrees)?;
    check_largest(files, "largest-in-degree", parts.properties.largest_in_degree, in_degrees)?;
    check_largest(files, "largest-out-degree", parts.properties.largest_out_degree, &parts.out_degrees)
}

/// Checks that the degrees add up to the number of edges.
fn check_sum(files: &StoreFiles<'_>, degrees: &[u32]) -> Result<(), StoreError> {
    let found: u64 = degrees.par_iter().map(|&degree| u64::from(degree)).sum();
    property(files, "edges", files.manifest.edges, found)
}

fn check_largest(files: &StoreFiles<'_>, what: &'static str, stated: u32, degrees: &[u32]) -> Result<(), StoreError> {
    property(files, what, stated, summaries::largest(degrees).unwrap_or(0))
}

/// Checks one entry of the manifest against the actual value.
pub(super) fn property<T: PartialEq + ToString>(
    files: &StoreFiles<'_>,
    what: &'static str,
    found: T,
    expected: T,
) -> Result<(), StoreError> {
    if found == expected {
        return Ok(());
    }
    let path = files.directory.path().join(MANIFEST);
    Err(StoreError::Property { path, what, found: found.to_string(), expected: expected.to_string() })
}

/// A visitor that records the first neighbour.
struct First(Option<u64>);

impl EdgeVisitor<()> for First {
    type Source = ();

    fn begin(&mut self, _: Vertex) -> Option<()> {
        Some(())
    }

    fn edge(&mut self, (): (), _: Vertex, dst: Vertex, (): ()) {
        self.0.get_or_insert(dst.dense());
    }
}
