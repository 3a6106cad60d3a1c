//! Passes that pull: they walk the opposite topology, and each vertex gathers along its own list.
//!
//! Pages are on the device. They may stream only in a scan whose pages several devices share, after which the replicas
//! exchange the values of their own vertices. Otherwise graphs that stream, and parts of the attributes, push.

use super::driver::Buffer;
use super::pass::{Course, Loaded};
use super::session::CudaSession;
use gts_contract::{KernelDescriptor, KernelKind, Side, Technique};
use gts_core::advice::Advice;
use gts_device::error::{Error, Result};
use gts_device::tuning;
use gts_device::{PassOutcome, PassRequest, Propagation, cannot_pull};
use std::sync::Arc;

impl CudaSession {
    /// Runs a pass of an edge kernel by its form that pulls; `None` if it should push, or has too little memory to
    /// pull.
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

    /// Returns whether a pass should pull, if there is memory for it.
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

    /// Returns the minimum number of active edges with which a step of a traversal pulls, if there is memory for it.
    /// From this number on, looking for active vertices takes less time than following their edges. `None` if the
    /// kernel always pushes.
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

    /// Loads the pages that a pass walks to pull, unless they stream, and allocates memory for the values that vertices
    /// hand out. If all devices of a scan have to pull and the pages leave no room for these values, the pages stream
    /// from now on. `None` if there is too little memory.
    pub(super) fn load_to_pull(&mut self, kernel: &KernelDescriptor, walked: &PassRequest) -> Result<Option<Loaded>> {
        let loaded = match self.streams() {
            true => Some(Loaded::default()),
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
        Ok(self.make_room_to_hand_out(kernel, walked)?.then(Loaded::default))
    }

    /// Returns the technique of a pass that pulls, which walks pages.
    pub(super) fn technique_to_pull(&self, kernel: &'static KernelDescriptor, request: &PassRequest) -> Technique {
        let of_pages = request.technique.filter(|technique| technique.walks_pages());
        of_pages.unwrap_or_else(|| self.chosen_technique(kernel, request, true))
    }

    /// Returns whether a pass should pull and can, apart from memory.
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
            // Edge lists replace the pages.
            Propagation::Auto if request.technique.is_some_and(|technique| technique.edge_list().is_some()) => {
                Ok(false)
            }
            Propagation::Auto if kernel.kind != KernelKind::Traverse => Ok(can),
            // In a traversal, pulling pays off by leaving lists early, as in Beamer's bottom-up step. Looking for
            // active vertices in whole lists is not worth further pages in memory.
            Propagation::Auto => {
                let is_worth_pages =
                    kernel.leaves_lists_early() || request.walks_both() || self.graph.properties().symmetric;
                Ok(can && is_worth_pages && self.ways(kernel).share() < 1.0)
            }
        }
    }

    /// Returns whether the end of a pass counts the edges of the then active vertices. A step of a kernel that may pull
    /// is chosen by this count.
    pub(super) fn counts_edges(&self, kernel: &'static KernelDescriptor, request: &PassRequest) -> bool {
        // Any following kernel finds the counts of both topologies, or none.
        let there = [Side::Out, Side::In].iter().all(|&side| self.degrees.held(side).is_some());
        request.ends_step && there && matches!(self.pulls(kernel, request), Ok(true))
    }

    /// Allocates memory for the values that vertices hand out before a pass. Returns `false` if there is too little.
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

    /// Creates the error of a pass that must pull but has too little memory.
    pub(super) fn no_room_to_pull(&self, kernel: &KernelDescriptor) -> Error {
        Error::OutOfMemory {
            device: self.context().name().to_owned(),
            what: format!("`{}`, which pulls on all devices", kernel.name),
            needed: kernel.facts.handed_bytes as u64 * self.graph.num_vertices(),
            free: self.context().available().unwrap_or_default(),
            remedy: Advice::new(
                "give --propagation push, or more --device-memory",
                "ask for `Propagation::Push`, or allow more `device_memory`",
            ),
        }
    }

    /// Returns whether scans can pull along streamed pages if vertices hand out `handed` bytes in total.
    fn pulls_along_streams(&self, handed: u64) -> Result<bool> {
        // The tables stay on the device, whatever else streams.
        for topology in [Side::Out, Side::In].into_iter().filter_map(|side| self.graph.topology(side)) {
            self.shared.residents.table(&self.shared, &self.graph, topology)?;
        }
        let fits = |available: u64| self.load.pulls_along_streams(available, handed);
        let available = self.context().available()?;
        if fits(available) {
            return Ok(true);
        }
        // The buffers of streamed pages take all remaining memory, and are allocated again afterwards.
        if !fits(available + self.shared.bytes_of_streams()) {
            return Ok(false);
        }
        self.shared.evict(&self.graph);
        Ok(fits(self.context().available()?))
    }

    /// Enqueues the launches of a pass over pages on the device: first the handed-out values, then each topology.
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

/// Returns whether a pass can pull along pages that stream: a scan that several devices share.
pub(super) fn may_stream(kernel: &KernelDescriptor, request: &PassRequest) -> bool {
    kernel.kind == KernelKind::Scan && !request.share.is_whole()
}

/// Returns the bytes that each vertex hands out before a pass that pulls; 0 if the pass computes the values at its
/// edges.
pub(super) fn handed_bytes(kernel: &KernelDescriptor, request: &PassRequest) -> usize {
    if request.propagation == Propagation::PullAtEdge { 0 } else { kernel.facts.handed_bytes }
}
