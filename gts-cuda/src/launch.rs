//! Launches kernels: selects the entry point, the pages or vertices, and the arguments.
//!
//! The `unsafe` blocks that launch kernels, in this module and in others, rely on three facts:
//!
//! - A session's buffers have the sizes that kernels assume: a value per vertex for columns, a bit per vertex for sets,
//!   and a cell per element for globals.
//! - Pages were validated when the graph was created.
//! - Buffers and pages live until all work in the session's streams is complete.
#![allow(unsafe_code)]

use super::arguments::{CollectArguments, Collected, Common, ListArguments, kernel_arguments};
use super::driver::{Buffer, Function, Stream};
use super::entry::Entry;
use super::globals::CELL;
use super::pages::{PAGE_REF, PageLists, PageTable, ResidentPages};
use super::pass::{Clock, PassReport};
use super::program::Variant;
use super::pull::handed_bytes;
use super::session::{CudaSession, place};
use super::streaming::Activity;
use super::travelling::{ColumnArgument, Traveller};
use gts_contract::{KernelDescriptor, Side, Technique};
use gts_core::page::{PageFormat, Topology};
use gts_device::error::{Error, Result};
use gts_device::tuning;
use gts_device::{PassRequest, Propagation};
use std::mem::offset_of;
use std::ops::Range;
use std::sync::Arc;

/// The number of threads per block: `GTS_BLOCK`.
const BLOCK: u64 = 256;
/// The number of page entries that a block processes at once: `GTS_CHUNK`.
const CHUNK: u64 = 4096;
/// The number of page entries that a block processes at once in intersection kernels: `GTS_MEETING_CHUNK`.
const MEETING_CHUNK: u64 = 1024;
/// The minimum number of bytes in a page that contain no entries: the header and two slots.
const PAGE_OVERHEAD: u64 = 24;
/// The maximum number of vertices or cells of globals that are passed as launch arguments: `GTS_FEW`.
pub(super) const FEW: usize = 15;
/// The maximum number of vertices that one launch activates from a list in device memory. Such a list fits into any
/// memory budget.
const ACTIVATED_AT_ONCE: usize = 16 << 10;
/// The maximum grid size in the second dimension.
const MAX_GRID_Y: u64 = 65_535;

/// The state shared by launches of an edge kernel over the pages of one topology. An entry point is `None` if no launch
/// requires it.
#[derive(Debug)]
pub(super) struct EdgeWork {
    small: Option<Arc<Function>>,
    in_place: Option<Arc<Function>>,
    large: Option<Arc<Function>>,
    /// The common arguments, except the pages of a launch.
    common: Common,
    attributes: Vec<u64>,
}

impl EdgeWork {
    /// Returns a copy of the work with new addresses for travelling columns. Each address refers to vertex 0, even if
    /// the value of vertex 0 is not in memory.
    pub(super) fn at(&self, travellers: &[Traveller<'_>], addresses: &[u64]) -> Self {
        let mut work = Self {
            small: self.small.clone(),
            in_place: self.in_place.clone(),
            large: self.large.clone(),
            common: self.common,
            attributes: self.attributes.clone(),
        };
        put_at(&mut work.common, &mut work.attributes, travellers, addresses);
        work
    }
}

/// Sets the arguments for travelling columns. Each address refers to vertex 0 of a column.
fn put_at(common: &mut Common, attributes: &mut [u64], travellers: &[Traveller<'_>], addresses: &[u64]) {
    for (traveller, address) in travellers.iter().zip(addresses) {
        for argument in &traveller.arguments {
            match argument {
                ColumnArgument::Attribute(attribute) => attributes[*attribute] = *address,
                ColumnArgument::Degrees(Side::Out) => common.out_degrees = *address,
                ColumnArgument::Degrees(Side::In) => common.in_degrees = *address,
            }
        }
    }
}

impl CudaSession {
    /// Launches a kernel over the resident pages of a topology: over all pages, or only over active pages if the
    /// request has `active_only`.
    pub(super) fn launch_resident(
        &mut self,
        kernel: &'static KernelDescriptor,
        side: Side,
        technique: Technique,
        request: &PassRequest,
    ) -> Result<()> {
        let Some(pages) = self.walked(side, &request.share).map(|walked| Arc::clone(&walked.pages)) else {
            return Err(Error::argument(kernel.function, "its pages are no longer on the device"));
        };
        let work = self.edge_work(kernel, side, technique, &pages.table, request, false)?;
        let mut lists = pages.lists();
        if !request.active_only {
            return self.launch_pages(&self.kit.stream, &work, &lists, false);
        }
        self.collect(side, &pages)?;
        let Some(found) = &self.found[place(side)] else { return Ok(()) };
        lists.small.references = found[0].address();
        lists.large.references = found[1].address();
        if let Some(active) = self.frontier.size {
            lists.small.count = lists.small.count.min(active);
        }
        let counts = self.kit.report.address()
            + (offset_of!(PassReport, collected) + place(side) * size_of::<Collected>()) as u64;
        for (function, list, count) in [
            (&work.small, lists.small, offset_of!(Collected, small_pages)),
            (&work.large, lists.large, offset_of!(Collected, large_pages)),
        ] {
            let Some(function) = function else { continue };
            let common = Common {
                pages: list.references,
                page_base: lists.base,
                found_pages: counts + count as u64,
                ..work.common
            };
            self.launch_edges(&self.kit.stream, function, &work, &common, list.count)?;
        }
        Ok(())
    }

    /// Returns the state shared by launches of a kernel over the pages of one topology.
    pub(super) fn edge_work(
        &self,
        kernel: &'static KernelDescriptor,
        side: Side,
        technique: Technique,
        table: &PageTable,
        request: &PassRequest,
        in_place: bool,
    ) -> Result<EdgeWork> {
        let Some(topology) = self.graph.topology(side) else {
            return Err(gts_device::no_in_edges(kernel));
        };
        let mut wanted = Vec::with_capacity(3);
        wanted.extend((table.num_small > 0).then_some(Entry::SmallPages(technique)));
        wanted.extend((table.num_small > 0 && in_place).then_some(Entry::InPlace));
        wanted.extend((table.num_large > 0).then_some(Entry::LargePages));
        let found = self.edge_entries(kernel, topology, &wanted, request)?;
        let function = |entry| wanted.iter().position(|&other| other == entry).map(|index| found[index].clone());
        Ok(EdgeWork {
            small: function(Entry::SmallPages(technique)),
            in_place: function(Entry::InPlace),
            large: function(Entry::LargePages),
            common: Common {
                by_vertex: self.pages_by_vertex(kernel, topology, (technique, false))?,
                ..self.common_of(topology, table, request)
            },
            attributes: self.kernel_slots(kernel),
        })
    }

    /// Returns the state shared by launches of an intersection kernel over the pages of one topology.
    pub(super) fn intersect_work(
        &self,
        kernel: &'static KernelDescriptor,
        topology: &Topology,
        table: &PageTable,
        request: &PassRequest,
        lists: [ListArguments; 2],
    ) -> Result<EdgeWork> {
        let function = self.edge_entries(kernel, topology, &[Entry::Intersection], request)?.pop();
        Ok(EdgeWork {
            small: function.clone(),
            in_place: None,
            large: function,
            common: Common {
                lists,
                page_chunks: most_entries(topology.format()).div_ceil(MEETING_CHUNK).max(1),
                ..self.common_of(topology, table, request)
            },
            attributes: self.kernel_slots(kernel),
        })
    }

    /// Returns the state shared by launches of a kernel that pulls, over the pages of `topology`. `request` is the
    /// result of `PassRequest::opposite`.
    pub(super) fn pull_work(
        &self,
        kernel: &'static KernelDescriptor,
        topology: &Topology,
        technique: Technique,
        table: &PageTable,
        request: &PassRequest,
    ) -> Result<EdgeWork> {
        let small = (table.num_small > 0).then_some(Entry::PullSmallPages(technique));
        let large = (table.num_large > 0).then_some(Entry::PullLargePages);
        let wanted: Vec<Entry> = small.into_iter().chain(large).collect();
        let mut found = self.edge_entries(kernel, topology, &wanted, request)?.into_iter();
        Ok(EdgeWork {
            small: small.and_then(|_| found.next()),
            in_place: None,
            large: large.and_then(|_| found.next()),
            common: Common {
                by_vertex: self.pages_by_vertex(kernel, topology, (technique, true))?,
                ..self.common_of(topology, table, request)
            },
            attributes: self.kernel_slots(kernel),
        })
    }

    /// Enqueues the kernel that computes the values to pass to edges in a pulling pass. Does nothing if the pass
    /// computes these values at each edge instead.
    pub(super) fn hand_out(
        &self,
        kernel: &'static KernelDescriptor,
        topology: &Topology,
        request: &PassRequest,
    ) -> Result<()> {
        if handed_bytes(kernel, request) == 0 {
            return Ok(());
        }
        let arguments = kernel_arguments(&self.common(request), &self.kernel_slots(kernel));
        for function in self.edge_entries(kernel, topology, &[Entry::HandOut], request)? {
            // SAFETY: `handed` has room for the value of every vertex; see the head of this module.
            unsafe { function.launch(&self.kit.stream, self.items(self.graph.num_vertices()), &[&arguments]) }?;
        }
        Ok(())
    }

    /// Returns the `wanted` entry points of an edge kernel, compiled for the page format of a topology.
    pub(super) fn edge_entries(
        &self,
        kernel: &'static KernelDescriptor,
        topology: &Topology,
        wanted: &[Entry],
        request: &PassRequest,
    ) -> Result<Vec<Arc<Function>>> {
        let variant = self.variant(request);
        self.shared.kernels.entries(self.context(), kernel, Some(topology.format()), variant, wanted)
    }

    /// Returns the common arguments of launches over a topology's pages. The arguments for the pages of a launch are
    /// unset.
    pub(super) fn common_of(&self, topology: &Topology, table: &PageTable, request: &PassRequest) -> Common {
        walking(topology, table, self.common(request))
    }

    /// Enqueues a launch over the small pages in `lists`, then a launch over the large pages. If `in_place` is set, the
    /// kernel reads small pages from host memory.
    pub(super) fn launch_pages(
        &self,
        stream: &Stream,
        work: &EdgeWork,
        lists: &PageLists,
        in_place: bool,
    ) -> Result<()> {
        let small = if in_place { &work.in_place } else { &work.small };
        for (function, list) in [(small, lists.small), (&work.large, lists.large)] {
            if let (Some(function), 1..) = (function, list.count) {
                let common =
                    Common { pages: list.references, page_base: lists.base, num_pages: list.count, ..work.common };
                self.launch_edges(stream, function, work, &common, list.count)?;
            }
        }
        Ok(())
    }

    fn launch_edges(
        &self,
        stream: &Stream,
        function: &Function,
        work: &EdgeWork,
        common: &Common,
        most_pages: u64,
    ) -> Result<()> {
        let arguments = kernel_arguments(common, &work.attributes);
        let grid = self.page_grid(common.page_chunks, most_pages, common.found_pages != 0);
        // SAFETY: the arguments match the entry point; see the head of this module.
        unsafe { function.launch(stream, grid, &[&arguments]) }
    }

    /// Returns a grid with a column of blocks per chunk of a page. If the host has counted the pages, the grid has a
    /// row per page, so that the hardware balances the load. If the device has counted the pages, the grid has a few
    /// times the number of blocks that the device runs concurrently.
    pub(super) fn page_grid(&self, chunks: u64, most_pages: u64, counted: bool) -> (u32, u32) {
        let most_blocks = tuning::CUDA_ROUNDS * self.at_a_time();
        let rows = if counted { most_blocks.div_ceil(chunks).min(most_pages) } else { most_pages };
        (chunks as u32, rows.clamp(1, MAX_GRID_Y) as u32)
    }

    /// Returns the number of blocks that the device runs concurrently.
    fn at_a_time(&self) -> u64 {
        u64::from(self.context().multiprocessors()) * tuning::CUDA_BLOCKS_A_MULTIPROCESSOR
    }

    /// Returns a grid with a thread per item, limited to the number of blocks that the device runs concurrently.
    pub(super) fn items(&self, count: u64) -> (u32, u32) {
        (count.div_ceil(BLOCK).clamp(1, self.at_a_time()) as u32, 1)
    }

    /// Enqueues kernels that list the active pages of a topology in device memory.
    fn collect(&mut self, side: Side, pages: &ResidentPages) -> Result<()> {
        let at = place(side);
        if let (None, Some(topology)) = (&self.found[at], self.graph.topology(side)) {
            // Each list has room for all pages of the topology, because passes may walk different shares.
            let list = |pages: &[_]| Buffer::lent(&self.kit.stream, PAGE_REF * pages.len(), "lists of active pages");
            self.found[at] = Some([list(topology.small_pages())?, list(topology.large_pages())?]);
        }
        let Some([small_found, large_found]) = &self.found[at] else { return Ok(()) };
        let (small, large) = (pages.lists().small, pages.lists().large);
        // Keeping all multiprocessors busy is more important than limiting additions to the shared counter.
        let warps = u64::from(self.context().multiprocessors()) * 16;
        let arguments = CollectArguments {
            active: self.frontier.current().address(),
            start_vids: pages.table.start_vids.address(),
            degrees: self.degrees.of(side),
            pages: small.references,
            num_small: small.count,
            num_large: large.count,
            small_found: small_found.address(),
            large_found: large_found.address(),
            collected: self.kit.report.address()
                + (offset_of!(PassReport, collected) + at * size_of::<Collected>()) as u64,
            pages_a_warp: (small.count / warps).clamp(1, 32),
            begun: self.kit.report.address() + offset_of!(PassReport, begun) as u64,
        };
        let slots: &[u64] = bytemuck::cast_slice(std::slice::from_ref(&arguments));
        // A single warp is slow on a page with many vertices. If there are few pages, several blocks share each page.
        let collect = match small.count <= warps / 2 {
            true => (&self.support.collect_few, self.shared_grid(small.count)),
            false => (&self.support.collect_small, self.items(small.count.div_ceil(arguments.pages_a_warp) * 32)),
        };
        let launches = [(small.count, collect), (large.count, (&self.support.collect_large, self.items(large.count)))];
        for (_, (function, grid)) in launches.into_iter().filter(|launch| launch.0 > 0) {
            // SAFETY: the lists have room for all pages; see the head of this module.
            unsafe { function.launch(&self.kit.stream, grid, &[slots]) }?;
        }
        Ok(())
    }

    /// Returns a grid with a column of blocks per page, for few pages. The grid has at most the number of blocks that
    /// the device runs concurrently, and at most one thread per word of the set of active vertices.
    fn shared_grid(&self, pages: u64) -> (u32, u32) {
        let pages = pages.max(1);
        let wanted = self.frontier.words.div_ceil(pages * BLOCK);
        (self.items(pages * BLOCK).0, (self.at_a_time() / pages).clamp(1, wanted.max(1)) as u32)
    }

    /// Measures the active part of each page of a topology. Writes an [`Activity`] per page to `activity`, starting at
    /// byte `offset`.
    pub(super) fn measure_pages(&self, side: Side, table: &PageTable, activity: &Buffer, offset: usize) -> Result<()> {
        let pages = table.num_small + table.num_large;
        assert!(offset + size_of::<Activity>() * pages as usize <= activity.bytes(), "a place for each page");
        let arguments = [
            self.frontier.current().address(),
            table.start_vids.address(),
            self.degrees.of(side),
            pages,
            activity.address() + offset as u64,
        ];
        let slots: Vec<&[u64]> = arguments.chunks(1).collect();
        // SAFETY: `activity` has an element per page; see the head of this module.
        unsafe { self.support.measure_pages.launch(&self.kit.stream, self.items(32 * pages), &slots) }
    }

    /// Adds the vertices that the host has activated to the current set.
    pub(super) fn flush_activated(&mut self) -> Result<()> {
        if self.frontier.pending.is_empty() {
            return Ok(());
        }
        let vertices = std::mem::take(&mut self.frontier.pending);
        if let Some(few) = few(&vertices) {
            let arguments: [&[u64]; 2] = [&[self.frontier.current().address()], &few];
            // SAFETY: the run has checked that the vertices belong to the graph.
            return unsafe { self.support.set_few_bits.launch(&self.kit.stream, (1, 1), &arguments) };
        }
        for vertices in vertices.chunks(ACTIVATED_AT_ONCE) {
            let list = Buffer::lent_copy_of(&self.kit.stream, bytemuck::cast_slice(vertices), "activated vertices")?;
            let arguments = [self.frontier.current().address(), list.address(), vertices.len() as u64];
            let slots: Vec<&[u64]> = arguments.chunks(1).collect();
            // SAFETY: the run has checked that the vertices belong to the graph; the list lives until this launch is
            // complete.
            unsafe { self.support.set_bits.launch(&self.kit.stream, self.items(arguments[2]), &slots) }?;
            self.kit.stream.synchronize("activating vertices")?;
        }
        Ok(())
    }

    /// Sets the cells of consecutive globals. `first` is the index of the first cell.
    pub(super) fn set_cells(&self, first: usize, cells: &[u64]) -> Result<()> {
        let Some(few) = few(cells) else {
            return self.kit.stream.upload(&self.cells, CELL * first, bytemuck::cast_slice(cells));
        };
        let arguments: [&[u64]; 2] = [&[self.cells.address() + (CELL * first) as u64], &few];
        // SAFETY: from `first` on, the buffer contains a cell for each value.
        unsafe { self.support.set_few_cells.launch(&self.kit.stream, (1, 1), &arguments) }
    }

    /// Adds every vertex to the current set.
    pub(super) fn fill_frontier(&self) -> Result<()> {
        let (set, vertices) = (self.frontier.current(), self.graph.num_vertices());
        let whole = (vertices / 32 * 4) as usize;
        self.launch_fill(set.address(), whole / 16 * 16, &[u8::MAX])?;
        // Upload the words after the last 16-byte unit. In the last word, bits without a vertex stay clear.
        let mut rest = vec![u8::MAX; whole % 16];
        rest.extend(((1u32 << (vertices % 32)) - 1).to_le_bytes());
        rest.truncate(set.bytes() - whole / 16 * 16);
        self.kit.stream.upload(set, whole / 16 * 16, &rest)
    }

    /// Counts the active vertices. If `advancing` is set, also clears the set of the next step.
    pub(super) fn count_frontier(&mut self, advancing: bool) -> Result<u64> {
        let cleared = if advancing { self.frontier.next().address() } else { 0 };
        let report = self.count(cleared, [0; 2], "counting active vertices")?;
        self.frontier.change(Some(report.vertices));
        Ok(report.vertices)
    }

    /// Returns the number of edges of the active vertices in the given topologies.
    pub(super) fn count_active_edges(&mut self, sides: &[Side]) -> Result<u64> {
        let sum = |edges: [u64; 2]| sides.iter().map(|&side| edges[place(side)]).sum();
        if let Some(known) = self.frontier.edges {
            return Ok(sum(known));
        }
        let degrees = [Side::Out, Side::In].map(|side| if sides.contains(&side) { self.degrees.of(side) } else { 0 });
        Ok(sum(self.count(0, degrees, "counting edges of active vertices")?.edges))
    }

    /// Counts active vertices and their edges between two passes, and waits for the counts.
    fn count(&mut self, cleared: u64, degrees: [u64; 2], during: &str) -> Result<PassReport> {
        self.clear_report()?;
        self.launch_report(self.frontier.current().address(), cleared, self.frontier.words, degrees)?;
        self.kit.stream.synchronize(during)?;
        Ok(self.read_report())
    }

    /// Launches the kernel that ends a pass. The kernel also ends the step if the request has `ends_step`.
    pub(super) fn launch_end_of_pass(
        &mut self,
        kernel: &'static KernelDescriptor,
        request: &PassRequest,
    ) -> Result<()> {
        if !request.ends_step {
            return self.launch_report(0, 0, 0, [0; 2]);
        }
        let counts = self.counts_edges(kernel, request);
        let degrees = [Side::Out, Side::In].map(|side| if counts { self.degrees.of(side) } else { 0 });
        let (next, current) = (self.frontier.next().address(), self.frontier.current().address());
        self.launch_report(next, current, self.frontier.words, degrees)
    }

    /// Launches the kernel that writes the report to host memory. The kernel counts the vertices in the set at
    /// `counted`, and the edges of these vertices in each topology with a nonzero address in `degrees`. The kernel also
    /// clears the set at `cleared`, unless this address is 0. Each set has `words` words.
    pub(super) fn launch_report(&mut self, counted: u64, cleared: u64, words: u64, degrees: [u64; 2]) -> Result<()> {
        self.kit.reports += 1;
        let (report, seen) = (self.kit.report.address(), self.kit.seen.address().addr() as u64);
        let (cells, told) = (self.cells.address(), self.told_cells().unwrap_or(0) as u64);
        let arguments = [counted, cleared, words, degrees[0], degrees[1], report, seen, cells, told, self.kit.reports];
        let slots: Vec<&[u64]> = arguments.chunks(1).collect();
        // SAFETY: both sets have `words` words, each vertex has a degree, and the report fits into its host memory,
        // which the device accesses at the host's address.
        unsafe { self.support.report.launch(&self.kit.stream, self.items(words), &slots) }
    }

    /// Fills the `bytes` bytes at the address `column` with copies of `value`.
    pub(super) fn launch_fill(&self, column: u64, bytes: usize, value: &[u8]) -> Result<()> {
        let bytes = bytes as u64;
        if bytes == 0 {
            return Ok(());
        }
        if 16 % value.len() == 0 {
            let pattern = value.repeat(16 / value.len());
            let half = |at: usize| u64::from_le_bytes(std::array::from_fn(|byte| pattern[at + byte]));
            let arguments = [column, bytes.div_ceil(16), half(0), half(8)];
            let slots: Vec<&[u64]> = arguments.chunks(1).collect();
            // SAFETY: columns end at a multiple of 16 bytes.
            return unsafe { self.support.fill.launch(&self.kit.stream, self.items(arguments[1]), &slots) };
        }
        let pattern = Buffer::lent_copy_of(&self.kit.stream, value, "a value")?;
        let arguments = [column, bytes, pattern.address(), value.len() as u64];
        let slots: Vec<&[u64]> = arguments.chunks(1).collect();
        // SAFETY: the column is `bytes` bytes long; the pattern lives until this launch is complete.
        unsafe { self.support.fill_any.launch(&self.kit.stream, self.items(bytes), &slots) }?;
        self.kit.stream.synchronize("filling an attribute")
    }

    /// Returns the properties of the session and the request that determine the text of a kernel's program.
    fn variant(&self, request: &PassRequest) -> Variant {
        let some_neighbours = !request.neighbours.is_all();
        let at_edge = request.propagation == Propagation::PullAtEdge;
        let (vertex_bytes, split, sums) = (self.vertex_bytes, self.part.is_some(), request.sums);
        Variant { vertex_bytes, split, some_neighbours, at_edge, sums, checked: request.checked }
    }

    /// Begins a pass, and launches a kernel over all vertices, or only over active vertices if the request has
    /// `active_only`.
    pub(super) fn launch_vertices(&mut self, kernel: &'static KernelDescriptor, request: &PassRequest) -> Result<()> {
        let entry = if request.active_only { Entry::ActiveVertices } else { Entry::AllVertices };
        let functions = self.shared.kernels.entries(self.context(), kernel, None, self.variant(request), &[entry])?;
        self.begin_pass(Clock::Events)?;
        let vertices = self.vertices();
        let (common, slots) = (self.common(request), self.kernel_slots(kernel));
        let launch = |piece: Range<u64>, travellers: &[Traveller<'_>], addresses: &[u64]| -> Result<()> {
            let local_vertices = piece.end - piece.start;
            let mut common = Common { first_vertex: piece.start, local_vertices, ..common };
            let mut slots = slots.clone();
            put_at(&mut common, &mut slots, travellers, addresses);
            let arguments = kernel_arguments(&common, &slots);
            for function in &functions {
                // SAFETY: the arguments match the entry point; see the head of this module.
                unsafe { function.launch(&self.kit.stream, self.items(local_vertices), &[&arguments]) }?;
            }
            Ok(())
        };
        let travellers = self.travellers(kernel);
        // The kernel reads travelling columns over the bus if it visits only active vertices, or if the streaming pool
        // is absent, is in use, or belongs to another graph.
        let pool = if travellers.is_empty() || request.active_only { None } else { self.shared.pool.try_lock().ok() };
        let copied = match pool.as_deref() {
            Some(Some(pool)) if pool.is_of(&self.graph) => {
                let in_turn = |piece: Range<u64>, addresses: &[u64]| launch(piece, &travellers, addresses);
                pool.each_piece(vertices.clone(), &travellers, &self.kit.stream, &self.kit.begun, in_turn)?
            }
            _ => None,
        };
        if copied.is_none() {
            launch(vertices, &[], &[])?;
        }
        drop(pool);
        self.copied_beside = copied.unwrap_or(0);
        Ok(())
    }
}

/// Returns `common` with the arguments for launches over a topology's pages. The arguments for the pages of a launch
/// stay unset.
pub(super) fn walking(topology: &Topology, table: &PageTable, common: Common) -> Common {
    let format = topology.format();
    Common {
        page_bytes: format.page_size().into(),
        page_chunks: most_entries(format).div_ceil(CHUNK).max(1),
        start_vids: table.start_vids.address(),
        large_page_entries: format.large_page_edges(),
        ..common
    }
}

/// Returns a launch argument that contains the number of values, then the values. Returns `None` if there are more than
/// [`FEW`] values.
fn few(values: &[u64]) -> Option<[u64; 1 + FEW]> {
    let mut few = [0; 1 + FEW];
    few[0] = values.len() as u64;
    few.get_mut(1..=values.len())?.copy_from_slice(values);
    Some(few)
}

/// Returns the maximum number of entries in a page.
fn most_entries(format: &PageFormat) -> u64 {
    (u64::from(format.page_size()) - PAGE_OVERHEAD) / (format.width().bytes() + format.value_bytes()) as u64
}
