//! How the work on a topology is cut into units that threads take one by one.

use gts_core::graph::PageId;
use gts_core::memory::{self, NoMemory};
use gts_core::page::{PageView, Topology};
use std::ops::Range;

/// Entries of a unit of a scan: some hundred microseconds of work, so that threads end together.
const ENTRIES: u32 = 1 << 16;

/// Vertices of a unit of a traversal. A unit without an active vertex costs a look at 16 words.
const VERTICES: u64 = 1 << 10;

/// The most units of a scan that a thread takes at once. By default the pool cuts work into about two parts a thread, and
/// every thread waits for the slowest part.
pub(super) const SCANNED_AT_ONCE: usize = 1;
/// The same for a traversal, whose units may be little work.
pub(super) const VISITED_AT_ONCE: usize = 8;

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

/// The units of a topology in memory.
#[derive(Debug)]
pub(super) struct Units {
    pub(super) scan: Vec<ScanUnit>,
    pub(super) active: Vec<ActiveUnit>,
}

impl Units {
    pub(super) fn new(topology: &Topology) -> Result<Self, NoMemory> {
        const WHAT: &str = "units of work";
        let mut units = Self { scan: Vec::new(), active: Vec::new() };
        for page in (0..topology.num_pages()).map(PageId) {
            let Some(view) = topology.page(page) else { continue };
            if view.num_entries() > 0 {
                for entries in scan_ranges(&view) {
                    memory::push(WHAT, &mut units.scan, ScanUnit { page, entries })?;
                }
                for vertices in active_ranges(&view) {
                    memory::push(WHAT, &mut units.active, ActiveUnit { page, vertices })?;
                }
            }
        }
        Ok(units)
    }
}

/// The entries of a page, cut for a scan.
pub(super) fn scan_ranges(page: &PageView<'_>) -> impl Iterator<Item = Range<u32>> + use<> {
    let entries = page.num_entries();
    (0..entries).step_by(ENTRIES as usize).map(move |start| start..entries.min(start.saturating_add(ENTRIES)))
}

/// The vertices of a page, cut for a traversal.
pub(super) fn active_ranges(page: &PageView<'_>) -> impl Iterator<Item = Range<u64>> + use<> {
    let vertices = page.vertices();
    let end = vertices.end;
    vertices.step_by(VERTICES as usize).map(move |start| start..end.min(start + VERTICES))
}
