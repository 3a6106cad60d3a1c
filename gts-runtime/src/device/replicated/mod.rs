//! Several devices as one, by the paper's Strategy-P (section 4.1 of the GTS paper): each has a replica of the
//! updatable attributes and walks a share of the pages; after a pass a collective makes the replicas one again: it merges them by
//! the attributes' declared merges, at the vertices that a traversal has activated or at all of them, or gathers what each
//! has written of vertices of its own.
//!
//! Only replicable kernels run so. Others run on the first device alone, which then tells the rest.

mod account;
mod collective;
mod led;
mod pass;
mod session;

pub(crate) use account::{SameGlobals, count_merged, record_merge, written};
pub(crate) use collective::samples;
pub use collective::{Before, Collective, HostCollective, HostValues, Merged, Replica, ReplicaMemory};
pub(crate) use collective::{View, combine, copy, lent, put_words, set_bytes, words};

use super::cuda::CudaDevice;
use super::{Device, MemoryTaken, PageShares, Placement, Session, SessionOptions, is_same};
use crate::error::{Error, Result};
use gts_core::contract::Schema;
use gts_core::graph::Graph;
use session::ReplicatedSession;
use std::sync::{Arc, Mutex, PoisonError};

/// Several devices that share the work on every page.
#[derive(Clone)]
pub struct ReplicatedDevice {
    devices: Vec<Arc<dyn Device>>,
    /// The share of the edges that each device walks.
    weights: Vec<u32>,
    placement: Placement,
    collective: Arc<dyn Collective>,
    /// The devices that run vertex kernels: the first ones, all of a kind.
    leaders: usize,
    /// The graph at hand.
    known: Arc<Mutex<Option<Known>>>,
}

/// A graph, and how its pages are shared out.
struct Known {
    graph: Graph,
    shares: Arc<PageShares>,
}

impl std::fmt::Debug for ReplicatedDevice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("ReplicatedDevice").field(&self.name()).finish()
    }
}

impl ReplicatedDevice {
    /// Creates the device of these devices, with equal shares, whose replicas meet in a collective.
    ///
    /// # Errors
    ///
    /// No device is given, or more than [`PageShares::MOST`].
    pub fn new(devices: Vec<Arc<dyn Device>>, collective: Arc<dyn Collective>) -> Result<Self> {
        let weights = vec![1; devices.len()];
        Self::weighted(devices, &weights, Placement::Even, collective)
    }

    /// The same with a weight for each device: how many of the edges it walks, beside those of the others.
    ///
    /// # Errors
    ///
    /// As for [`ReplicatedDevice::new`]; another number of weights than devices; weights that are all 0.
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
        Ok(Self { devices, weights: weights.to_vec(), placement, collective, leaders, known: Arc::default() })
    }

    /// Has the first devices, at least one, lead the others, which are of another kind. The leaders run vertex kernels. The others
    /// get the values of an attribute when a kernel that they run uses it.
    #[must_use]
    pub fn led_by(self, leaders: usize) -> Self {
        Self { leaders: leaders.clamp(1, self.devices.len()), ..self }
    }

    /// Returns how the pages of a graph are shared out, which is found out when it is asked for first.
    fn shares(&self, graph: &Graph) -> Arc<PageShares> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known.as_ref().filter(|known| is_same(&known.graph, graph)) {
            return Arc::clone(&known.shares);
        }
        let shares = PageShares::weighted(graph, &self.weights, self.placement);
        *known = Some(Known { graph: graph.clone(), shares: Arc::clone(&shares) });
        shares
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

    fn gpu(&self) -> Option<&CudaDevice> {
        self.devices.first().and_then(|device| device.gpu())
    }

    fn start(&self, graph: &Graph, schema: &'static Schema, options: &SessionOptions) -> Result<Box<dyn Session>> {
        let started = (0..)
            .zip(&self.devices)
            .map(|(number, device)| device.start(graph, schema, &SessionOptions { device: number, ..options.clone() }));
        let replicas: Vec<Box<dyn Session>> = started.collect::<Result<_>>()?;
        session::check(&replicas)?;
        let (collective, shares) = (Arc::clone(&self.collective), self.shares(graph));
        Ok(Box::new(ReplicatedSession::new(
            graph.clone(),
            schema,
            collective,
            &shares,
            options.trace.clone(),
            replicas,
            self.leaders,
        )))
    }

    fn forget(&self, graph: &Graph) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
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
