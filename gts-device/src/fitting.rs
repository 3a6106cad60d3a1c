//! The first of two devices whose memory suffices.

use super::{Device, MemoryTaken, Session, SessionOptions};
use crate::error::{Error, Result};
use gts_contract::Schema;
use gts_core::graph::Graph;
use std::sync::Arc;

/// A device, and another one that takes the runs for which the first has too little memory.
#[derive(Clone)]
pub struct FittingDevice {
    first: Arc<dyn Device>,
    other: Arc<dyn Device>,
}

impl FittingDevice {
    /// Creates the device.
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
                // The first error is the better advice if the other device also lacks memory or does not support the
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
            // Both may be made of the same processors.
            if !all.contains(&taken) {
                all.push(taken);
            }
        }
        all
    }
}
