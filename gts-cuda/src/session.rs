//! The session of a run on one device. Attributes are in device memory, except each `ra` for which the device has no
//! room.

use super::arguments::Common;
use super::driver::{Buffer, Context, Pinned};
use super::edge_list::Listed;
use super::frontier::Frontier;
use super::globals::{CELL, GlobalCells};
use super::kernels::Support;
use super::kit::{Kit, Lent};
use super::launch::FEW;
use super::pages::ResidentPages;
use super::part::{DegreeTables, Part};
use super::pass::LoadedAmount;
use super::ring;
use super::several::UnderWay;
use super::shared::DeviceState;
use super::steps::{LoopOutcome, StepMemory};
use super::tally::TallyTables;
use super::techniques::Chosen;
use super::travelling::{self, budget, load_of, no_room};
use gts_contract::{AttributeKind, KernelDescriptor, KernelKind, Schema, Side};
use gts_core::cost::holding::{self, ColumnKey, ColumnPlacement, ColumnRead, DeviceLoad};
use gts_core::graph::{Graph, Vertex};
use gts_core::memory;
use gts_core::phase::{self, Phase};
use gts_device::error::{Error, Result};
use gts_device::kernel::{EdgePass, Matched, Matching, VertexPass};
use gts_device::replicated::Replica;
use gts_device::trace::Trace;
use gts_device::{
    AnswerPiece, AnswerRequest, Pass, PassOutcome, PassRequest, Readiness, Session, SessionOptions, Traversal,
    initial_value, value_bytes, vertex_bytes,
};
use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

/// The storage of an attribute.
#[derive(Debug)]
pub(super) enum AttributeStorage {
    /// Device memory: a value per vertex or edge, or an array param.
    Memory(Buffer),
    /// The bits of a scalar param, passed as a kernel argument.
    Slot(u64),
    /// Page-locked host memory: an `ra` for which the device has no room.
    Away(Pinned),
    /// No storage in the session: globals have cells, edge values are in the pages, and the creator of a [`Part`]
    /// provides each `ra`.
    Elsewhere,
}

/// Pages of a topology on the device, which passes of this session walk.
#[derive(Debug)]
pub(super) struct Walked {
    pub(super) side: Side,
    /// The number of edges in the lists that begin in these pages.
    pub(super) edges: u64,
    pub(super) pages: Arc<ResidentPages>,
}

/// Bytes reserved for the report of a pass, in device memory and in pinned memory.
pub(super) const REPORT: usize = holding::REPORT as usize;

#[derive(Debug)]
pub(super) struct CudaSession {
    pub(super) shared: Arc<DeviceState>,
    pub(super) schema: &'static Schema,
    pub(super) vertex_bytes: usize,
    pub(super) support: Arc<Support>,
    pub(super) degrees: DegreeTables,
    /// The sizes of the data that the device must store for the attribute struct.
    pub(super) load: DeviceLoad,
    /// The column reads of all kernels that the session has run, without duplicates.
    pub(super) reads: Vec<ColumnRead>,
    /// The address of the kernel, and the topologies, for which columns were last placed.
    pub(super) placed_for: Option<(usize, [bool; 2])>,
    pub(super) placement: ColumnPlacement,
    /// Bytes of travelling columns copied for the last pass of a vertex kernel.
    pub(super) copied_beside: u64,
    /// The part of the vertices whose attributes this session holds; `None` for all vertices.
    pub(super) part: Option<Part>,
    /// The resident pages that passes of this session have walked.
    pub(super) pages: Vec<Walked>,
    /// The edge lists that passes of this session have walked.
    pub(super) lists: Vec<Listed>,
    /// A clone of `DeviceState::streaming`, if this session's pages stream.
    pub(super) streaming: Option<Arc<()>>,
    pub(super) columns: Vec<AttributeStorage>,
    /// The number of attributes in the session's own struct. Further attributes belong to a derived kernel.
    own_attributes: usize,
    pub(super) globals: Vec<GlobalCells>,
    pub(super) cells: Buffer,
    /// Whether host memory contains the current cells, written by the last pass.
    pub(super) globals_told: bool,
    pub(super) frontier: Frontier,
    /// The tables for counting neighbour values, allocated by the first pass that counts.
    pub(super) tallies: Option<TallyTables>,
    /// The values that sources pass to their edges, allocated by the first pass that pulls.
    pub(super) handed: Option<Buffer>,
    /// The memory of step loops, allocated when a loop first runs.
    pub(super) step_memory: StepMemory,
    /// References to the active pages by topology: small pages, then large pages.
    pub(super) found: [Option<[Buffer; 2]>; 2],
    /// The techniques that the device has chosen for passes over the graph.
    pub(super) chosen: Arc<Chosen>,
    /// This device's submitted part of a pass that several devices share.
    pub(super) under_way: UnderWay,
    /// The amount of data loaded for a pass, kept until the outcome of the pass includes it.
    pub(super) loaded: LoadedAmount,
    pub(super) trace: Trace,
    /// The time at which the session began.
    pub(super) since: Instant,
    /// The number of the device in the trace.
    pub(super) number: u32,
    // Dropped after `degrees`, which may page-lock the graph's own memory.
    pub(super) graph: Graph,
    // Dropped last, because the kit's stream must outlive the memory that it uses.
    pub(super) kit: Lent<Kit>,
}

impl CudaSession {
    pub(super) fn new(
        shared: Arc<DeviceState>,
        graph: Graph,
        schema: &'static Schema,
        options: &SessionOptions,
        part: Option<Part>,
    ) -> Result<Self> {
        let context = &shared.context;
        let vertex_bytes = vertex_bytes(&graph);
        let load = load_of(&graph, schema, vertex_bytes);
        let budget = budget(context)?;
        let placement = match part {
            // Strategy-S has already checked that the part fits.
            Some(_) => ColumnPlacement::default(),
            None => load.place(budget, &[]).map_err(|large| no_room(&shared, schema, None, &large, budget))?,
        };
        let is_away = |attribute| placement.away.iter().any(|column| column.key == ColumnKey::Attribute(attribute));
        let kit = Lent::take(&shared.kits, || Kit::new(context))?;
        let stream = &kit.stream;
        let vertices = graph.num_vertices();
        let room = part.as_ref().map_or(vertices, |part| part.room);
        let globals = GlobalCells::of(schema);
        let cells = GlobalCells::identities(&globals);
        let columns = schema.attributes.iter().enumerate().map(|(attribute, declared)| {
            let value = value_bytes(schema, attribute, vertex_bytes);
            Ok(match declared.kind {
                AttributeKind::Ra { .. } if part.is_some() => AttributeStorage::Elsewhere,
                AttributeKind::Ra { .. } if is_away(attribute) => {
                    AttributeStorage::Away(Pinned::new(context, (value * vertices as usize).max(1))?)
                }
                AttributeKind::Wa { .. } | AttributeKind::Ra { .. } => {
                    let (bytes, name) = (value * room as usize, format!("`{}`", declared.name));
                    // Updatable attributes are filled with their initial values below.
                    AttributeStorage::Memory(match declared.kind {
                        AttributeKind::Wa { .. } => Buffer::lent(stream, bytes, &name)?,
                        _ => Buffer::lent_zeroed(stream, bytes, &name)?,
                    })
                }
                AttributeKind::EdgeWa { .. } => {
                    let bytes = value * graph.num_edges() as usize;
                    AttributeStorage::Memory(Buffer::lent(stream, bytes, &format!("`{}`", declared.name))?)
                }
                AttributeKind::Param { .. } if declared.ty.array => {
                    AttributeStorage::Memory(Buffer::lent_zeroed(stream, value, &format!("`{}`", declared.name))?)
                }
                AttributeKind::Param { .. } => AttributeStorage::Slot(0),
                AttributeKind::Edge { .. } | AttributeKind::Global { .. } => AttributeStorage::Elsewhere,
            })
        });
        let mut session = Self {
            columns: columns.collect::<Result<_>>()?,
            cells: Buffer::lent_copy_of(stream, bytemuck::cast_slice(&cells), "globals")?,
            globals,
            globals_told: false,
            own_attributes: schema.attributes.len(),
            frontier: Frontier::new(stream, vertices)?,
            tallies: None,
            handed: None,
            step_memory: StepMemory::default(),
            found: [None, None],
            chosen: shared.residents.chosen(&graph)?,
            support: shared.kernels.support(context, vertex_bytes)?,
            degrees: part.as_ref().map_or_else(DegreeTables::default, Part::degree_tables),
            reads: Vec::new(),
            placed_for: None,
            load,
            placement,
            copied_beside: 0,
            part,
            pages: Vec::new(),
            lists: Vec::new(),
            streaming: None,
            under_way: UnderWay::default(),
            loaded: LoadedAmount::default(),
            vertex_bytes,
            schema,
            graph,
            trace: options.trace.clone(),
            since: Instant::now(),
            number: options.device,
            kit,
            shared,
        };
        for (attribute, declared) in schema.attributes.iter().enumerate() {
            if let AttributeKind::Wa { .. } | AttributeKind::EdgeWa { .. } = declared.kind {
                let initial = initial_value(schema, attribute, vertex_bytes);
                phase::during(Phase::Initialise, || session.fill(attribute, &initial))?;
            }
        }
        Ok(session)
    }

    pub(super) fn context(&self) -> &Arc<Context> {
        &self.shared.context
    }

    pub(super) fn memory(&self, attribute: usize) -> Result<&Buffer> {
        match &self.columns[attribute] {
            AttributeStorage::Memory(buffer) => Ok(buffer),
            AttributeStorage::Slot(_) | AttributeStorage::Away(_) | AttributeStorage::Elsewhere => {
                Err(gts_device::error::Error::argument(
                    format_args!("`{}`", self.schema.attributes[attribute].name),
                    "it has no value a vertex",
                ))
            }
        }
    }

    /// Returns the value of each attribute's slot in the argument struct.
    fn attribute_slots(&self) -> Vec<u64> {
        let mut slots: Vec<u64> = self
            .columns
            .iter()
            .enumerate()
            .map(|(attribute, column)| match (column, &self.part, self.schema.attributes[attribute].kind) {
                // Kernels index from vertex 0, so shift the address by the vertices before the part.
                (AttributeStorage::Memory(buffer), Some(part), AttributeKind::Wa { .. }) => {
                    let value = value_bytes(self.schema, attribute, self.vertex_bytes) as u64;
                    buffer.address().wrapping_sub(part.vertices.start * value)
                }
                (AttributeStorage::Memory(buffer), ..) => buffer.address(),
                (AttributeStorage::Slot(bits), ..) => *bits,
                (AttributeStorage::Away(memory), ..) => memory.address().addr() as u64,
                (AttributeStorage::Elsewhere, Some(part), AttributeKind::Ra { .. }) => part.columns[attribute],
                (AttributeStorage::Elsewhere, ..) => 0,
            })
            .collect();
        for global in &self.globals {
            slots[global.attribute] = self.cells.address() + (CELL * global.first) as u64;
        }
        slots
    }

    /// Returns the argument slots of a kernel that follow the common part.
    pub(super) fn kernel_slots(&self, kernel: &KernelDescriptor) -> Vec<u64> {
        let mut slots = self.attribute_slots();
        // Omit accumulators that belong to another kernel.
        slots.truncate(kernel.schema.attributes.len());
        slots.extend(Part::before_slots(self.part.as_ref(), kernel));
        slots
    }

    /// Returns the number of cells that a pass writes to host memory with its report, or `None` if there are too many
    /// cells.
    pub(super) fn told_cells(&self) -> Option<usize> {
        let cells = GlobalCells::count(&self.globals);
        (cells <= FEW).then_some(cells)
    }

    /// Returns the number of vertices for which columns have room.
    fn room(&self) -> u64 {
        self.part.as_ref().map_or(self.graph.num_vertices(), |part| part.room)
    }

    /// Allocates a column during a run. If memory is short, evicts pages, which later passes load again.
    pub(super) fn make_room(&mut self, bytes: usize, name: &str) -> Result<Buffer> {
        self.having_room(|session| Buffer::lent(&session.kit.stream, bytes, &format!("`{name}`")))
    }

    /// Allocates memory with `take` during a run. If memory is short, evicts pages and tries again. Later passes load
    /// the pages again.
    pub(super) fn having_room<T>(&mut self, take: impl Fn(&Self) -> Result<T>) -> Result<T> {
        match take(self) {
            Err(Error::OutOfMemory { .. }) => {
                self.pages.clear();
                self.lists.clear();
                (self.found, self.handed) = ([None, None], None);
                self.step_memory = StepMemory::default();
                self.shared.evict(&self.graph);
                take(self)
            }
            taken => taken,
        }
    }

    /// Returns the vertices whose attributes this session holds.
    pub(super) fn vertices(&self) -> Range<u64> {
        self.part.as_ref().map_or(0..self.graph.num_vertices(), |part| part.vertices.clone())
    }

    /// Returns the common part of the argument struct. The pages are unset, because each launch has different pages.
    pub(super) fn common(&self, request: &PassRequest) -> Common {
        Common {
            num_vertices: self.graph.num_vertices(),
            num_edges: self.graph.num_edges(),
            step: request.step.into(),
            random: request.random,
            first_place: request.neighbours.places().start,
            places: request.neighbours.places().end - request.neighbours.places().start,
            warp_chunk: request.warp_chunk.map_or(0, |chunk| chunk.get().into()),
            active: self.frontier.current().address(),
            next: self.frontier.next().address(),
            out_degrees: self.degrees.of(Side::Out),
            in_degrees: self.degrees.of(Side::In),
            status: self.kit.report.address(),
            first_vertex: self.vertices().start,
            local_vertices: self.vertices().end - self.vertices().start,
            tallies: self.tallies.as_ref().map_or(0, TallyTables::address),
            handed: self.handed.as_ref().map_or(0, Buffer::address),
            ..Common::default()
        }
    }

    /// Returns the number of active vertices, if the last completed pass has ended the step.
    pub(super) fn advanced(&self, request: &PassRequest) -> Option<u64> {
        self.frontier.size.filter(|_| request.ends_step)
    }

    /// Returns the byte offset of a vertex's value in its column.
    pub(super) fn offset(&self, attribute: usize, v: Vertex) -> usize {
        (v.dense() - self.vertices().start) as usize * value_bytes(self.schema, attribute, self.vertex_bytes)
    }
}

impl Session for CudaSession {
    fn vertex_bytes(&self) -> usize {
        self.vertex_bytes
    }

    fn write(&mut self, attribute: usize, first: Vertex, bytes: &[u8]) -> Result<()> {
        let offset = self.offset(attribute, first);
        if let Some(memory) = self.away_mut(attribute)? {
            ring::copy(bytes, &mut memory[offset..offset + bytes.len()]);
            return Ok(());
        }
        self.send(self.memory(attribute)?, offset, bytes)
    }

    fn read(&mut self, attribute: usize, first: Vertex, bytes: &mut [u8]) -> Result<()> {
        self.read_values(attribute, first, bytes)
    }

    fn read_each(&mut self, attribute: usize, vertices: &[Vertex], bytes: &mut [u8]) -> Result<()> {
        self.read_some(attribute, vertices, bytes)
    }

    fn answer(
        &mut self,
        request: &AnswerRequest,
        receive: &mut dyn FnMut(AnswerPiece<'_>) -> Result<()>,
    ) -> Result<()> {
        self.hand_out_values(request, receive)
    }

    fn fill(&mut self, attribute: usize, value: &[u8]) -> Result<()> {
        if let Some(memory) = self.away_mut(attribute)? {
            travelling::fill(memory, value);
            return Ok(());
        }
        let memory = self.memory(attribute)?;
        self.launch_fill(memory.address(), memory.bytes(), value)
    }

    fn rotate(&mut self, ra: usize, wa: usize) -> Result<()> {
        let away = matches!(self.columns[ra], AttributeStorage::Away(_));
        if away {
            self.rotate_away(ra, wa)?;
        } else {
            self.columns.swap(ra, wa);
        }
        self.fill(wa, &initial_value(self.schema, wa, self.vertex_bytes))?;
        // Wait for the copy, because the host may now read the column.
        if away { self.kit.stream.synchronize("handing an attribute over") } else { Ok(()) }
    }

    fn set_param(&mut self, attribute: usize, value: &[u8]) -> Result<()> {
        if let AttributeStorage::Slot(bits) = &mut self.columns[attribute] {
            let mut slot = [0; 8];
            slot[..value.len()].copy_from_slice(value);
            *bits = u64::from_le_bytes(slot);
            return Ok(());
        }
        self.kit.stream.upload(self.memory(attribute)?, 0, value)
    }

    fn reset_globals(&mut self, attributes: &[usize]) -> Result<()> {
        self.globals_told = false;
        let reset: Vec<GlobalCells> =
            self.globals.iter().copied().filter(|global| attributes.contains(&global.attribute)).collect();
        let mut adjacent = reset.chunk_by(|global, next| global.end() == next.first);
        adjacent.try_for_each(|globals| self.set_cells(globals[0].first, &GlobalCells::identities(globals)))
    }

    fn global(&mut self, attribute: usize) -> Result<Vec<u8>> {
        let Some(&global) = self.globals.iter().find(|global| global.attribute == attribute) else {
            return Ok(Vec::new());
        };
        let mut cells = vec![0; self.cells.bytes() / CELL];
        match self.told_cells().filter(|_| self.globals_told) {
            Some(told) => cells[..told].copy_from_slice(&self.kit.cells()[..told]),
            None => {
                self.kit.stream.synchronize("finishing a pass")?;
                self.cells.download(0, bytemuck::cast_slice_mut(&mut cells), "globals")?;
            }
        }
        Ok(global.elements(&cells))
    }

    fn activate(&mut self, v: Vertex) -> Result<()> {
        self.frontier.pending.push(v.dense());
        self.frontier.begin(None);
        Ok(())
    }

    fn activate_all(&mut self) -> Result<()> {
        self.frontier.pending.clear();
        self.fill_frontier()?;
        self.frontier.begin(Some(self.graph.num_vertices()));
        Ok(())
    }

    fn clear_frontier(&mut self) -> Result<()> {
        self.frontier.pending.clear();
        for set in [self.frontier.current(), self.frontier.next()] {
            self.kit.stream.clear(set, 0, set.bytes())?;
        }
        self.frontier.begin(Some(0));
        Ok(())
    }

    fn advance_frontier(&mut self) -> Result<u64> {
        self.frontier.pending.clear();
        self.frontier.swap();
        self.count_frontier(true)
    }

    fn frontier_size(&mut self) -> Result<u64> {
        self.flush_activated()?;
        match self.frontier.size {
            Some(size) => Ok(size),
            None => self.count_frontier(false),
        }
    }

    fn activated(&mut self) -> Result<Vec<u64>> {
        self.kit.stream.synchronize("finishing a pass")?;
        let next = self.frontier.next();
        let mut words = memory::zeroed::<u64>("active vertices", next.bytes().div_ceil(8))?;
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut words);
        next.download(0, &mut bytes[..next.bytes()], "active vertices")?;
        Ok(words)
    }

    fn activate_set(&mut self, words: &[u64]) -> Result<()> {
        let mut union = self.activated()?;
        union.iter_mut().zip(words).for_each(|(own, other)| *own |= other);
        let bytes: &[u8] = bytemuck::cast_slice(&union);
        let next = self.frontier.next();
        self.kit.stream.upload(next, 0, &bytes[..next.bytes()])
    }

    fn extend(&mut self, kernel: &'static KernelDescriptor) -> Result<()> {
        self.extend_load(kernel)?;
        for (attribute, declared) in kernel.schema.attributes.iter().enumerate().skip(self.own_attributes) {
            let value = value_bytes(kernel.schema, attribute, self.vertex_bytes);
            let needed = match declared.kind {
                AttributeKind::Wa { .. } => value * self.room() as usize,
                AttributeKind::Param { .. } if declared.ty.array => value,
                _ => 0,
            };
            let there = self.columns.get(attribute);
            if matches!(there, Some(AttributeStorage::Memory(buffer)) if needed > 0 && buffer.bytes() == needed) {
                continue;
            }
            self.columns.truncate(attribute);
            let column = match declared.kind {
                AttributeKind::Global { .. } | AttributeKind::Edge { .. } => AttributeStorage::Elsewhere,
                AttributeKind::Param { .. } if !declared.ty.array => AttributeStorage::Slot(0),
                _ => AttributeStorage::Memory(self.make_room(needed, declared.name)?),
            };
            self.columns.push(column);
        }
        self.columns.truncate(kernel.schema.attributes.len());
        let globals = GlobalCells::of(kernel.schema);
        let mut cells = GlobalCells::identities(&globals);
        if self.cells.bytes() < CELL * cells.len() {
            let own = globals.partition_point(|global| global.attribute < self.own_attributes);
            let kept = &mut cells[..GlobalCells::count(&globals[..own])];
            if !kept.is_empty() {
                self.kit.stream.synchronize("finishing a pass")?;
                self.cells.download(0, bytemuck::cast_slice_mut(kept), "globals")?;
            }
            self.cells = Buffer::lent_copy_of(&self.kit.stream, bytemuck::cast_slice(&cells), "globals")?;
        }
        self.globals = globals;
        self.globals_told = false;
        self.schema = kernel.schema;
        Ok(())
    }

    fn edge_pass(&mut self, kernel: &dyn EdgePass, request: &PassRequest) -> Result<PassOutcome> {
        let descriptor = kernel.descriptor();
        let outcome = match (descriptor.kind, descriptor.facts.tallied) {
            (KernelKind::Intersect, _) => self.run_intersect(descriptor, request),
            (_, Some(attribute)) => self.run_tallied(descriptor, attribute, request),
            (_, None) => match self.run_pulling(descriptor, request)? {
                Some(outcome) => Ok(outcome),
                // The other devices pull, so edges that this device pushes would be processed twice or not at all.
                None if request.decided && request.propagation.pulls() => Err(self.no_room_to_pull(descriptor)),
                None => self.run_edges(descriptor, request, None),
            },
        };
        let (outcome, loaded) = (outcome?, std::mem::take(&mut self.loaded));
        let (copied, read) = (outcome.copied + loaded.copied, outcome.read + loaded.read);
        let travelling = self.travelling(descriptor).bytes;
        Ok(PassOutcome { frontier: self.advanced(request), copied, read, travelling, ..outcome })
    }

    fn traverse(&mut self, kernel: &dyn EdgePass, traversal: &mut Traversal<'_>) -> Result<()> {
        let mut active = self.frontier_size()?;
        while active > 0 {
            active = match self.run_steps(kernel.descriptor(), traversal)? {
                Some(LoopOutcome { active, to_host: false }) => active,
                Some(LoopOutcome { to_host: true, .. }) | None => self.step(kernel, traversal)?,
            };
        }
        Ok(())
    }

    fn matches(&mut self, matching: &Matching<'_>, request: &PassRequest) -> Result<(Matched, PassOutcome)> {
        self.find_matches(matching, request)
    }

    fn vertex_pass(&mut self, kernel: &dyn VertexPass, request: &PassRequest) -> Result<PassOutcome> {
        let outcome = self.run_vertices(kernel.descriptor(), request)?;
        let travelling = self.travelling(kernel.descriptor()).bytes;
        Ok(PassOutcome { frontier: self.advanced(request), travelling, ..outcome })
    }

    fn lend(&mut self, attributes: &[usize]) -> Result<Replica<'_>> {
        self.lend_memory(attributes)
    }

    fn prepare(&mut self, pass: Pass<'_>, request: &PassRequest) -> Result<Readiness> {
        self.prepare_pass(pass, request)
    }

    fn forget_shares(&mut self) {
        self.let_go_of_pages();
    }

    fn submit(&mut self, pass: Pass<'_>, request: &PassRequest) -> Result<()> {
        self.submit_pass(pass, request)
    }

    fn close(&mut self, pass: Pass<'_>, request: &PassRequest) -> Result<()> {
        self.close_submitted(pass.descriptor(), request)
    }

    fn wait(&mut self, pass: Pass<'_>, request: &PassRequest) -> Result<()> {
        self.wait_for_pass(pass.descriptor(), request)
    }

    fn finish(&mut self, pass: Pass<'_>, request: &PassRequest) -> Result<PassOutcome> {
        self.finish_submitted(pass, request)
    }
}

/// Returns the index of a topology in arrays with one element per topology.
pub(super) fn place(side: Side) -> usize {
    match side {
        Side::Out => 0,
        Side::In => 1,
    }
}
