//! Several devices as one, by the paper's Strategy-P (section 4.1 of the GTS paper): each has a replica of the
//! updatable attributes and walks a share of the pages; after a pass the replicas are merged by the attributes' declared
//! merges.
//!
//! Only replicable kernels run so. Others run on the first device alone, which then tells the rest.

mod merge;
mod session;

pub(crate) use merge::shared_out;
pub use merge::{Exchange, HostExchange, Merged};

use super::{Device, MemoryTaken, Session, SessionOptions};
use crate::error::{Error, Result};
use gts_core::contract::Schema;
use gts_core::graph::Graph;
use session::ReplicatedSession;
use std::sync::Arc;

/// Several devices that share the work on every page.
#[derive(Clone)]
pub struct ReplicatedDevice {
    devices: Vec<Arc<dyn Device>>,
    exchange: Arc<dyn Exchange>,
}

impl std::fmt::Debug for ReplicatedDevice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("ReplicatedDevice").field(&self.name()).finish()
    }
}

impl ReplicatedDevice {
    /// These devices, whose replicas meet in an exchange.
    ///
    /// # Errors
    ///
    /// No device is given.
    pub fn new(devices: Vec<Arc<dyn Device>>, exchange: Arc<dyn Exchange>) -> Result<Self> {
        if devices.is_empty() {
            return Err(Error::argument("no device", "give one or more"));
        }
        Ok(Self { devices, exchange })
    }
}

impl Device for ReplicatedDevice {
    fn name(&self) -> String {
        self.names().join(" + ")
    }

    fn names(&self) -> Vec<String> {
        self.devices.iter().map(|device| device.name()).collect()
    }

    fn start(&self, graph: &Graph, schema: &'static Schema, options: &SessionOptions) -> Result<Box<dyn Session>> {
        let started = (0..)
            .zip(&self.devices)
            .map(|(number, device)| device.start(graph, schema, &SessionOptions { device: number, ..options.clone() }));
        let replicas: Vec<Box<dyn Session>> = started.collect::<Result<_>>()?;
        session::check(&replicas)?;
        let exchange = Arc::clone(&self.exchange);
        Ok(Box::new(ReplicatedSession::new(graph.clone(), schema, exchange, options.trace.clone(), replicas)))
    }

    fn forget(&self, graph: &Graph) {
        self.devices.iter().for_each(|device| device.forget(graph));
    }

    fn memory_taken(&self) -> Vec<MemoryTaken> {
        self.devices.iter().flat_map(|device| device.memory_taken()).collect()
    }
}
