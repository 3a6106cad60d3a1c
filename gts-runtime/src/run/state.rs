//! The part of a run that does not depend on the type of its attribute struct.
//!
//! The methods of [`Run`](super::Run) pass the indices of attributes and the descriptors of kernels to this code. The code
//! below is therefore compiled once, with the runtime, and not for each attribute struct of a program.

use super::history::History;
use super::sums::IntegerBounds;
use crate::shared::EngineState;
use gts_contract::{AttributeKind, ScalarType, Schema};
use gts_core::advice::Advice;
use gts_core::graph::{Graph, Vertex};
use gts_core::phase::{self, Phase};
use gts_device::error::{Error, Result};
use gts_device::kernel::AttributeValue;
use gts_device::{Session, initial_value};
use std::sync::Arc;
use std::time::Instant;

/// The attributes and the progress of a run.
pub(super) struct RunState {
    pub(super) shared: Arc<EngineState>,
    pub(super) graph: Graph,
    pub(super) schema: &'static Schema,
    pub(super) session: Box<dyn Session>,
    pub(super) started: Instant,
    pub(super) step: u32,
    pub(super) seed: u64,
    /// Whether the next pass continues the count of steps, which the host or an earlier `advance` has started.
    pub(super) counting: bool,
    pub(super) history: History,
    /// The bounds of integers, from which the run derives which passes check their sums.
    pub(super) bounds: IntegerBounds,
}

impl std::fmt::Debug for RunState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Run").field("attributes", &self.schema.name).field("step", &self.step).finish_non_exhaustive()
    }
}

impl RunState {
    pub(super) fn start(shared: Arc<EngineState>, graph: Graph, schema: &'static Schema) -> Result<Self> {
        shared.check()?;
        check_edge_values(schema, &graph)?;
        let started = Instant::now();
        let start = || shared.device.start(&graph, schema, &shared.session);
        let session = phase::during(Phase::Allocate, start).map_err(|error| shared.note(error))?;
        shared.recorder.attributes(started.elapsed());
        let seed = shared.seed;
        let (step, counting, history) = (0, false, History::new(schema));
        let bounds = IntegerBounds::new(schema);
        let mut run = Self { shared, graph, schema, session, started, step, seed, counting, history, bounds };
        run.set_defaults()?;
        Ok(run)
    }

    /// Sets each param that has a default to its default.
    fn set_defaults(&mut self) -> Result<()> {
        for (index, declared) in self.schema.attributes.iter().enumerate() {
            if let AttributeKind::Param { default: Some(_) } = declared.kind {
                let bytes = initial_value(self.schema, index, self.session.vertex_bytes());
                self.call(|session| session.set_param(index, &bytes))?;
            }
        }
        Ok(())
    }

    pub(super) fn call<T>(&mut self, action: impl FnOnce(&mut dyn Session) -> Result<T>) -> Result<T> {
        self.call_in(Phase::Passes, action)
    }

    /// Calls the session and adds the time to a phase. Records errors that make the engine unusable.
    pub(super) fn call_in<T>(&mut self, phase: Phase, action: impl FnOnce(&mut dyn Session) -> Result<T>) -> Result<T> {
        self.shared.check()?;
        let result = phase::during(phase, || action(self.session.as_mut()));
        result.map_err(|error| self.shared.note(error.original(&self.graph)))
    }

    pub(super) fn check_vertex(&self, v: Vertex) -> Result<()> {
        if v.dense() < self.graph.num_vertices() {
            return Ok(());
        }
        Err(Error::argument_with_advice(
            format_args!("{v:?}"),
            format_args!("the graph has {} vertices", self.graph.num_vertices()),
            "take vertices from `graph.vertex(id)` of the same graph",
        ))
    }

    /// Returns the name of the attribute with this schema index.
    pub(super) fn name(&self, attribute: usize) -> &'static str {
        self.schema.attributes[attribute].name
    }
}

/// Returns a value in the format of [`AttributeValue::write`].
pub(super) fn to_bytes<T: AttributeValue>(value: T, vertex_bytes: usize) -> Vec<u8> {
    let mut bytes = vec![0; T::bytes(vertex_bytes)];
    value.write(vertex_bytes, &mut bytes);
    bytes
}

/// Fails if the struct has an `#[edge]` attribute that the graph cannot supply. Either the graph has edge values of a
/// different type, or it has none and the attribute has no default.
fn check_edge_values(schema: &Schema, graph: &Graph) -> Result<()> {
    for attribute in schema.attributes {
        let AttributeKind::Edge { default } = attribute.kind else { continue };
        let what = || format!("{}.{}", schema.name, attribute.name);
        let wanted = attribute.ty.scalar;
        match graph.value_type() {
            Some(found) if found == wanted => {}
            None if default.is_some() => {}
            Some(found) => {
                return Err(Error::needs(
                    what(),
                    format!("edge values of type {wanted}, and this graph has {found}"),
                    Advice::new(
                        format!("import the graph with --weights {wanted}"),
                        format!("build the graph with values of type {wanted}"),
                    ),
                ));
            }
            None => {
                let one = if matches!(wanted, ScalarType::F32 | ScalarType::F64) { "1.0" } else { "1" };
                return Err(Error::needs(
                    what(),
                    format!("edge values of type {wanted}, and this graph has none"),
                    Advice::new(
                        format!("import a graph with weights, with --weights {wanted}"),
                        format!("build a graph with values of type {wanted}, or declare `#[edge(default = {one})]`"),
                    ),
                ));
            }
        }
    }
    Ok(())
}
