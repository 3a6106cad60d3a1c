//! Division of the work on a topology into units for threads.

use gts_core::graph::PageId;
use gts_core::memory::{self, NoMemory};
use gts_core::page::Topology;
use rayon::ThreadPool;
use rayon::prelude::*;
use std::ops::Range;

/// Number of entries in a unit of a scan: about a hundred microseconds of work, so that threads finish at nearly the
/// same time.
const ENTRIES: u32 = 1 << 16;

/// Number of vertices in a unit of a traversal. A unit without active vertices costs only a check of 16 words.
const VERTICES: u64 = 1 << 10;

/// Number of vertices in a unit of a pass over all vertices.
const RANGE: u64 = 1 << 14;

/// Maximum number of scan units that a thread claims together. By default, the pool would divide the work into about
/// two parts per thread, and every thread would wait for the slowest part.
pub(super) const SCANNED_AT_ONCE: usize = 1;
/// Maximum number of traversal units that a thread claims together. A traversal unit may contain little work.
pub(super) const VISITED_AT_ONCE: usize = 8;

/// Processes each unit in a pool. A thread claims at most `at_once` units together. If there is only one unit, the
/// calling thread processes it, because waking another thread may take longer than the work.
pub(super) fn by_units<T: Sync>(pool: &ThreadPool, units: &[T], at_once: usize, work: impl Fn(&T) + Sync) {
    match units {
        [] => {}
        [unit] => work(unit),
        _ => pool.install(|| units.par_iter().with_max_len(at_once).for_each(&work)),
    }
}

/// Processes all vertices in a pool, in ranges that threads claim one by one. If there is only one range, the calling
/// thread processes it.
pub(super) fn over_ranges(pool: &ThreadPool, vertices: u64, work: impl Fn(Range<u64>) + Sync) {
    sum_over_ranges(pool, vertices, |range| {
        work(range);
        0
    });
}

/// Processes all vertices like [`over_ranges`], and returns the sum of the results of all ranges.
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

/// The units of work of a topology, for scans and for traversals.
#[derive(Debug)]
pub(super) struct Units {
    pub(super) scan: Vec<ScanUnit>,
    pub(super) active: Vec<ActiveUnit>,
}

impl Units {
    /// Divides the work on a topology into units. `degrees` contains the length of each list. Pages need not be in
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

/// Divides the entries of a page into units of a scan.
pub(super) fn scan_ranges(entries: u32) -> impl Iterator<Item = Range<u32>> {
    (0..entries).step_by(ENTRIES as usize).map(move |start| start..entries.min(start.saturating_add(ENTRIES)))
}

/// Divides the vertices of a page into units of a traversal.
pub(super) fn active_ranges(vertices: Range<u64>) -> impl Iterator<Item = Range<u64>> {
    let end = vertices.end;
    vertices.step_by(VERTICES as usize).map(move |start| start..end.min(start + VERTICES))
}
