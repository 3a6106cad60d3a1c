//! A device with a fallback for runs that do not fit into its memory.

use super::{Device, MemoryTaken, Session, SessionOptions};
use crate::error::{Error, Result};
use gts_contract::Schema;
use gts_core::graph::Graph;
use std::sync::Arc;

/// A pair of devices. The second device runs whatever does not fit into the first device's memory.
#[derive(Clone)]
pub struct FittingDevice {
    first: Arc<dyn Device>,
    other: Arc<dyn Device>,
}

impl FittingDevice {
    /// Creates a device that starts a run on `first`, or on `other` if the run does not fit into the memory of `first`.
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
        // The other device consists of the same processors, so the names are also valid for the other device's runs.
        self.first.names()
    }

    fn parts(&self) -> usize {
        self.first.parts()
    }

    fn start(&self, graph: &Graph, schema: &'static Schema, options: &SessionOptions) -> Result<Box<dyn Session>> {
        match self.first.start(graph, schema, options) {
            Err(error @ Error::OutOfMemory { .. }) => self.other.start(graph, schema, options).map_err(|other| {
                // If the other device also lacks memory or does not support the run, the first error contains better
                // advice.
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
            // If both devices consist of the same processors, they report the same memory use.
            if !all.contains(&taken) {
                all.push(taken);
            }
        }
        all
    }
}
