//! Passes that pull: each vertex gathers along its own list in the opposite topology.
//!
//! A pulling pass requires that all pages are on the device. There is one exception: in a scan that several devices
//! share, pages may stream. After such a scan, the replicas exchange the values of their own vertices. A session with
//! only a part of the attributes always pushes.

use super::driver::Buffer;
use super::pass::{Course, LoadedAmount};
use super::session::CudaSession;
use gts_contract::{KernelDescriptor, KernelKind, Side, Technique};
use gts_core::advice::Advice;
use gts_device::error::{Error, Result};
use gts_device::tuning;
use gts_device::{PassOutcome, PassRequest, Propagation, cannot_pull};
use std::sync::Arc;

impl CudaSession {
    /// Runs a pass of an edge kernel that pulls. Returns `None` if the pass should push, or if there is too little
    /// memory to pull.
    pub(super) fn run_pulling(
        &mut self,
        kernel: &'static KernelDescriptor,
        request: &PassRequest,
    ) -> Result<Option<PassOutcome>> {
        self.flush_activated()?;
        self.place_columns(kernel, request)?;
        if !self.shall_pull(kernel, request)? {
            return Ok(None);
        }
        let walked = request.opposite();
        let Some(loaded) = self.load_to_pull(kernel, &walked)? else { return Ok(None) };
        let course = Course { technique: self.technique_to_pull(kernel, request), pulls: true };
        self.run_loaded(kernel, &walked, loaded, course, None).map(Some)
    }

    /// Returns whether a pass should pull, provided that there is enough memory.
    pub(super) fn shall_pull(&mut self, kernel: &'static KernelDescriptor, request: &PassRequest) -> Result<bool> {
        Ok(match self.edges_to_pull(kernel, request)? {
            Some(edges) if request.active_only => {
                let active = self.count_active_edges(&request.sides)?;
                self.frontier.walks = active;
                active >= edges
            }
            edges => edges.is_some(),
        })
    }

    /// Returns the minimum number of active edges at which a traversal step pulls, provided that there is enough
    /// memory. With at least this number, searching lists for active vertices takes less time than following active
    /// edges. Returns `None` if the pass always pushes.
    pub(super) fn edges_to_pull(
        &self,
        kernel: &'static KernelDescriptor,
        request: &PassRequest,
    ) -> Result<Option<u64>> {
        let all = self.graph.num_edges() * request.sides.len() as u64;
        let least = || match request.propagation {
            Propagation::Auto if kernel.kind == KernelKind::Traverse => {
                let (ways, walked) = (self.ways(kernel), self.frontier.walked);
                match kernel.leaves_lists_early() {
                    true => ways.edges_to_pull(all, walked),
                    false => ways.edges_to_leave_loop(all, walked),
                }
            }
            _ => all.div_ceil(tuning::CUDA_PULL_SHARE),
        };
        Ok(self.pulls(kernel, request)?.then(least))
    }

    /// Loads the pages of a pulling pass, unless the pages stream, and allocates memory for the source values. If all
    /// devices of a scan must pull and the pages leave no room for source values, the pages stream from now on. Returns
    /// `None` if there is too little memory.
    pub(super) fn load_to_pull(
        &mut self,
        kernel: &KernelDescriptor,
        walked: &PassRequest,
    ) -> Result<Option<LoadedAmount>> {
        let loaded = match self.streams() {
            true => Some(LoadedAmount::default()),
            false => self.load_resident(kernel, walked)?,
        };
        let Some(loaded) = loaded else { return Ok(None) };
        if self.make_room_to_hand_out(kernel, walked)? {
            return Ok(Some(loaded));
        }
        if self.streams() || !walked.decided || !may_stream(kernel, walked) {
            return Ok(None);
        }
        self.let_stream();
        self.shared.evict(&self.graph);
        Ok(self.make_room_to_hand_out(kernel, walked)?.then(LoadedAmount::default))
    }

    /// Returns the technique of a pass that pulls. The technique always walks pages.
    pub(super) fn technique_to_pull(&self, kernel: &'static KernelDescriptor, request: &PassRequest) -> Technique {
        let of_pages = request.technique.filter(|technique| technique.walks_pages());
        of_pages.unwrap_or_else(|| self.chosen_technique(kernel, request, true))
    }

    /// Returns whether a pass may pull, regardless of memory and of the number of active edges. Fails if the request
    /// requires pulling, but the kernel or the graph does not support pulling.
    fn pulls(&self, kernel: &'static KernelDescriptor, request: &PassRequest) -> Result<bool> {
        let whole = request.neighbours.is_all() && self.part.is_none();
        let streams = self.streams() && !may_stream(kernel, request);
        if !kernel.facts.pulls || !whole || streams || self.travelling(kernel).bytes > 0 {
            return Ok(false);
        }
        let can = request.can_pull(&self.graph);
        match request.propagation {
            Propagation::Push => Ok(false),
            Propagation::Pull | Propagation::PullAtEdge if !can => Err(cannot_pull(kernel)),
            Propagation::Pull | Propagation::PullAtEdge => Ok(true),
            // A pass over edge lists has no pages to pull along.
            Propagation::Auto if request.technique.is_some_and(|technique| technique.edge_list().is_some()) => {
                Ok(false)
            }
            Propagation::Auto if kernel.kind != KernelKind::Traverse => Ok(can),
            // In a traversal, pulling saves time by leaving lists early, as in Beamer's bottom-up step. A kernel that
            // searches whole lists pulls only if pulling requires no additional pages in memory.
            Propagation::Auto => {
                let is_worth_pages =
                    kernel.leaves_lists_early() || request.walks_both() || self.graph.properties().symmetric;
                Ok(can && is_worth_pages && self.ways(kernel).share() < 1.0)
            }
        }
    }

    /// Returns whether the device counts the edges of the newly active vertices at the end of a pass. The next step
    /// uses this count to choose between push and pull.
    pub(super) fn counts_edges(&self, kernel: &'static KernelDescriptor, request: &PassRequest) -> bool {
        // Count the edges in both topologies or in neither, because the next kernel may walk either topology.
        let there = [Side::Out, Side::In].iter().all(|&side| self.degrees.held(side).is_some());
        request.ends_step && there && matches!(self.pulls(kernel, request), Ok(true))
    }

    /// Allocates memory for the values that sources pass to their edges. A kernel computes these values once per
    /// vertex, before a pass. Returns `false` if there is too little memory.
    fn make_room_to_hand_out(&mut self, kernel: &KernelDescriptor, request: &PassRequest) -> Result<bool> {
        let bytes = handed_bytes(kernel, request) * self.graph.num_vertices() as usize;
        if self.handed.as_ref().map_or(0, Buffer::bytes) >= bytes {
            return Ok(true);
        }
        self.handed = None;
        if self.streams() && !self.pulls_along_streams(bytes as u64)? {
            return Ok(false);
        }
        match Buffer::lent(&self.kit.stream, bytes, "values handed along edges") {
            Ok(buffer) => self.handed = Some(buffer),
            Err(Error::OutOfMemory { .. }) => return Ok(false),
            Err(error) => return Err(error),
        }
        Ok(true)
    }

    /// Returns the error for a pass that must pull but has too little memory.
    pub(super) fn no_room_to_pull(&self, kernel: &KernelDescriptor) -> Error {
        Error::OutOfMemory {
            device: self.context().name().to_owned(),
            what: format!("`{}`, which pulls on all devices", kernel.function),
            needed: kernel.facts.handed_bytes as u64 * self.graph.num_vertices(),
            free: self.context().available().unwrap_or_default(),
            remedy: Advice::new(
                "give --propagation push, or more --device-memory",
                "ask for `Propagation::Push`, or allow more `device_memory`",
            ),
        }
    }

    /// Returns whether scans can pull along streamed pages while source values occupy `handed` bytes of device memory.
    /// Evicts streamed pages if necessary.
    fn pulls_along_streams(&self, handed: u64) -> Result<bool> {
        // Load the page tables first, because the tables occupy device memory even if pages stream.
        for topology in [Side::Out, Side::In].into_iter().filter_map(|side| self.graph.topology(side)) {
            self.shared.residents.table(&self.shared, &self.graph, topology)?;
        }
        let fits = |available: u64| self.load.pulls_along_streams(available, handed);
        let available = self.context().available()?;
        if fits(available) {
            return Ok(true);
        }
        // The buffers for streamed pages occupy all remaining memory. After the eviction, smaller buffers are
        // allocated.
        if !fits(available + self.shared.bytes_of_streams()) {
            return Ok(false);
        }
        self.shared.evict(&self.graph);
        Ok(fits(self.context().available()?))
    }

    /// Enqueues a pulling pass over pages on the device: first the kernel that computes source values, then the kernels
    /// of each topology.
    pub(super) fn launch_pulling(
        &self,
        kernel: &'static KernelDescriptor,
        technique: Technique,
        request: &PassRequest,
    ) -> Result<()> {
        let sides = request.sides.iter().filter_map(|&side| {
            Some((self.graph.topology(side)?, Arc::clone(&self.walked(side, &request.share)?.pages)))
        });
        for (number, (topology, pages)) in sides.enumerate() {
            if number == 0 {
                self.hand_out(kernel, topology, request)?;
            }
            let work = self.pull_work(kernel, topology, technique, &pages.table, request)?;
            self.launch_pages(&self.kit.stream, &work, &pages.lists(), false)?;
        }
        Ok(())
    }
}

/// Returns whether a pass can pull while its pages stream. The pass must be a scan that several devices share.
pub(super) fn may_stream(kernel: &KernelDescriptor, request: &PassRequest) -> bool {
    kernel.kind == KernelKind::Scan && !request.share.is_whole()
}

/// Returns the size in bytes of a vertex's source value in a pulling pass, or 0 if the pass computes source values at
/// its edges.
pub(super) fn handed_bytes(kernel: &KernelDescriptor, request: &PassRequest) -> usize {
    if request.propagation == Propagation::PullAtEdge { 0 } else { kernel.facts.handed_bytes }
}
