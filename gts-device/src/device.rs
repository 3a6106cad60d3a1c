//! The traits of devices and sessions, and the types that their methods take and return.

use crate::error::{Error, Result};
use crate::kernel::{EdgePass, Matched, Matching, VertexPass};
use crate::links::Linkable;
use crate::outcome::PassOutcome;
use crate::ranks::{BetweenRanks, RankWork};
use crate::replica::Replica;
use crate::request::PassRequest;
use crate::share::PageShare;
use crate::trace::Trace;
use crate::traversal::Traversal;
use gts_contract::{AttributeKind, KernelDescriptor, Schema};
use gts_core::graph::{Graph, Vertex};
use gts_core::memory;
use gts_core::store::StoreProgress;
use std::sync::Arc;
use std::time::Instant;

/// A processor with its own memory, or several processors that act as one.
pub trait Device: Send + Sync {
    /// Returns the display name, such as `cpu (2 threads)` or `cuda:0 NVIDIA H200`.
    fn name(&self) -> String;

    /// Returns the names of the member devices, indexed by device number in traces. A single device returns only its
    /// own name.
    fn names(&self) -> Vec<String> {
        vec![self.name()]
    }

    /// Returns the number of devices that share each pass.
    fn parts(&self) -> usize {
        1
    }

    /// Returns the device whose memory the sessions [lend](Session::lend), or `None` if this device cannot be linked to
    /// devices of other ranks.
    fn linkable(&self) -> Option<Arc<dyn Linkable>> {
        None
    }

    /// Starts a session without active vertices. Allocates the attributes of `schema` for the graph and sets their
    /// initial values.
    ///
    /// # Errors
    ///
    /// Too little memory, or a device failure.
    fn start(&self, graph: &Graph, schema: &'static Schema, options: &SessionOptions) -> Result<Box<dyn Session>>;

    /// Loads the pages of this device's share into memory, unless passes read the graph from storage. Reports the bytes
    /// read to `progress`.
    ///
    /// # Errors
    ///
    /// A page cannot be read or is damaged, or the ranks cannot share the graph.
    fn load(&self, graph: &Graph, progress: StoreProgress<'_>) -> Result<()> {
        Ok(PageShare::WHOLE.read(graph, progress)?)
    }

    /// Returns whether this process enforces the time limit of a run. Only one of the processes that share a run
    /// enforces the limit.
    fn keeps_time(&self) -> bool {
        true
    }

    /// Drops the data that the device caches for later runs on a graph, except data in use by a run.
    fn forget(&self, _graph: &Graph) {}

    /// Returns the work of each rank, indexed by rank, or an empty vector for a single process. All ranks must call
    /// this method at the same point of the run.
    ///
    /// # Errors
    ///
    /// A rank is lost, or performs a different operation.
    fn ranks(&self) -> Result<Vec<RankWork>> {
        Ok(Vec::new())
    }

    /// Returns the transport of values between ranks, or `None` for a single process.
    fn between_ranks(&self) -> Option<BetweenRanks> {
        None
    }

    /// Returns the memory use of each processor that has its own memory, or an empty vector if the device uses only
    /// host memory.
    fn memory_taken(&self) -> Vec<MemoryTaken> {
        Vec::new()
    }
}

/// A device's memory use since its creation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryTaken {
    /// The display name of the device.
    pub device: String,
    /// Peak use of the device's own memory in bytes.
    pub peak: u64,
    /// Memory limit in bytes, if one was set.
    pub budget: Option<u64>,
    /// Peak use of page-locked host memory in bytes: pages, staging buffers, and the values of a CPU that shares the
    /// run.
    pub page_locked: u64,
    /// Number of driver calls that allocate or free memory, streams or events. Repeating an earlier run adds no calls.
    /// Calls that page-lock existing memory are not counted.
    pub driver_calls: u64,
}

/// Options of a session other than its graph and attributes.
#[derive(Clone, Debug, Default)]
pub struct SessionOptions {
    /// The trace that receives the session's events.
    pub trace: Trace,
    /// The number that identifies the device in trace events.
    pub device: u32,
    /// Whether the session may defer filling an attribute until the attribute is used. A deferred fill can overlap with
    /// the work of other devices.
    pub fills_late: bool,
}

/// A request for all values of an attribute.
#[derive(Clone, Copy, Debug)]
pub struct AnswerRequest {
    /// The attribute's index in the schema.
    pub attribute: usize,
    /// The attribute's name, for error messages.
    pub name: &'static str,
    /// Number of values: one per vertex, or one per edge.
    pub values: u64,
    /// Number of bytes per stored value.
    pub value_bytes: usize,
    /// The requested form of the values.
    pub form: AnswerForm,
}

/// A form in which a session can return values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerForm {
    /// The values as stored by the session.
    Stored,
    /// The values in the order of original IDs, with vertex numbers replaced by original IDs.
    Original,
    /// The group name of each vertex, in the order of original IDs. Vertices with equal values form a group. A group's
    /// name is its smallest original ID, or `UNREACHED` if the value is not a vertex. Only attributes of vertex type
    /// have this form.
    Groups,
}

impl AnswerRequest {
    /// Returns the total size of the stored values in bytes.
    pub fn bytes(&self) -> usize {
        self.values as usize * self.value_bytes
    }
}

/// A piece of the returned values. Consecutive pieces are contiguous.
#[derive(Clone, Copy, Debug)]
pub struct AnswerPiece<'a> {
    /// The values, in the session's storage format unless converted.
    pub bytes: &'a [u8],
    /// Number of bytes per vertex number within the values.
    pub vertex_bytes: usize,
    /// Whether the values have the requested form. A session that leaves the conversion to the host returns all values
    /// as one piece.
    pub done: bool,
}

/// A run's state on a device: the attributes and the sets of active vertices.
///
/// Attribute values are passed as bytes in the format of [`crate::kernel::AttributeValue`], with
/// [`Session::vertex_bytes`] bytes per vertex number. Values are indexed by dense vertex number, or by edge number for
/// a `wa` of edges. After a [sticky](Error::is_sticky) error, the caller may only drop the session.
pub trait Session: Send {
    /// Returns the number of bytes per stored vertex number: 4 or 8.
    fn vertex_bytes(&self) -> usize;

    /// Writes the values of a `wa` or `ra` at consecutive vertices, starting at `first`.
    fn write(&mut self, attribute: usize, first: Vertex, bytes: &[u8]) -> Result<()>;

    /// Reads the values of a `wa` or `ra` at consecutive vertices, or of a `wa` of edges at consecutive edges, starting
    /// at `first`.
    fn read(&mut self, attribute: usize, first: Vertex, bytes: &mut [u8]) -> Result<()>;

    /// Passes all values of an attribute to `receive`, in index order.
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

    /// Reads the values of a `wa` or `ra` at the given vertices into `bytes`, in the order of `vertices`.
    fn read_each(&mut self, attribute: usize, vertices: &[Vertex], bytes: &mut [u8]) -> Result<()> {
        let size = bytes.len() / vertices.len().max(1);
        vertices
            .iter()
            .zip(bytes.chunks_exact_mut(size.max(1)))
            .try_for_each(|(v, value)| self.read(attribute, *v, value))
    }

    /// Sets a `wa` or `ra` to `value` at every vertex, or a `wa` of edges at every edge.
    fn fill(&mut self, attribute: usize, value: &[u8]) -> Result<()>;

    /// Moves the values of the `wa` into the `ra`, and resets the `wa` to its initial value.
    fn rotate(&mut self, ra: usize, wa: usize) -> Result<()>;

    /// Sets the value of a `param`.
    fn set_param(&mut self, attribute: usize, value: &[u8]) -> Result<()>;

    /// Sets these `global`s to the identities of their merges. All other globals keep their values.
    fn reset_globals(&mut self, attributes: &[usize]) -> Result<()>;

    /// Returns the totals of a `global` as bytes. Each total has [`total_bytes`] bytes. Vertex
    /// numbers are always 8 bytes wide.
    ///
    /// [`total_bytes`]: crate::kernel::total_bytes
    fn global(&mut self, attribute: usize) -> Result<Vec<u8>>;

    /// Makes a vertex active in the current step.
    fn activate(&mut self, v: Vertex) -> Result<()>;

    /// Makes every vertex active in the current step.
    fn activate_all(&mut self) -> Result<()>;

    /// Clears the active vertices of the current step and the vertices activated for the next step.
    fn clear_frontier(&mut self) -> Result<()>;

    /// Begins the next step by making the activated vertices active. Returns the number of active vertices.
    fn advance_frontier(&mut self) -> Result<u64>;

    /// Returns the number of active vertices.
    fn frontier_size(&mut self) -> Result<u64>;

    /// Returns the vertices activated for the next step, as a bit set of 64-bit words.
    fn activated(&mut self) -> Result<Vec<u64>>;

    /// Activates a set of vertices for the next step, in the format of [`Session::activated`].
    fn activate_set(&mut self, words: &[u64]) -> Result<()>;

    /// Allocates the `wa`s, params and globals that a kernel's schema appends to the session's own attributes. The new
    /// attributes replace the attributes that an earlier call allocated, and have undefined values. The session's own
    /// attributes keep their values.
    ///
    /// # Errors
    ///
    /// Too little memory, or the session cannot run the kernel.
    fn extend(&mut self, kernel: &'static KernelDescriptor) -> Result<()>;

    /// Runs one pass of an edge kernel.
    ///
    /// # Errors
    ///
    /// A fault in the kernel body, an expired limit, or a device failure.
    fn edge_pass(&mut self, kernel: &dyn EdgePass, request: &PassRequest) -> Result<PassOutcome>;

    /// Runs an edge kernel step by step until no vertex is active. A session may run steps without returning to the
    /// host.
    ///
    /// # Errors
    ///
    /// See [`Session::edge_pass`]. Also fails if the step limit is reached.
    fn traverse(&mut self, kernel: &dyn EdgePass, traversal: &mut Traversal<'_>) -> Result<()> {
        let mut active = self.frontier_size()?;
        while active > 0 {
            active = self.step(kernel, traversal)?;
        }
        Ok(())
    }

    /// Runs a step of a traversal as a pass, and returns the number of active vertices in the next step.
    ///
    /// # Errors
    ///
    /// See [`Session::edge_pass`]. Also fails if the step limit is reached.
    fn step(&mut self, kernel: &dyn EdgePass, traversal: &mut Traversal<'_>) -> Result<u64> {
        let begun = Instant::now();
        let outcome = self.edge_pass(kernel, traversal.next(kernel.descriptor())?)?;
        let active = match outcome.frontier {
            Some(active) => active,
            None => self.advance_frontier()?,
        };
        traversal.finish(&outcome, Some(active), begun.elapsed());
        Ok(active)
    }

    /// Runs a vertex kernel for every vertex, or for every active vertex.
    ///
    /// # Errors
    ///
    /// See [`Session::edge_pass`].
    fn vertex_pass(&mut self, kernel: &dyn VertexPass, request: &PassRequest) -> Result<PassOutcome>;

    /// Counts the matches of a pattern of at least two vertices. The graph must be symmetric. Also lists the matches if
    /// `matching` requests a list and the number of matches is within the limit.
    ///
    /// # Errors
    ///
    /// See [`Session::edge_pass`]. Also fails if pages are not in memory, if the number of matches does not fit into
    /// 64 bits, or if there is too little memory for the list.
    fn matches(&mut self, _matching: &Matching<'_>, _request: &PassRequest) -> Result<(Matched, PassOutcome)> {
        Err(Error::argument_with_advice("this device", "it looks for no patterns", "run on the CPU or on a GPU"))
    }

    /// Lends the given attributes, and the set of vertices activated for the next step, to a collective of the devices
    /// that share a run.
    ///
    /// # Errors
    ///
    /// The session cannot share a run.
    fn lend(&mut self, _attributes: &[usize]) -> Result<Replica<'_>> {
        Err(Error::argument("this device", "it cannot be one of several that share a run"))
    }

    /// Copies the given attributes from the first replica, which the session [lends](Session::lend), to the session's
    /// other replicas. If `activated` is set, also copies the vertices activated for the next step.
    ///
    /// # Errors
    ///
    /// A device failure.
    fn spread(&mut self, _attributes: &[usize], _activated: bool) -> Result<()> {
        Ok(())
    }

    /// Prepares a pass that several devices share: loads pages, and determines how this device would run the pass.
    ///
    /// # Errors
    ///
    /// Too little memory, a missing topology, or a device failure.
    fn prepare(&mut self, _pass: Pass<'_>, _request: &PassRequest) -> Result<Readiness> {
        Ok(Readiness::default())
    }

    /// Drops the session's retained pages, because later passes will walk other shares. No pass may be in progress.
    fn forget_shares(&mut self) {}

    /// Starts a pass without waiting for completion. The session must [support submission](Readiness::submits). After
    /// submission, the caller must call [`Session::close`], [`Session::wait`] and [`Session::finish`], or only
    /// [`Session::wait`] if another device fails.
    ///
    /// # Errors
    ///
    /// A device failure. After an error, no pass is in progress.
    fn submit(&mut self, _pass: Pass<'_>, _request: &PassRequest) -> Result<()> {
        Ok(())
    }

    /// Enqueues the completion of a submitted pass after all work that has been submitted since. Also enqueues the end
    /// of the step if the request ends the step.
    ///
    /// # Errors
    ///
    /// A device failure.
    fn close(&mut self, _pass: Pass<'_>, _request: &PassRequest) -> Result<()> {
        Ok(())
    }

    /// Waits for a submitted pass's own work, but not for work submitted after the pass.
    ///
    /// # Errors
    ///
    /// An expired limit, or a device failure.
    fn wait(&mut self, _pass: Pass<'_>, _request: &PassRequest) -> Result<()> {
        Ok(())
    }

    /// Waits until a submitted pass is complete, and returns the pass's outcome.
    ///
    /// # Errors
    ///
    /// See [`Session::edge_pass`].
    fn finish(&mut self, _pass: Pass<'_>, _request: &PassRequest) -> Result<PassOutcome> {
        Err(Error::argument("this device", "no pass was submitted to it"))
    }
}

/// The kernel of a pass that several devices share.
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

    /// Runs the pass on a session, and waits until the pass is complete.
    pub fn run(&self, session: &mut dyn Session, request: &PassRequest) -> Result<PassOutcome> {
        match self {
            Self::Edges(kernel) => session.edge_pass(*kernel, request),
            Self::Vertices(kernel) => session.vertex_pass(*kernel, request),
        }
    }
}

/// The result of [`Session::prepare`]: how a device would run a shared pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Readiness {
    /// Whether the device would pull, and has enough memory to pull.
    pub pulls: bool,
    /// Whether the device would pull but lacks memory because of the pages that it retains. If the device [must
    /// pull](PassRequest::decided), it streams these pages instead of retaining them, to free memory.
    pub lacks_room: bool,
    /// Whether [`Session::submit`] starts the pass without waiting for completion.
    pub submits: bool,
}

/// Returns the number of bytes per stored vertex number: 8 if the graph has too many vertices for 32-bit numbers,
/// otherwise 4. The largest 32-bit or 64-bit number is reserved for `UNREACHED`.
pub fn vertex_bytes(graph: &Graph) -> usize {
    if graph.num_vertices() < u64::from(u32::MAX) { 4 } else { 8 }
}

/// Returns the size in bytes of an attribute's value at a vertex or edge, or of a param or global.
pub fn value_bytes(schema: &Schema, attribute: usize, vertex_bytes: usize) -> usize {
    let ty = schema.attributes[attribute].ty;
    ty.scalar.bytes(vertex_bytes) * ty.length as usize
}

/// Returns an attribute's initial value or a param's default as bytes: zeros if neither is declared.
pub fn initial_value(schema: &Schema, attribute: usize, vertex_bytes: usize) -> Vec<u8> {
    let (AttributeKind::Wa { init, .. }
    | AttributeKind::EdgeWa { init, .. }
    | AttributeKind::Param { default: Some(init) }) = schema.attributes[attribute].kind
    else {
        return vec![0; value_bytes(schema, attribute, vertex_bytes)];
    };
    let ty = schema.attributes[attribute].ty;
    init.bits.to_le_bytes()[..ty.scalar.bytes(vertex_bytes)].repeat(ty.length as usize)
}
