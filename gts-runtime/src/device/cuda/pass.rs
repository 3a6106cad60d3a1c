//! Passes: what is run in which order, and what is told about it.

use super::arguments::{Collected, Status};
use super::pages::{PAGE_REF, PageTable, identity};
use super::session::{CudaSession, place};
use super::streaming::{Member, RESERVE};
use super::watch::Watch;
use crate::device::{PassOutcome, PassRequest};
use crate::error::{Error, Result};
use crate::kernel::Fault;
use crate::trace::{TraceEvent, TraceKind};
use crate::tuning;
use gts_core::contract::{KernelDescriptor, KernelKind, Technique};
use gts_core::graph::Side;
use gts_core::page::Topology;
use std::time::Instant;

/// What lies in a session's report.
#[derive(Clone, Copy, Debug, Default, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub(super) struct Report {
    pub(super) status: Status,
    pub(super) collected: [Collected; 2],
    pub(super) vertices: u64,
}

const _: () = assert!(size_of::<Report>() <= super::session::REPORT);

impl CudaSession {
    /// Runs an edge kernel over the topologies of a request; as a member of a relay, where others walk the same pages.
    pub(super) fn run_edges(
        &mut self,
        kernel: &'static KernelDescriptor,
        request: &PassRequest,
        member: Option<&mut Member<'_>>,
    ) -> Result<PassOutcome> {
        let technique = request.technique.unwrap_or(match kernel.kind {
            KernelKind::Traverse => tuning::CUDA_TRAVERSE_TECHNIQUE,
            KernelKind::Scan | KernelKind::Vertex => tuning::CUDA_SCAN_TECHNIQUE,
        });
        self.flush_activated()?;
        let (copied, read) = self.load_pages(request, kernel)?;
        let mut outcome = if self.streamed {
            self.stream_edges(kernel, technique, request, member)?
        } else {
            self.run_resident(kernel, technique, request)?
        };
        outcome.copied += copied;
        outcome.read += read;
        outcome.technique = Some(technique);
        Ok(outcome)
    }

    /// Runs an edge kernel over pages that are all on the device.
    fn run_resident(
        &mut self,
        kernel: &'static KernelDescriptor,
        technique: Technique,
        request: &PassRequest,
    ) -> Result<PassOutcome> {
        self.begin_pass()?;
        for &side in &request.sides {
            self.launch_resident(kernel, side, technique, request)?;
        }
        let report = self.end_pass(kernel, request)?;

        let mut outcome = PassOutcome { kernel_time: Some(self.ended.since(&self.begun)?), ..PassOutcome::default() };
        for &side in &request.sides {
            let Some(topology) = self.graph.topology(side) else { continue };
            let (pages, edges) = if request.active_only {
                let collected = report.collected[place(side)];
                (collected.small_pages + collected.large_pages, collected.edges)
            } else {
                (u64::from(topology.num_pages()), topology.num_edges())
            };
            outcome.pages += pages;
            outcome.edges += edges;
            outcome.bytes += pages * u64::from(topology.format().page_size());
        }
        self.trace_pass(kernel, &outcome);
        Ok(outcome)
    }

    /// Runs a vertex kernel.
    pub(super) fn run_vertices(
        &mut self,
        kernel: &'static KernelDescriptor,
        request: &PassRequest,
    ) -> Result<PassOutcome> {
        self.flush_activated()?;
        self.launch_vertices(kernel, request)?;
        self.end_pass(kernel, request)?;
        let outcome = PassOutcome { kernel_time: Some(self.ended.since(&self.begun)?), ..PassOutcome::default() };
        self.trace_pass(kernel, &outcome);
        Ok(outcome)
    }

    /// Records the kernels of a pass that has just ended.
    fn trace_pass(&self, kernel: &'static KernelDescriptor, outcome: &PassOutcome) {
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

    /// Whether the pages of a pass are yet to be brought to the device, or to be found too many for it.
    pub(super) fn is_undecided(&self, request: &PassRequest) -> bool {
        !self.streamed && request.sides.iter().any(|&side| self.pages[place(side)].is_none())
    }

    /// Lets pages stream from now on.
    pub(super) fn let_stream(&mut self) {
        (self.pages, self.found, self.streamed) = ([None, None], [None, None], true);
    }

    /// Brings the pages of a pass to the device, if all of them fit; else they stream from now on. Answers the bytes
    /// copied, and those read from storage.
    pub(super) fn load_pages(&mut self, request: &PassRequest, kernel: &KernelDescriptor) -> Result<(u64, u64)> {
        let graph = self.graph.clone();
        let mut missing = Vec::new();
        for &side in &request.sides {
            let Some(topology) = graph.topology(side) else {
                return Err(Error::needs(kernel.name, "in-edges", "build the graph with `--in-edges`"));
            };
            missing.extend(self.pages[place(side)].is_none().then_some((side, topology)));
        }
        if self.streamed || (missing.is_empty() && request.share.is_whole()) {
            return Ok((0, 0));
        }
        let shared = self.shared.clone();
        let (mut copied, mut read) = (0, 0);
        // A device with a share of the pages keeps just those in its cache, where the share fits.
        let mut fits = request.share.is_whole() && self.room_for(&missing)?;
        for (side, topology) in missing {
            if !fits {
                break;
            }
            let there = shared.residents.has_pages(topology);
            match shared.residents.pages(&shared.context, &graph, topology) {
                Ok(pages) => {
                    if !there {
                        copied += topology.bytes();
                        read += pages.read;
                    }
                    self.pages[place(side)] = Some(pages);
                }
                Err(Error::OutOfMemory { .. }) => fits = false,
                Err(error) => return Err(error),
            }
        }
        if !fits {
            self.let_stream();
        }
        Ok((copied, read))
    }

    /// Whether all pages of these topologies fit into device memory, with the lists of passes over them.
    fn room_for(&self, topologies: &[(Side, &Topology)]) -> Result<bool> {
        let shared = &self.shared;
        let needed = || -> u64 {
            let mut new: Vec<&Topology> = topologies.iter().map(|&(_, topology)| topology).collect();
            new.dedup_by_key(|topology| identity(topology));
            new.retain(|topology| !shared.residents.has_pages(topology));
            let bytes = |topology: &&Topology| {
                PageTable::bytes(&self.graph, topology)
                    + PAGE_REF as u64 * u64::from(topology.num_pages())
                    + topology.bytes()
            };
            new.iter().map(bytes).sum()
        };
        let available = || Ok::<_, Error>(shared.context.available()?.saturating_sub(RESERVE));
        if needed() <= available()? {
            return Ok(true);
        }
        if shared.streams(&self.graph) {
            return Ok(false);
        }
        shared.evict();
        Ok(needed() <= available()?)
    }

    /// What passes of a kernel are watched by.
    pub(super) fn watch<'a>(&'a self, kernel: &'static KernelDescriptor, request: &'a PassRequest) -> Watch<'a> {
        let (context, limits) = (self.context().as_ref(), &request.limits);
        Watch { context, control: &self.control, status: &self.report, limits, kernel, begun: &self.begun }
    }

    /// Clears the report and starts the clock.
    pub(super) fn begin_pass(&self) -> Result<()> {
        self.stream.clear(&self.report, 0, size_of::<Report>())?;
        self.stream.record(&self.begun)
    }

    /// Waits for the pass and reads its report.
    pub(super) fn end_pass(&mut self, kernel: &'static KernelDescriptor, request: &PassRequest) -> Result<Report> {
        self.stream.record(&self.ended)?;
        self.stream.fetch(&self.report, &mut self.seen, size_of::<Report>())?;
        self.watch(kernel, request).wait(&self.ended)?;
        self.stream.synchronize(kernel.name)?;
        let report: Report = bytemuck::pod_read_unaligned(&self.seen.as_slice()[..size_of::<Report>()]);
        if report.status.error != 0 {
            let fault = Fault { site: report.status.error_site, value: report.status.error_value };
            return Err(Error::fault(kernel, fault));
        }
        Ok(report)
    }
}
