//! How the work on a topology is cut into units that threads take one by one.

use gts_core::graph::PageId;
use gts_core::page::Topology;
use std::ops::Range;

/// Entries of a unit of a scan: some hundred microseconds of work, so that threads end together.
const ENTRIES: u32 = 1 << 16;

/// Vertices of a unit of a traversal. A unit without an active vertex costs a look at 16 words.
const VERTICES: u64 = 1 << 10;

/// Edges of a page.
#[derive(Clone, Debug)]
pub(super) struct ScanUnit {
    pub(super) page: PageId,
    pub(super) entries: Range<u32>,
}

/// Vertices of a page.
#[derive(Clone, Debug)]
pub(super) struct ActiveUnit {
    pub(super) page: PageId,
    pub(super) vertices: Range<u64>,
}

/// The units of a topology.
#[derive(Debug)]
pub(super) struct Units {
    pub(super) scan: Vec<ScanUnit>,
    pub(super) active: Vec<ActiveUnit>,
}

impl Units {
    pub(super) fn new(topology: &Topology) -> Self {
        let mut units = Self { scan: Vec::new(), active: Vec::new() };
        for page in (0..topology.num_pages()).map(PageId) {
            let view = topology.page(page);
            let entries = view.num_entries();
            if entries == 0 {
                continue;
            }
            units.scan.extend(
                (0..entries)
                    .step_by(ENTRIES as usize)
                    .map(|start| ScanUnit { page, entries: start..entries.min(start.saturating_add(ENTRIES)) }),
            );
            let vertices = view.vertices();
            units.active.extend(
                vertices
                    .clone()
                    .step_by(VERTICES as usize)
                    .map(|start| ActiveUnit { page, vertices: start..vertices.end.min(start + VERTICES) }),
            );
        }
        units
    }
}
