//! Step loops: the device runs several steps of a traversal in one launch, without the host. The blocks of the launch
//! wait for each other after each step.
//!
//! A loop only pushes, and requires all pages on the device. The loop returns to the host before a step that should
//! pull or is too large, after its maximum number of steps, or after an error. The host then runs the next step as a
//! pass, or launches another loop. The device reports each step in page-locked memory, and never waits for the host.

mod arguments;
mod choice;
mod launch;
mod memory;
mod teller;
mod told;

pub(super) use arguments::{ClaimArguments, StepArguments};
pub(super) use memory::StepMemory;
pub(super) use told::Told;

use super::driver::Buffer;
use super::pages::ResidentPages;
use super::part::DegreesLocation;
use super::pass::Clock;
use super::session::CudaSession;
use arguments::LoopEnd;
use choice::Prospect;
use gts_contract::{KernelDescriptor, Side, Technique};
use gts_core::page::Topology;
use gts_device::error::Result;
use gts_device::tuning::CUDA_STEP_LOOPS;
use gts_device::{PassRequest, StepsRun, Traversal};
use std::sync::Arc;
use teller::Teller;

/// The state of a traversal after a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LoopOutcome {
    /// The number of active vertices.
    pub(super) active: u64,
    /// Whether the host must run the next step, because the step should pull or is too large for the loop. Another loop
    /// would return without running a step.
    pub(super) to_host: bool,
}

/// A topology that a loop walks.
#[derive(Debug)]
struct LoopTopology {
    pages: Arc<ResidentPages>,
    /// The position of each vertex's list in the pages.
    places: Arc<Buffer>,
    /// The number of pages in the topology.
    num_pages: u64,
    /// The device address of the degrees.
    degrees: u64,
}

impl CudaSession {
    /// Runs the next steps of a traversal in a loop on the device, and returns the state after the loop. Returns `None`
    /// if the host must run the next step.
    pub(super) fn run_steps(
        &mut self,
        kernel: &'static KernelDescriptor,
        traversal: &mut Traversal<'_>,
    ) -> Result<Option<LoopOutcome>> {
        let request = traversal.next(kernel)?;
        let (steps_by, step_loop) = (traversal.steps_by(), kernel.facts.step_loop);
        let largest_degree = self.largest_degree(request);
        if !choice::is_wanted(steps_by, step_loop, largest_degree) || !self.may_loop(request) {
            return Ok(None);
        }
        let request = request.clone();
        self.flush_activated()?;
        let loaded = self.load_pages(kernel, &request)?;
        self.loaded.copied += loaded.copied;
        self.loaded.read += loaded.read;
        if self.streams() || self.shall_pull(kernel, &request)? {
            return Ok(None);
        }
        let edges_to_pull = self.edges_to_pull(kernel, &request)?;
        let prospect = Prospect {
            steps_by,
            step_loop,
            walks: request.sides.len(),
            largest_degree,
            vertices: self.graph.num_vertices(),
            edges: self.graph.num_edges() * request.sides.len() as u64,
            edges_to_pull,
            active: self.frontier.size.unwrap_or(u64::MAX),
            active_edges: edges_to_pull.map(|_| self.frontier.walks),
            room: CUDA_STEP_LOOPS.room(self.graph.num_vertices()),
        };
        let Some(run) = prospect.choose() else { return Ok(None) };
        let Some(walks) = self.walks_of_loop(&request)? else { return Ok(None) };
        if !self.has_step_memory(run, &prospect)? {
            return Ok(None);
        }
        self.loop_on(kernel, &request, (run, &prospect, &walks), traversal).map(Some)
    }

    /// Returns whether loops support the request, the graph and the state of the session.
    fn may_loop(&self, request: &PassRequest) -> bool {
        let formats = request.sides.iter().filter_map(|&side| self.graph.topology(side)).map(Topology::format);
        self.vertex_bytes == 4
            && self.part.is_none()
            && !self.streams()
            && request.share.is_whole()
            && request.neighbours.is_all()
            && request.technique.is_none_or(Technique::walks_pages)
            && formats.clone().zip(formats.skip(1)).all(|(one, other)| one == other)
    }

    /// Returns the largest degree of a vertex in a request's topologies.
    fn largest_degree(&self, request: &PassRequest) -> u64 {
        let properties = self.graph.properties();
        let of = |side: &Side| match side {
            Side::Out => properties.largest_out_degree,
            Side::In => properties.largest_in_degree,
        };
        request.sides.iter().map(of).max().unwrap_or(0).into()
    }

    /// Returns the topologies that a loop walks, or `None` if the device lacks room for their list positions or
    /// degrees.
    fn walks_of_loop(&self, request: &PassRequest) -> Result<Option<Vec<LoopTopology>>> {
        let mut walks = Vec::with_capacity(2);
        for &side in &request.sides {
            let (Some(topology), Some(walked)) = (self.graph.topology(side), self.walked(side, &request.share)) else {
                return Ok(None);
            };
            let Some(DegreesLocation::Device(degrees)) = self.degrees.held(side) else { return Ok(None) };
            let (pages, degrees) = (Arc::clone(&walked.pages), degrees.address());
            let find = |places: &Buffer| self.find_places(topology, &pages, places);
            let Some(places) = self.shared.residents.places(&self.shared, &self.graph, topology, find)? else {
                return Ok(None);
            };
            walks.push(LoopTopology { pages, places, num_pages: topology.num_pages().into(), degrees });
        }
        Ok(Some(walks))
    }

    /// Runs a loop to completion, reports the loop's steps, and returns the state after the loop.
    fn loop_on(
        &mut self,
        kernel: &'static KernelDescriptor,
        request: &PassRequest,
        (run, prospect, walks): (StepsRun, &Prospect, &[LoopTopology]),
        traversal: &mut Traversal<'_>,
    ) -> Result<LoopOutcome> {
        let most_steps = traversal.steps_left().min(choice::most_steps(traversal.steps_by()));
        let mut told = match self.kit.told.take() {
            Some(told) => told,
            None => Told::new(self.context())?,
        };
        self.begin_pass(Clock::Events)?;
        match run {
            StepsRun::Claiming => self.launch_claiming(kernel, request, (prospect, walks), most_steps, &told)?,
            StepsRun::InOrder => self.launch_in_order(kernel, request, (prospect, walks), most_steps, &told)?,
        }
        self.launch_report(0, 0, 0, [0; 2])?;
        self.kit.stream.record(&self.kit.ended)?;

        let trace = (self.trace.clone(), self.number);
        let mut teller = Teller::new(kernel, run, std::mem::take(&mut self.loaded), trace);
        let before = told.before();
        let (mut steps, mut edges) = (0, 0);
        let mut look = |told: &Told| {
            let new: Vec<(u64, u64)> = (steps..).map_while(|step| told.step(before + step)).collect();
            steps += new.len() as u64;
            edges += new.iter().map(|(_, edges)| edges).sum::<u64>();
            teller.tell(&new, traversal);
        };
        self.watch(kernel, request).wait_while(&self.kit.ended, || look(&told))?;
        look(&told);
        let report = self.read_report();
        report.status.fault(kernel)?;
        let end: LoopEnd = told.end();
        // Report the steps whose words were overwritten before the host read them.
        teller.missed(end.steps.saturating_sub(steps), end.edges.saturating_sub(edges), end.active, traversal);
        told.advance(end.steps);
        self.kit.told = Some(told);
        let turns = if run == StepsRun::InOrder { end.steps } else { 0 };
        self.frontier.take_turns(turns, end.active, end.edges);
        Ok(LoopOutcome { active: end.active, to_host: end.active > 0 && end.steps < u64::from(most_steps) })
    }
}
