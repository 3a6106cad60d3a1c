//! Adjustment of the distribution of pages among replicas. The session measures leaders and followers in the first
//! passes of a run, and may redistribute the pages before the next pass.
//!
//! The results of kernels that replicas share do not depend on the shares, so a run may change the shares between
//! passes. A run changes the shares at most once, and only after passes over all edges: the time of one traversal step
//! does not predict the time of the next step.

use super::pass::key;
use super::session::ReplicatedSession;
use crate::error::Result;
use crate::hybrid::weights;
use crate::trace::{Trace, TraceEvent, TraceKind};
use crate::{PageShare, PageShares, Pass, PassRequest, Placement, is_same, topologies};
use gts_core::cost::hybrid::{Adjustment, MeasuredPasses};
use gts_core::graph::{Graph, PageId};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A function that chooses the followers' share of the edges from the times of the first passes of a run.
pub type Adjuster = Arc<dyn Fn(&MeasuredPasses) -> Adjustment + Send + Sync>;

/// A graph and the distribution of its pages.
pub(crate) struct Known {
    pub graph: Graph,
    pub dealt: Dealt,
}

/// The distribution of a graph's pages among devices. Devices at the end of the list are left out if they get no pages.
#[derive(Clone)]
pub(super) struct Dealt {
    weights: Vec<u32>,
    shares: Arc<PageShares>,
    /// Whether the distribution is final, based on measured passes.
    pub is_settled: bool,
}

impl Dealt {
    /// Distributes the pages of a graph to one device per weight.
    pub(crate) fn by(graph: &Graph, weights: &[u32], placement: Placement) -> Self {
        let shares = PageShares::weighted(graph, weights, placement);
        Self { weights: weights.to_vec(), shares, is_settled: false }
    }

    /// Returns the number of devices.
    pub(crate) fn devices(&self) -> usize {
        self.weights.len()
    }

    /// Returns the weight of each device.
    pub(crate) fn weights(&self) -> &[u32] {
        &self.weights
    }

    /// Returns the share of each device. A single device walks the whole graph.
    pub(crate) fn each(&self) -> Vec<PageShare> {
        match self.devices() {
            1 => vec![PageShare::WHOLE],
            _ => self.shares.each().collect(),
        }
    }
}

/// Locks the stored distribution of the current graph.
pub(crate) fn in_place(known: &Mutex<Option<Known>>) -> MutexGuard<'_, Option<Known>> {
    known.lock().unwrap_or_else(PoisonError::into_inner)
}

/// State that a session needs to redistribute its pages.
pub(super) struct Adjusting {
    adjuster: Adjuster,
    /// The device's current distribution, with which later sessions begin.
    known: Arc<Mutex<Option<Known>>>,
    weights: Vec<u32>,
    placement: Placement,
    /// The recorded passes over all edges: the kernel, and the times of the leaders, the followers and the messages.
    passes: Vec<(usize, [Duration; 3])>,
    /// The new share of the followers, if the pages are to be redistributed before the next pass.
    next: Option<f64>,
}

impl Adjusting {
    pub(crate) fn new(
        adjuster: Adjuster,
        known: Arc<Mutex<Option<Known>>>,
        weights: &[u32],
        placement: Placement,
    ) -> Self {
        Self { adjuster, known, weights: weights.to_vec(), placement, passes: Vec::new(), next: None }
    }

    /// Records a pass. Returns the times of a whole step if the kernel has run before: the sums over all passes since
    /// the kernel's previous pass.
    fn note(&mut self, kernel: usize, times: [Duration; 3]) -> Option<[f64; 3]> {
        let before = self.passes.iter().rposition(|(known, _)| *known == kernel);
        self.passes.push((kernel, times));
        let step = self.passes.get(before? + 1..)?;
        Some([0, 1, 2].map(|place| step.iter().map(|(_, times)| times[place].as_secs_f64()).sum()))
    }

    /// Returns weights that assign a share `alpha` to the followers. If no follower has a positive weight, the
    /// followers are left out.
    fn weights(&self, alpha: f64, leaders: usize) -> Vec<u32> {
        let (of_leaders, of_others) = self.weights.split_at(leaders);
        let mut all = weights(alpha, of_leaders, of_others);
        if all[leaders..].iter().all(|&weight| weight == 0) {
            all.truncate(leaders);
        }
        all
    }

    /// Stores the final distribution of a graph's pages for later sessions of the device.
    fn settle(&self, graph: &Graph, dealt: impl FnOnce(&Dealt) -> Dealt) {
        if let Some(known) = in_place(&self.known).as_mut().filter(|known| is_same(&known.graph, graph)) {
            known.dealt = Dealt { is_settled: true, ..dealt(&known.dealt) };
        }
    }
}

impl ReplicatedSession {
    /// Records the times of a pass on the leaders and on the followers. Returns the decision about the shares if this
    /// pass triggered a decision.
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

    /// Redistributes the pages if the adjuster has chosen a new share. The caller ensures that no pass is in progress.
    ///
    /// All state that depends on the shares is derived from `shares`, except the pages that sessions retain. Followers
    /// that get no pages are dropped along with their replicas. No values are lost, because the leaders have all
    /// values.
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
}

/// Records a redistribution in the trace, with the number of pages that changed owner.
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
