//! Devices: where attributes live and kernels run.
//!
//! A [`Device`] gives a [`Session`] for a graph and an attribute struct. The session owns the memory of the attributes
//! and the two sets of active vertices; everything it does has happened when the call returns. Nothing here knows an
//! algorithm; nothing above knows how pages reach the device.

mod at_once;
mod between;
pub mod cpu;
pub mod cuda;
pub mod distributed;
pub mod fitting;
pub mod hybrid;
pub mod null;
mod outcome;
mod propagation;
mod refusals;
pub mod replicated;
mod share;
mod traversal;

pub(crate) use between::lists_between;
pub use distributed::{BetweenRanks, Collectives, RankWork};
pub use outcome::PassOutcome;
pub use propagation::Propagation;
pub(crate) use refusals::{cannot_pull, no_in_edges, on_disk, too_many_matches, too_many_vertices};
pub use share::{PageShare, PageShares, Placement};
pub(crate) use share::{identity, is_same, topologies};
pub(crate) use traversal::StepDone;
pub use traversal::{StepsBy, StepsRun, Traversal};

use crate::error::{Error, Result};
use crate::kernel::{EdgePass, Matched, Matching, StopFlag, VertexPass};
use crate::neighbours::Neighbours;
use crate::trace::Trace;
use cuda::CudaDevice;
use gts_contract::{AttributeKind, KernelDescriptor, Schema, Side, Technique};
use gts_core::graph::{Graph, Vertex};
use gts_core::memory;
use gts_core::store::StoreProgress;
use replicated::Replica;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A processor with memory of its own.
pub trait Device: Send + Sync {
    /// What it is, for people: `cpu (2 threads)`, `cuda:0 NVIDIA H200`.
    fn name(&self) -> String;

    /// The names of the devices that it is made of, in the order of their numbers in a trace: its own, where it is one.
    fn names(&self) -> Vec<String> {
        vec![self.name()]
    }

    /// Returns the number of devices that share each pass here.
    fn parts(&self) -> usize {
        1
    }

    /// Returns the GPU in whose memory its sessions have what they [lend](Session::lend), where they have it on one.
    fn gpu(&self) -> Option<&CudaDevice> {
        None
    }

    /// Makes the attributes of a struct for the vertices of a graph, each at its initial value, with no vertex active.
    ///
    /// # Errors
    ///
    /// Too little memory, or a device that fails.
    fn start(&self, graph: &Graph, schema: &'static Schema, options: &SessionOptions) -> Result<Box<dyn Session>>;

    /// Reads the pages that this device walks and that are not in memory yet, if they are to be there. Tells `progress` of bytes.
    ///
    /// # Errors
    ///
    /// Pages that cannot be read or are not sound, and what keeps ranks from sharing the graph.
    fn load(&self, graph: &Graph, progress: StoreProgress<'_>) -> Result<()> {
        Ok(PageShare::WHOLE.read(graph, progress)?)
    }

    /// Whether the time limit of a run holds here. Of several processes that share a run one keeps the time.
    fn keeps_time(&self) -> bool {
        true
    }

    /// Lets go of what is kept of a graph for later runs on it, as far as no run uses it.
    fn forget(&self, _graph: &Graph) {}

    /// Returns what each rank has done, in their order; nothing for a process by itself. All ranks call it at the same place.
    ///
    /// # Errors
    ///
    /// A rank that is lost or elsewhere.
    fn ranks(&self) -> Result<Vec<RankWork>> {
        Ok(Vec::new())
    }

    /// Returns by what way values go between ranks; nothing for a process by itself.
    fn between_ranks(&self) -> Option<BetweenRanks> {
        None
    }

    /// What was taken of the memory of each processor that has its own; nothing where the host's memory is all there is.
    fn memory_taken(&self) -> Vec<MemoryTaken> {
        Vec::new()
    }
}

/// The memory that a device has taken since it was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryTaken {
    /// The device, for people.
    pub device: String,
    /// The most bytes of its own memory that were taken at a time.
    pub peak: u64,
    /// The most bytes that it may take, where it was given a budget.
    pub budget: Option<u64>,
    /// The most bytes of host memory that were page-locked for it at a time: pages, buffers to copy through, and the values of
    /// a CPU beside it.
    pub page_locked: u64,
    /// How often its driver was asked to allocate or to free something: memory, streams, events. A run that repeats an
    /// earlier one asks for nothing. What is page-locked where it lies is not counted.
    pub driver_calls: u64,
}

/// What a session is told beside its graph and attributes.
#[derive(Clone, Debug, Default)]
pub struct SessionOptions {
    /// Where the session records what it does.
    pub trace: Trace,
    /// The device's number among those of the run, for the record.
    pub device: u32,
    /// Whether a session may fill attributes when they are next used. It then does so while other devices work.
    pub fills_late: bool,
}

/// Which topology a pass walks, and how.
#[derive(Clone, Debug)]
pub struct PassRequest {
    /// The topologies, one after the other.
    pub sides: Vec<Side>,
    /// Whether only active vertices are visited.
    pub active_only: bool,
    /// How edges are spread over threads; `None` leaves the choice to the device.
    pub technique: Option<Technique>,
    /// The vertices that a virtual warp takes one after the other, as a multiple of its lanes; single ones without a number.
    pub warp_chunk: Option<NonZeroU32>,
    /// Which of two forms of a scan runs, where it has both.
    pub propagation: Propagation,
    /// Whether that is how this very pass goes, because devices that share it have agreed: they would miss edges if one of
    /// them pulled and another pushed.
    pub decided: bool,
    /// Whether the pass ends a step: what it activates is active after it. A session may do so itself, and says so in
    /// [`PassOutcome::frontier`], or leave it to [`Session::advance_frontier`].
    pub ends_step: bool,
    /// The step that bodies see.
    pub step: u32,
    /// What random numbers begin with: seed and step, mixed.
    pub random: u64,
    /// The part of each vertex's list that is walked.
    pub neighbours: Neighbours,
    /// The pages to walk, of those of the topologies.
    pub share: PageShare,
    /// The limits of the pass.
    pub limits: Limits,
}

impl PassRequest {
    /// Returns the same request for a caller that ends the step itself.
    pub(crate) fn within_a_step(&self) -> Self {
        Self { ends_step: false, ..self.clone() }
    }

    /// Returns the request for the pages that a pass walks where it pulls: all of them, of the opposite topologies.
    pub(crate) fn opposite(&self) -> Self {
        let sides = self.sides.iter().map(|side| side.opposite()).collect();
        Self { sides, active_only: false, ..self.clone() }
    }

    /// Returns whether the pass walks each edge in both directions, so that it needs no further pages to pull.
    pub(crate) fn walks_both(&self) -> bool {
        self.sides.iter().all(|side| self.sides.contains(&side.opposite()))
    }

    /// Returns whether the topologies are there that a pass walks where it pulls.
    pub(crate) fn can_pull(&self, graph: &Graph) -> bool {
        self.sides.iter().all(|side| graph.topology(side.opposite()).is_some())
    }
}

/// When a pass must end.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// The time limit and the moment at which it is over.
    pub deadline: Option<(Duration, Instant)>,
    /// Set by the caller to end the pass early.
    pub interrupt: Arc<StopFlag>,
}

impl Limits {
    /// The error of a pass that a limit ended.
    pub fn error(&self, kernel: &'static KernelDescriptor) -> Error {
        match self.deadline {
            Some((limit, end)) if Instant::now() >= end => {
                Error::TimeLimit { kernel: kernel.name, location: kernel.location, limit }
            }
            _ => self.interrupt.reason().cloned().unwrap_or(Error::Interrupted),
        }
    }

    /// Whether a limit is over.
    pub fn over(&self) -> bool {
        self.interrupt.stopped() || self.deadline.is_some_and(|(_, end)| Instant::now() >= end)
    }
}

/// Which values a session hands out.
#[derive(Clone, Copy, Debug)]
pub struct AnswerRequest {
    /// The attribute.
    pub attribute: usize,
    /// Its name, for errors.
    pub name: &'static str,
    /// The number of values: one a vertex, or one an edge.
    pub values: u64,
    /// Bytes of a value as the session stores it.
    pub value_bytes: usize,
    /// What the session is asked to make of them.
    pub form: AnswerForm,
}

/// What a session is asked to make of the values that it hands out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerForm {
    /// Nothing: values as they are stored.
    Stored,
    /// Values in the order of original IDs, with original IDs for the vertices in them.
    Original,
    /// Names of groups, in the order of original IDs: for each vertex the smallest original ID among the vertices with the
    /// same value, which is a vertex, and `UNREACHED` where it is none. Values of another type have no such form.
    Groups,
}

impl AnswerRequest {
    /// Returns the bytes of all values as the session stores them.
    pub fn bytes(&self) -> usize {
        self.values as usize * self.value_bytes
    }
}

/// Values that a session hands out: those that follow the values of the piece before.
#[derive(Clone, Copy, Debug)]
pub struct AnswerPiece<'a> {
    /// The bytes of the values.
    pub bytes: &'a [u8],
    /// Bytes of a vertex number in them.
    pub vertex_bytes: usize,
    /// Whether they have the form that the request wants. A session that was asked for the order of original IDs and leaves
    /// it to the host hands out all values as one piece.
    pub done: bool,
}

/// The attributes of one run on a device.
///
/// Bytes of attributes are as [`crate::kernel::AttributeValue`] writes them, with vertex numbers of
/// [`Session::vertex_bytes`]; positions are dense vertices, where an attribute is a `wa` of edges their numbers. After an error that [`Error::is_sticky`] nothing but
/// dropping is asked of the session.
pub trait Session: Send {
    /// Bytes of a stored vertex number: 4 or 8.
    fn vertex_bytes(&self) -> usize;

    /// Writes the values of consecutive vertices of a `wa` or `ra`.
    fn write(&mut self, attribute: usize, first: Vertex, bytes: &[u8]) -> Result<()>;

    /// Reads the values of consecutive vertices of a `wa` or `ra`, or of consecutive edges of a `wa` of theirs.
    fn read(&mut self, attribute: usize, first: Vertex, bytes: &mut [u8]) -> Result<()>;

    /// Hands out all values of an attribute, the first ones first.
    ///
    /// # Errors
    ///
    /// Too little host memory, the device, or what `receive` answers.
    fn answer(
        &mut self,
        request: &AnswerRequest,
        receive: &mut dyn FnMut(AnswerPiece<'_>) -> Result<()>,
    ) -> Result<()> {
        let mut bytes = memory::zeroed(request.name, request.bytes())?;
        self.read(request.attribute, Vertex::from_dense(0), &mut bytes)?;
        receive(AnswerPiece { bytes: &bytes, vertex_bytes: self.vertex_bytes(), done: false })
    }

    /// Reads the values of some vertices of a `wa` or `ra`, one behind the other.
    fn read_each(&mut self, attribute: usize, vertices: &[Vertex], bytes: &mut [u8]) -> Result<()> {
        let size = bytes.len() / vertices.len().max(1);
        vertices
            .iter()
            .zip(bytes.chunks_exact_mut(size.max(1)))
            .try_for_each(|(v, value)| self.read(attribute, *v, value))
    }

    /// Gives every vertex the same value of a `wa` or `ra`, or every edge that of a `wa` of edges.
    fn fill(&mut self, attribute: usize, value: &[u8]) -> Result<()>;

    /// Makes an `ra` what the `wa` is, and resets the `wa` to its initial value.
    fn rotate(&mut self, ra: usize, wa: usize) -> Result<()>;

    /// Sets a `param`.
    fn set_param(&mut self, attribute: usize, value: &[u8]) -> Result<()>;

    /// Sets every `global` to the identity of its merge.
    fn reset_globals(&mut self) -> Result<()>;

    /// Sets one `global` to the identity of its merge.
    fn reset_global(&mut self, attribute: usize) -> Result<()>;

    /// The elements of a `global`; vertex numbers take 8 bytes.
    fn global(&mut self, attribute: usize) -> Result<Vec<u8>>;

    /// Adds a vertex to the active ones.
    fn activate(&mut self, v: Vertex) -> Result<()>;

    /// Makes every vertex active.
    fn activate_all(&mut self) -> Result<()>;

    /// Makes no vertex active, now and in the next step.
    fn clear_frontier(&mut self) -> Result<()>;

    /// Ends a step: what was activated becomes active. Answers the number of active vertices.
    fn advance_frontier(&mut self) -> Result<u64>;

    /// The number of active vertices.
    fn frontier_size(&mut self) -> Result<u64>;

    /// The vertices that were activated for the next step, a bit each, words of 64.
    fn activated(&mut self) -> Result<Vec<u64>>;

    /// Activates a set of vertices for the next step, given as [`Session::activated`] gives it.
    fn activate_set(&mut self, words: &[u64]) -> Result<()>;

    /// Makes room for the attributes that a kernel's schema has behind those that the session began with, in the place
    /// of those of an earlier call: `wa`s, params and globals. Their values are undefined, and so are those of all
    /// globals until they are reset.
    ///
    /// # Errors
    ///
    /// Too little memory, or a session that cannot run the kernel.
    fn extend(&mut self, kernel: &'static KernelDescriptor) -> Result<()>;

    /// Runs an edge kernel.
    ///
    /// # Errors
    ///
    /// A fault of the body, a limit, or the device.
    fn edge_pass(&mut self, kernel: &dyn EdgePass, request: &PassRequest) -> Result<PassOutcome>;

    /// Runs an edge kernel step by step until no vertex is active. A session may run steps without asking the host.
    ///
    /// # Errors
    ///
    /// As for [`Session::edge_pass`], and a step too many.
    fn traverse(&mut self, kernel: &dyn EdgePass, traversal: &mut Traversal<'_>) -> Result<()> {
        let mut active = self.frontier_size()?;
        while active > 0 {
            active = traversal.step(self, kernel)?;
        }
        Ok(())
    }

    /// Runs a vertex kernel for every vertex, or every active one.
    ///
    /// # Errors
    ///
    /// As for [`Session::edge_pass`].
    fn vertex_pass(&mut self, kernel: &dyn VertexPass, request: &PassRequest) -> Result<PassOutcome>;

    /// Counts how often a pattern of two vertices at least occurs in the graph, which is symmetric, and lists the matches where
    /// that is asked for and there are no more than were to be listed.
    ///
    /// # Errors
    ///
    /// As for [`Session::edge_pass`]; pages that are not in memory; more matches than 64 bits count; too little memory for the
    /// listing.
    fn matches(&mut self, _matching: &Matching<'_>, _request: &PassRequest) -> Result<(Matched, PassOutcome)> {
        Err(Error::argument_with_advice("this device", "it looks for no patterns", "run on the CPU or on a GPU"))
    }

    /// Lends the memory of the vertices that are activated for the next step, and of some attributes, to a collective of the
    /// devices that share a run.
    ///
    /// # Errors
    ///
    /// A session that cannot be one of several.
    fn lend(&mut self, _attributes: &[usize]) -> Result<Replica<'_>> {
        Err(Error::argument("this device", "it cannot be one of several that share a run"))
    }

    /// Gives all replicas that the session is made of what the first one, which it [lends](Session::lend), has of some
    /// attributes, and of the vertices that are activated for the next step where `activated`.
    ///
    /// # Errors
    ///
    /// The device.
    fn spread(&mut self, _attributes: &[usize], _activated: bool) -> Result<()> {
        Ok(())
    }

    /// Makes ready for a pass that several devices share: brings pages, and finds out how the pass would go here.
    ///
    /// # Errors
    ///
    /// Too little memory, a topology that is not there, or the device.
    fn prepare(&mut self, _pass: Pass<'_>, _request: &PassRequest) -> Result<Readiness> {
        Ok(Readiness::default())
    }

    /// Lets go of the pages that the session keeps, because later passes walk other shares. The caller makes sure that no pass is
    /// under way.
    fn forget_shares(&mut self) {}

    /// Puts a pass under way for which the session [can be](Readiness::submits) called without waiting. [`Session::close`],
    /// [`Session::wait`] and [`Session::finish`] follow, whatever comes of it on other devices.
    ///
    /// # Errors
    ///
    /// The device. Nothing is under way then.
    fn submit(&mut self, _pass: Pass<'_>, _request: &PassRequest) -> Result<()> {
        Ok(())
    }

    /// Puts the end of a pass that was submitted behind what came after it, and the end of the step where the request says so.
    ///
    /// # Errors
    ///
    /// The device.
    fn close(&mut self, _pass: Pass<'_>, _request: &PassRequest) -> Result<()> {
        Ok(())
    }

    /// Waits for the work of a pass that was submitted, not for what came after it.
    ///
    /// # Errors
    ///
    /// A limit, or the device.
    fn wait(&mut self, _pass: Pass<'_>, _request: &PassRequest) -> Result<()> {
        Ok(())
    }

    /// Waits for the end of a pass that was submitted.
    ///
    /// # Errors
    ///
    /// As for [`Session::edge_pass`].
    fn finish(&mut self, _pass: Pass<'_>, _request: &PassRequest) -> Result<PassOutcome> {
        Err(Error::argument("this device", "no pass was submitted to it"))
    }
}

/// A pass that several devices share.
#[derive(Clone, Copy)]
pub enum Pass<'a> {
    /// Of an edge kernel.
    Edges(&'a dyn EdgePass),
    /// Of a vertex kernel.
    Vertices(&'a dyn VertexPass),
}

impl Pass<'_> {
    /// Returns the kernel.
    pub fn descriptor(&self) -> &'static KernelDescriptor {
        match self {
            Self::Edges(kernel) => kernel.descriptor(),
            Self::Vertices(kernel) => kernel.descriptor(),
        }
    }

    /// Runs the pass on a session, and waits for it.
    pub(crate) fn run(&self, session: &mut dyn Session, request: &PassRequest) -> Result<PassOutcome> {
        match self {
            Self::Edges(kernel) => session.edge_pass(*kernel, request),
            Self::Vertices(kernel) => session.vertex_pass(*kernel, request),
        }
    }
}

/// How a pass that several devices share would go on one of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Readiness {
    /// Whether the device would pull, and has room for all that this takes.
    pub pulls: bool,
    /// Whether the device would pull, and lacks room beside the pages that it keeps. It has room where all devices
    /// [have to pull](PassRequest::decided), because pages then stream.
    pub lacks_room: bool,
    /// Whether [`Session::submit`] puts the pass under way without waiting for it.
    pub submits: bool,
}

/// Bytes of a vertex number stored for a graph: 4, but where vertices reach the value that means `UNREACHED`.
pub fn vertex_bytes(graph: &Graph) -> usize {
    if graph.num_vertices() < u64::from(u32::MAX) { 4 } else { 8 }
}

/// Bytes of one vertex's value of an attribute, or of the whole of a param or global.
pub(crate) fn value_bytes(schema: &Schema, attribute: usize, vertex_bytes: usize) -> usize {
    let ty = schema.attributes[attribute].ty;
    ty.scalar.bytes(vertex_bytes) * ty.length as usize
}

/// The initial value of an attribute, in the bytes of its elements; zeros where it states none.
pub(crate) fn initial_value(schema: &Schema, attribute: usize, vertex_bytes: usize) -> Vec<u8> {
    let (AttributeKind::Wa { init, .. } | AttributeKind::EdgeWa { init, .. }) = schema.attributes[attribute].kind
    else {
        return vec![0; value_bytes(schema, attribute, vertex_bytes)];
    };
    let ty = schema.attributes[attribute].ty;
    init.bits.to_le_bytes()[..ty.scalar.bytes(vertex_bytes)].repeat(ty.length as usize)
}
