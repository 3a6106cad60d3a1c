//! Runs, which hold the attributes of one struct for one graph and execute passes over these attributes.

mod answer;
mod matching;
mod near;
mod neighbours;
mod summaries;

use crate::shared::EngineState;
use gts_contract::{AttributeKind, KernelDescriptor, ScalarType, Side};
use gts_core::advice::Advice;
use gts_core::graph::{Graph, Vertex};
use gts_core::memory;
use gts_core::phase::{self, Phase};
use gts_device::error::{Error, Result};
use gts_device::kernel::random;
use gts_device::kernel::{
    AttributeValue, Attributes, EdgePass, EdgeWa, Gather, GatherParts, Global, IntersectKernel, KernelName, NativeEdge,
    NativeIntersect, NativeVertex, Param, RotatingAttribute, Scan, Traverse, VertexAttribute, VertexKernel, VertexPass,
};
use gts_device::neighbours::Neighbours;
use gts_device::{PageShare, PassOutcome, PassRequest, Session, StepDone, Traversal, initial_value};
pub use neighbours::SomeNeighbours;
use rayon::prelude::*;
use std::marker::PhantomData;
use std::ops::RangeBounds;
use std::sync::Arc;
use std::time::Instant;

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
        let (step, counting) = (0, false);
        Ok(Self { shared, graph, session, started, step, seed, counting, attributes: PhantomData })
    }

    /// Returns the graph of the run.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// Sets a param for all later passes.
    ///
    /// # Errors
    ///
    /// The device fails.
    pub fn set_param<T: AttributeValue>(&mut self, param: Param<A, T>, value: T) -> Result<()> {
        let bytes = self.to_bytes(value);
        self.call(|session| session.set_param(param.index(), &bytes))
    }

    /// Sets an attribute of all vertices to the same value.
    ///
    /// # Errors
    ///
    /// The device fails.
    pub fn fill<H: VertexAttribute<A>>(&mut self, attribute: H, value: H::Value) -> Result<()> {
        let bytes = self.to_bytes(value);
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
        self.call_in(Phase::Initialise, |session| session.write(attribute.index(), Vertex::from_dense(0), &bytes))
    }

    /// Sets an attribute of all edges to the same value.
    ///
    /// # Errors
    ///
    /// As for [`Run::take_edges`].
    pub fn fill_edges<T: AttributeValue>(&mut self, attribute: EdgeWa<A, T>, value: T) -> Result<()> {
        let bytes = self.to_bytes(value);
        self.call_in(Phase::Initialise, |session| session.fill(attribute.index(), &bytes))
    }

    /// Returns the value of a global after the last pass.
    ///
    /// # Errors
    ///
    /// The device fails.
    pub fn global<T: AttributeValue>(&mut self, global: Global<A, T>) -> Result<T> {
        let bytes = self.call_in(Phase::Fetch, |session| session.global(global.index()))?;
        Ok(T::read(8, &bytes))
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
        self.call_in(Phase::Initialise, |session| session.rotate(ra.index(), wa))
    }

    /// Activates a vertex.
    ///
    /// # Errors
    ///
    /// The graph has no vertex `v`, or the device fails.
    pub fn activate(&mut self, v: Vertex) -> Result<()> {
        self.check_vertex(v)?;
        self.call(|session| session.activate(v))
    }

    /// Activates all vertices.
    ///
    /// # Errors
    ///
    /// The device fails.
    pub fn activate_all(&mut self) -> Result<()> {
        self.call(|session| session.activate_all())
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

    /// Sets the number of the next step. Later calls of `advance` and `traverse` continue from this number.
    pub fn set_step(&mut self, step: u32) {
        self.step = step;
        self.counting = true;
    }

    /// Sets the seed of random numbers for all later passes. The default is the engine's seed.
    pub fn set_seed(&mut self, seed: u64) {
        self.seed = seed;
    }

    /// Runs a kernel once for every edge. If the kernel activates vertices, these become the frontier.
    ///
    /// # Errors
    ///
    /// The kernel reports an error, a limit is exceeded, the kernel visits in-edges that the graph does not have, or
    /// the device fails.
    pub fn scan<K: Scan<Attributes = A>>(&mut self, kernel: impl KernelName<K>) -> Result<()> {
        self.scan_some(kernel, Neighbours::ALL)
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
                K::DESCRIPTOR.name,
                "a symmetric graph, because it is `ordered`: each triangle comes once there",
                Advice::new("build the graph with --symmetrise", "build the graph with `symmetrise`"),
            ));
        }
        self.call(|session| session.reset_globals())?;
        self.edge_pass(&NativeIntersect(kernel.kernel()), false, Neighbours::ALL).map(|_| ())
    }

    /// Returns the seed of random numbers in kernels.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Restricts the next pass to a part of each vertex's list. `run.neighbours(..2).scan(kernel)` visits the first two
    /// edges of every vertex; `run.neighbours(2..).advance(kernel)` visits all other edges of the active vertices.
    /// Lists are sorted by dense number of the neighbour. A kernel that visits both directions processes this part of
    /// both lists of a vertex.
    pub fn neighbours(&mut self, places: impl RangeBounds<u64>) -> SomeNeighbours<'_, A> {
        SomeNeighbours::new(self, Neighbours::within(places))
    }

    pub(crate) fn scan_some<K>(&mut self, kernel: impl KernelName<K>, neighbours: Neighbours) -> Result<()>
    where
        K: Scan<Attributes = A>,
    {
        self.call(|session| session.reset_globals())?;
        self.edge_pass(&NativeEdge(kernel.kernel()), false, neighbours).map(|_| ())
    }

    pub(crate) fn advance_some<K>(&mut self, kernel: impl KernelName<K>, neighbours: Neighbours) -> Result<u64>
    where
        K: Traverse<Attributes = A>,
    {
        self.call(|session| session.reset_globals())?;
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
    /// As for [`Run::scan`].
    pub fn advance<K: Traverse<Attributes = A>>(&mut self, kernel: impl KernelName<K>) -> Result<u64> {
        self.advance_some(kernel, Neighbours::ALL)
    }

    /// Runs a kernel step by step until no vertex is active. Returns the number of steps. Step numbers start at 0, or
    /// at the value of [`Run::set_step`]. For globals, the whole traversal is one pass.
    ///
    /// # Errors
    ///
    /// As for [`Run::scan`]. Also returns [`Error::StepLimit`] if the traversal does not end within the maximum number
    /// of steps.
    pub fn traverse<K: Traverse<Attributes = A>>(&mut self, kernel: impl KernelName<K>) -> Result<u32> {
        self.begin_traversal();
        self.call(|session| session.reset_globals())?;
        let kernel = NativeEdge(kernel.kernel());
        let steps = self.traversal(&kernel, 0, |session, traversal| {
            session.traverse(&kernel, traversal)?;
            Ok(traversal.steps())
        })?;
        self.step = 0;
        Ok(steps)
    }

    /// Resets the step to 0, unless the host has set the step.
    fn begin_traversal(&mut self) {
        if !std::mem::take(&mut self.counting) {
            self.step = 0;
        }
    }

    /// Runs one step of a traversal and increments `steps`, the number of completed steps. Returns the number of active
    /// vertices.
    fn traversal_step(&mut self, kernel: &dyn EdgePass, steps: &mut u32) -> Result<u64> {
        let active = self.traversal(kernel, *steps, |session, traversal| session.step(kernel, traversal))?;
        *steps += 1;
        self.step += 1;
        Ok(active)
    }

    /// Runs a part of a traversal that has completed `done` steps.
    fn traversal<T>(
        &mut self,
        kernel: &dyn EdgePass,
        done: u32,
        part: impl FnOnce(&mut dyn Session, &mut Traversal<'_>) -> Result<T>,
    ) -> Result<T> {
        let descriptor = kernel.descriptor();
        let request = self.request(descriptor, true, true)?;
        let (shared, seed) = (Arc::clone(&self.shared), self.seed);
        let mut tell = |done: &StepDone<'_>| {
            shared.tell(descriptor.name, done.step, done.outcome, done.active, done.time);
        };
        let mut traversal = Traversal::new(request, seed, (done, shared.max_steps), shared.steps_by, &mut tell);
        self.call(|session| part(session, &mut traversal))
    }

    /// Runs a vertex kernel for every vertex. If the kernel activates vertices, these become the frontier.
    ///
    /// # Errors
    ///
    /// The kernel reports an error, a limit is exceeded, or the device fails.
    pub fn apply<K: VertexKernel<Attributes = A>>(&mut self, kernel: impl KernelName<K>) -> Result<()> {
        self.vertex_pass(&NativeVertex(kernel.kernel()), false)
    }

    /// Runs a vertex kernel for every active vertex. If the kernel activates vertices, these become the frontier.
    ///
    /// # Errors
    ///
    /// As for [`Run::apply`].
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
    /// As for [`Run::gather`].
    pub fn gather_active<K: Gather<Attributes = A>>(&mut self, _: impl KernelName<K>) -> Result<()> {
        self.gather_pass(K::PARTS, true)
    }

    fn gather_pass(&mut self, parts: &GatherParts, active_only: bool) -> Result<()> {
        for reduction in parts.reductions {
            let kernel = if active_only { reduction.active } else { reduction.every };
            let descriptor = kernel.descriptor();
            let request = self.request(descriptor, active_only, false)?;
            let begun = Instant::now();
            let nothing = initial_value(parts.schema, reduction.accumulator, self.session.vertex_bytes());
            let outcome = self.call(|session| {
                session.extend(descriptor)?;
                session.fill(reduction.accumulator, &nothing)?;
                session.edge_pass(kernel, &request)
            })?;
            self.finish(descriptor, &outcome, begun, false)?;
        }
        self.vertex_pass(parts.block, active_only)
    }

    fn edge_pass(&mut self, kernel: &dyn EdgePass, active_only: bool, neighbours: Neighbours) -> Result<u64> {
        let descriptor = kernel.descriptor();
        let ends_step = active_only || !descriptor.facts.activates.is_empty();
        let request = PassRequest { neighbours, ..self.request(descriptor, active_only, ends_step)? };
        let begun = Instant::now();
        let outcome = self.call(|session| session.edge_pass(kernel, &request))?;
        self.finish(descriptor, &outcome, begun, ends_step)
    }

    fn vertex_pass(&mut self, kernel: &dyn VertexPass, active_only: bool) -> Result<()> {
        self.call(|session| session.reset_globals())?;
        let ends_step = !kernel.descriptor().facts.activates.is_empty();
        self.vertex_part(kernel, active_only, ends_step).map(|_| ())
    }

    /// Runs a vertex pass as a part of a larger operation. Returns the result of [`Run::finish`].
    fn vertex_part(&mut self, kernel: &dyn VertexPass, active_only: bool, ends_step: bool) -> Result<u64> {
        let descriptor = kernel.descriptor();
        let request = self.request(descriptor, active_only, ends_step)?;
        let begun = Instant::now();
        let outcome = self.call(|session| session.vertex_pass(kernel, &request))?;
        self.finish(descriptor, &outcome, begun, ends_step)
    }

    fn request(&self, kernel: &'static KernelDescriptor, active_only: bool, ends_step: bool) -> Result<PassRequest> {
        let sides = kernel.sides(self.graph.properties().symmetric).to_vec();
        if sides.contains(&Side::In) && self.graph.topology(Side::In).is_none() {
            return Err(Error::needs(
                kernel.name,
                "in-edges, which this graph was built without",
                Advice::new(
                    "build the graph with --in-edges or --symmetrise",
                    "build the graph with `in_edges` or `symmetrise`",
                ),
            ));
        }
        let technique = self.shared.technique.or(kernel.technique);
        let limits = self.shared.limits(self.started);
        if limits.over() {
            return Err(limits.error(kernel));
        }
        let (propagation, step, share) = (self.shared.propagation, self.step, PageShare::WHOLE);
        let (random, neighbours) = (random::of_pass(self.seed, step), Neighbours::ALL);
        Ok(PassRequest {
            sides,
            active_only,
            technique,
            warp_chunk: self.shared.warp_chunk,
            propagation,
            decided: false,
            ends_step,
            step,
            random,
            neighbours,
            share,
            limits,
        })
    }

    /// Records the outcome of a pass, and ends the step if `ends_step` is set. Returns the number of active vertices,
    /// or 0 if the frontier is unchanged.
    fn finish(
        &mut self,
        kernel: &'static KernelDescriptor,
        outcome: &PassOutcome,
        begun: Instant,
        ends_step: bool,
    ) -> Result<u64> {
        let frontier = match (ends_step, outcome.frontier) {
            (false, _) => None,
            (true, Some(advanced)) => Some(advanced),
            (true, None) => Some(self.call(|session| session.advance_frontier())?),
        };
        self.shared.tell(kernel.name, self.step, outcome, frontier, begun.elapsed());
        Ok(frontier.unwrap_or(0))
    }

    fn call<T>(&mut self, action: impl FnOnce(&mut dyn Session) -> Result<T>) -> Result<T> {
        self.call_in(Phase::Passes, action)
    }

    /// Calls the session and adds the time to a phase. Records errors that make the engine unusable.
    fn call_in<T>(&mut self, phase: Phase, action: impl FnOnce(&mut dyn Session) -> Result<T>) -> Result<T> {
        self.shared.check()?;
        phase::during(phase, || action(self.session.as_mut())).map_err(|error| self.shared.note(error))
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
