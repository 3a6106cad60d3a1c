//! The CPU session: the attributes in host memory, and the methods that run passes.
//!
//! Plain writes suffice in four cases:
//!
//! - The pool has a single thread.
//! - A pulling scan writes each vertex once (see [`super::pull`]).
//! - A pushing scan that only sums uses a replica per thread (see [`super::replica`]).
//! - A vertex kernel updates only its own vertex.
//!
//! All other passes update shared memory with relaxed atomics. This is cheap because minima and guarded stores rarely
//! write.
//!
//! Pages in memory are divided into units of work once. Other pages are divided at each read (see [`super::streamed`]).
#![allow(unsafe_code)]

mod owed;
mod walk;

pub(super) use walk::outcome;

use super::globals::{Accumulator, GlobalShape};
use super::memory::Bytes;
use super::replica::{Replicas, is_wide, replicated};
use super::units::{Units, over_ranges};
use super::watch;
use gts_contract::{AttributeKind, KernelDescriptor, KernelKind, Schema, Side};
use gts_core::graph::{Graph, Vertex};
use gts_core::page::{HostMemory, Topology};
use gts_core::phase::{self, Phase};
use gts_device::error::{Error, Result};
use gts_device::kernel::{
    BitSet, Context, EdgePass, ErrorFlag, Matched, Matching, MemoryKind, RawColumn, SEARCH, StopFlag, SumChecks,
    Tallies, VertexPass,
};
use gts_device::replicated::{HostValues, Replica, ReplicaMemory};
use gts_device::trace::{Trace, TraceEvent, TraceKind};
use gts_device::{
    AnswerPiece, AnswerRequest, Pass, PassOutcome, PassRequest, Readiness, Session, SessionOptions, initial_value,
    value_bytes, vertex_bytes,
};
use rayon::ThreadPool;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Instant;

/// One thread's columns, and its accumulators for the globals.
#[derive(Debug)]
struct ThreadState {
    columns: Vec<RawColumn>,
    globals: Vec<Accumulator>,
}

#[derive(Debug)]
pub(super) struct CpuSession {
    pub(super) pool: Arc<ThreadPool>,
    /// The allocator for vertex values, or `None` for ordinary process memory.
    memory: Option<Arc<dyn HostMemory>>,
    pub(super) graph: Graph,
    schema: &'static Schema,
    pub(super) vertex_bytes: usize,
    /// The column of each attribute. Empty for `edge` attributes and globals.
    columns: Vec<Bytes>,
    /// Deferred fills: the attribute's index, and the value to store.
    owed: Vec<(usize, Vec<u8>)>,
    /// Whether fills are deferred until the attribute's next use.
    fills_late: bool,
    /// Number of attributes in the initial schema. Later attributes belong to a derived kernel.
    own_attributes: usize,
    globals: Vec<GlobalShape>,
    /// The totals of each global since its last reset, as bits.
    totals: Vec<Vec<u64>>,
    lanes: Vec<Mutex<ThreadState>>,
    replicas: Vec<Replicas>,
    /// The contribution of each vertex in a pulling scan.
    pub(super) handed: Bytes,
    pub(super) active: BitSet,
    next: BitSet,
    tallies: Tallies,
    units: [OnceLock<Units>; 2],
    error: ErrorFlag,
    stop: Arc<StopFlag>,
    trace: Trace,
    /// The number that identifies the device in the trace.
    number: u32,
}

impl CpuSession {
    pub(super) fn new(
        pool: Arc<ThreadPool>,
        memory: Option<Arc<dyn HostMemory>>,
        graph: Graph,
        schema: &'static Schema,
        options: &SessionOptions,
    ) -> Result<Self> {
        let vertex_bytes = vertex_bytes(&graph);
        let vertices = graph.num_vertices();
        let globals = GlobalShape::of(schema);
        let mut columns = Vec::new();
        for (attribute, declared) in schema.attributes.iter().enumerate() {
            let bytes = column_bytes(&graph, schema, attribute);
            let initial = || initial_value(schema, attribute, vertex_bytes);
            let given = memory.as_deref().filter(|_| is_of_vertices(declared.kind));
            columns.push(match (declared.kind, given) {
                (AttributeKind::Wa { .. }, Some(memory)) => phase::during(Phase::Initialise, || {
                    let mut column = Bytes::zeroed_in(memory, bytes, declared.name)?;
                    column.fill_by(&pool, &initial());
                    Ok::<_, Error>(column)
                })?,
                (AttributeKind::Wa { .. } | AttributeKind::EdgeWa { .. }, _) => {
                    phase::during(Phase::Initialise, || Bytes::filled(bytes, &initial(), &pool, declared.name))?
                }
                (_, Some(memory)) => Bytes::zeroed_in(memory, bytes, declared.name)?,
                (_, None) => Bytes::zeroed(bytes, declared.name)?,
            });
        }
        let lanes = (0..pool.current_num_threads())
            .map(|_| {
                let globals = globals.iter().copied().map(Accumulator::new).collect::<Result<_>>()?;
                Ok(Mutex::new(ThreadState { columns: Vec::new(), globals }))
            })
            .collect::<Result<_>>()?;
        let [active, next] = sets(&pool, vertices)?;
        Ok(Self {
            pool,
            memory,
            schema,
            vertex_bytes,
            own_attributes: schema.attributes.len(),
            columns,
            owed: Vec::new(),
            fills_late: options.fills_late,
            totals: globals.iter().map(GlobalShape::identities).collect(),
            globals,
            lanes,
            replicas: Vec::new(),
            handed: Bytes::default(),
            active,
            next,
            tallies: Tallies::default(),
            units: Default::default(),
            error: ErrorFlag::default(),
            stop: Arc::default(),
            trace: options.trace.clone(),
            number: options.device,
            graph,
        })
    }

    /// Assigns columns to every lane. For `replicated` attributes, each lane that has a replica gets its own column.
    fn lend(&mut self, replicated: &[usize]) -> Result<()> {
        for &attribute in replicated {
            if !self.replicas.iter().any(|replicas| replicas.attribute == attribute) {
                let bytes = self.columns[attribute].as_slice().len();
                self.replicas.push(Replicas::new(self.schema, attribute, bytes, self.lanes.len())?);
            }
        }
        let shared: Vec<RawColumn> = self.columns.iter_mut().map(Bytes::column).collect();
        for (index, lane) in self.lanes.iter_mut().enumerate() {
            let lane = lane.get_mut().unwrap_or_else(PoisonError::into_inner);
            lane.columns.clone_from(&shared);
            for (shape, global) in self.globals.iter().zip(&mut lane.globals) {
                lane.columns[shape.attribute] = global.column();
            }
            for replicas in self.replicas.iter_mut().filter(|replicas| replicated.contains(&replicas.attribute)) {
                if let Some(copy) = replicas.of_lane(self.schema, index) {
                    lane.columns[replicas.attribute] = copy.column();
                }
            }
        }
        Ok(())
    }

    fn context<'a>(&'a self, request: &'a PassRequest) -> Context<'a> {
        Context {
            step: request.step,
            random: request.random,
            sums: request.sums,
            checked: request.checked,
            neighbours: request.neighbours,
            position: 0,
            num_vertices: self.graph.num_vertices(),
            num_edges: self.graph.num_edges(),
            out_degrees: self.graph.out_degrees(),
            in_degrees: self.graph.in_degrees(),
            next: &self.next,
            tallies: &self.tallies,
            error: &self.error,
            stop: &self.stop,
            interrupt: &request.limits.interrupt,
        }
    }

    /// Runs a unit of work with the calling thread's columns, unless the pass has been stopped.
    pub(super) fn on_lane(&self, gts: Context<'_>, work: impl FnOnce(&[RawColumn])) {
        if gts.stopped() {
            return;
        }
        // A thread outside the pool works only if there is a single unit.
        let index = self.pool.current_thread_index().unwrap_or(0);
        let mut lane = self.lanes[index].lock().unwrap_or_else(PoisonError::into_inner);
        work(&lane.columns);
        lane.globals.iter_mut().for_each(Accumulator::flush);
    }

    /// Completes a pass: merges the values of all threads, and returns the pass's error, if any.
    fn settle(&mut self, kernel: &'static KernelDescriptor, replicated: &[usize], request: &PassRequest) -> Result<()> {
        let begun = Instant::now();
        let mut merged = 0;
        for replicas in self.replicas.iter_mut().filter(|replicas| replicated.contains(&replicas.attribute)) {
            let main = &mut self.columns[replicas.attribute];
            self.pool.install(|| replicas.merge_into(self.schema, main));
            merged += (main.as_slice().len() * replicas.copies.len()) as u64;
        }
        if merged > 0 {
            let outcome = PassOutcome { bytes: merged, ..PassOutcome::default() };
            self.record(TraceKind::Merge, begun, &outcome, "replicas");
        }
        for lane in &mut self.lanes {
            let lane = lane.get_mut().unwrap_or_else(PoisonError::into_inner);
            lane.globals.iter_mut().zip(&mut self.totals).for_each(|(global, totals)| global.drain_into(totals));
        }
        let stopped = self.stop.stopped() || request.limits.interrupt.stopped();
        self.stop.reset();
        if let Some(lacking) = self.error.take_lacking() {
            return Err(lacking.into());
        }
        match self.error.take() {
            Some(fault) => Err(fault.error(kernel)),
            None if stopped => Err(request.limits.error(kernel)),
            None => Ok(()),
        }
    }

    /// Records an event that began at `begun` and has just ended. The whole pool counts as one lane, because all
    /// threads work on the same pass.
    fn record(&self, kind: TraceKind, begun: Instant, outcome: &PassOutcome, label: &'static str) {
        if self.trace.is_on() {
            let (start, end) = (self.trace.time_of(begun), self.trace.time_of(Instant::now()));
            let (bytes, pages) = (outcome.bytes, outcome.pages);
            self.trace.record(TraceEvent { kind, device: self.number, lane: 0, start, end, bytes, pages, label });
        }
    }

    fn memory(&self, replicated: &[usize]) -> MemoryKind {
        if replicated.iter().any(|&attribute| is_wide(self.schema, attribute)) {
            MemoryKind::OwnedWide
        } else if self.lanes.len() == 1 || !replicated.is_empty() {
            MemoryKind::Owned
        } else {
            MemoryKind::Shared
        }
    }

    pub(super) fn topology(&self, side: Side, kernel: &KernelDescriptor) -> Result<&Topology> {
        self.graph.topology(side).ok_or_else(|| gts_device::no_in_edges(kernel))
    }

    pub(super) fn units(&self, side: Side, topology: &Topology) -> Result<&Units> {
        let units = &self.units[side as usize];
        match units.get() {
            Some(units) => Ok(units),
            None => {
                let degrees = if side == Side::Out { self.graph.out_degrees() } else { self.graph.in_degrees() };
                let new = Units::new(topology, degrees)?;
                Ok(units.get_or_init(|| new))
            }
        }
    }

    pub(super) fn degree(&self, side: Side, v: Vertex) -> u64 {
        match side {
            Side::Out => self.graph.out_degree(v),
            Side::In => self.graph.in_degree(v),
        }
    }
}

/// Creates two empty vertex sets, for the current step and the next.
fn sets(pool: &ThreadPool, vertices: u64) -> Result<[BitSet; 2]> {
    let both = || Ok([BitSet::new(vertices)?, BitSet::new(vertices)?]);
    on_set(pool, BitSet::would_be_large(vertices), both)
}

/// Runs work on a vertex set: in the pool if the set is large (`shared`), otherwise on the calling thread.
fn on_set<T: Send>(pool: &ThreadPool, shared: bool, work: impl FnOnce() -> T + Send) -> T {
    if shared { pool.install(work) } else { work() }
}

/// Returns whether an attribute has a value per vertex. Devices exchange only the values of these attributes.
fn is_of_vertices(kind: AttributeKind) -> bool {
    matches!(kind, AttributeKind::Wa { .. } | AttributeKind::Ra { .. })
}

/// Returns the size of an attribute's column in bytes, or 0 if the attribute has no column in the session.
fn column_bytes(graph: &Graph, schema: &Schema, attribute: usize) -> usize {
    let value = value_bytes(schema, attribute, vertex_bytes(graph));
    match schema.attributes[attribute].kind {
        AttributeKind::Wa { .. } | AttributeKind::Ra { .. } => value * graph.num_vertices() as usize,
        AttributeKind::EdgeWa { .. } => value * graph.num_edges() as usize,
        AttributeKind::Param { .. } => value,
        AttributeKind::Edge { .. } | AttributeKind::Global { .. } => 0,
    }
}

impl Session for CpuSession {
    fn vertex_bytes(&self) -> usize {
        self.vertex_bytes
    }

    fn write(&mut self, attribute: usize, first: Vertex, bytes: &[u8]) -> Result<()> {
        self.fill_owed(|owed| owed == attribute);
        let start = first.dense() as usize * value_bytes(self.schema, attribute, self.vertex_bytes);
        self.columns[attribute].as_mut_slice()[start..start + bytes.len()].copy_from_slice(bytes);
        Ok(())
    }

    fn read(&mut self, attribute: usize, first: Vertex, bytes: &mut [u8]) -> Result<()> {
        self.fill_owed(|owed| owed == attribute);
        let start = first.dense() as usize * value_bytes(self.schema, attribute, self.vertex_bytes);
        bytes.copy_from_slice(&self.columns[attribute].as_slice()[start..start + bytes.len()]);
        Ok(())
    }

    fn answer(
        &mut self,
        request: &AnswerRequest,
        receive: &mut dyn FnMut(AnswerPiece<'_>) -> Result<()>,
    ) -> Result<()> {
        self.fill_owed(|attribute| attribute == request.attribute);
        let bytes = &self.columns[request.attribute].as_slice()[..request.bytes()];
        receive(AnswerPiece { bytes, vertex_bytes: self.vertex_bytes, done: false })
    }

    fn fill(&mut self, attribute: usize, value: &[u8]) -> Result<()> {
        self.fill_or_owe(attribute, value);
        Ok(())
    }

    fn rotate(&mut self, ra: usize, wa: usize) -> Result<()> {
        self.fill_owed(|attribute| attribute == wa);
        self.owed.retain(|(attribute, _)| *attribute != ra);
        self.columns.swap(ra, wa);
        self.fill_or_owe(wa, &initial_value(self.schema, wa, self.vertex_bytes));
        Ok(())
    }

    fn set_param(&mut self, attribute: usize, value: &[u8]) -> Result<()> {
        self.columns[attribute].as_mut_slice().copy_from_slice(value);
        Ok(())
    }

    fn reset_globals(&mut self, attributes: &[usize]) -> Result<()> {
        for (shape, totals) in self.globals.iter().zip(&mut self.totals) {
            if attributes.contains(&shape.attribute) {
                *totals = shape.identities();
            }
        }
        Ok(())
    }

    fn global(&mut self, attribute: usize) -> Result<Vec<u8>> {
        let index = self.globals.iter().position(|shape| shape.attribute == attribute);
        Ok(index.map_or_else(Vec::new, |index| self.globals[index].bytes_of(&self.totals[index])))
    }

    fn activate(&mut self, v: Vertex) -> Result<()> {
        self.active.insert(v);
        Ok(())
    }

    fn activate_all(&mut self) -> Result<()> {
        let vertices = self.graph.num_vertices();
        on_set(&self.pool, self.active.is_large(), || self.active.fill(vertices));
        Ok(())
    }

    fn clear_frontier(&mut self) -> Result<()> {
        on_set(&self.pool, self.active.is_large(), || {
            self.active.clear();
            self.next.clear();
        });
        Ok(())
    }

    fn advance_frontier(&mut self) -> Result<u64> {
        std::mem::swap(&mut self.active, &mut self.next);
        Ok(on_set(&self.pool, self.active.is_large(), || self.active.count_and_clear(&mut self.next)))
    }

    fn frontier_size(&mut self) -> Result<u64> {
        Ok(on_set(&self.pool, self.active.is_large(), || self.active.count()))
    }

    fn activated(&mut self) -> Result<Vec<u64>> {
        Ok(on_set(&self.pool, self.next.is_large(), || self.next.words())?)
    }

    fn activate_set(&mut self, words: &[u64]) -> Result<()> {
        on_set(&self.pool, self.next.is_large(), || self.next.unite(words));
        Ok(())
    }

    fn extend(&mut self, kernel: &'static KernelDescriptor) -> Result<()> {
        let own_attributes = self.own_attributes;
        self.owed.retain(|(attribute, _)| *attribute < own_attributes);
        for (attribute, declared) in kernel.schema.attributes.iter().enumerate().skip(self.own_attributes) {
            let needed = column_bytes(&self.graph, kernel.schema, attribute);
            if self.columns.get(attribute).is_none_or(|column| column.as_slice().len() != needed) {
                self.columns.truncate(attribute);
                let given = self.memory.as_deref().filter(|_| is_of_vertices(declared.kind));
                self.columns.push(match given {
                    Some(memory) => Bytes::zeroed_in(memory, needed, declared.name)?,
                    None => Bytes::zeroed(needed, declared.name)?,
                });
            }
        }
        self.columns.truncate(kernel.schema.attributes.len());
        self.schema = kernel.schema;
        self.globals = GlobalShape::of(self.schema);
        let own = self.globals.partition_point(|shape| shape.attribute < self.own_attributes);
        for lane in &mut self.lanes {
            let lane = lane.get_mut().unwrap_or_else(PoisonError::into_inner);
            lane.globals.truncate(own);
            for &shape in &self.globals[own..] {
                lane.globals.push(Accumulator::new(shape)?);
            }
        }
        self.totals.truncate(own);
        self.totals.extend(self.globals[own..].iter().map(GlobalShape::identities));
        Ok(())
    }

    fn edge_pass(&mut self, kernel: &dyn EdgePass, request: &PassRequest) -> Result<PassOutcome> {
        self.fill_owed(|_| true);
        let descriptor = kernel.descriptor();
        let vertices = self.graph.num_vertices();
        let of_share = |&side: &Side| self.graph.topology(side).map_or(0, |topology| request.share.num_edges(topology));
        let edges = request.sides.iter().map(of_share).max().unwrap_or_default();
        let pulling = self.pulling(kernel, request)?;
        let receives = self.receives(descriptor, request)?;
        let replicated = match pulling {
            Some(_) => Vec::new(),
            // Checking a sum requires the whole value.
            None if receives || request.sums != SumChecks::None => Vec::new(),
            None => replicated(descriptor, self.lanes.len(), edges, vertices).unwrap_or_default(),
        };
        self.lend(&replicated)?;
        let memory = self.memory(&replicated);
        let gts = self.context(request);
        let outcome = watch::within(&request.limits, &self.stop, || {
            let mut outcomes = Vec::with_capacity(request.sides.len());
            if let Some(pulling) = pulling {
                self.hand_out(pulling, gts);
            }
            for &side in &request.sides {
                if gts.stopped() {
                    break;
                }
                let begun = Instant::now();
                let outcome = match pulling {
                    Some(pulling) => self.pull(kernel, pulling, side, request, gts)?,
                    None if descriptor.kind == KernelKind::Intersect => {
                        self.intersect(kernel, side, request, memory, gts)?
                    }
                    None if request.active_only && !receives => self.visit(kernel, side, request, memory, gts)?,
                    None => self.scan(kernel, side, request, memory, gts, receives)?,
                };
                self.record(TraceKind::Launch, begun, &outcome, descriptor.name);
                outcomes.push(outcome);
            }
            Ok(PassOutcome::in_turn(&outcomes))
        })?;
        self.settle(descriptor, &replicated, request)?;
        if let Some(attribute) = descriptor.facts.tallied {
            let bytes = value_bytes(self.schema, attribute, self.vertex_bytes);
            let mut tallies = std::mem::take(&mut self.tallies);
            for (v, bits) in tallies.drain(self.schema.attributes[attribute].ty.scalar) {
                self.write(attribute, v, &bits.to_le_bytes()[..bytes])?;
            }
            self.tallies = tallies;
        }
        outcome
    }

    fn vertex_pass(&mut self, kernel: &dyn VertexPass, request: &PassRequest) -> Result<PassOutcome> {
        self.fill_owed(|_| true);
        self.lend(&[])?;
        // The pass visits each vertex once, so no two threads update the same value.
        let memory = match kernel.descriptor().updates_its_own_vertex() {
            true => MemoryKind::Owned,
            false => self.memory(&[]),
        };
        let gts = self.context(request);
        let wide = self.vertex_bytes == 8;
        let vertices = self.graph.num_vertices();
        let active = request.active_only.then_some(&self.active);
        let begun = Instant::now();
        watch::within(&request.limits, &self.stop, || {
            over_ranges(&self.pool, vertices, |range| {
                // SAFETY: as in `CpuSession::scan`, except that no attribute is replicated. With owned memory, each
                // vertex is in one range, and the kernel writes no other vertex.
                self.on_lane(gts, |columns| unsafe { kernel.run(range, active, memory, wide, columns, gts) });
            });
        })?;
        let outcome = PassOutcome::default();
        self.record(TraceKind::Launch, begun, &outcome, kernel.descriptor().name);
        self.settle(kernel.descriptor(), &[], request)?;
        Ok(outcome)
    }

    fn matches(&mut self, matching: &Matching<'_>, request: &PassRequest) -> Result<(Matched, PassOutcome)> {
        let begun = Instant::now();
        let gts = self.context(request);
        let found = watch::within(&request.limits, &self.stop, || self.find_matches(matching, gts))?;
        self.settle(&SEARCH, &[], request)?;
        let (found, outcome) = found?;
        self.record(TraceKind::Launch, begun, &outcome, SEARCH.name);
        Ok((found, outcome))
    }

    fn lend(&mut self, attributes: &[usize]) -> Result<Replica<'_>> {
        self.fill_owed(|attribute| attributes.contains(&attribute));
        let mut columns: Vec<Option<&mut Bytes>> = self.columns.iter_mut().map(Some).collect();
        let lent = attributes.iter().map(|&attribute| match columns.get_mut(attribute).and_then(Option::take) {
            Some(column) => Ok(column.lend()),
            None => Err(Error::argument("a collective", "an attribute is lent once")),
        });
        Ok(Replica {
            values: lent.collect::<Result<_>>()?,
            activated: ReplicaMemory::Host(HostValues::new(bytemuck::cast_slice_mut(self.next.words_mut()))),
        })
    }

    fn prepare(&mut self, pass: Pass<'_>, request: &PassRequest) -> Result<Readiness> {
        let Pass::Edges(kernel) = pass else { return Ok(Readiness::default()) };
        let pulls = self.pulling(kernel, request)?.is_some() || self.receives(kernel.descriptor(), request)?;
        Ok(Readiness { pulls, ..Readiness::default() })
    }
}
