//! A device that computes nothing and records all calls, for tests of the layers above devices.

use super::{Device, PassOutcome, PassRequest, Session, SessionOptions};
use crate::error::{Error, Result};
use crate::kernel::{EdgePass, VertexPass, total_bytes};
use gts_contract::{AttributeKind, KernelDescriptor, Schema};
use gts_core::graph::{Graph, Vertex};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// The recorded calls and the scripted results.
#[derive(Debug, Default)]
struct Script {
    calls: Vec<String>,
    frontiers: VecDeque<u64>,
    failure: Option<(usize, Error)>,
}

/// A device that only records calls. Clones share one record.
#[derive(Clone, Debug, Default)]
pub struct NullDevice {
    script: Arc<Mutex<Script>>,
}

impl NullDevice {
    /// Creates a device whose successive frontiers have the given sizes. All later frontiers are empty.
    pub fn with_frontiers(sizes: impl IntoIterator<Item = u64>) -> Self {
        let device = Self::default();
        device.lock().frontiers = sizes.into_iter().collect();
        device
    }

    /// Makes the `n`-th call from now, counted from 0, and all later calls fail with `error`.
    pub fn fail_at(&self, n: usize, error: Error) {
        let mut script = self.lock();
        let at = script.calls.len() + n;
        script.failure = Some((at, error));
    }

    /// Returns the recorded calls, one string per call.
    pub fn calls(&self) -> Vec<String> {
        self.lock().calls.clone()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Script> {
        self.script.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self, call: impl Into<String>) -> Result<()> {
        let mut script = self.lock();
        script.calls.push(call.into());
        match &script.failure {
            Some((at, error)) if script.calls.len() > *at => Err(error.clone()),
            _ => Ok(()),
        }
    }
}

impl Device for NullDevice {
    fn name(&self) -> String {
        "null".into()
    }

    fn start(&self, _: &Graph, schema: &'static Schema, _: &SessionOptions) -> Result<Box<dyn Session>> {
        self.note(format!("start {}", schema.name))?;
        Ok(Box::new(NullSession { device: self.clone(), schema }))
    }
}

struct NullSession {
    device: NullDevice,
    schema: &'static Schema,
}

impl NullSession {
    fn name(&self, attribute: usize) -> &'static str {
        self.schema.attributes[attribute].name
    }
}

impl Session for NullSession {
    fn vertex_bytes(&self) -> usize {
        4
    }

    fn write(&mut self, attribute: usize, first: Vertex, bytes: &[u8]) -> Result<()> {
        self.device.note(format!("write {} at {}: {} bytes", self.name(attribute), first.dense(), bytes.len()))
    }

    fn read(&mut self, attribute: usize, first: Vertex, bytes: &mut [u8]) -> Result<()> {
        bytes.fill(0);
        self.device.note(format!("read {} at {}: {} bytes", self.name(attribute), first.dense(), bytes.len()))
    }

    fn fill(&mut self, attribute: usize, _: &[u8]) -> Result<()> {
        self.device.note(format!("fill {}", self.name(attribute)))
    }

    fn extend(&mut self, kernel: &'static KernelDescriptor) -> Result<()> {
        self.schema = kernel.schema;
        self.device.note(format!("extend for {}", kernel.name))
    }

    fn rotate(&mut self, ra: usize, wa: usize) -> Result<()> {
        self.device.note(format!("rotate {} from {}", self.name(ra), self.name(wa)))
    }

    fn set_param(&mut self, attribute: usize, _: &[u8]) -> Result<()> {
        self.device.note(format!("set {}", self.name(attribute)))
    }

    fn reset_globals(&mut self, attributes: &[usize]) -> Result<()> {
        attributes.iter().try_for_each(|&attribute| self.device.note(format!("reset {}", self.name(attribute))))
    }

    fn global(&mut self, attribute: usize) -> Result<Vec<u8>> {
        self.device.note(format!("global {}", self.name(attribute)))?;
        let declared = &self.schema.attributes[attribute];
        let AttributeKind::Global { merge } = declared.kind else { return Ok(Vec::new()) };
        Ok(vec![0; declared.ty.length as usize * total_bytes(declared.ty.scalar, merge)])
    }

    fn activate(&mut self, v: Vertex) -> Result<()> {
        self.device.note(format!("activate {}", v.dense()))
    }

    fn activate_all(&mut self) -> Result<()> {
        self.device.note("activate all")
    }

    fn clear_frontier(&mut self) -> Result<()> {
        self.device.note("clear frontier")
    }

    fn advance_frontier(&mut self) -> Result<u64> {
        self.device.note("advance frontier")?;
        Ok(self.device.lock().frontiers.pop_front().unwrap_or(0))
    }

    fn frontier_size(&mut self) -> Result<u64> {
        self.device.note("frontier size")?;
        Ok(self.device.lock().frontiers.front().copied().unwrap_or(0))
    }

    fn activated(&mut self) -> Result<Vec<u64>> {
        self.device.note("activated")?;
        Ok(Vec::new())
    }

    fn activate_set(&mut self, words: &[u64]) -> Result<()> {
        self.device.note(format!("activate a set of {} words", words.len()))
    }

    fn edge_pass(&mut self, kernel: &dyn EdgePass, request: &PassRequest) -> Result<PassOutcome> {
        let visited = if request.active_only { "active" } else { "all" };
        let (name, step, sides) = (kernel.descriptor().name, request.step, &request.sides);
        self.device.note(format!("edges {name} over {visited} of {sides:?}, step {step}"))?;
        Ok(PassOutcome::default())
    }

    fn vertex_pass(&mut self, kernel: &dyn VertexPass, request: &PassRequest) -> Result<PassOutcome> {
        let visited = if request.active_only { "active" } else { "all" };
        self.device.note(format!("vertices {} over {visited}", kernel.descriptor().name))?;
        Ok(PassOutcome::default())
    }
}
