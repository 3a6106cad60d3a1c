//! Divides the work of a pass into units that threads claim.

use gts_core::graph::PageId;
use gts_core::memory::{self, NoMemory};
use gts_core::page::Topology;
use gts_core::parallel::*;
use rayon::ThreadPool;
use std::ops::Range;

/// Number of entries per scan unit: about a hundred microseconds of work, so that threads finish at nearly the same
/// time.
const ENTRIES: u32 = 1 << 16;

/// Number of vertices per traversal unit. A unit without active vertices costs only a check of 16 words.
const VERTICES: u64 = 1 << 10;

/// Number of vertices per unit in a pass over all vertices.
const RANGE: u64 = 1 << 14;

/// Maximum number of scan units that a thread claims together. By default, the pool would create only about two parts
/// per thread, and all threads would wait for the slowest part.
pub(super) const SCANNED_AT_ONCE: usize = 1;
/// Maximum number of traversal units that a thread claims together. A traversal unit may contain little work.
pub(super) const VISITED_AT_ONCE: usize = 8;

/// Processes each unit in a pool. A thread claims at most `at_once` units together. The calling thread processes a
/// single unit, because waking another thread may take longer than the work.
pub(super) fn by_units<T: Sync>(pool: &ThreadPool, units: &[T], at_once: usize, work: impl Fn(&T) + Sync) {
    match units {
        [] => {}
        [unit] => work(unit),
        _ => pool.install(|| units.par_iter().with_max_len(at_once).for_each(&work)),
    }
}

/// Processes all vertices in a pool, in ranges that threads claim one by one. The calling thread processes a single
/// range.
pub(super) fn over_ranges(pool: &ThreadPool, vertices: u64, work: impl Fn(Range<u64>) + Sync) {
    sum_over_ranges(pool, vertices, |range| {
        work(range);
        0
    });
}

/// Processes all vertices like [`over_ranges`], and returns the sum of `work`'s results.
pub(super) fn sum_over_ranges(pool: &ThreadPool, vertices: u64, work: impl Fn(Range<u64>) -> u64 + Sync) -> u64 {
    let range = |unit: u64| unit * RANGE..vertices.min((unit + 1) * RANGE);
    match vertices.div_ceil(RANGE) {
        0 => 0,
        1 => work(range(0)),
        units => pool.install(|| (0..units).into_par_iter().map(|unit| work(range(unit))).sum()),
    }
}

/// A unit of a scan: a range of a page's entries.
#[derive(Clone, Debug)]
pub(super) struct ScanUnit {
    pub(super) page: PageId,
    pub(super) entries: Range<u32>,
}

/// A unit of a traversal: a range of a page's vertices.
#[derive(Clone, Debug)]
pub(super) struct ActiveUnit {
    pub(super) page: PageId,
    pub(super) vertices: Range<u64>,
}

/// A topology's units of work for scans and for traversals.
#[derive(Debug)]
pub(super) struct Units {
    pub(super) scan: Vec<ScanUnit>,
    pub(super) active: Vec<ActiveUnit>,
}

impl Units {
    /// Divides a topology into units. `degrees` contains the length of each vertex's list. The pages need not be in
    /// memory.
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

/// Divides a page's entries into scan units.
pub(super) fn scan_ranges(entries: u32) -> impl Iterator<Item = Range<u32>> {
    (0..entries).step_by(ENTRIES as usize).map(move |start| start..entries.min(start.saturating_add(ENTRIES)))
}

/// Divides a page's vertices into traversal units.
pub(super) fn active_ranges(vertices: Range<u64>) -> impl Iterator<Item = Range<u64>> {
    let end = vertices.end;
    vertices.step_by(VERTICES as usize).map(move |start| start..end.min(start + VERTICES))
}
