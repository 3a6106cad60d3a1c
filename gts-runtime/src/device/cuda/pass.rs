//! Passes: which kernels are launched, in which order, with which arguments; and what they report.
//!
//! Every launch goes through this module. Its `unsafe` blocks stand on one fact: a session's buffers have the sizes
//! that the kernels assume (a value a vertex for columns, a bit a vertex for sets, a cell an element for globals), pages
//! were validated when the graph was made, and all of them stay until the session's stream is done.
#![allow(unsafe_code)]

use super::arguments::{CollectArguments, Collected, Common, Status, kernel_arguments};
use super::driver::{Buffer, Function};
use super::pages::{PAGE_REF, ResidentPages};
use super::program::Entry;
use super::session::{CudaSession, place};
use super::watch;
use crate::device::{PassOutcome, PassRequest};
use crate::error::{Error, Result};
use crate::kernel::Fault;
use crate::trace::{TraceEvent, TraceKind};
use crate::tuning;
use gts_core::contract::{KernelDescriptor, KernelKind, Technique};
use gts_core::graph::Side;
use gts_core::page::PageFormat;
use std::mem::offset_of;
use std::time::Instant;

/// Threads of a block: `GTS_BLOCK`.
const BLOCK: u64 = 256;
/// Entries of a page that a block takes at a time: `GTS_CHUNK`.
const CHUNK: u64 = 4096;
/// Bytes of a page before its first entry, and of the two slots that it has at least.
const PAGE_OVERHEAD: u64 = 24;
/// Largest grid in the second dimension.
const MAX_GRID_Y: u64 = 65_535;

/// What lies in a session's report.
#[derive(Clone, Copy, Debug, Default, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct Report {
    status: Status,
    collected: [Collected; 2],
    vertices: u64,
}

const _: () = assert!(size_of::<Report>() <= super::session::REPORT);

impl CudaSession {
    /// Runs an edge kernel over the topologies of a request.
    pub(super) fn run_edges(
        &mut self,
        kernel: &'static KernelDescriptor,
        request: &PassRequest,
    ) -> Result<PassOutcome> {
        let technique = request.technique.unwrap_or(match kernel.kind {
            KernelKind::Traverse => tuning::CUDA_TRAVERSE_TECHNIQUE,
            KernelKind::Scan | KernelKind::Vertex => tuning::CUDA_SCAN_TECHNIQUE,
        });
        self.flush_activated()?;
        for &side in &request.sides {
            self.load_pages(side, kernel)?;
        }
        self.begin_pass()?;
        for &side in &request.sides {
            self.launch_edges(kernel, side, technique, request)?;
        }
        let report = self.end_pass(kernel, request)?;

        let mut outcome = PassOutcome {
            kernel_time: Some(self.ended.since(&self.begun)?),
            technique: Some(technique),
            ..PassOutcome::default()
        };
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
        let entry = if request.active_only { Entry::ActiveVertices } else { Entry::AllVertices };
        let shared = self.shared.clone();
        let function = shared.kernels.entries(self.context(), kernel, None, self.vertex_bytes, &[entry])?.remove(0);
        self.begin_pass()?;
        let arguments = kernel_arguments(&self.common(request), &self.attribute_slots());
        // SAFETY: the arguments are those of the kernel's entry points; see the head of this module.
        unsafe { function.launch(&self.stream, self.items(self.graph.num_vertices()), &[&arguments]) }?;
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
            device: 0,
            lane: 0,
            start: end.saturating_sub(outcome.kernel_time.unwrap_or_default()),
            end,
            bytes: outcome.bytes,
            pages: outcome.pages,
            label: kernel.name,
        });
    }

    fn load_pages(&mut self, side: Side, kernel: &KernelDescriptor) -> Result<()> {
        if self.pages[place(side)].is_none() {
            let shared = self.shared.clone();
            let load = || shared.residents.pages(&shared.context, &self.graph, side);
            let pages = match load() {
                Err(Error::OutOfMemory { .. }) => {
                    shared.residents.evict();
                    load()?
                }
                result => result?,
            };
            let pages =
                pages.ok_or_else(|| Error::needs(kernel.name, "in-edges", "build the graph with `--in-edges`"))?;
            self.pages[place(side)] = Some(pages);
        }
        Ok(())
    }

    fn launch_edges(
        &mut self,
        kernel: &'static KernelDescriptor,
        side: Side,
        technique: Technique,
        request: &PassRequest,
    ) -> Result<()> {
        let at = place(side);
        let (Some(pages), Some(topology)) = (self.pages[at].clone(), self.graph.topology(side)) else { return Ok(()) };
        let format = *topology.format();
        let groups = [(Entry::SmallPages(technique), pages.num_small), (Entry::LargePages, pages.num_large)];
        let wanted: Vec<Entry> = groups.iter().filter(|group| group.1 > 0).map(|group| group.0).collect();
        let shared = self.shared.clone();
        let functions = shared.kernels.entries(self.context(), kernel, Some(&format), self.vertex_bytes, &wanted)?;
        if request.active_only {
            self.collect(side, &pages)?;
        }
        for (entry, function) in wanted.iter().zip(functions) {
            let large = *entry == Entry::LargePages;
            let common = self.page_arguments(side, &pages, &format, large, request);
            let mut most = if large { pages.num_large } else { pages.num_small };
            if let (true, false, Some(active)) = (request.active_only, large, self.frontier.size) {
                most = most.min(active);
            }
            let arguments = kernel_arguments(&common, &self.attribute_slots());
            let grid = self.page_grid(common.page_chunks, most, request.active_only);
            // SAFETY: the arguments are those of the kernel's entry points; see the head of this module.
            unsafe { function.launch(&self.stream, grid, &[&arguments]) }?;
        }
        Ok(())
    }

    /// The common arguments for the small or large pages of a topology, all of them or those found active.
    fn page_arguments(
        &self,
        side: Side,
        pages: &ResidentPages,
        format: &PageFormat,
        large: bool,
        request: &PassRequest,
    ) -> Common {
        let at = place(side);
        let entry = (format.width().bytes() + format.value_bytes()) as u64;
        let most_entries = (u64::from(format.page_size()) - PAGE_OVERHEAD) / entry;
        let (list, count) = match &self.found[at] {
            Some(found) if request.active_only => {
                let field = offset_of!(Report, collected) + at * size_of::<Collected>();
                let count = if large { offset_of!(Collected, large_pages) } else { offset_of!(Collected, small_pages) };
                (found[usize::from(large)].address(), self.report.address() + (field + count) as u64)
            }
            _ => {
                let skipped = if large { PAGE_REF as u64 * pages.num_small } else { 0 };
                (pages.references.address() + skipped, pages.counts.address() + 8 * u64::from(large))
            }
        };
        Common {
            pages: list,
            page_count: count,
            page_bytes: format.page_size().into(),
            page_chunks: most_entries.div_ceil(CHUNK).max(1),
            start_vids: pages.start_vids.address(),
            hybrid_threshold: tuning::CUDA_HYBRID_ENTRIES_A_VERTEX,
            ..self.common(request)
        }
    }

    /// A column of blocks for each chunk of a page. A list of known length gets a row a page, so that the hardware
    /// balances them; one that is counted on the device gets what the device runs at a time.
    fn page_grid(&self, chunks: u64, most_pages: u64, counted: bool) -> (u32, u32) {
        let at_a_time = u64::from(self.context().multiprocessors()) * tuning::CUDA_BLOCKS_A_MULTIPROCESSOR;
        let rows = if counted { at_a_time.div_ceil(chunks).min(most_pages) } else { most_pages };
        (chunks as u32, rows.clamp(1, MAX_GRID_Y) as u32)
    }

    /// A grid for that many items, a thread each, up to what the device runs at a time.
    fn items(&self, count: u64) -> (u32, u32) {
        let at_a_time = u64::from(self.context().multiprocessors()) * tuning::CUDA_BLOCKS_A_MULTIPROCESSOR;
        (count.div_ceil(BLOCK).clamp(1, at_a_time) as u32, 1)
    }

    /// Lists the active pages of a topology on the device.
    fn collect(&mut self, side: Side, pages: &ResidentPages) -> Result<()> {
        let at = place(side);
        if self.found[at].is_none() {
            let list = |pages: u64| Buffer::zeroed(self.context(), PAGE_REF * pages as usize, "lists of active pages");
            self.found[at] = Some([list(pages.num_small)?, list(pages.num_large)?]);
        }
        let Some([small_found, large_found]) = &self.found[at] else { return Ok(()) };
        let degrees = if side == Side::Out { &self.degrees.out } else { &self.degrees.incoming };
        // Enough warps to fill the device come first, few additions to one counter second.
        let warps = u64::from(self.context().multiprocessors()) * 16;
        let arguments = CollectArguments {
            active: self.frontier.current().address(),
            start_vids: pages.start_vids.address(),
            degrees: degrees.address(),
            num_vertices: self.graph.num_vertices(),
            num_pages: pages.num_small + pages.num_large,
            pages: pages.references.address(),
            num_small: pages.num_small,
            num_large: pages.num_large,
            small_found: small_found.address(),
            large_found: large_found.address(),
            collected: self.report.address() + (offset_of!(Report, collected) + at * size_of::<Collected>()) as u64,
            pages_a_warp: (pages.num_small / warps).clamp(1, 32),
        };
        let slots: &[u64] = bytemuck::cast_slice(std::slice::from_ref(&arguments));
        let launches: [(&Function, u64, u64); 2] = [
            (&self.support.collect_small, pages.num_small, pages.num_small.div_ceil(arguments.pages_a_warp) * 32),
            (&self.support.collect_large, pages.num_large, pages.num_large),
        ];
        for (function, _, threads) in launches.into_iter().filter(|launch| launch.1 > 0) {
            // SAFETY: the lists have room for all pages; see the head of this module.
            unsafe { function.launch(&self.stream, self.items(threads), &[slots]) }?;
        }
        Ok(())
    }

    /// Clears the report and starts the clock.
    fn begin_pass(&mut self) -> Result<()> {
        self.stream.clear(&self.report, 0, size_of::<Report>())?;
        self.stream.record(&self.begun)
    }

    /// Waits for the pass and reads its report.
    fn end_pass(&mut self, kernel: &'static KernelDescriptor, request: &PassRequest) -> Result<Report> {
        self.stream.record(&self.ended)?;
        self.stream.fetch(&self.report, &mut self.seen, size_of::<Report>())?;
        watch::wait(self.context(), &self.control, &self.report, &self.ended, &request.limits, kernel)?;
        self.stream.synchronize(kernel.name)?;
        let report: Report = bytemuck::pod_read_unaligned(&self.seen.as_slice()[..size_of::<Report>()]);
        if report.status.error != 0 {
            let fault = Fault { site: report.status.error_site, value: report.status.error_value };
            return Err(Error::fault(kernel, fault));
        }
        Ok(report)
    }

    /// Adds what the host has activated to the current set.
    pub(super) fn flush_activated(&mut self) -> Result<()> {
        if self.frontier.pending.is_empty() {
            return Ok(());
        }
        let vertices = std::mem::take(&mut self.frontier.pending);
        let list = Buffer::copy_of(self.context(), bytemuck::cast_slice(&vertices), "activated vertices")?;
        let count = vertices.len() as u64;
        let arguments = [self.frontier.current().address(), list.address(), count];
        // SAFETY: the vertices belong to the graph, as the run has checked; the list stays until the stream is done.
        unsafe {
            self.support.set_bits.launch(
                &self.stream,
                self.items(count),
                &[&arguments[..1], &arguments[1..2], &arguments[2..]],
            )
        }?;
        self.stream.synchronize("activating vertices")
    }

    /// Counts the active vertices; `advancing` empties the set of the next step as well.
    pub(super) fn count_frontier(&mut self, advancing: bool) -> Result<u64> {
        let count = offset_of!(Report, vertices);
        self.stream.clear(&self.report, count, 8)?;
        let cleared = if advancing { self.frontier.next().address() } else { 0 };
        let arguments =
            [self.frontier.current().address(), cleared, self.frontier.words, self.report.address() + count as u64];
        let slots: Vec<&[u64]> = arguments.chunks(1).collect();
        // SAFETY: both sets have that many words.
        unsafe { self.support.count_and_clear.launch(&self.stream, self.items(self.frontier.words), &slots) }?;
        self.stream.fetch(&self.report, &mut self.seen, size_of::<Report>())?;
        self.stream.synchronize("counting active vertices")?;
        let report: Report = bytemuck::pod_read_unaligned(&self.seen.as_slice()[..size_of::<Report>()]);
        self.frontier.size = Some(report.vertices);
        Ok(report.vertices)
    }

    /// Fills a column with copies of a value.
    pub(super) fn launch_fill(&self, column: &Buffer, value: &[u8]) -> Result<()> {
        let bytes = column.bytes() as u64;
        if bytes == 0 {
            return Ok(());
        }
        if 16 % value.len() == 0 {
            let pattern = value.repeat(16 / value.len());
            let half = |at: usize| u64::from_le_bytes(std::array::from_fn(|byte| pattern[at + byte]));
            let arguments = [column.address(), bytes.div_ceil(16), half(0), half(8)];
            let slots: Vec<&[u64]> = arguments.chunks(1).collect();
            // SAFETY: buffers end at a multiple of 16 bytes.
            return unsafe { self.support.fill.launch(&self.stream, self.items(arguments[1]), &slots) };
        }
        let pattern = Buffer::copy_of(self.context(), value, "a value")?;
        let arguments = [column.address(), bytes, pattern.address(), value.len() as u64];
        let slots: Vec<&[u64]> = arguments.chunks(1).collect();
        // SAFETY: the column has that many bytes; the pattern stays until the stream is done.
        unsafe { self.support.fill_any.launch(&self.stream, self.items(bytes), &slots) }?;
        self.stream.synchronize("filling an attribute")
    }
}
