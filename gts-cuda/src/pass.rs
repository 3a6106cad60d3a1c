//! Submits passes, and returns their outcomes.
//!
//! The host submits a whole pass before it waits for the end of the pass. Therefore, the host can submit passes to
//! several devices before it waits for any pass.

use super::arguments::{Collected, Status};
use super::pages::ResidentPages;
use super::session::{CudaSession, Walked, place};
use super::steps::StepMemory;
use super::streaming::{Member, Pool, RESERVE, Streamed};
use super::watch::Watch;
use gts_contract::{KernelDescriptor, Side, Technique};
use gts_core::graph::Graph;
use gts_core::page::Topology;
use gts_device::error::{Error, Result};
use gts_device::trace::{TraceEvent, TraceKind};
use gts_device::{PageShare, PassOutcome, PassRequest, identity};
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

/// The report that the device writes at the end of a pass.
#[derive(Clone, Copy, Debug, Default, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub(super) struct PassReport {
    pub(super) status: Status,
    pub(super) collected: [Collected; 2],
    pub(super) vertices: u64,
    /// The number of edges of the active vertices by topology, if counted.
    pub(super) edges: [u64; 2],
    /// The number of completed blocks in the kernel that ends the pass.
    pub(super) blocks: u64,
    /// The time in nanoseconds at which the pass began; 0 unless the pass began by collecting active pages.
    pub(super) begun: u64,
    /// The time in nanoseconds at which the report was written.
    pub(super) ended: u64,
    /// The number of the report. The device writes the number last, to mark the report as complete.
    pub(super) number: u64,
}

const _: () = assert!(size_of::<PassReport>() <= super::session::REPORT);

/// The amount of data transferred to load pages onto the device.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LoadedAmount {
    /// Bytes copied to the device.
    pub(super) copied: u64,
    /// Bytes read from storage.
    pub(super) read: u64,
}

/// The technique and the direction of an edge kernel's pass.
#[derive(Clone, Copy, Debug)]
pub(super) struct Course {
    pub(super) technique: Technique,
    /// Whether vertices pull: each vertex gathers along its own list.
    pub(super) pulls: bool,
}

/// A pass of an edge kernel that the host has submitted, but not yet waited for.
#[derive(Debug)]
pub(super) struct Submitted<'a> {
    course: Course,
    loaded: LoadedAmount,
    /// The state of a streaming pass; `None` if all pages are on the device.
    streamed: Option<Streamed<'a>>,
    clock: Clock,
}

/// Selects how a pass over pages on the device is timed, and how the host detects the end of the pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Clock {
    /// Uses events, which the driver records.
    Events,
    /// Uses the times in the device's report. Recording events would take a considerable part of a short step's time.
    Report,
}

impl CudaSession {
    /// Runs a pushing pass of an edge kernel. If several devices relay the pages, `member` represents this device in
    /// the relay.
    pub(super) fn run_edges(
        &mut self,
        kernel: &'static KernelDescriptor,
        request: &PassRequest,
        member: Option<&mut Member<'_>>,
    ) -> Result<PassOutcome> {
        let loaded = self.load_to_push(kernel, request)?;
        let course = Course { technique: self.technique_to_push(kernel, request), pulls: false };
        self.run_loaded(kernel, request, loaded, course, member)
    }

    /// Runs a pass of an edge kernel whose pages either stream or are on the device.
    pub(super) fn run_loaded(
        &mut self,
        kernel: &'static KernelDescriptor,
        request: &PassRequest,
        loaded: LoadedAmount,
        course: Course,
        mut member: Option<&mut Member<'_>>,
    ) -> Result<PassOutcome> {
        let (graph, shared) = (self.graph.clone(), Arc::clone(&self.shared));
        let streams = self.streams() && course.technique.walks_pages();
        let mut pool = streams.then(|| shared.pool.lock().unwrap_or_else(PoisonError::into_inner));
        let submitted =
            self.submit_edges(&graph, pool.as_deref_mut(), (loaded, course), kernel, request, member.as_deref_mut())?;
        let outcome = self.finish_edges(submitted, kernel, request)?;
        // The pool stays locked until the relay ends, because other devices may copy pages from it.
        member.map_or(Ok(()), |member| member.finish(&request.limits, kernel))?;
        Ok(outcome)
    }

    /// Submits a pass of an edge kernel. If the session streams, `pool` is the page pool of the device. In a relay,
    /// `member` represents the device. After a failure, no part of the pass is in progress.
    pub(super) fn submit_edges<'a>(
        &mut self,
        graph: &'a Graph,
        pool: Option<&'a mut Option<Pool>>,
        (loaded, course): (LoadedAmount, Course),
        kernel: &'static KernelDescriptor,
        request: &PassRequest,
        member: Option<&mut Member<'_>>,
    ) -> Result<Submitted<'a>> {
        self.flush_activated()?;
        // A caller that ends the step itself needs an event to wait for.
        let tells = request.active_only && request.ends_step && course.technique.walks_pages();
        let clock = if tells { Clock::Report } else { Clock::Events };
        let streamed = match pool {
            Some(pool) => Some(self.submit_streamed(graph, pool, kernel, course, request, member)?),
            None => {
                self.begin_pass(clock)?;
                self.launch_loaded(kernel, course, request)?;
                self.close_pass(kernel, request, clock)?;
                None
            }
        };
        Ok(Submitted { course, loaded, streamed, clock })
    }

    /// Enqueues the kernels of a pass over pages or edge lists on the device.
    pub(super) fn launch_loaded(
        &mut self,
        kernel: &'static KernelDescriptor,
        course: Course,
        request: &PassRequest,
    ) -> Result<()> {
        let Course { technique, pulls } = course;
        match technique.edge_list() {
            _ if pulls => self.launch_pulling(kernel, technique, request),
            Some(layout) => self.launch_listed(kernel, request, layout),
            None => request.sides.iter().try_for_each(|&side| self.launch_resident(kernel, side, technique, request)),
        }
    }

    /// Prepares the data of a pushing pass: builds edge lists, or loads pages. If not all pages fit, this and later
    /// passes stream.
    pub(super) fn load_to_push(
        &mut self,
        kernel: &'static KernelDescriptor,
        request: &PassRequest,
    ) -> Result<LoadedAmount> {
        match self.technique_to_push(kernel, request).edge_list() {
            Some(layout) => self.load_lists(kernel, request, layout),
            None => self.load_pages(kernel, request),
        }
    }

    /// Returns the technique of a pass that pushes. A pass that requires edge positions does not use edge lists, which
    /// lack positions.
    pub(super) fn technique_to_push(&self, kernel: &'static KernelDescriptor, request: &PassRequest) -> Technique {
        let asks = kernel.facts.reads_position || !request.neighbours.is_all();
        let asked = request.technique.filter(|technique| technique.walks_pages() || !asks);
        asked.unwrap_or_else(|| self.chosen_technique(kernel, request, false))
    }

    /// Waits for a pass of an edge kernel, and returns its outcome.
    pub(super) fn finish_edges(
        &mut self,
        submitted: Submitted<'_>,
        kernel: &'static KernelDescriptor,
        request: &PassRequest,
    ) -> Result<PassOutcome> {
        let mut outcome = match submitted.streamed {
            Some(streamed) => self.finish_streamed(streamed, kernel, request)?,
            None => self.finish_resident(kernel, request, submitted.course, submitted.clock)?,
        };
        outcome.copied += submitted.loaded.copied;
        outcome.read += submitted.loaded.read;
        (outcome.technique, outcome.pulled) = (Some(submitted.course.technique), submitted.course.pulls);
        Ok(outcome)
    }

    /// Waits for a pass over pages that are all on the device, and returns its outcome.
    pub(super) fn finish_resident(
        &mut self,
        kernel: &'static KernelDescriptor,
        request: &PassRequest,
        course: Course,
        clock: Clock,
    ) -> Result<PassOutcome> {
        let active = self.frontier.size;
        let report = self.end_pass(kernel, request, clock)?;
        let kernel_time = match clock {
            Clock::Events => self.kit.ended.since(&self.kit.begun)?,
            // If no page was checked, no kernel recorded the start.
            Clock::Report if report.begun == 0 => Duration::ZERO,
            Clock::Report => Duration::from_nanos(report.ended.saturating_sub(report.begun)),
        };
        let outcome = self.resident_outcome(kernel, request, course, &report, active);
        let outcome = PassOutcome { kernel_time: Some(kernel_time), ..outcome };
        self.trace_pass(kernel, &outcome);
        Ok(outcome)
    }

    /// Returns the outcome of a pass over pages or edge lists on the device. `active` is the number of active vertices
    /// before the pass, if known.
    pub(super) fn resident_outcome(
        &self,
        kernel: &KernelDescriptor,
        request: &PassRequest,
        course: Course,
        report: &PassReport,
        active: Option<u64>,
    ) -> PassOutcome {
        if let (Some(layout), false) = (course.technique.edge_list(), course.pulls) {
            return self.listed_outcome(kernel, request, report, layout);
        }
        let mut outcome = PassOutcome::default();
        for &side in &request.sides {
            let (Some(topology), Some(walked)) = (self.graph.topology(side), self.walked(side, &request.share)) else {
                continue;
            };
            let (pages, edges) = if request.active_only {
                let collected = report.collected[place(side)];
                let all = collected.edges;
                let edges = request.neighbours.most_edges(|| active.unwrap_or(all), || all);
                (collected.small_pages + collected.large_pages, edges.min(all))
            } else {
                (walked.pages.table.num_small + walked.pages.table.num_large, walked.edges)
            };
            outcome.pages += pages;
            outcome.edges += edges;
            outcome.bytes += pages * u64::from(topology.format().page_size());
        }
        outcome
    }

    /// Runs a pass of a vertex kernel.
    pub(super) fn run_vertices(
        &mut self,
        kernel: &'static KernelDescriptor,
        request: &PassRequest,
    ) -> Result<PassOutcome> {
        self.submit_vertices(kernel, request)?;
        self.finish_vertices(kernel, request)
    }

    /// Submits a pass of a vertex kernel.
    pub(super) fn submit_vertices(&mut self, kernel: &'static KernelDescriptor, request: &PassRequest) -> Result<()> {
        self.place_columns(kernel, request)?;
        self.flush_activated()?;
        self.launch_vertices(kernel, request)?;
        self.close_pass(kernel, request, Clock::Events)
    }

    /// Waits for a pass of a vertex kernel, and returns its outcome.
    pub(super) fn finish_vertices(
        &mut self,
        kernel: &'static KernelDescriptor,
        request: &PassRequest,
    ) -> Result<PassOutcome> {
        self.end_pass(kernel, request, Clock::Events)?;
        let kernel_time = Some(self.kit.ended.since(&self.kit.begun)?);
        let outcome = PassOutcome { kernel_time, copied: self.copied_beside, ..PassOutcome::default() };
        self.trace_pass(kernel, &outcome);
        Ok(outcome)
    }

    /// Adds a completed pass to the trace, and records the current time as the end of the pass.
    pub(super) fn trace_pass(&self, kernel: &'static KernelDescriptor, outcome: &PassOutcome) {
        let end = self.trace.time_of(Instant::now());
        self.trace.record(TraceEvent {
            kind: TraceKind::Launch,
            device: self.number,
            lane: 0,
            start: end.saturating_sub(outcome.kernel_time.unwrap_or_default()),
            end,
            bytes: outcome.bytes,
            pages: outcome.pages,
            label: kernel.name,
        });
    }

    /// Returns the resident pages in a share of a topology, if this session has loaded them.
    pub(super) fn walked(&self, side: Side, share: &PageShare) -> Option<&Walked> {
        self.pages.iter().find(|walked| walked.side == side && walked.pages.share == *share)
    }

    /// Returns whether the columns of a pass are placed, and whether the pages of the pass either stream or are on the
    /// device.
    pub(super) fn is_loaded(&self, kernel: &KernelDescriptor, request: &PassRequest) -> bool {
        let there = || request.sides.iter().all(|&side| self.walked(side, &request.share).is_some());
        self.has_placed(kernel, request) && (self.streams() || (there() && self.travelling(kernel).bytes == 0))
    }

    /// Returns whether this session's pages stream. The pages stream if the device does not hold all of them.
    pub(super) fn streams(&self) -> bool {
        self.streaming.is_some()
    }

    /// Drops this session's references to pages and edge lists. The device reclaims unused memory on demand.
    pub(super) fn let_go_of_pages(&mut self) {
        self.pages.clear();
        self.lists.clear();
        self.found = [None, None];
    }

    /// Makes this and later passes stream, and drops the session's references to resident pages.
    pub(super) fn let_stream(&mut self) {
        self.pages.clear();
        (self.found, self.handed) = ([None, None], None);
        self.step_memory = StepMemory::default();
        self.streaming = Some(Arc::clone(&self.shared.streaming));
    }

    /// Loads the pages of a pass onto the device. If not all pages fit, this and later passes stream.
    pub(super) fn load_pages(&mut self, kernel: &KernelDescriptor, request: &PassRequest) -> Result<LoadedAmount> {
        self.place_columns(kernel, request)?;
        if self.is_loaded(kernel, request) {
            return Ok(LoadedAmount::default());
        }
        // Travelling columns require streaming, because their values are copied with the pages.
        if self.travelling(kernel).bytes == 0
            && let Some(loaded) = self.load_resident(kernel, request)?
        {
            return Ok(loaded);
        }
        self.let_stream();
        Ok(LoadedAmount::default())
    }

    /// Loads the pages of a pass onto the device. Returns `None` if not all pages fit.
    pub(super) fn load_resident(
        &mut self,
        kernel: &KernelDescriptor,
        request: &PassRequest,
    ) -> Result<Option<LoadedAmount>> {
        let mut loaded = LoadedAmount::default();
        let (graph, shared, share) = (self.graph.clone(), Arc::clone(&self.shared), &request.share);
        let mut missing = Vec::new();
        for &side in &request.sides {
            let Some(topology) = graph.topology(side) else {
                return Err(gts_device::no_in_edges(kernel));
            };
            missing.extend(self.walked(side, share).is_none().then_some((side, topology)));
        }
        if !self.room_for(&missing, share)? {
            // Free the memory of step loops if necessary, because the host can run the steps instead.
            if !std::mem::take(&mut self.step_memory).is_some() || !self.room_for(&missing, share)? {
                return Ok(None);
            }
        }
        for (side, topology) in missing {
            let there = shared.residents.has_pages(topology, share);
            match shared.residents.pages(&shared, &graph, topology, share) {
                Ok(pages) => {
                    if !there {
                        loaded.copied += ResidentPages::page_bytes(topology, share);
                        loaded.read += pages.read;
                    }
                    self.pages.push(Walked { side, edges: share.num_edges(topology), pages });
                }
                Err(Error::OutOfMemory { .. }) => return Ok(None),
                Err(error) => return Err(error),
            }
        }
        Ok(Some(loaded))
    }

    /// Returns whether the pages in a share of these topologies fit into device memory, together with the page lists of
    /// passes. Evicts unused data if necessary.
    fn room_for(&self, topologies: &[(Side, &Topology)], share: &PageShare) -> Result<bool> {
        if topologies.is_empty() {
            return Ok(true);
        }
        let shared = &self.shared;
        let needed = || -> u64 {
            let mut new: Vec<&Topology> = topologies.iter().map(|&(_, topology)| topology).collect();
            new.dedup_by_key(|topology| identity(topology));
            new.retain(|topology| !shared.residents.has_pages(topology, share));
            new.iter().map(|topology| ResidentPages::bytes(&self.graph, topology, share)).sum()
        };
        let available = || Ok::<_, Error>(shared.context.available()?.saturating_sub(RESERVE));
        if needed() <= available()? {
            return Ok(true);
        }
        if let Some(freed) = shared.freed_of_streams(&self.graph)
            && needed() > available()? + freed
        {
            return Ok(false);
        }
        shared.evict(&self.graph);
        Ok(needed() <= available()?)
    }

    /// Returns a watch over a pass of `kernel`, with the limits of `request`.
    pub(super) fn watch<'a>(&'a self, kernel: &'static KernelDescriptor, request: &'a PassRequest) -> Watch<'a> {
        let (context, limits) = (self.context().as_ref(), &request.limits);
        Watch { context, control: &self.kit.control, status: &self.kit.report, limits, kernel, begun: &self.kit.begun }
    }

    /// Clears the report, and records the beginning of the pass if the clock uses events.
    pub(super) fn begin_pass(&mut self, clock: Clock) -> Result<()> {
        self.globals_told = false;
        self.clear_report()?;
        if clock == Clock::Events { self.kit.stream.record(&self.kit.begun) } else { Ok(()) }
    }

    /// Clears the report, unless the previous pass left it clear.
    pub(super) fn clear_report(&mut self) -> Result<()> {
        if std::mem::take(&mut self.kit.report_is_clear) {
            return Ok(());
        }
        self.kit.stream.clear(&self.kit.report, 0, size_of::<PassReport>())
    }

    /// Returns the report that the device has written. If the report contains no fault, the device has cleared its copy
    /// of the report. After a fault, abandoned kernels may still write to that copy.
    pub(super) fn read_report(&mut self) -> PassReport {
        let report: PassReport = bytemuck::pod_read_unaligned(&self.kit.seen.as_slice()[..size_of::<PassReport>()]);
        self.kit.report_is_clear = report.status.error == 0;
        self.globals_told = self.kit.report_is_clear;
        report
    }

    /// Enqueues the end of the pass, and the end of the step if the request ends the step. Records the end event if the
    /// clock uses events. When this work completes, the report is in host memory.
    pub(super) fn close_pass(
        &mut self,
        kernel: &'static KernelDescriptor,
        request: &PassRequest,
        clock: Clock,
    ) -> Result<()> {
        self.launch_end_of_pass(kernel, request)?;
        if clock == Clock::Events { self.kit.stream.record(&self.kit.ended) } else { Ok(()) }
    }

    /// Waits for the end of the pass, and returns its report.
    pub(super) fn end_pass(
        &mut self,
        kernel: &'static KernelDescriptor,
        request: &PassRequest,
        clock: Clock,
    ) -> Result<PassReport> {
        match clock {
            Clock::Events => self.watch(kernel, request).wait(&self.kit.ended)?,
            Clock::Report if self.kit.sees_report() => {}
            // The pass is slow or has failed. Wait through the driver, which reports failures.
            Clock::Report => {
                self.kit.stream.record(&self.kit.ended)?;
                self.watch(kernel, request).wait(&self.kit.ended)?;
            }
        }
        self.take_report(kernel, request)
    }

    /// Returns the report of a completed pass. If the request ends the step, advances the frontier. Fails if the report
    /// contains a fault.
    pub(super) fn take_report(
        &mut self,
        kernel: &'static KernelDescriptor,
        request: &PassRequest,
    ) -> Result<PassReport> {
        let report = self.read_report();
        report.status.fault(kernel)?;
        if request.ends_step {
            let counted = self.counts_edges(kernel, request);
            self.frontier.advance(report.vertices, counted.then_some(report.edges));
        }
        Ok(report)
    }
}
