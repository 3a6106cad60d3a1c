//! The distribution of a graph's pages among devices, and the state that a session needs to change the distribution.

use crate::hybrid::weights;
use crate::{PageShare, PageShares, Placement, is_same};
use gts_core::cost::hybrid::{Adjustment, MeasuredPasses};
use gts_core::graph::Graph;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A function that chooses the followers' share of the edges, based on the times of a run's first passes.
pub type Adjuster = Arc<dyn Fn(&MeasuredPasses) -> Adjustment + Send + Sync>;

/// A graph and the distribution of its pages.
pub(crate) struct Known {
    pub graph: Graph,
    pub dealt: Dealt,
}

/// The distribution of a graph's pages among devices. If there are fewer weights than devices, the last devices have no
/// pages.
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

    /// Returns the number of devices in the distribution.
    pub(crate) fn devices(&self) -> usize {
        self.weights.len()
    }

    /// Returns the weights, indexed by device.
    pub(crate) fn weights(&self) -> &[u32] {
        &self.weights
    }

    /// Returns the shares, indexed by device. A single device walks the whole graph.
    pub(crate) fn each(&self) -> Vec<PageShare> {
        match self.devices() {
            1 => vec![PageShare::WHOLE],
            _ => self.shares.each().collect(),
        }
    }
}

/// Locks a device's stored graph and distribution.
pub(crate) fn in_place(known: &Mutex<Option<Known>>) -> MutexGuard<'_, Option<Known>> {
    known.lock().unwrap_or_else(PoisonError::into_inner)
}

/// State that a session needs to redistribute its pages.
pub(super) struct Adjusting {
    pub(super) adjuster: Adjuster,
    /// The device's current distribution, with which later sessions begin.
    known: Arc<Mutex<Option<Known>>>,
    weights: Vec<u32>,
    pub(super) placement: Placement,
    /// The recorded passes over all edges: the kernel's key, and the times of leaders, followers and messages.
    passes: Vec<(usize, [Duration; 3])>,
    /// The followers' new share, if the pages must be redistributed before the next pass.
    pub(super) next: Option<f64>,
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

    /// Records a pass. If the kernel has run before, returns the total times of all passes since the kernel's previous
    /// pass. These passes make up one step of the algorithm.
    pub(super) fn note(&mut self, kernel: usize, times: [Duration; 3]) -> Option<[f64; 3]> {
        let before = self.passes.iter().rposition(|(known, _)| *known == kernel);
        self.passes.push((kernel, times));
        let step = self.passes.get(before? + 1..)?;
        Some([0, 1, 2].map(|place| step.iter().map(|(_, times)| times[place].as_secs_f64()).sum()))
    }

    /// Returns weights that assign the share `alpha` of the edges to the followers. If all followers' weights are 0,
    /// omits the followers.
    pub(super) fn weights(&self, alpha: f64, leaders: usize) -> Vec<u32> {
        let (of_leaders, of_others) = self.weights.split_at(leaders);
        let mut all = weights(alpha, of_leaders, of_others);
        if all[leaders..].iter().all(|&weight| weight == 0) {
            all.truncate(leaders);
        }
        all
    }

    /// Stores the final distribution of a graph's pages for the device's later sessions.
    pub(super) fn settle(&self, graph: &Graph, dealt: impl FnOnce(&Dealt) -> Dealt) {
        if let Some(known) = in_place(&self.known).as_mut().filter(|known| is_same(&known.graph, graph)) {
            known.dealt = Dealt { is_settled: true, ..dealt(&known.dealt) };
        }
    }
}
