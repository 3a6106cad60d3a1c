//! Several devices that act as one, by Strategy-P (section 4.1 of the GTS paper). Each device has a replica of the
//! updatable attributes and walks a share of the pages. After a pass, a collective makes the replicas equal again. The
//! collective either merges values by the attributes' declared merges, or gathers the values that each replica has
//! written for its own vertices. A merge covers all vertices, or only the vertices that a traversal step has activated.
//!
//! Only replicable kernels run on all devices. Other kernels run on the first device, which then sends the results to
//! the other devices.

mod account;
mod adjusting;
mod collective;
mod dealt;
mod led;
mod pass;
mod session;

pub use dealt::Adjuster;

pub use crate::replica::{DeviceMemory, DeviceValues, HostValues, Merged, Reach, Replica, ReplicaMemory};
pub use account::{SameGlobals, count_merged, record_merge, written};
pub use collective::samples;
pub use collective::{Before, Collective, HostCollective};
pub use collective::{View, combine, copy, lent, put_words, set_bytes, unusable, words};

use super::{Device, MemoryTaken, PageShares, Placement, Session, SessionOptions, is_same};
use crate::error::{Error, Result};
use crate::links::Linkable;
use dealt::{Adjusting, Dealt, Known, in_place};
use gts_contract::Schema;
use gts_core::graph::Graph;
use session::ReplicatedSession;
use std::sync::{Arc, Mutex};

/// Several devices that share the work of every pass.
#[derive(Clone)]
pub struct ReplicatedDevice {
    devices: Vec<Arc<dyn Device>>,
    /// The weights, indexed by device. Devices walk edges in proportion to their weights.
    weights: Vec<u32>,
    placement: Placement,
    collective: Arc<dyn Collective>,
    /// Number of leaders, which run the vertex kernels. The leaders are the first devices and are all of one kind.
    leaders: usize,
    /// Computes a new share for the followers after the first passes, if set.
    adjuster: Option<Adjuster>,
    /// The current graph and the distribution of its pages.
    known: Arc<Mutex<Option<Known>>>,
}

impl std::fmt::Debug for ReplicatedDevice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("ReplicatedDevice").field(&self.name()).finish()
    }
}

impl ReplicatedDevice {
    /// Combines several devices into one, with equal shares. `collective` merges the replicas.
    ///
    /// # Errors
    ///
    /// There are no devices, or more than [`PageShares::MOST`].
    pub fn new(devices: Vec<Arc<dyn Device>>, collective: Arc<dyn Collective>) -> Result<Self> {
        let weights = vec![1; devices.len()];
        Self::weighted(devices, &weights, Placement::Even, collective)
    }

    /// Combines several devices into one. The devices walk edges in proportion to their weights.
    ///
    /// # Errors
    ///
    /// See [`ReplicatedDevice::new`]. Also fails if the numbers of weights and devices differ, or if no weight is
    /// positive.
    pub fn weighted(
        devices: Vec<Arc<dyn Device>>,
        weights: &[u32],
        placement: Placement,
        collective: Arc<dyn Collective>,
    ) -> Result<Self> {
        if devices.is_empty() {
            return Err(Error::argument("no device", "give one or more"));
        }
        if devices.len() > PageShares::MOST {
            return Err(Error::argument(
                format_args!("{} devices", devices.len()),
                format_args!("give at most {}", PageShares::MOST),
            ));
        }
        if weights.len() != devices.len() || weights.iter().all(|&weight| weight == 0) {
            return Err(Error::argument(
                format_args!("weights {weights:?}"),
                format_args!("give one for each of {} devices, and not all of them 0", devices.len()),
            ));
        }
        let leaders = devices.len();
        let (adjuster, known) = Default::default();
        Ok(Self { devices, weights: weights.to_vec(), placement, collective, leaders, adjuster, known })
    }

    /// Makes the first `leaders` devices (at least one) the leaders, which run the vertex kernels. The remaining
    /// devices are followers, of a different kind. A follower receives an attribute's values before it runs a kernel
    /// that uses the attribute.
    #[must_use]
    pub fn led_by(self, leaders: usize) -> Self {
        Self { leaders: leaders.clamp(1, self.devices.len()), ..self }
    }

    /// Lets `adjuster` change the followers' share once per graph. `adjuster` receives the times of leaders and
    /// followers in passes over all edges. If the share changes, the session redistributes the pages before the next
    /// pass, and later runs begin with the new share. If the new share is 0, the session drops the followers' replicas.
    #[must_use]
    pub fn adjusted_by(self, adjuster: Adjuster) -> Self {
        Self { adjuster: Some(adjuster), ..self }
    }

    /// Returns the distribution of a graph's pages. The first call for a graph computes the distribution.
    fn dealt(&self, graph: &Graph) -> Dealt {
        let mut known = in_place(&self.known);
        if let Some(known) = known.as_ref().filter(|known| is_same(&known.graph, graph)) {
            return known.dealt.clone();
        }
        let dealt = Dealt::by(graph, &self.weights, self.placement);
        *known = Some(Known { graph: graph.clone(), dealt: dealt.clone() });
        dealt
    }
}

impl Device for ReplicatedDevice {
    fn name(&self) -> String {
        self.names().join(" + ")
    }

    fn names(&self) -> Vec<String> {
        self.devices.iter().map(|device| device.name()).collect()
    }

    fn parts(&self) -> usize {
        self.devices.len()
    }

    fn linkable(&self) -> Option<Arc<dyn Linkable>> {
        self.devices.first().and_then(|device| device.linkable())
    }

    fn start(&self, graph: &Graph, schema: &'static Schema, options: &SessionOptions) -> Result<Box<dyn Session>> {
        let dealt = self.dealt(graph);
        let leaders = self.leaders.min(dealt.devices());
        let options_of =
            |number: u32| SessionOptions { device: number, fills_late: number as usize >= leaders, ..options.clone() };
        let devices = (0..).zip(&self.devices).take(dealt.devices());
        let started = devices.map(|(number, device)| device.start(graph, schema, &options_of(number)));
        let replicas: Vec<Box<dyn Session>> = started.collect::<Result<_>>()?;
        session::check(&replicas)?;
        let adjuster = self.adjuster.as_ref().filter(|_| leaders < replicas.len() && !dealt.is_settled);
        let known = || Arc::clone(&self.known);
        let adjusting =
            adjuster.map(|adjuster| Adjusting::new(Arc::clone(adjuster), known(), dealt.weights(), self.placement));
        let (collective, trace) = (Arc::clone(&self.collective), options.trace.clone());
        let dealing = (dealt.each(), adjusting);
        Ok(Box::new(ReplicatedSession::new(graph.clone(), schema, collective, dealing, trace, replicas, leaders)))
    }

    fn forget(&self, graph: &Graph) {
        let mut known = in_place(&self.known);
        if known.as_ref().is_some_and(|known| is_same(&known.graph, graph)) {
            *known = None;
        }
        drop(known);
        self.devices.iter().for_each(|device| device.forget(graph));
    }

    fn memory_taken(&self) -> Vec<MemoryTaken> {
        self.devices.iter().flat_map(|device| device.memory_taken()).collect()
    }
}
