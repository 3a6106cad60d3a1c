//! Runs, which hold the attributes of one struct for one graph and execute passes over these attributes.

mod answer;
mod history;
mod matching;
mod near;
mod neighbors;
mod passes;
mod summaries;
mod sums;

use crate::shared::EngineState;
use gts_contract::{AttributeKind, ScalarType};
use gts_core::advice::Advice;
use gts_core::graph::{Graph, Vertex};
use gts_core::memory;
use gts_core::phase::{self, Phase};
use gts_device::error::{Error, Result};
use gts_device::kernel::{
    AttributeValue, Attributes, EdgeWa, Gather, Global, IntersectKernel, KernelName, NativeEdge, NativeIntersect,
    NativeVertex, Param, RotatingAttribute, Scan, Traverse, VertexAttribute, VertexKernel, settled_totals,
};
use gts_device::neighbors::Neighbors;
use gts_device::{Session, initial_value};
use history::History;
pub use neighbors::SomeNeighbors;
use rayon::prelude::*;
use std::marker::PhantomData;
use std::ops::RangeBounds;
use std::sync::Arc;
use std::time::Instant;
use sums::IntegerBounds;

/// Number of values that a thread converts per task.
const VALUES_AT_ONCE: usize = 1 << 16;

/// The attributes of `A` for one graph on one device, with methods that execute passes over these attributes.
///
/// If an error has made the engine unusable, every method that uses the device returns [`Error::Poisoned`].
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
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// Sets a param for all later passes. A pass whose kernel reads a param that has neither been set nor has a default
    /// returns [`Error::UnsetParam`].
    ///
    /// # Errors
    ///
    /// The device fails.
    pub fn set_param<T: AttributeValue>(&mut self, param: Param<A, T>, value: T) -> Result<()> {
        let bytes = self.to_bytes(value);
        self.call(|session| session.set_param(param.index(), &bytes))?;
        self.history.set_param(param.index());
        Ok(())
    }

    /// Sets an attribute of all vertices to the same value.
    ///
    /// # Errors
    ///
    /// The device fails.
    pub fn fill<H: VertexAttribute<A>>(&mut self, attribute: H, value: H::Value) -> Result<()> {
        let bytes = self.to_bytes(value);
        self.bounds.fill(A::SCHEMA, attribute.index(), &bytes);
        self.call_in(Phase::Initialise, |session| session.fill(attribute.index(), &bytes))
    }

    /// Sets the value of one vertex. A `VertexId` value must be dense: use [`gts_core::graph::VertexId::from`] to
    /// convert a vertex.
    ///
    /// # Errors
    ///
    /// The graph has no vertex `v`, or the device fails.
    pub fn set<H: VertexAttribute<A>>(&mut self, attribute: H, v: Vertex, value: H::Value) -> Result<()> {
        self.check_vertex(v)?;
        let bytes = self.to_bytes(value);
        self.bounds.forget(A::SCHEMA, attribute.index());
        self.call_in(Phase::Initialise, |session| session.write(attribute.index(), v, &bytes))
    }

    /// Returns the value of one vertex. `VertexId` values are dense.
    ///
    /// # Errors
    ///
    /// The graph has no vertex `v`, or the device fails.
    pub fn get<H: VertexAttribute<A>>(&mut self, attribute: H, v: Vertex) -> Result<H::Value> {
        self.check_vertex(v)?;
        let width = self.session.vertex_bytes();
        let mut bytes = vec![0; H::Value::bytes(width)];
        self.call_in(Phase::Fetch, |session| session.read(attribute.index(), v, &mut bytes))?;
        Ok(H::Value::read(width, &bytes))
    }

    /// Sets the values of all vertices. `values` is indexed by dense vertex number.
    ///
    /// # Errors
    ///
    /// The number of values differs from the number of vertices, or the device fails.
    pub fn set_dense<H: VertexAttribute<A>>(&mut self, attribute: H, values: &[H::Value]) -> Result<()> {
        if values.len() as u64 != self.graph.num_vertices() {
            return Err(Error::argument(
                format!("{} values", values.len()),
                format_args!("the graph has {} vertices", self.graph.num_vertices()),
            ));
        }
        self.set_by(attribute, |vertex| values[vertex.index()])
    }

    /// Sets the value of each vertex to the result of `value`, which is called on several threads.
    ///
    /// # Errors
    ///
    /// Memory is too small, or the device fails.
    pub fn set_by<H: VertexAttribute<A>>(
        &mut self,
        attribute: H,
        value: impl Fn(Vertex) -> H::Value + Sync,
    ) -> Result<()> {
        let width = self.session.vertex_bytes();
        let size = H::Value::bytes(width);
        let bytes = phase::during(Phase::Initialise, || {
            let vertices = self.graph.num_vertices() as usize;
            let mut bytes = memory::zeroed(name::<A>(attribute.index()), vertices * size)?;
            let places = bytes.par_chunks_exact_mut(size).with_min_len(VALUES_AT_ONCE).enumerate();
            places.for_each(|(dense, bytes)| value(Vertex::from_dense(dense as u64)).write(width, bytes));
            Ok::<_, Error>(bytes)
        })?;
        self.bounds.forget(A::SCHEMA, attribute.index());
        self.call_in(Phase::Initialise, |session| session.write(attribute.index(), Vertex::from_dense(0), &bytes))
    }

    /// Sets an attribute of all edges to the same value.
    ///
    /// # Errors
    ///
    /// As for [`Run::take_edges`].
    pub fn fill_edges<T: AttributeValue>(&mut self, attribute: EdgeWa<A, T>, value: T) -> Result<()> {
        let bytes = self.to_bytes(value);
        self.bounds.fill(A::SCHEMA, attribute.index(), &bytes);
        self.call_in(Phase::Initialise, |session| session.fill(attribute.index(), &bytes))
    }

    /// Returns the value of a global after the last pass whose kernel updates the global. Such a pass first resets the
    /// global to the identity of its merge, and all other passes leave the value unchanged.
    ///
    /// # Errors
    ///
    /// No pass of a kernel that updates the global has run, a sum does not fit into the global's type, or the device
    /// fails.
    pub fn global<T: AttributeValue>(&mut self, global: Global<A, T>) -> Result<T> {
        self.history.check_global(global.index())?;
        let totals = self.call_in(Phase::Fetch, |session| session.global(global.index()))?;
        let declared = &A::SCHEMA.attributes[global.index()];
        let AttributeKind::Global { merge } = declared.kind else { return Ok(T::read(8, &totals)) };
        let value = settled_totals(T::SCALAR, merge, totals).map_err(|total| Error::GlobalOverflow {
            attributes: A::SCHEMA.name,
            global: declared.name,
            scalar: T::SCALAR,
            total: Box::new(total),
        })?;
        Ok(T::read(8, &value))
    }

    /// Moves the values of a `wa` to the `ra` that is declared `from` this `wa`, and resets the `wa` to its initial
    /// value.
    ///
    /// # Errors
    ///
    /// The `ra` is declared without `from`, or the device fails.
    pub fn rotate<H: RotatingAttribute<A>>(&mut self, ra: H) -> Result<()> {
        let AttributeKind::Ra { from: Some(wa) } = A::SCHEMA.attributes[ra.index()].kind else {
            return Err(Error::argument_with_advice(
                format_args!("rotate({ra:?})"),
                "it takes its values from no `wa`",
                Advice::new("tell the author of the algorithm", "declare it `#[ra(from = …)]`"),
            ));
        };
        self.bounds.reset(A::SCHEMA, wa);
        self.call_in(Phase::Initialise, |session| session.rotate(ra.index(), wa))
    }

    /// Activates a vertex.
    ///
    /// # Errors
    ///
    /// The graph has no vertex `v`, or the device fails.
    pub fn activate(&mut self, v: Vertex) -> Result<()> {
        self.check_vertex(v)?;
        self.call(|session| session.activate(v))?;
        self.history.activate();
        Ok(())
    }

    /// Activates all vertices.
    ///
    /// # Errors
    ///
    /// The device fails.
    pub fn activate_all(&mut self) -> Result<()> {
        self.call(|session| session.activate_all())?;
        self.history.activate();
        Ok(())
    }

    /// Deactivates all vertices.
    ///
    /// # Errors
    ///
    /// The device fails.
    pub fn clear_frontier(&mut self) -> Result<()> {
        self.call(|session| session.clear_frontier())
    }

    /// Returns the number of active vertices.
    ///
    /// # Errors
    ///
    /// The device fails.
    pub fn frontier_size(&mut self) -> Result<u64> {
        self.call(|session| session.frontier_size())
    }

    /// Sets the number of the next step. Later calls of `advance` and `traverse` continue from this number. Random
    /// numbers begin again: each kernel has run 0 times in each step. The largest step is `u32::MAX - 1`; a pass at
    /// `u32::MAX` returns [`Error::StepLimit`].
    pub fn set_step(&mut self, step: u32) {
        self.step = step;
        self.counting = true;
        self.history.forget_runs();
    }

    /// Sets the seed of random numbers for all later passes. The default is the engine's seed.
    pub fn set_seed(&mut self, seed: u64) {
        self.seed = seed;
    }

    /// Runs a kernel once for every edge. If the kernel activates vertices, these become the frontier.
    ///
    /// # Errors
    ///
    /// The kernel reports an error, a limit is exceeded, the kernel reads a param that has no value, the kernel visits
    /// in-edges that the graph does not have, or the device fails.
    pub fn scan<K: Scan<Attributes = A>>(&mut self, kernel: impl KernelName<K>) -> Result<()> {
        self.scan_some(kernel, Neighbors::ALL)
    }

    /// Runs a kernel once for every neighbour of each vertex, or for every pair of neighbours that are connected by an
    /// edge. If the kernel activates vertices, these become the frontier. The cost per edge is at most the total length
    /// of the lists of both ends, or the length of the shorter list times a logarithm. On the CPU, an `ordered` kernel
    /// takes O(m^1.5) steps for m edges. The pass then uses 4 bytes of host memory per undirected edge and 16 bytes per
    /// vertex, if this memory is available.
    ///
    /// Lists are treated as sets: parallel edges count once, and self-loops do not count.
    ///
    /// # Errors
    ///
    /// As for [`Run::scan`]. Also fails if pages are not in memory, or if the kernel is `ordered` and the graph is not
    /// symmetric.
    pub fn intersect<K: IntersectKernel<Attributes = A>>(&mut self, kernel: impl KernelName<K>) -> Result<()> {
        if K::ORDERED && !self.graph.properties().symmetric {
            return Err(Error::needs(
                K::DESCRIPTOR.function,
                "a symmetric graph, because it is `ordered`: each triangle comes once there",
                Advice::new("build the graph with --symmetrise", "build the graph with `symmetrise`"),
            ));
        }
        self.edge_pass(&NativeIntersect(kernel.kernel()), false, Neighbors::ALL).map(|_| ())
    }

    /// Returns the seed of random numbers in kernels.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Restricts the next pass to a part of each vertex's list. `run.neighbors(..2).scan(kernel)` visits the first two
    /// edges of every vertex; `run.neighbors(2..).advance(kernel)` visits all other edges of the active vertices.
    /// Lists are sorted by dense number of the neighbour. A kernel that visits both directions processes this part of
    /// both lists of a vertex.
    pub fn neighbors(&mut self, places: impl RangeBounds<u64>) -> SomeNeighbors<'_, A> {
        SomeNeighbors::new(self, Neighbors::within(places))
    }

    pub(crate) fn scan_some<K>(&mut self, kernel: impl KernelName<K>, neighbours: Neighbors) -> Result<()>
    where
        K: Scan<Attributes = A>,
    {
        self.edge_pass(&NativeEdge(kernel.kernel()), false, neighbours).map(|_| ())
    }

    pub(crate) fn advance_some<K>(&mut self, kernel: impl KernelName<K>, neighbours: Neighbors) -> Result<u64>
    where
        K: Traverse<Attributes = A>,
    {
        self.counting = true;
        let frontier = self.edge_pass(&NativeEdge(kernel.kernel()), true, neighbours)?;
        self.step += 1;
        Ok(frontier)
    }

    /// Runs a kernel for every edge of the active vertices. The vertices that the kernel activates become the frontier.
    /// Returns the number of vertices in the new frontier. The first `advance` of a run is step 0.
    ///
    /// # Errors
    ///
    /// As for [`Run::scan`]. Also returns [`Error::NothingActivated`] if the graph has vertices, the host has activated
    /// none, and no kernel that can activate vertices has run.
    pub fn advance<K: Traverse<Attributes = A>>(&mut self, kernel: impl KernelName<K>) -> Result<u64> {
        self.advance_some(kernel, Neighbors::ALL)
    }

    /// Runs a kernel step by step until no vertex is active. Returns the number of steps. Step numbers start at 0, or
    /// at the value of [`Run::set_step`]. Globals are reset once, before the first step.
    ///
    /// # Errors
    ///
    /// As for [`Run::advance`]. Also returns [`Error::StepLimit`] if the traversal does not end within the maximum number
    /// of steps.
    pub fn traverse<K: Traverse<Attributes = A>>(&mut self, kernel: impl KernelName<K>) -> Result<u32> {
        // A refused traversal changes neither globals nor the step.
        self.request(K::DESCRIPTOR, true, true)?;
        self.begin_traversal();
        self.begin(K::DESCRIPTOR)?;
        let kernel = NativeEdge(kernel.kernel());
        let steps = self.traversal(&kernel, 0, |session, traversal| {
            session.traverse(&kernel, traversal)?;
            Ok(traversal.steps())
        })?;
        self.step = 0;
        Ok(steps)
    }

    /// Runs a vertex kernel for every vertex. If the kernel activates vertices, these become the frontier.
    ///
    /// # Errors
    ///
    /// The kernel reports an error, a limit is exceeded, the kernel reads a param that has no value, or the device fails.
    pub fn apply<K: VertexKernel<Attributes = A>>(&mut self, kernel: impl KernelName<K>) -> Result<()> {
        self.vertex_pass(&NativeVertex(kernel.kernel()), false)
    }

    /// Runs a vertex kernel for every active vertex. If the kernel activates vertices, these become the frontier.
    ///
    /// # Errors
    ///
    /// As for [`Run::apply`]. Also returns [`Error::NothingActivated`] as [`Run::advance`] does.
    pub fn apply_active<K: VertexKernel<Attributes = A>>(&mut self, kernel: impl KernelName<K>) -> Result<()> {
        self.vertex_pass(&NativeVertex(kernel.kernel()), true)
    }

    /// Runs a gather kernel for every vertex. The kernel reduces the values of the vertex's neighbours, then runs the
    /// block with the result. The reduction reads the values from before the pass. If the block activates vertices,
    /// these become the frontier.
    ///
    /// # Errors
    ///
    /// As for [`Run::scan`]. Also fails if the attributes are divided into parts (Strategy-S).
    pub fn gather<K: Gather<Attributes = A>>(&mut self, _: impl KernelName<K>) -> Result<()> {
        self.gather_pass(K::PARTS, false)
    }

    /// Runs a gather kernel for every active vertex. The reduction includes all neighbours, active or not. If the block
    /// activates vertices, these become the frontier.
    ///
    /// # Errors
    ///
    /// As for [`Run::gather`]. Also returns [`Error::NothingActivated`] as [`Run::advance`] does.
    pub fn gather_active<K: Gather<Attributes = A>>(&mut self, _: impl KernelName<K>) -> Result<()> {
        self.gather_pass(K::PARTS, true)
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
