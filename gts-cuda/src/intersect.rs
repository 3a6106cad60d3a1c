//! Passes that intersect lists. A pass may read any list at any time, so the device must have access to all pages. If
//! the pages do not fit into device memory, kernels read them in place from page-locked host memory.

use super::arguments::ListArguments;
use super::driver::Buffer;
use super::pages::{PageLists, PageLocks, PageTable, ResidentPages};
use super::pass::Clock;
use super::session::CudaSession;
use gts_contract::{KernelDescriptor, Side};
use gts_core::advice::Advice;
use gts_core::page::{PageFormat, Topology};
use gts_device::error::{Error, Result};
use gts_device::{PageShare, PassOutcome, PassRequest, lists_between};
use std::sync::Arc;

/// A topology whose pages are all accessible to the device, and the location of the pages.
struct Reached<'a> {
    side: Side,
    topology: &'a Topology,
    pages: PageLocation,
}

enum PageLocation {
    Device(Arc<ResidentPages>),
    /// Page-locked host memory, with its device address.
    Host {
        table: Arc<PageTable>,
        address: u64,
        _locks: PageLocks,
    },
}

impl PageLocation {
    fn table(&self) -> &PageTable {
        match self {
            Self::Device(pages) => &pages.table,
            Self::Host { table, .. } => table,
        }
    }

    fn lists(&self) -> PageLists {
        match self {
            Self::Device(pages) => pages.lists(),
            Self::Host { table, address, .. } => table.all(*address),
        }
    }
}

impl CudaSession {
    /// Runs an intersection kernel over all topologies in which the kernel looks up lists. The request contains exactly
    /// these topologies.
    pub(super) fn run_intersect(
        &mut self,
        kernel: &'static KernelDescriptor,
        request: &PassRequest,
    ) -> Result<PassOutcome> {
        let graph = self.graph.clone();
        let lists = lists_between(&graph, kernel)?;
        self.flush_activated()?;
        self.place_columns(kernel, request)?;
        // Allocate this buffer before the pages, because the pages may use all remaining memory.
        let first_edges = if kernel.updates_edges() {
            let numbers = lists.between.first_edges(graph.out_degrees());
            Some(Buffer::lent_copy_of(&self.kit.stream, bytemuck::cast_slice(&numbers), "the numbers of edges")?)
        } else {
            None
        };
        let loaded = self.load_pages(kernel, request)?;
        let other = lists.other.map(|topology| (lists.side.opposite(), topology));
        let sides = std::iter::once((lists.side, lists.between)).chain(other);
        let reached: Vec<Reached<'_>> =
            sides.map(|(side, topology)| self.reach(kernel, side, topology)).collect::<Result<_>>()?;
        if let [one, other] = reached.as_slice() {
            same_format(kernel, one.topology.format(), other.topology.format())?;
        }
        let mut arguments = [ListArguments::default(); 2];
        for (arguments, reached) in arguments.iter_mut().zip(&reached) {
            *arguments = ListArguments {
                base: reached.pages.lists().base,
                start_vids: reached.pages.table().start_vids.address(),
                num_pages: u64::from(reached.topology.num_pages()),
                degrees: self.degrees.of(reached.side),
                first_edges: first_edges.as_ref().map_or(0, Buffer::address),
            };
        }

        self.begin_pass(Clock::Events)?;
        for walked in &reached {
            let work = self.intersect_work(kernel, walked.topology, walked.pages.table(), request, arguments)?;
            self.launch_pages(&self.kit.stream, &work, &walked.pages.lists(), false)?;
        }
        self.close_pass(kernel, request, Clock::Events)?;
        self.end_pass(kernel, request, Clock::Events)?;
        let mut outcome = PassOutcome {
            kernel_time: Some(self.kit.ended.since(&self.kit.begun)?),
            copied: loaded.copied,
            read: loaded.read,
            ..PassOutcome::default()
        };
        for walked in &reached {
            let bytes = walked.topology.bytes();
            outcome.pages += u64::from(walked.topology.num_pages());
            outcome.edges += walked.topology.num_edges();
            outcome.bytes += bytes;
            outcome.in_place += if matches!(walked.pages, PageLocation::Host { .. }) { bytes } else { 0 };
        }
        self.trace_pass(kernel, &outcome);
        Ok(outcome)
    }

    /// Returns the location of a topology's pages: device memory, or host memory that the device can access.
    fn reach<'a>(&self, kernel: &KernelDescriptor, side: Side, topology: &'a Topology) -> Result<Reached<'a>> {
        if let Some(walked) = self.walked(side, &PageShare::WHOLE) {
            return Ok(Reached { side, topology, pages: PageLocation::Device(Arc::clone(&walked.pages)) });
        }
        let residents = &self.shared.residents;
        let locks = residents.page_locks(self.context(), &self.graph, topology)?;
        let Some(address) = locks.mapped() else {
            return Err(Error::needs(
                kernel.function,
                "all pages in the device's memory, or in host memory that the device can reach, because it meets lists of \
                 any vertices",
                Advice::new(
                    "give more --host-memory or more --device-memory, or run with --device cpu",
                    "open the graph into memory, allow more `device_memory`, or run on the CPU",
                ),
            ));
        };
        let table = residents.table(&self.shared, &self.graph, topology)?;
        Ok(Reached { side, topology, pages: PageLocation::Host { table, address, _locks: locks } })
    }
}

/// Checks that both topologies have the same page format, because one program reads the pages of both topologies.
fn same_format(kernel: &KernelDescriptor, one: &PageFormat, other: &PageFormat) -> Result<()> {
    if one == other {
        return Ok(());
    }
    let text = |format: &PageFormat| {
        let width = format.width();
        format!("{} bytes with record IDs of {}+{}", format.page_size(), width.page_bytes(), width.slot_bytes())
    };
    Err(Error::needs(
        kernel.function,
        format!("pages of one format for edges out and in; these have {} and {}", text(one), text(other)),
        Advice::new(
            "build the graph with --page-size and --record-ids, which fix the format, or run with --device cpu",
            "build the graph with `page_size` and `width`, which fix the format, or run on the CPU",
        ),
    ))
}
