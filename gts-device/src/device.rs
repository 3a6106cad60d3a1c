//! The traits of devices and sessions, and what a pass takes.

use crate::error::{Error, Result};
use crate::kernel::{EdgePass, Matched, Matching, StopFlag, VertexPass};
use crate::links::Linkable;
use crate::neighbours::Neighbours;
use crate::outcome::PassOutcome;
use crate::propagation::Propagation;
use crate::ranks::{BetweenRanks, RankWork};
use crate::replicated::Replica;
use crate::share::PageShare;
use crate::trace::Trace;
use crate::traversal::Traversal;
use gts_contract::{AttributeKind, KernelDescriptor, Schema, Side, Technique};
use gts_core::graph::{Graph, Vertex};
use gts_core::memory;
use gts_core::store::StoreProgress;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A processor with its own memory.
pub trait Device: Send + Sync {
    /// Returns the display name: `cpu (2 threads)`, `cuda:0 NVIDIA H200`.
    fn name(&self) -> String;

    /// Returns the names of the member devices, in the order of their numbers in a trace; a single device's own name.
    fn names(&self) -> Vec<String> {
        vec![self.name()]
    }

    /// Returns the number of devices that share each pass.
    fn parts(&self) -> usize {
        1
    }

    /// Returns the device whose memory holds what the sessions [lend](Session::lend), if devices of other ranks can be
    /// linked to it.
    fn linkable(&self) -> Option<Arc<dyn Linkable>> {
        None
    }

    /// Allocates the attributes of a struct for the vertices of a graph, with their initial values. No vertex is
    /// active.
    ///
    /// # Errors
    ///
    /// Too little memory, or a device failure.
    fn start(&self, graph: &Graph, schema: &'static Schema, options: &SessionOptions) -> Result<Box<dyn Session>>;

    /// Reads the pages that this device walks and must keep in memory, if they are not there. Reports bytes to
    /// `progress`.
    ///
    /// # Errors
    ///
    /// Pages that cannot be read or are damaged, and causes that keep ranks from sharing the graph.
    fn load(&self, graph: &Graph, progress: StoreProgress<'_>) -> Result<()> {
        Ok(PageShare::WHOLE.read(graph, progress)?)
    }

    /// Whether this process enforces the time limit of a run. Of several processes that share a run, one does.
    fn keeps_time(&self) -> bool {
        true
    }

    /// Drops what the device keeps of a graph for later runs, unless a run uses it.
    fn forget(&self, _graph: &Graph) {}

    /// Returns the work of each rank, by rank; empty for a single process. All ranks must call this at the same point.
    ///
    /// # Errors
    ///
    /// A rank is lost, or at a different point.
    fn ranks(&self) -> Result<Vec<RankWork>> {
        Ok(Vec::new())
    }

    /// Returns how values travel between ranks; `None` for a single process.
    fn between_ranks(&self) -> Option<BetweenRanks> {
        None
    }

    /// Returns the memory taken on each processor that has its own; empty if the run uses host memory only.
    fn memory_taken(&self) -> Vec<MemoryTaken> {
        Vec::new()
    }
}

/// Memory that a device has taken since it was created.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryTaken {
    /// Display name of the device.
    pub device: String,
    /// Peak use of the device's own memory in bytes.
    pub peak: u64,
    /// Memory limit in bytes, if one was set.
    pub budget: Option<u64>,
    /// Peak of page-locked host memory in bytes: pages, staging buffers, and the values of a CPU beside the device.
    pub page_locked: u64,
    /// Number of driver calls that allocate or free memory, streams or events. A run that repeats an earlier one makes
    /// none. Page-locking existing memory is not counted.
    pub driver_calls: u64,
}

/// Options of a session besides its graph and attributes.
#[derive(Clone, Debug, Default)]
pub struct SessionOptions {
    /// Receives the session's events.
    pub trace: Trace,
    /// The device's number within the run, for the trace.
    pub device: u32,
    /// Whether a session may defer filling attributes until their next use. It then fills them while other devices
    /// work.
    pub fills_late: bool,
}

/// The topologies that a pass walks, and how.
#[derive(Clone, Debug)]
pub struct PassRequest {
    /// The topologies, walked in this order.
    pub sides: Vec<Side>,
    /// Whether only active vertices are visited.
    pub active_only: bool,
    /// How edges are spread over threads; `None` lets the device choose.
    pub technique: Option<Technique>,
    /// Vertices that a virtual warp takes in a row, as a multiple of its lanes; `None` takes single vertices.
    pub warp_chunk: Option<NonZeroU32>,
    /// Selects the form of the kernel, if it has several.
    pub propagation: Propagation,
    /// Whether `propagation` is binding, because the devices that share the pass have agreed on it. If one device
    /// pulled and another pushed, the pass would miss edges.
    pub decided: bool,
    /// Whether the pass ends a step: the vertices that it activates are active afterwards. A session may end the step
    /// itself and report it in [`PassOutcome::frontier`], or leave it to [`Session::advance_frontier`].
    pub ends_step: bool,
    /// The step number that bodies see.
    pub step: u32,
    /// Start of the random numbers: a mix of seed and step.
    pub random: u64,
    /// The part of each vertex's list to walk.
    pub neighbours: Neighbours,
    /// The share of the topologies' pages to walk.
    pub share: PageShare,
    /// The limits of the pass.
    pub limits: Limits,
}

impl PassRequest {
    /// Returns the same request without the end of the step, for a caller that ends the step itself.
    pub fn within_a_step(&self) -> Self {
        Self { ends_step: false, ..self.clone() }
    }

    /// Returns the request of the pages that a pulling pass walks: all pages of the opposite topologies.
    pub fn opposite(&self) -> Self {
        let sides = self.sides.iter().map(|side| side.opposite()).collect();
        Self { sides, active_only: false, ..self.clone() }
    }

    /// Returns whether the pass walks each edge in both directions. Such a pass needs no further pages to pull.
    pub fn walks_both(&self) -> bool {
        self.sides.iter().all(|side| self.sides.contains(&side.opposite()))
    }

    /// Returns whether the graph has the topologies that a pulling pass walks.
    pub fn can_pull(&self, graph: &Graph) -> bool {
        self.sides.iter().all(|side| graph.topology(side.opposite()).is_some())
    }
}

/// Limits that end a pass.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// The time limit, and the moment at which it expires.
    pub deadline: Option<(Duration, Instant)>,
    /// Set by the caller to end the pass early.
    pub interrupt: Arc<StopFlag>,
}

impl Limits {
    /// Returns the error of a pass that a limit ended.
    pub fn error(&self, kernel: &'static KernelDescriptor) -> Error {
        match self.deadline {
            Some((limit, end)) if Instant::now() >= end => {
                Error::TimeLimit { kernel: kernel.name, location: kernel.location, limit }
            }
            _ => self.interrupt.reason().cloned().unwrap_or(Error::Interrupted),
        }
    }

    /// Returns whether a limit has been reached.
    pub fn over(&self) -> bool {
        self.interrupt.stopped() || self.deadline.is_some_and(|(_, end)| Instant::now() >= end)
    }
}

/// Values to return from a session.
#[derive(Clone, Copy, Debug)]
pub struct AnswerRequest {
    /// The attribute.
    pub attribute: usize,
    /// The attribute's name, for errors.
    pub name: &'static str,
    /// Number of values: one per vertex, or one per edge.
    pub values: u64,
    /// Bytes of a value as the session stores it.
    pub value_bytes: usize,
    /// The form in which the session should return the values.
    pub form: AnswerForm,
}

/// Form of returned values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerForm {
    /// As stored.
    Stored,
    /// In the order of original IDs, with vertex numbers replaced by original IDs.
    Original,
    /// Group names, in the order of original IDs: the smallest original ID among the vertices with the same value, or
    /// `UNREACHED` if the value is no vertex. Only values of vertex type have this form.
    Groups,
}

impl AnswerRequest {
    /// Returns the bytes of all values as the session stores them.
    pub fn bytes(&self) -> usize {
        self.values as usize * self.value_bytes
    }
}

/// A piece of the returned values. Pieces follow each other without gaps.
#[derive(Clone, Copy, Debug)]
pub struct AnswerPiece<'a> {
    /// The bytes of the values.
    pub bytes: &'a [u8],
    /// Bytes of a vertex number in the values.
    pub vertex_bytes: usize,
    /// Whether the values have the requested form. A session that leaves the conversion to the host returns all values
    /// as one piece.
    pub done: bool,
}

/// The attributes of one run on a device.
///
/// Bytes of attributes are in the format that [`crate::kernel::AttributeValue`] writes, with vertex numbers of
/// [`Session::vertex_bytes`]. Positions are dense vertices, or edge numbers for a `wa` of edges. After an error that
/// [`Error::is_sticky`], the session may only be dropped.
pub trait Session: Send {
    /// Bytes of a stored vertex number: 4 or 8.
    fn vertex_bytes(&self) -> usize;

    /// Writes the values of consecutive vertices of a `wa` or `ra`.
    fn write(&mut self, attribute: usize, first: Vertex, bytes: &[u8]) -> Result<()>;

    /// Reads the values of consecutive vertices of a `wa` or `ra`, or of consecutive edges of a `wa` of edges.
    fn read(&mut self, attribute: usize, first: Vertex, bytes: &mut [u8]) -> Result<()>;

    /// Passes all values of an attribute to `receive`, in ascending order.
    ///
    /// # Errors
    ///
    /// Too little host memory, a device failure, or an error that `receive` returns.
    fn answer(
        &mut self,
        request: &AnswerRequest,
        receive: &mut dyn FnMut(AnswerPiece<'_>) -> Result<()>,
    ) -> Result<()> {
        let mut bytes = memory::zeroed(request.name, request.bytes())?;
        self.read(request.attribute, Vertex::from_dense(0), &mut bytes)?;
        receive(AnswerPiece { bytes: &bytes, vertex_bytes: self.vertex_bytes(), done: false })
    }

    /// Reads the values of some vertices of a `wa` or `ra` into consecutive `bytes`.
    fn read_each(&mut self, attribute: usize, vertices: &[Vertex], bytes: &mut [u8]) -> Result<()> {
        let size = bytes.len() / vertices.len().max(1);
        vertices
            .iter()
            .zip(bytes.chunks_exact_mut(size.max(1)))
            .try_for_each(|(v, value)| self.read(attribute, *v, value))
    }

    /// Sets a `wa` or `ra` to one value at every vertex, or a `wa` of edges at every edge.
    fn fill(&mut self, attribute: usize, value: &[u8]) -> Result<()>;

    /// Moves the values of the `wa` into the `ra`, and resets the `wa` to its initial value.
    fn rotate(&mut self, ra: usize, wa: usize) -> Result<()>;

    /// Sets a `param`.
    fn set_param(&mut self, attribute: usize, value: &[u8]) -> Result<()>;

    /// Sets every `global` to the identity of its merge.
    fn reset_globals(&mut self) -> Result<()>;

    /// Sets one `global` to the identity of its merge.
    fn reset_global(&mut self, attribute: usize) -> Result<()>;

    /// Returns the elements of a `global`. Vertex numbers take 8 bytes.
    fn global(&mut self, attribute: usize) -> Result<Vec<u8>>;

    /// Makes a vertex active.
    fn activate(&mut self, v: Vertex) -> Result<()>;

    /// Makes every vertex active.
    fn activate_all(&mut self) -> Result<()>;

    /// Clears the active vertices of this step and of the next.
    fn clear_frontier(&mut self) -> Result<()>;

    /// Ends a step: the activated vertices become active. Returns the number of active vertices.
    fn advance_frontier(&mut self) -> Result<u64>;

    /// Returns the number of active vertices.
    fn frontier_size(&mut self) -> Result<u64>;

    /// Returns the vertices activated for the next step, as a bit set in words of 64 bits.
    fn activated(&mut self) -> Result<Vec<u64>>;

    /// Activates a set of vertices for the next step, in the format of [`Session::activated`].
    fn activate_set(&mut self, words: &[u64]) -> Result<()>;

    /// Allocates the attributes that a kernel's schema appends to those of the session: `wa`s, params and globals. They
    /// replace those of an earlier call. Their values are undefined, and all globals are undefined until they are
    /// reset.
    ///
    /// # Errors
    ///
    /// Too little memory, or a session that cannot run the kernel.
    fn extend(&mut self, kernel: &'static KernelDescriptor) -> Result<()>;

    /// Runs an edge kernel.
    ///
    /// # Errors
    ///
    /// A fault in the body, a limit, or a device failure.
    fn edge_pass(&mut self, kernel: &dyn EdgePass, request: &PassRequest) -> Result<PassOutcome>;

    /// Runs an edge kernel step by step until no vertex is active. A session may run steps without returning to the
    /// host.
    ///
    /// # Errors
    ///
    /// As for [`Session::edge_pass`], and the step limit.
    fn traverse(&mut self, kernel: &dyn EdgePass, traversal: &mut Traversal<'_>) -> Result<()> {
        let mut active = self.frontier_size()?;
        while active > 0 {
            active = traversal.step(self, kernel)?;
        }
        Ok(())
    }

    /// Runs a vertex kernel for every vertex, or for every active one.
    ///
    /// # Errors
    ///
    /// As for [`Session::edge_pass`].
    fn vertex_pass(&mut self, kernel: &dyn VertexPass, request: &PassRequest) -> Result<PassOutcome>;

    /// Counts the occurrences of a pattern of at least two vertices in the graph, which must be symmetric. Lists the
    /// matches if this is requested and their number is within the limit.
    ///
    /// # Errors
    ///
    /// As for [`Session::edge_pass`]; pages not in memory; more matches than 64 bits count; too little memory for the
    /// listing.
    fn matches(&mut self, _matching: &Matching<'_>, _request: &PassRequest) -> Result<(Matched, PassOutcome)> {
        Err(Error::argument_with_advice("this device", "it looks for no patterns", "run on the CPU or on a GPU"))
    }

    /// Lends the set of vertices activated for the next step, and some attributes, to a collective of the devices that
    /// share a run.
    ///
    /// # Errors
    ///
    /// A session that cannot share a run.
    fn lend(&mut self, _attributes: &[usize]) -> Result<Replica<'_>> {
        Err(Error::argument("this device", "it cannot be one of several that share a run"))
    }

    /// Copies some attributes from the first replica, which the session [lends](Session::lend), to its other replicas.
    /// If `activated`, copies the vertices activated for the next step as well.
    ///
    /// # Errors
    ///
    /// A device failure.
    fn spread(&mut self, _attributes: &[usize], _activated: bool) -> Result<()> {
        Ok(())
    }

    /// Prepares a pass that several devices share: loads pages, and determines how the pass would run here.
    ///
    /// # Errors
    ///
    /// Too little memory, a missing topology, or a device failure.
    fn prepare(&mut self, _pass: Pass<'_>, _request: &PassRequest) -> Result<Readiness> {
        Ok(Readiness::default())
    }

    /// Drops the pages that the session keeps, because later passes walk other shares. The caller ensures that no pass
    /// is in progress.
    fn forget_shares(&mut self) {}

    /// Starts a pass without waiting for it, if the session [supports that](Readiness::submits). The caller must then
    /// call [`Session::close`], [`Session::wait`] and [`Session::finish`], whether or not the other devices fail.
    ///
    /// # Errors
    ///
    /// A device failure. No pass is in progress then.
    fn submit(&mut self, _pass: Pass<'_>, _request: &PassRequest) -> Result<()> {
        Ok(())
    }

    /// Enqueues the end of a submitted pass behind the work submitted since, and of the step if the request ends it.
    ///
    /// # Errors
    ///
    /// A device failure.
    fn close(&mut self, _pass: Pass<'_>, _request: &PassRequest) -> Result<()> {
        Ok(())
    }

    /// Waits for the work of a submitted pass, but not for the work submitted after it.
    ///
    /// # Errors
    ///
    /// A limit, or a device failure.
    fn wait(&mut self, _pass: Pass<'_>, _request: &PassRequest) -> Result<()> {
        Ok(())
    }

    /// Waits for the end of a submitted pass.
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
    /// A pass of an edge kernel.
    Edges(&'a dyn EdgePass),
    /// A pass of a vertex kernel.
    Vertices(&'a dyn VertexPass),
}

impl Pass<'_> {
    /// Returns the kernel's descriptor.
    pub fn descriptor(&self) -> &'static KernelDescriptor {
        match self {
            Self::Edges(kernel) => kernel.descriptor(),
            Self::Vertices(kernel) => kernel.descriptor(),
        }
    }

    /// Runs the pass on a session and waits for it.
    pub fn run(&self, session: &mut dyn Session, request: &PassRequest) -> Result<PassOutcome> {
        match self {
            Self::Edges(kernel) => session.edge_pass(*kernel, request),
            Self::Vertices(kernel) => session.vertex_pass(*kernel, request),
        }
    }
}

/// State of one device before a shared pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Readiness {
    /// Whether the device would pull, and has the memory for it.
    pub pulls: bool,
    /// Whether the device would pull but lacks memory beside the pages that it keeps. If it [must
    /// pull](PassRequest::decided), its pages stream, and the memory suffices.
    pub lacks_room: bool,
    /// Whether [`Session::submit`] starts the pass without waiting for it.
    pub submits: bool,
}

/// Returns the bytes of a stored vertex number: 4, or 8 if vertex numbers reach the value reserved for `UNREACHED`.
pub fn vertex_bytes(graph: &Graph) -> usize {
    if graph.num_vertices() < u64::from(u32::MAX) { 4 } else { 8 }
}

/// Returns the bytes of one vertex's value of an attribute, or of a whole param or global.
pub fn value_bytes(schema: &Schema, attribute: usize, vertex_bytes: usize) -> usize {
    let ty = schema.attributes[attribute].ty;
    ty.scalar.bytes(vertex_bytes) * ty.length as usize
}

/// Returns the initial value of an attribute as the bytes of its elements; zeros if it declares none.
pub fn initial_value(schema: &Schema, attribute: usize, vertex_bytes: usize) -> Vec<u8> {
    let (AttributeKind::Wa { init, .. } | AttributeKind::EdgeWa { init, .. }) = schema.attributes[attribute].kind
    else {
        return vec![0; value_bytes(schema, attribute, vertex_bytes)];
    };
    let ty = schema.attributes[attribute].ty;
    init.bits.to_le_bytes()[..ty.scalar.bytes(vertex_bytes)].repeat(ty.length as usize)
}
