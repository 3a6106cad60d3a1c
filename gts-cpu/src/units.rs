//! Division of the work on a topology into units for threads.

use gts_core::graph::PageId;
use gts_core::memory::{self, NoMemory};
use gts_core::page::Topology;
use rayon::ThreadPool;
use rayon::prelude::*;
use std::ops::Range;

/// Entries of a unit of a scan: some hundred microseconds of work, so that threads finish together.
const ENTRIES: u32 = 1 << 16;

/// Vertices of a unit of a traversal. A unit without an active vertex costs a check of 16 words.
const VERTICES: u64 = 1 << 10;

/// Vertices of a unit of a pass over all vertices.
const RANGE: u64 = 1 << 14;

/// Maximum number of scan units that a thread takes at once. By default the pool makes about two parts per thread, and
/// every thread waits for the slowest part.
pub(super) const SCANNED_AT_ONCE: usize = 1;
/// Maximum number of traversal units that a thread takes at once. Such units may be little work.
pub(super) const VISITED_AT_ONCE: usize = 8;

/// Processes each unit of a list in a pool. A thread takes at most `at_once` units at a time. The calling thread
/// processes a single unit itself: waking another thread may take longer than the work.
pub(super) fn by_units<T: Sync>(pool: &ThreadPool, units: &[T], at_once: usize, work: impl Fn(&T) + Sync) {
    match units {
        [] => {}
        [unit] => work(unit),
        _ => pool.install(|| units.par_iter().with_max_len(at_once).for_each(&work)),
    }
}

/// Processes all vertices in a pool, in ranges that threads take one by one. The calling thread processes a single
/// range itself.
pub(super) fn over_ranges(pool: &ThreadPool, vertices: u64, work: impl Fn(Range<u64>) + Sync) {
    sum_over_ranges(pool, vertices, |range| {
        work(range);
        0
    });
}

/// Returns the sum of the results of all ranges, processed as by [`over_ranges`].
pub(super) fn sum_over_ranges(pool: &ThreadPool, vertices: u64, work: impl Fn(Range<u64>) -> u64 + Sync) -> u64 {
    let range = |unit: u64| unit * RANGE..vertices.min((unit + 1) * RANGE);
    match vertices.div_ceil(RANGE) {
        0 => 0,
        1 => work(range(0)),
        units => pool.install(|| (0..units).into_par_iter().map(|unit| work(range(unit))).sum()),
    }
}

/// A range of a page's edges.
#[derive(Clone, Debug)]
pub(super) struct ScanUnit {
    pub(super) page: PageId,
    pub(super) entries: Range<u32>,
}

/// A range of a page's vertices.
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
    /// Divides the work on a topology, given the lengths of its lists. Pages need not be in memory.
    pub(super) fn new(topology: &Topology, degrees: &[u32]) -> Result<Self, NoMemory> {
        const WHAT: &str = "units of work";
        let mut units = Self { scan: Vec::new(), active: Vec::new() };
        let first_edges = topology.first_edges(degrees);
        let ends = first_edges.iter().skip(1).copied().chain([topology.num_edges()]);
        for (page, (first, end)) in (0..).map(PageId).zip(first_edges.iter().zip(ends)) {
            let entries = end.saturating_sub(*first).min(u32::MAX.into()) as u32;
            if entries > 0 {
                for entries in scan_ranges(entries) {
                    memory::push(WHAT, &mut units.scan, ScanUnit { page, entries })?;
                }
                for vertices in active_ranges(topology.rvt().vertices(page)) {
                    memory::push(WHAT, &mut units.active, ActiveUnit { page, vertices })?;
                }
            }
        }
        Ok(units)
    }
}

/// Divides the entries of a page for a scan.
pub(super) fn scan_ranges(entries: u32) -> impl Iterator<Item = Range<u32>> {
    (0..entries).step_by(ENTRIES as usize).map(move |start| start..entries.min(start.saturating_add(ENTRIES)))
}

/// Divides the vertices of a page for a traversal.
pub(super) fn active_ranges(vertices: Range<u64>) -> impl Iterator<Item = Range<u64>> {
    let end = vertices.end;
    vertices.step_by(VERTICES as usize).map(move |start| start..end.min(start + VERTICES))
}
