//! Runs, which hold the attributes of one struct for one graph and execute passes over these attributes.

mod answer;
mod frontier;
mod history;
mod kernels;
mod matching;
mod near;
mod neighbors;
mod passes;
mod summaries;
mod sums;
mod values;

use crate::shared::EngineState;
use gts_contract::{AttributeKind, ScalarType};
use gts_core::advice::Advice;
use gts_core::graph::{Graph, Vertex};
use gts_core::phase::{self, Phase};
use gts_device::error::{Error, Result};
use gts_device::kernel::{AttributeValue, Attributes};
use gts_device::{Session, initial_value};
use history::History;
pub use neighbors::SomeNeighbors;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Instant;
use sums::IntegerBounds;

/// Number of values that a thread converts per task.
const VALUES_AT_ONCE: usize = 1 << 16;

/// The attributes of `A` for one graph on one device, with methods that execute passes over these attributes.
///
/// If an error has made the engine unusable, every method that uses the device returns [`Error::Poisoned`].
///
/// # Examples
///
/// The examples of the methods use these attributes and kernels:
///
/// ```
/// use gts_graph::prelude::*;
///
/// /// Hops from a source.
/// #[gts_attributes]
/// struct Hops {
///     #[wa(init = UNREACHED, merge = min)]
///     level: u32,
/// }
///
/// #[gts_kernel(traverse)]
/// fn expand(hops: &mut Hops, src: Vertex, dst: Vertex) {
///     if hops.level[dst] == UNREACHED {
///         hops.level[dst] = step() + 1;
///         activate(dst);
///     }
/// }
///
/// /// Amounts that move along edges.
/// #[gts_attributes]
/// struct Flow {
///     #[ra(from = next)]
///     amount: u64,
///     #[wa(init = 0, merge = sum)]
///     next: u64,
///     #[param(default = 1)]
///     factor: u64,
///     #[global(merge = sum)]
///     moved: u64,
/// }
///
/// #[gts_kernel(scan)]
/// fn push(flow: &mut Flow, src: Vertex, dst: Vertex) {
///     flow.next[dst] += flow.factor * flow.amount[src];
///     flow.moved += flow.amount[src];
/// }
///
/// #[gts_kernel(vertex)]
/// fn double(flow: &mut Flow, v: Vertex) {
///     flow.next[v] = 2 * flow.amount[v];
/// }
///
/// #[gts_kernel(gather)]
/// fn collect(flow: &mut Flow, v: Vertex) {
///     let total = v.neighbors().sum(|dst| flow.next[dst]);
///     flow.next[v] = total;
/// }
///
/// let graph = Graph::from_edges([(1, 2), (2, 3)])?;
/// let mut run = Engine::cpu()?.start::<Flow>(&graph)?;
/// run.set(Flow::AMOUNT, graph.vertex(1)?, 8)?;
/// for _ in 0..2 {
///     run.scan(push)?;
///     run.rotate(Flow::AMOUNT)?;
/// }
/// assert_eq!(run.take(Flow::AMOUNT)?, [0, 0, 8]);
/// # Ok::<(), Error>(())
/// ```
pub struct Run<A: Attributes> {
    shared: Arc<EngineState>,
    graph: Graph,
    session: Box<dyn Session>,
    started: Instant,
    step: u32,
    seed: u64,
    /// Whether the next pass continues the count of steps, which the host or an earlier `advance` has started.
    counting: bool,
    history: History,
    /// The bounds of integers, from which the run derives which passes check their sums.
    bounds: IntegerBounds,
    attributes: PhantomData<A>,
}

impl<A: Attributes> std::fmt::Debug for Run<A> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Run").field("attributes", &A::SCHEMA.name).field("step", &self.step).finish_non_exhaustive()
    }
}

impl<A: Attributes> Run<A> {
    pub(crate) fn start(shared: Arc<EngineState>, graph: Graph) -> Result<Self> {
        check_edge_values::<A>(&graph)?;
        let started = Instant::now();
        let start = || shared.device.start(&graph, A::SCHEMA, &shared.session);
        let session = phase::during(Phase::Allocate, start).map_err(|error| shared.note(error))?;
        shared.recorder.attributes(started.elapsed());
        let seed = shared.seed;
        let (step, counting, history) = (0, false, History::new(A::SCHEMA));
        let bounds = IntegerBounds::new(A::SCHEMA);
        let mut run =
            Self { shared, graph, session, started, step, seed, counting, history, bounds, attributes: PhantomData };
        run.set_defaults()?;
        Ok(run)
    }

    /// Sets each param that has a default to its default.
    fn set_defaults(&mut self) -> Result<()> {
        for (index, declared) in A::SCHEMA.attributes.iter().enumerate() {
            if let AttributeKind::Param { default: Some(_) } = declared.kind {
                let bytes = initial_value(A::SCHEMA, index, self.session.vertex_bytes());
                self.call(|session| session.set_param(index, &bytes))?;
            }
        }
        Ok(())
    }

    /// Returns the graph of the run.
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_graph::prelude::*;
    /// # #[gts_attributes] struct Hops { #[wa(init = UNREACHED, merge = min)] level: u32 }
    /// let graph = Graph::read("chain:10")?;
    /// let run = Engine::cpu()?.start::<Hops>(&graph)?;
    /// assert_eq!(run.graph().num_vertices(), 10);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    fn call<T>(&mut self, action: impl FnOnce(&mut dyn Session) -> Result<T>) -> Result<T> {
        self.call_in(Phase::Passes, action)
    }

    /// Calls the session and adds the time to a phase. Records errors that make the engine unusable.
    fn call_in<T>(&mut self, phase: Phase, action: impl FnOnce(&mut dyn Session) -> Result<T>) -> Result<T> {
        self.shared.check()?;
        let result = phase::during(phase, || action(self.session.as_mut()));
        result.map_err(|error| self.shared.note(error.original(&self.graph)))
    }

    fn to_bytes<T: AttributeValue>(&self, value: T) -> Vec<u8> {
        let width = self.session.vertex_bytes();
        let mut bytes = vec![0; T::bytes(width)];
        value.write(width, &mut bytes);
        bytes
    }

    fn check_vertex(&self, v: Vertex) -> Result<()> {
        if v.dense() < self.graph.num_vertices() {
            return Ok(());
        }
        Err(Error::argument_with_advice(
            format_args!("{v:?}"),
            format_args!("the graph has {} vertices", self.graph.num_vertices()),
            "take vertices from `graph.vertex(id)` of the same graph",
        ))
    }
}

/// Returns the name of the attribute with this schema index.
fn name<A: Attributes>(attribute: usize) -> &'static str {
    A::SCHEMA.attributes[attribute].name
}

/// Fails if the struct has an `#[edge]` attribute that the graph cannot supply: the graph has edge values of a
/// different type, or none while the attribute has no default.
fn check_edge_values<A: Attributes>(graph: &Graph) -> Result<()> {
    for attribute in A::SCHEMA.attributes {
        let AttributeKind::Edge { default } = attribute.kind else { continue };
        let what = || format!("{}.{}", A::SCHEMA.name, attribute.name);
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
