//! Walks over all pages of a topology, or over the pages of active vertices. The unsafe code relies on the guarantees
//! of the session's `lend`.

use super::CpuSession;
use crate::units::{SCANNED_AT_ONCE, VISITED_AT_ONCE, by_units};
use crate::{streamed, units};
use gts_contract::{KernelDescriptor, Side};
use gts_core::graph::{PageId, Vertex};
use gts_core::page::{PageGroup, PageRun, PageView, Topology};
use gts_device::error::Result;
use gts_device::kernel::{BitSet, Context, EdgePass, MemoryKind, Share};
use gts_device::trace::{TraceEvent, TraceKind};
use gts_device::{PassOutcome, PassRequest};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

impl CpuSession {
    /// Runs an edge kernel on every edge of a side. If `receives` is set, runs the kernel only on edges from active
    /// vertices, and reads these edges from the opposite topology.
    pub(super) fn scan(
        &self,
        kernel: &dyn EdgePass,
        side: Side,
        request: &PassRequest,
        memory: MemoryKind,
        gts: Context<'_>,
        receives: bool,
    ) -> Result<PassOutcome> {
        let wide = self.vertex_bytes == 8;
        let walked = if receives { side.opposite() } else { side };
        let outcome = self.walk(kernel.descriptor(), walked, request, gts, |page, entries| {
            self.on_lane(gts, |columns| {
                let (share, memory) = match receives {
                    // A small page contains complete lists, so each list can be processed by one unit.
                    true if !page.is_large() => {
                        (Share::Receiving(page, page.whole_lists(entries), &self.active), MemoryKind::Owned)
                    }
                    true => (Share::Receiving(page, entries, &self.active), memory),
                    false => (Share::Entries(page, entries), memory),
                };
                // SAFETY: `lend` gave the lane the columns of this session's schema and graph. `memory` is owned only
                // if the pool has one thread, or the lane's written columns are its own, or the kernel writes only at
                // the vertices of whole lists, which are in no other share.
                unsafe { kernel.run(share, memory, wide, columns, gts) };
            });
        })?;
        Ok(PassOutcome { pulled: receives, ..outcome })
    }

    /// Processes every edge of the request's share in the pool. A unit is a range of a page's entries.
    pub(crate) fn walk(
        &self,
        kernel: &KernelDescriptor,
        side: Side,
        request: &PassRequest,
        gts: Context<'_>,
        work: impl Fn(PageView<'_>, Range<u32>) + Sync,
    ) -> Result<PassOutcome> {
        let topology = self.topology(side, kernel)?;
        let edges = AtomicU64::new(0);
        let work = |page: PageView<'_>, entries: Range<u32>| {
            edges.fetch_add(entries.len() as u64, Relaxed);
            work(page, entries);
        };
        let wanted = |page| request.share.contains(topology, page);
        let runs = PageRun::join((0..topology.num_pages()).map(PageId).filter(|&page| wanted(page)));
        let mut read = 0;
        if request.share.load(topology)? {
            let units = &self.units(side, topology)?.scan;
            by_units(&self.pool, units, SCANNED_AT_ONCE, |unit| {
                if wanted(unit.page)
                    && let Some(page) = topology.page(unit.page)
                {
                    // Units are computed from the store's tables, and a damaged page may have fewer entries than the
                    // tables state.
                    let entries = unit.entries.start..unit.entries.end.min(page.num_entries());
                    if !entries.is_empty() {
                        work(page, entries);
                    }
                }
            });
        } else {
            let fed = |group: &PageGroup| read += self.fed(group);
            let cut = |page: &PageView<'_>| units::scan_ranges(page.num_entries()).collect();
            streamed::stream(&self.pool, topology, &runs, &|| gts.stopped(), fed, cut, work)?;
        }
        Ok(outcome(topology, edges.into_inner(), pages_in(&runs), read))
    }

    /// Runs an edge kernel on the edges of the active vertices.
    pub(super) fn visit(
        &self,
        kernel: &dyn EdgePass,
        side: Side,
        request: &PassRequest,
        memory: MemoryKind,
        gts: Context<'_>,
    ) -> Result<PassOutcome> {
        let topology = self.topology(side, kernel.descriptor())?;
        let wide = self.vertex_bytes == 8;
        let edges = AtomicU64::new(0);
        let work = |page: PageView<'_>, vertices: Range<u64>| {
            let active = || self.active.iter(vertices.clone());
            let lists = || match page.is_large() {
                true => page.num_entries().into(),
                false => active().map(|v| self.degree(side, v)).sum(),
            };
            edges.fetch_add(request.neighbours.most_edges(|| active().count() as u64, lists), Relaxed);
            self.on_lane(gts, |columns| {
                let share = Share::Active(page, vertices, &self.active);
                // SAFETY: as in `CpuSession::scan`.
                unsafe { kernel.run(share, memory, wide, columns, gts) };
            });
        };
        if request.share.load(topology)? {
            let visited = BitSet::new(u64::from(topology.num_pages()))?;
            let units = &self.units(side, topology)?.active;
            by_units(&self.pool, units, VISITED_AT_ONCE, |unit| {
                if request.share.contains(topology, unit.page)
                    && self.is_active(unit.vertices.clone())
                    && let Some(page) = topology.page(unit.page)
                {
                    visited.insert(Vertex::from_dense(unit.page.0.into()));
                    work(page, unit.vertices.clone());
                }
            });
            Ok(outcome(topology, edges.into_inner(), visited.count(), 0))
        } else {
            let wanted = |page| request.share.contains(topology, page) && self.is_active(topology.rvt().vertices(page));
            let runs = PageRun::join((0..topology.num_pages()).map(PageId).filter(|&page| wanted(page)));
            let mut read = 0;
            let fed = |group: &PageGroup| read += self.fed(group);
            let cut = |page: &PageView<'_>| {
                units::active_ranges(page.vertices()).filter(|vertices| self.is_active(vertices.clone())).collect()
            };
            streamed::stream(&self.pool, topology, &runs, &|| gts.stopped(), fed, cut, work)?;
            Ok(outcome(topology, edges.into_inner(), pages_in(&runs), read))
        }
    }

    fn is_active(&self, vertices: Range<u64>) -> bool {
        self.active.iter(vertices).next().is_some()
    }

    /// Records the read of a page group in the trace. Returns the number of bytes read from storage for the group.
    fn fed(&self, group: &PageGroup) -> u64 {
        let Some((begun, ended)) = group.read() else { return 0 };
        let bytes = group.bytes().len() as u64;
        if self.trace.is_on() {
            let (start, end) = (self.trace.time_of(begun), self.trace.time_of(ended));
            let (kind, pages, label) = (TraceKind::Read, group.run().count.into(), "topology");
            let device = self.number;
            self.trace.record(TraceEvent { kind, device, lane: 0, start, end, bytes, pages, label });
        }
        bytes
    }
}

/// Returns the total number of pages in `runs`.
fn pages_in(runs: &[PageRun]) -> u64 {
    runs.iter().map(|run| u64::from(run.count)).sum()
}

/// Returns the outcome of a pass that visited `pages` pages.
pub(crate) fn outcome(topology: &Topology, edges: u64, pages: u64, read: u64) -> PassOutcome {
    let bytes = pages * u64::from(topology.format().page_size());
    PassOutcome { edges, pages, bytes, read, ..PassOutcome::default() }
}
