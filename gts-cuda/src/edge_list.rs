//! Edge lists: the source and target of each edge of a topology. A list replaces the topology's pages in device memory.
//!
//! A list is built from pages that pass through a small buffer, so the device never holds all pages and the list at the
//! same time. A list is larger than the pages, because it stores two vertex numbers per edge. Like pages, a list stays
//! on the device for later runs, and is evicted if memory is needed and no run uses it. An edge list does not record
//! the position of an edge in its vertex's list, so a pass that needs positions walks pages.
#![allow(unsafe_code)]

use super::arguments::{Collected, Common, kernel_arguments};
use super::driver::Buffer;
use super::entry::Entry;
use super::launch::walking;
use super::pages::{GROUP, PageLists, PageTable, degrees_of};
use super::pass::{LoadedAmount, PassReport};
use super::session::{CudaSession, place};
use super::streaming::RESERVE;
use bytemuck::{Pod, Zeroable};
use gts_contract::{EdgeLayout, KernelDescriptor, Side};
use gts_core::advice::Advice;
use gts_core::cost::edge_list_bytes;
use gts_core::page::Topology;
use gts_device::error::{Error, Result};
use gts_device::{PageShare, PassOutcome, PassRequest};
use std::mem::offset_of;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The argument of the kernel that builds an edge list: `gts_listing`.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
pub(super) struct ListingArguments {
    common: Common,
    first_edges: u64,
    pairs: u64,
    num_edges: u64,
    edges: u64,
    values: u64,
}

/// The form of an edge list. A device may hold lists of several forms for one share of a topology.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ListForm {
    /// The layout of sources and targets.
    layout: EdgeLayout,
    /// Whether the list contains edge values.
    values: bool,
}

impl ListForm {
    /// The number of distinct forms.
    pub(super) const COUNT: usize = 4;

    /// Returns the form of the list that a kernel walks.
    fn of(kernel: &KernelDescriptor, topology: &Topology, layout: EdgeLayout) -> Self {
        Self { layout, values: kernel.facts.reads_edge && topology.format().value().is_some() }
    }

    /// Returns the index of the form, below [`ListForm::COUNT`].
    pub(super) fn number(self) -> usize {
        2 * usize::from(self.layout == EdgeLayout::Pairs) + usize::from(self.values)
    }

    /// Returns the number of bytes per edge value in the list; 0 if the list contains no values.
    fn value_bytes(self, topology: &Topology) -> u64 {
        if self.values { topology.format().value_bytes() as u64 } else { 0 }
    }
}

/// An edge list for a share of a topology.
#[derive(Debug)]
pub(super) struct EdgeList {
    ends: Buffer,
    values: Option<Buffer>,
    edges: u64,
    /// The numbers of bytes copied and read to build the list.
    loaded: LoadedAmount,
    /// The time taken to build the list, as measured by [`ListingTimer`].
    time: Duration,
}

/// Measures the time to build a list. Copying pages and compiling are not counted, because passes over pages also
/// require these steps.
struct ListingTimer {
    begun: Instant,
    without: Duration,
}

impl ListingTimer {
    fn begin() -> Self {
        Self { begun: Instant::now(), without: Duration::ZERO }
    }

    /// Runs a function, and excludes its run time from the measurement.
    fn without<T>(&mut self, call: impl FnOnce() -> T) -> T {
        let before = Instant::now();
        let answer = call();
        self.without += before.elapsed();
        answer
    }

    fn end(self) -> Duration {
        self.begun.elapsed().saturating_sub(self.without)
    }
}

/// An edge list that a session's passes walk, with its topology, share and form.
#[derive(Debug)]
pub(super) struct Listed {
    side: Side,
    share: PageShare,
    form: ListForm,
    list: Arc<EdgeList>,
}

impl CudaSession {
    /// Loads the edge lists of a pass, and builds lists that are not on the device. Before the session loads a list, it
    /// drops the pages of the same topology.
    pub(super) fn load_lists(
        &mut self,
        kernel: &'static KernelDescriptor,
        request: &PassRequest,
        layout: EdgeLayout,
    ) -> Result<LoadedAmount> {
        self.place_columns(kernel, request)?;
        let mut loaded = LoadedAmount::default();
        let (graph, shared, share) = (self.graph.clone(), Arc::clone(&self.shared), &request.share);
        for &side in &request.sides {
            let Some(topology) = graph.topology(side) else { return Err(gts_device::no_in_edges(kernel)) };
            let form = ListForm::of(kernel, topology, layout);
            if self.listed(side, share, form).is_some() {
                continue;
            }
            if self.part.is_some() || self.streams() || self.travelling(kernel).bytes > 0 {
                return Err(Error::needs(
                    kernel.function,
                    "its attributes and edge lists in the device's memory, because it takes a thread an edge",
                    no_list(),
                ));
            }
            self.pages.retain(|walked| walked.side != side);
            self.found[place(side)] = None;
            let there = shared.residents.has_edge_list(topology, share, form);
            if !there {
                self.make_room_for_list(topology, share, form)?;
            }
            let list = shared
                .residents
                .edge_list(&graph, topology, share, form, || self.list_edges(side, topology, share, form))?;
            if !there {
                loaded.copied += list.loaded.copied;
                loaded.read += list.loaded.read;
            }
            self.lists.push(Listed { side, share: share.clone(), form, list });
        }
        Ok(loaded)
    }

    /// Returns the session's edge list for a share of a topology, if the list is loaded.
    fn listed(&self, side: Side, share: &PageShare, form: ListForm) -> Option<&EdgeList> {
        let found = |listed: &&Listed| (listed.side, &listed.share, listed.form) == (side, share, form);
        self.lists.iter().find(found).map(|listed| &*listed.list)
    }

    /// Evicts data that no run uses, if the list does not fit into the free memory.
    ///
    /// # Errors
    ///
    /// The list does not fit even after the eviction.
    fn make_room_for_list(&mut self, topology: &Topology, share: &PageShare, form: ListForm) -> Result<()> {
        let shared = &self.shared;
        let list = edge_list_bytes(share.num_edges(topology), self.vertex_bytes as u64, form.value_bytes(topology));
        let first_edges = 8 * u64::from(topology.num_pages());
        let needed = list + first_edges + PageTable::bytes(&self.graph, topology) + staging_bytes(topology) as u64;
        let fits = || Ok::<_, Error>(needed + RESERVE <= shared.context.available()?);
        if fits()? {
            return Ok(());
        }
        shared.evict(&self.graph);
        if fits()? {
            return Ok(());
        }
        Err(Error::OutOfMemory {
            device: shared.context.name().to_owned(),
            what: format!("a list of {} edges", share.num_edges(topology)),
            needed,
            free: shared.context.available()?,
            remedy: no_list(),
        })
    }

    /// Builds the edge list for a share of a topology on the device.
    fn list_edges(&self, side: Side, topology: &Topology, share: &PageShare, form: ListForm) -> Result<EdgeList> {
        let (shared, context) = (&self.shared, self.context());
        let mut clock = ListingTimer::begin();
        let edges = share.num_edges(topology);
        let buffer = |bytes: u64, what: &str| Buffer::unset(context, bytes as usize, what);
        let ends = buffer(2 * self.vertex_bytes as u64 * edges, "an edge list")?;
        let value_bytes = form.value_bytes(topology);
        let values = form.values.then(|| buffer(value_bytes * edges, "the values of an edge list")).transpose()?;
        let firsts = self.first_listed(side, topology, share);
        let firsts = Buffer::copy_of(context, bytemuck::cast_slice(&firsts), "the numbers of edges")?;
        let table = shared.residents.table(shared, &self.graph, topology)?;
        let staging = buffer(staging_bytes(topology) as u64, "pages that are listed")?;
        let mut arguments = ListingArguments {
            common: walking(topology, &table, Common::default()),
            first_edges: firsts.address(),
            pairs: u64::from(form.layout == EdgeLayout::Pairs),
            num_edges: edges,
            edges: ends.address(),
            values: values.as_ref().map_or(0, Buffer::address),
        };
        let compiled = || shared.kernels.listing(context, topology.format(), self.vertex_bytes, form.values);
        let function = clock.without(compiled)?;
        let mut loaded = LoadedAmount::default();
        let mut feed = topology.source().feed(&share.runs(topology), staging.bytes())?;
        while let Some(group) = clock.without(|| feed.next())? {
            clock.without(|| shared.upload(&staging, 0, group.bytes(), "pages"))?;
            loaded.copied += group.bytes().len() as u64;
            loaded.read += group.read().map_or(0, |_| group.bytes().len() as u64);
            let PageLists { base, small, large } = table.consecutive(topology, group.run(), staging.address());
            for list in [small, large].into_iter().filter(|list| list.count > 0) {
                let common = &mut arguments.common;
                (common.pages, common.page_base, common.num_pages) = (list.references, base, list.count);
                let slots: &[u64] = bytemuck::cast_slice(std::slice::from_ref(&arguments));
                let grid = self.page_grid(arguments.common.page_chunks, list.count, false);
                // SAFETY: the pages lie in `staging`. The list has room for all edges of the share, and each edge of
                // the pages has an index in the list.
                unsafe { function.launch(&self.kit.stream, grid, &[slots]) }?;
            }
            // The next group of pages overwrites `staging`.
            self.kit.stream.synchronize("listing edges")?;
        }
        Ok(EdgeList { ends, values, edges, loaded, time: clock.end() })
    }

    /// Returns, for each page of a share, the index of the page's first edge in the share's list. The result is indexed
    /// by page number. Entries for pages outside the share are unspecified.
    fn first_listed(&self, side: Side, topology: &Topology, share: &PageShare) -> Vec<u64> {
        let mut firsts = topology.first_edges(degrees_of(&self.graph, side));
        if share.is_whole() {
            return firsts;
        }
        let mut next = 0;
        for page in share.runs(topology).into_iter().flat_map(gts_core::page::PageRun::pages) {
            let page = page.0 as usize;
            // Runs ascend, so the next page's entry has not been overwritten yet.
            let end = firsts.get(page + 1).copied().unwrap_or(topology.num_edges());
            let entries = end - firsts[page];
            firsts[page] = next;
            next += entries;
        }
        firsts
    }

    /// Enqueues the launches of a pass over edge lists.
    pub(super) fn launch_listed(
        &self,
        kernel: &'static KernelDescriptor,
        request: &PassRequest,
        layout: EdgeLayout,
    ) -> Result<()> {
        for &side in &request.sides {
            let Some(topology) = self.graph.topology(side) else { return Err(gts_device::no_in_edges(kernel)) };
            let form = ListForm::of(kernel, topology, layout);
            let Some(list) = self.listed(side, &request.share, form) else {
                return Err(Error::argument(kernel.function, "its edge list is no longer on the device"));
            };
            if list.edges == 0 {
                continue;
            }
            let counts = offset_of!(PassReport, collected) + place(side) * size_of::<Collected>();
            let common = Common {
                edge_list: list.ends.address(),
                edge_values: list.values.as_ref().map_or(0, Buffer::address),
                listed_edges: list.edges,
                active_edges: self.kit.report.address() + (counts + offset_of!(Collected, edges)) as u64,
                ..self.common(request)
            };
            let arguments = kernel_arguments(&common, &self.kernel_slots(kernel));
            for function in self.edge_entries(kernel, topology, &[Entry::EdgeList(layout)], request)? {
                // SAFETY: the list contains `listed_edges` edges, whose ends are vertices of the graph; see the head of
                // `launch`.
                unsafe { function.launch(&self.kit.stream, self.items(list.edges), &[&arguments]) }?;
            }
        }
        Ok(())
    }

    /// Returns the outcome of a pass over edge lists. The pass reads all edges of a list. If the pass visits only
    /// active vertices, the outcome counts only edges of active sources.
    pub(super) fn listed_outcome(
        &self,
        kernel: &KernelDescriptor,
        request: &PassRequest,
        report: &PassReport,
        layout: EdgeLayout,
    ) -> PassOutcome {
        let mut outcome = PassOutcome::default();
        for &side in &request.sides {
            let Some(topology) = self.graph.topology(side) else { continue };
            let form = ListForm::of(kernel, topology, layout);
            let Some(list) = self.listed(side, &request.share, form) else { continue };
            outcome.edges += if request.active_only { report.collected[place(side)].edges } else { list.edges };
            outcome.listing_time += list.time;
            outcome.bytes += (list.ends.bytes() + list.values.as_ref().map_or(0, Buffer::bytes)) as u64;
        }
        outcome
    }
}

/// Returns the size in bytes of the buffer through which pages are staged.
fn staging_bytes(topology: &Topology) -> usize {
    let page = topology.format().page_size() as usize;
    GROUP.min(topology.bytes() as usize).max(page)
}

/// Returns the advice for a device that has no room for a list.
fn no_list() -> Advice {
    Advice::new(
        "leave --technique out or give another, such as balanced; or give more --device-memory",
        "leave `technique` out or choose another, such as `Technique::Balanced`; or allow more `device_memory`",
    )
}
