//! The parameters of a pass.

use crate::error::Error;
use crate::kernel::{StopFlag, SumChecks};
use crate::neighbors::Neighbors;
use crate::propagation::Propagation;
use crate::share::PageShare;
use gts_contract::{KernelDescriptor, Side, Technique};
use gts_core::graph::Graph;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The parameters of a pass: the topologies to walk, the method of walking them, and the limits.
#[derive(Clone, Debug)]
pub struct PassRequest {
    /// The sides whose topologies the pass walks, in this order.
    pub sides: Vec<Side>,
    /// Whether the pass visits only active vertices.
    pub active_only: bool,
    /// The technique that assigns edges to threads. `None` lets the device choose.
    pub technique: Option<Technique>,
    /// Number of consecutive vertices that a virtual warp claims together, per lane of the warp. If `None`, virtual
    /// warps take single vertices in turn.
    pub warp_chunk: Option<NonZeroU32>,
    /// Selects the pushing or the pulling form of the kernel, if the kernel has both forms.
    pub propagation: Propagation,
    /// Whether `propagation` is binding, because all devices that share the pass use the same form. If some devices
    /// pulled and others pushed, the pass would walk edges twice or not at all.
    pub decided: bool,
    /// Whether the pass ends a step, so that the vertices activated by the pass become active. A session may either end
    /// the step and set [`PassOutcome::frontier`](crate::PassOutcome::frontier), or leave the end of the step to
    /// [`Session::advance_frontier`](crate::Session::advance_frontier).
    pub ends_step: bool,
    /// The step number that kernel bodies can read.
    pub step: u32,
    /// The initial state of the pass's random numbers, derived from the run's seed, the step and the number of earlier
    /// runs of the kernel in the step. If several devices or parts share a pass, all of them have the same state.
    pub random: u64,
    /// The checks of integer sums in memory.
    pub sums: SumChecks,
    /// Whether the pass runs in checked mode: it also checks sums of terms of both signs, and floats that bodies store or
    /// merge.
    pub checked: bool,
    /// The part of each vertex's list to walk.
    pub neighbours: Neighbors,
    /// The share of the topologies' pages to walk.
    pub share: PageShare,
    /// The time limit of the pass, and a flag that interrupts the pass.
    pub limits: PassLimits,
}

impl PassRequest {
    /// Returns a copy of the request that does not end the step, for a caller that ends the step later.
    pub fn within_a_step(&self) -> Self {
        Self { ends_step: false, ..self.clone() }
    }

    /// Returns a copy of the request for pulling, which covers the pages of all vertices in the opposite topologies.
    pub fn opposite(&self) -> Self {
        let sides = self.sides.iter().map(|side| side.opposite()).collect();
        Self { sides, active_only: false, ..self.clone() }
    }

    /// Returns whether the pass walks each edge in both directions. If true, the pass can pull without further pages.
    pub fn walks_both(&self) -> bool {
        self.sides.iter().all(|side| self.sides.contains(&side.opposite()))
    }

    /// Returns whether the graph has the opposite topologies, which a pulling pass walks.
    pub fn can_pull(&self, graph: &Graph) -> bool {
        self.sides.iter().all(|side| graph.topology(side.opposite()).is_some())
    }
}

/// The time limit and the interrupt flag, which end a pass early.
#[derive(Clone, Debug, Default)]
pub struct PassLimits {
    /// The duration of the time limit, and the instant at which the limit expires.
    pub deadline: Option<(Duration, Instant)>,
    /// A flag that the caller sets to end the pass early.
    pub interrupt: Arc<StopFlag>,
}

impl PassLimits {
    /// Returns the error for a pass that the time limit or the flag has ended.
    pub fn error(&self, kernel: &'static KernelDescriptor) -> Error {
        match self.deadline {
            Some((limit, end)) if Instant::now() >= end => {
                Error::TimeLimit { kernel: kernel.function, location: kernel.location, limit }
            }
            _ => self.interrupt.reason().cloned().unwrap_or(Error::Interrupted),
        }
    }

    /// Returns whether the time limit has expired or the flag is set.
    pub fn over(&self) -> bool {
        self.interrupt.stopped() || self.deadline.is_some_and(|(_, end)| Instant::now() >= end)
    }
}
