//! Holds the tables and the statements of the manifest against the pages.

use super::StoreError;
use super::files::{FileName, MANIFEST, StoreFiles};
use crate::graph::{GraphParts, PageId, Side, Vertex};
use crate::page::{EdgeVisitor, Topology};
use rayon::prelude::*;

/// Checks degrees, heads and largest degrees.
pub(super) fn check(files: &StoreFiles<'_>, parts: &GraphParts) -> Result<(), StoreError> {
    check_degrees(files, Side::Out, &parts.out, &parts.out_degrees)?;
    if parts.properties.symmetric {
        check_largest(files, "largest-in-degree", parts.properties.largest_in_degree, &parts.out_degrees)?;
    } else {
        match &parts.incoming {
            Some(incoming) => check_degrees(files, Side::In, incoming, &parts.in_degrees)?,
            None => check_sum(files, &parts.in_degrees)?,
        }
        check_largest(files, "largest-in-degree", parts.properties.largest_in_degree, &parts.in_degrees)?;
    }
    check_largest(files, "largest-out-degree", parts.properties.largest_out_degree, &parts.out_degrees)?;
    match &parts.heads {
        Some(heads) => check_heads(files, &parts.out, heads),
        None => Ok(()),
    }
}

/// Checks that each vertex has as many edges as its degree says.
fn check_degrees(files: &StoreFiles<'_>, side: Side, topology: &Topology, degrees: &[u32]) -> Result<(), StoreError> {
    let wrong = (0..topology.num_pages()).into_par_iter().map(PageId).find_map_first(|page| {
        let view = topology.page(page);
        let first = topology.rvt().vertices(page).start;
        if view.is_large() {
            // The first page of a run answers for the whole vertex.
            let run = topology.pages_of(Vertex::from_dense(first));
            if topology.first_page_of(Vertex::from_dense(first)) != Some(page) {
                return None;
            }
            let entries = run.map(|page| u64::from(topology.page(page).num_entries())).sum();
            return differs(degrees, first, entries);
        }
        view.vertices().find_map(|vertex| {
            let list = view.list(Vertex::from_dense(vertex));
            differs(degrees, vertex, u64::from(list.end - list.start))
        })
    });
    match wrong {
        Some((vertex, found, expected)) => {
            Err(StoreError::Table { path: files.path(FileName::Degrees(side)), vertex, found, expected })
        }
        None => Ok(()),
    }
}

fn differs(degrees: &[u32], vertex: u64, expected: u64) -> Option<(u64, u64, u64)> {
    let found = degrees.get(vertex as usize).map_or(0, |&degree| u64::from(degree));
    (found != expected).then_some((vertex, found, expected))
}

/// Checks that in-degrees, which no pages stand behind, sum up to the edges.
fn check_sum(files: &StoreFiles<'_>, degrees: &[u32]) -> Result<(), StoreError> {
    let found: u64 = degrees.par_iter().map(|&degree| u64::from(degree)).sum();
    property(files, "edges", files.manifest.edges, found)
}

fn check_largest(files: &StoreFiles<'_>, what: &'static str, stated: u32, degrees: &[u32]) -> Result<(), StoreError> {
    property(files, what, stated, degrees.par_iter().copied().max().unwrap_or(0))
}

/// Checks a statement of the manifest.
pub(super) fn property<T: PartialEq + ToString>(
    files: &StoreFiles<'_>,
    what: &'static str,
    found: T,
    expected: T,
) -> Result<(), StoreError> {
    if found == expected {
        return Ok(());
    }
    let path = files.directory.join(MANIFEST);
    Err(StoreError::Property { path, what, found: found.to_string(), expected: expected.to_string() })
}

/// Checks each vertex's first neighbour.
fn check_heads(files: &StoreFiles<'_>, topology: &Topology, heads: &[u32]) -> Result<(), StoreError> {
    let wrong = heads.par_iter().enumerate().find_map_first(|(vertex, &found)| {
        let mut first = First(None);
        let vertex = Vertex::from_dense(vertex as u64);
        let page = topology.first_page_of(vertex)?;
        let view = topology.page(page);
        let list = view.list(vertex);
        view.scan(list.start..list.end.min(list.start + 1), (), &mut first);
        let expected = first.0.unwrap_or(u64::from(u32::MAX));
        (u64::from(found) != expected).then_some((vertex.dense(), u64::from(found), expected))
    });
    match wrong {
        Some((vertex, found, expected)) => {
            Err(StoreError::Table { path: files.path(FileName::Heads), vertex, found, expected })
        }
        None => Ok(()),
    }
}

/// Keeps the first neighbour that it is shown.
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
