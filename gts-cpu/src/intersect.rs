//! Passes that intersect lists. An intersecting pass may read any list at any time, so all pages must be in memory.
#![allow(unsafe_code)]

use super::session::{CpuSession, outcome};
use super::units::{SCANNED_AT_ONCE, by_units};
use gts_contract::Side;
use gts_device::error::Result;
use gts_device::kernel::{Context, EdgePass, MemoryKind, Oriented, Pairs, Share};
use gts_device::{PassOutcome, PassRequest, lists_between, on_disk};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

impl CpuSession {
    /// Visits every edge of a topology, with the lists of both end vertices.
    pub(super) fn intersect(
        &self,
        kernel: &dyn EdgePass,
        side: Side,
        request: &PassRequest,
        memory: MemoryKind,
        gts: Context<'_>,
    ) -> Result<PassOutcome> {
        let descriptor = kernel.descriptor();
        let mut lists = lists_between(&self.graph, descriptor)?;
        let topology = self.topology(side, descriptor)?;
        for topology in lists.other.into_iter().chain([lists.between, topology]) {
            if !topology.load_all()? {
                return Err(on_disk(descriptor));
            }
        }
        // If there are no oriented lists, the kernel reads the lists from their pages.
        let oriented = (kernel.meets_in_order() && lists.other.is_none())
            .then(|| {
                let degrees = if lists.side == Side::Out { gts.out_degrees } else { gts.in_degrees };
                self.pool.install(|| Oriented::new(lists.between, degrees, || gts.stopped()))
            })
            .flatten();
        lists.oriented = oriented.as_ref();
        lists.both_ways = lists.other.is_none() && self.graph.properties().symmetric && request.share.is_whole();
        let wide = self.vertex_bytes == 8;
        // Edge values are indexed by out-edge number.
        let numbers = descriptor.updates_edges().then(|| topology.first_edges(self.graph.out_degrees()));
        lists.numbers = numbers.as_deref();
        if let Some(oriented) = lists.oriented.filter(|_| lists.numbers.is_none() && request.share.is_whole()) {
            by_units(&self.pool, oriented.units(), SCANNED_AT_ONCE, |places| {
                // SAFETY: as in `CpuSession::scan`.
                self.on_lane(gts, |columns| unsafe {
                    kernel.run(Share::Places(oriented, places.clone()), memory, wide, columns, gts);
                });
            });
            return Ok(outcome(topology, topology.num_edges(), topology.num_pages().into(), 0));
        }
        let (edges, pages) = (AtomicU64::new(0), AtomicU64::new(0));
        let units = &self.units(side, topology)?.scan;
        by_units(&self.pool, units, SCANNED_AT_ONCE, |unit| {
            if !request.share.contains(topology, unit.page) {
                return;
            }
            let Some(pairs) = Pairs::new(topology, unit.page, unit.entries.clone(), lists) else {
                return;
            };
            edges.fetch_add(unit.entries.len() as u64, Relaxed);
            pages.fetch_add(u64::from(unit.entries.start == 0), Relaxed);
            self.on_lane(gts, |columns| {
                // SAFETY: as in `CpuSession::scan`.
                unsafe { kernel.run(Share::Pairs(pairs), memory, wide, columns, gts) };
            });
        });
        Ok(outcome(topology, edges.into_inner(), pages.into_inner(), 0))
    }
}
