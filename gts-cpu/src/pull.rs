//! Pulling passes, which walk the lists of the receiving vertices. A scan first computes the contribution of every
//! source. Each vertex then gathers the contributions of its neighbours. In a traversal step, each receiving vertex
//! searches its list for active vertices.
#![allow(unsafe_code)]

use super::memory::Bytes;
use super::session::CpuSession;
use super::units::{over_ranges, sum_over_ranges};
use gts_contract::{KernelDescriptor, Side};
use gts_core::cost::scans_pull_on_cpu;
use gts_device::error::Result;
use gts_device::kernel::{Context, EdgePass, PullPass, RawColumn, Receivers};
use gts_device::tuning;
use gts_device::{PassOutcome, PassRequest, Propagation, cannot_pull};
use std::ops::Range;

/// The kernel's pulling form, and memory for the contribution of each vertex. `handed` is `None` if contributions are
/// computed at the edges.
#[derive(Clone, Copy)]
pub(super) struct PullingScan {
    form: &'static dyn PullPass,
    handed: Option<RawColumn>,
}

impl CpuSession {
    /// Returns the state of a pulling scan, or `None` if the pass is a traversal or should push.
    pub(super) fn pulling(&mut self, kernel: &dyn EdgePass, request: &PassRequest) -> Result<Option<PullingScan>> {
        let Some(form) = kernel.pull().filter(|_| !request.active_only && request.neighbours.is_all()) else {
            return Ok(None);
        };
        let graph = &self.graph;
        let pulls = match request.propagation {
            Propagation::Push => false,
            Propagation::Pull | Propagation::PullAtEdge if !request.can_pull(graph) => {
                return Err(cannot_pull(kernel.descriptor()));
            }
            Propagation::Pull | Propagation::PullAtEdge => true,
            Propagation::Auto => self.may_pull(request) && scans_pull_on_cpu(graph.num_edges(), graph.num_vertices()),
        };
        if !pulls {
            return Ok(None);
        }
        if request.propagation == Propagation::PullAtEdge {
            return Ok(Some(PullingScan { form, handed: None }));
        }
        let bytes = form.handed_bytes() * graph.num_vertices() as usize;
        if self.handed.as_slice().len() < bytes {
            self.handed = Bytes::zeroed(bytes, "values handed along edges")?;
        }
        Ok(Some(PullingScan { form, handed: Some(self.handed.column()) }))
    }

    /// Returns whether a step of a traversal should pull.
    pub(super) fn receives(&self, kernel: &KernelDescriptor, request: &PassRequest) -> Result<bool> {
        if !request.active_only || !kernel.facts.pulls || !request.neighbours.is_all() {
            return Ok(false);
        }
        match request.propagation {
            Propagation::Push => return Ok(false),
            Propagation::Pull | Propagation::PullAtEdge if !request.can_pull(&self.graph) => {
                return Err(cannot_pull(kernel));
            }
            Propagation::Pull | Propagation::PullAtEdge if request.decided => return Ok(true),
            Propagation::Pull | Propagation::PullAtEdge => {}
            Propagation::Auto if !self.may_pull(request) => return Ok(false),
            // Pulling is faster if the kernel leaves lists early, as in Beamer's bottom-up step, or if pulling avoids
            // atomic additions.
            Propagation::Auto if kernel.leaves_lists_early() || kernel.sums_at_target() => {}
            Propagation::Auto => return Ok(false),
        }
        let share = match kernel.sums_at_target() && !kernel.leaves_lists_early() {
            true => tuning::CPU_PULL_SUMS_SHARE,
            false => tuning::CPU_PULL_SHARE,
        };
        let active: u64 = request.sides.iter().map(|&side| self.active_edges(side)).sum();
        Ok(active.saturating_mul(share) >= self.graph.num_edges() * request.sides.len() as u64)
    }

    /// Returns whether all opposite topologies exist, and none of them is on disk while the pass's own topology is in
    /// memory.
    fn may_pull(&self, request: &PassRequest) -> bool {
        let in_memory = |side: Side| self.graph.topology(side).is_some_and(|topology| topology.is_resident());
        request.can_pull(&self.graph) && request.sides.iter().all(|&side| in_memory(side.opposite()) >= in_memory(side))
    }

    /// Returns the total degree of the active vertices on a side.
    fn active_edges(&self, side: Side) -> u64 {
        let of_range = |range: Range<u64>| self.active.iter(range).map(|v| self.degree(side, v)).sum();
        sum_over_ranges(&self.pool, self.graph.num_vertices(), of_range)
    }

    /// Computes the contribution of each vertex, unless contributions are computed at the edges.
    pub(super) fn hand_out(&self, PullingScan { form, handed }: PullingScan, gts: Context<'_>) {
        let Some(handed) = handed else { return };
        let wide = self.vertex_bytes == 8;
        over_ranges(&self.pool, self.graph.num_vertices(), |range| {
            // SAFETY: `lend` gave the lane the columns of this session's schema and graph, and `pulling` allocated an
            // element per vertex. No two ranges share a vertex.
            self.on_lane(gts, |columns| unsafe { form.hand(range, handed, wide, columns, gts) });
        });
    }

    /// Walks every edge of a side by reading the opposite topology, which lists the edges by receiver.
    pub(super) fn pull(
        &self,
        kernel: &dyn EdgePass,
        PullingScan { form, handed }: PullingScan,
        side: Side,
        request: &PassRequest,
        gts: Context<'_>,
    ) -> Result<PassOutcome> {
        let wide = self.vertex_bytes == 8;
        let outcome = self.walk(kernel.descriptor(), side.opposite(), request, gts, |page, entries| {
            // A small page contains complete lists, so a receiver's list can be processed by a single unit.
            let shared = page.is_large();
            let entries = if shared { entries } else { page.whole_lists(entries) };
            self.on_lane(gts, |columns| {
                // SAFETY: as for `hand_out`, which has ended; the vertices of whole lists are in no other unit.
                unsafe { form.run(Receivers { page, entries, shared }, handed, wide, columns, gts) };
            });
        })?;
        Ok(PassOutcome { pulled: true, ..outcome })
    }
}
