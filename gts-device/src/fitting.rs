//! A device with a fallback for runs that do not fit into its memory.

use super::{Device, MemoryTaken, Session, SessionOptions};
use crate::error::{Error, Result};
use gts_contract::Schema;
use gts_core::graph::Graph;
use std::sync::Arc;

/// A pair of devices. The second device executes the runs that do not fit into the memory of the first device.
#[derive(Clone)]
pub struct FittingDevice {
    first: Arc<dyn Device>,
    other: Arc<dyn Device>,
}

impl FittingDevice {
    /// Creates a device that starts runs on `first`, or on `other` if the memory of `first` is too small.
    pub fn new(first: Arc<dyn Device>, other: Arc<dyn Device>) -> Self {
        Self { first, other }
    }
}

impl std::fmt::Debug for FittingDevice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("FittingDevice").field(&self.first.name()).field(&self.other.name()).finish()
    }
}

impl Device for FittingDevice {
    fn name(&self) -> String {
        self.first.name()
    }

    fn names(&self) -> Vec<String> {
        // A run on the other device uses the same processors.
        self.first.names()
    }

    fn parts(&self) -> usize {
        self.first.parts()
    }

    fn start(&self, graph: &Graph, schema: &'static Schema, options: &SessionOptions) -> Result<Box<dyn Session>> {
        match self.first.start(graph, schema, options) {
            Err(error @ Error::OutOfMemory { .. }) => self.other.start(graph, schema, options).map_err(|other| {
                // The first error contains better advice if the other device also lacks memory or does not support the
                // run.
                if matches!(other, Error::OutOfMemory { .. } | Error::Needs { .. }) { error } else { other }
            }),
            result => result,
        }
    }

    fn forget(&self, graph: &Graph) {
        self.first.forget(graph);
        self.other.forget(graph);
    }

    fn memory_taken(&self) -> Vec<MemoryTaken> {
        let mut all = self.first.memory_taken();
        for taken in self.other.memory_taken() {
            // The two devices may consist of the same processors.
            if !all.contains(&taken) {
                all.push(taken);
            }
        }
        all
    }
}
