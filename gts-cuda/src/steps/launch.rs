//! Launches of step loops.
//!
//! The `unsafe` blocks rely on the facts stated in the device's `launch` module, and on one more fact: a loop's buffers
//! have the sizes that the loop's kernels derive from the capacities in the arguments.
#![allow(unsafe_code)]

use super::arguments::{CLAIMING_BLOCKS, CLAIMING_THREADS, ClaimArguments, STEPS_THREADS, StepArguments};
use super::choice::Prospect;
use super::{LoopTopology, Told};
use crate::arguments::{Common, ListArguments, kernel_arguments};
use crate::driver::{Buffer, Function};
use crate::entry::Entry;
use crate::pages::ResidentPages;
use crate::session::CudaSession;
use gts_contract::KernelDescriptor;
use gts_core::page::Topology;
use gts_device::PassRequest;
use gts_device::error::{Error, Result};
use gts_device::tuning;
use std::sync::Arc;

impl CudaSession {
    /// Writes the position of each vertex's list in a topology to `places`, and waits for the result.
    pub(super) fn find_places(&self, topology: &Topology, pages: &ResidentPages, places: &Buffer) -> Result<()> {
        assert!(places.bytes() >= 8 * self.graph.num_vertices() as usize, "a place for each vertex");
        let function = self.shared.kernels.places(self.context(), self.vertex_bytes)?;
        let lists = self.lists_of(pages, u64::from(topology.num_pages()), 0);
        let (page_bytes, places) = ([topology.format().page_size().into()], [places.address()]);
        let arguments: [&[u64]; 3] = [bytemuck::cast_slice(std::slice::from_ref(&lists)), &page_bytes, &places];
        let blocks = u64::from(topology.num_pages()).clamp(1, 1 << 16) as u32;
        // SAFETY: `places` has an element for each vertex, and pages contain only vertices of the graph.
        unsafe { function.launch(&self.kit.stream, (blocks, 1), &arguments) }?;
        self.kit.stream.synchronize("finding lists")
    }

    fn lists_of(&self, pages: &ResidentPages, num_pages: u64, degrees: u64) -> ListArguments {
        let (base, start_vids) = (pages.lists().base, pages.table.start_vids.address());
        ListArguments { base, start_vids, num_pages, degrees, first_edges: 0 }
    }

    /// Returns the entry points of a loop, and the common arguments of all entry points. All walked topologies must
    /// have the same page format.
    fn loop_entries(
        &self,
        kernel: &'static KernelDescriptor,
        request: &PassRequest,
        walks: &[LoopTopology],
        entries: &[Entry],
    ) -> Result<(Vec<Arc<Function>>, Vec<u64>)> {
        let topology = request.sides.first().and_then(|&side| self.graph.topology(side));
        let topology = topology.ok_or_else(|| gts_device::no_in_edges(kernel))?;
        let mut common: Common = self.common_of(topology, &walks[0].pages.table, request);
        common.lists[0] = self.lists_of(&walks[0].pages, walks[0].num_pages, walks[0].degrees);
        let functions = self.edge_entries(kernel, topology, entries, request)?;
        Ok((functions, kernel_arguments(&common, &self.kernel_slots(kernel))))
    }

    /// Launches the claiming loop.
    pub(super) fn launch_claiming(
        &mut self,
        kernel: &'static KernelDescriptor,
        request: &PassRequest,
        (prospect, walks): (&Prospect, &[LoopTopology]),
        most_steps: u32,
        told: &Told,
    ) -> Result<()> {
        let entries = [Entry::Claim, Entry::ClaimingSteps];
        let (functions, arguments) = self.loop_entries(kernel, request, walks, &entries)?;
        let Some(claims) = &mut self.step_memory.claims else { return Err(no_memory(kernel)) };
        // Reserve step numbers for the maximum number of steps, although the loop may end early.
        let tags = u64::from(most_steps) + 2;
        if claims.next_tag + tags > u64::from(u32::MAX) {
            self.kit.stream.clear(&claims.queues, 0, claims.queues.bytes())?;
            claims.next_tag = 1;
        }
        let first_tag = claims.next_tag;
        claims.next_tag += tags;
        self.kit.stream.clear(&claims.counts, 0, claims.counts.bytes())?;
        let own = ClaimArguments {
            places: walks[0].places.address(),
            claimed: claims.claimed.address(),
            active: self.frontier.current().address(),
            queues: claims.queues.address(),
            room: claims.room,
            counts: claims.counts.address(),
            listed: claims.counts.address() + 8 * 2 * u64::from(CLAIMING_BLOCKS),
            first_tag,
            most_steps: most_steps.into(),
            most_active: prospect.most_to_claim(),
            end: told.end_address(),
            told: told.address(),
            told_before: told.before(),
        };
        let slots: [&[u64]; 2] = [&arguments, bytemuck::cast_slice(std::slice::from_ref(&own))];
        let stream = &self.kit.stream;
        // SAFETY: the set of claimed vertices has one bit per vertex, and the queues have room for all active vertices.
        unsafe { functions[0].launch(stream, self.items(self.graph.num_vertices()), &slots) }?;
        // SAFETY: each queue has room for all vertices that a block may reach in a step.
        unsafe { functions[1].launch_together(stream, (CLAIMING_BLOCKS, CLAIMING_THREADS), &slots) }
    }

    /// Launches the in-order loop.
    pub(super) fn launch_in_order(
        &mut self,
        kernel: &'static KernelDescriptor,
        request: &PassRequest,
        (prospect, walks): (&Prospect, &[LoopTopology]),
        most_steps: u32,
        told: &Told,
    ) -> Result<()> {
        let (functions, arguments) = self.loop_entries(kernel, request, walks, &[Entry::Steps])?;
        let Some(queues) = &self.step_memory.in_order else { return Err(no_memory(kernel)) };
        let (stream, frontier) = (&self.kit.stream, &self.frontier);
        stream.clear(&queues.state, 0, queues.state.bytes())?;
        let (mut lists, mut places) = ([ListArguments::default(); 2], [0; 2]);
        for (number, walk) in walks.iter().enumerate() {
            lists[number] = self.lists_of(&walk.pages, walk.num_pages, walk.degrees);
            places[number] = walk.places.address();
        }
        let own = StepArguments {
            walks: walks.len() as u64,
            lists,
            places,
            sets: [frontier.current().address(), frontier.next().address()],
            words: frontier.words,
            vertices: [queues.vertices[0].address(), queues.vertices[1].address()],
            firsts: [queues.firsts[0].address(), queues.firsts[1].address()],
            room: prospect.room,
            state: queues.state.address(),
            most_steps: most_steps.into(),
            too_many_edges: prospect.edges_for_host(),
            end: told.end_address(),
            told: told.address(),
            told_before: told.before(),
        };
        let multiprocessors = self.context().multiprocessors();
        // For small degrees, use fewer blocks, which spend less time waiting for each other.
        let wanted = match prospect.largest_degree <= tuning::CUDA_LOOP_DEGREE {
            true => multiprocessors / 2,
            false => multiprocessors * functions[0].blocks_at_a_time(STEPS_THREADS)?,
        };
        let slots: [&[u64]; 2] = [&arguments, bytemuck::cast_slice(std::slice::from_ref(&own))];
        // SAFETY: the queues have the capacity that is passed to the loop, and the state has the size that the blocks
        // assume.
        unsafe { functions[0].launch_together(stream, (wanted.max(1), STEPS_THREADS), &slots) }
    }
}

/// Returns the error for a loop that is launched before the loop's memory is allocated.
fn no_memory(kernel: &KernelDescriptor) -> Error {
    Error::argument(kernel.function, "its loop has no memory")
}
