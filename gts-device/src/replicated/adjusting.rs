//! Adjusts the distribution of pages among replicas. The session measures the leaders and followers in a run's first
//! passes, and may redistribute the pages before the next pass.
//!
//! The results of kernels that replicas share do not depend on the shares, so a run may change the shares between
//! passes. A run changes the shares at most once, and only after passes over all edges: the time of one traversal step
//! does not predict the time of the next step.

use super::dealt::Dealt;
use super::pass::key;
use super::session::ReplicatedSession;
use crate::error::Result;
use crate::kernel::merge_totals;
use crate::trace::{Trace, TraceEvent, TraceKind};
use crate::{PageShare, Pass, PassRequest, topologies};
use gts_contract::AttributeKind;
use gts_core::cost::hybrid::{Adjustment, MeasuredPasses};
use gts_core::graph::{Graph, PageId};
use std::collections::btree_map::Entry;
use std::time::{Duration, Instant};

impl ReplicatedSession {
    /// Records the times that a pass took on the leaders and on the followers. Returns an adjustment if the recorded
    /// passes suffice for a decision.
    pub(super) fn observe(
        &mut self,
        pass: Pass<'_>,
        request: &PassRequest,
        [of_leaders, of_others]: [Duration; 2],
        messages: Duration,
    ) -> Option<Adjustment> {
        let all_edges = !request.active_only && request.neighbours.is_all() && request.share.is_whole();
        let adjusting = self.adjusting.as_mut().filter(|adjusting| all_edges && adjusting.next.is_none())?;
        let [gpu, cpu, messages] = adjusting.note(key(pass), [of_leaders, of_others, messages])?;
        let edges = |shares: &[PageShare]| -> u64 {
            let of = |share: &PageShare| -> u64 { topologies(&self.graph).map(|it| share.num_edges(it)).sum() };
            shares.iter().map(of).sum()
        };
        let alpha = edges(&self.shares[self.leaders..]) as f64 / edges(&self.shares).max(1) as f64;
        let measured = MeasuredPasses { alpha, gpu, cpu, messages };
        let adjustment = (adjusting.adjuster)(&measured);
        if adjustment.is_kept() {
            adjusting.settle(&self.graph, Dealt::clone);
            self.adjusting = None;
        } else {
            adjusting.next = Some(adjustment.to);
        }
        Some(adjustment)
    }

    /// Redistributes the pages if the adjuster has chosen a new share. No pass may be in progress.
    ///
    /// All state that depends on the shares is derived from `shares`, except the pages that sessions retain. Followers
    /// that get no pages are dropped along with their replicas. No values are lost: the leaders have the values of all
    /// vertices, and the session keeps the followers' parts of globals.
    pub(super) fn deal_again(&mut self) -> Result<()> {
        let Some((adjusting, alpha)) = self.adjusting.as_ref().and_then(|it| Some((it, it.next?))) else {
            return Ok(());
        };
        self.check_together()?;
        let begun = Instant::now();
        let dealt = Dealt::by(&self.graph, &adjusting.weights(alpha, self.leaders), adjusting.placement);
        adjusting.settle(&self.graph, |_| dealt.clone());
        self.adjusting = None;
        let settled = self.settle();
        self.told(settled)?;
        self.keep_globals(dealt.devices())?;
        while self.replicas.len() > dealt.devices() {
            self.replicas.pop();
        }
        if !self.is_led() {
            self.behind.clear();
        }
        self.replicas.iter_mut().for_each(|replica| replica.forget_shares());
        self.prepared.clear();
        let before = std::mem::replace(&mut self.shares, dealt.each());
        record_deal(&self.trace, &self.graph, [&before, &self.shares], begun);
        Ok(())
    }

    /// Saves the totals of the globals in all replicas after the first `left`, which are about to be dropped. Globals
    /// that every replica has accumulated in full need no copy.
    fn keep_globals(&mut self, left: usize) -> Result<()> {
        for (attribute, declared) in self.schema.attributes.iter().enumerate() {
            let AttributeKind::Global { merge } = declared.kind else { continue };
            for replica in self.replicas.iter_mut().skip(left).filter(|_| !self.same_globals.has(attribute)) {
                let part = replica.global(attribute)?;
                match self.dropped_globals.entry(attribute) {
                    Entry::Vacant(place) => {
                        place.insert(part);
                    }
                    Entry::Occupied(mut total) => {
                        merge_totals(declared.ty.scalar, merge, total.get_mut(), &part);
                    }
                }
            }
        }
        Ok(())
    }
}

/// Records a redistribution in the trace, with the number of pages that have changed owner.
fn record_deal(trace: &Trace, graph: &Graph, [before, after]: [&[PageShare]; 2], begun: Instant) {
    if !trace.is_on() {
        return;
    }
    let (mut pages, mut bytes) = (0, 0);
    for topology in topologies(graph) {
        let owner = |shares: &[PageShare], page| shares.iter().position(|share| share.contains(topology, page));
        let all = (0..topology.num_pages()).map(PageId);
        let moved = all.filter(|&page| owner(before, page) != owner(after, page)).count() as u64;
        pages += moved;
        bytes += moved * u64::from(topology.format().page_size());
    }
    let (start, end) = (trace.time_of(begun), trace.time_of(Instant::now()));
    trace.record(TraceEvent { kind: TraceKind::Deal, device: 0, lane: 0, start, end, bytes, pages, label: "topology" });
}
