//! Runs, which hold the attributes of one struct for one graph and execute passes over these attributes.

mod answer;
mod frontier;
mod history;
mod kernels;
mod matching;
mod near;
mod neighbors;
mod passes;
mod state;
mod summaries;
mod sums;
mod values;

use crate::shared::EngineState;
use gts_core::graph::Graph;
use gts_device::error::Result;
use gts_device::kernel::Attributes;
pub use neighbors::SomeNeighbors;
use state::RunState;
use std::marker::PhantomData;
use std::sync::Arc;

/// The attributes of `A` for one graph on one device, with methods that execute passes over these attributes.
///
/// If an error has made the engine unusable, every method that uses the device returns
/// [`Error::Poisoned`](crate::Error::Poisoned).
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
    state: RunState,
    attributes: PhantomData<A>,
}

impl<A: Attributes> std::fmt::Debug for Run<A> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.state.fmt(f)
    }
}

impl<A: Attributes> Run<A> {
    pub(crate) fn start(shared: Arc<EngineState>, graph: Graph) -> Result<Self> {
        Ok(Self { state: RunState::start(shared, graph, A::SCHEMA)?, attributes: PhantomData })
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
        &self.state.graph
    }
}
