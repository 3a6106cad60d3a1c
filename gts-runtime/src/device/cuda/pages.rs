//! Topologies in device memory: all pages, resident, shared by the runs of an engine.

use super::driver::{Buffer, Context};
use crate::device::vertex_bytes;
use crate::error::Result;
use gts_core::graph::{Graph, PageId, Side};
use gts_core::page::Topology;
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes that are read from a source and copied at a time, where pages do not lie in host memory.
const GROUP: usize = 16 << 20;

/// A page as kernels know it: `gts_page_ref`, an address and a page number.
pub(super) const PAGE_REF: usize = 16;

/// The pages of one topology on a device, with the tables that go with them.
#[derive(Debug)]
pub(super) struct ResidentPages {
    _pages: Buffer,
    /// References to all pages, small ones before large ones.
    pub(super) references: Buffer,
    /// The numbers of small and of large pages, as kernels read them.
    pub(super) counts: Buffer,
    /// The first vertex of each page, in stored vertex numbers.
    pub(super) start_vids: Buffer,
    pub(super) num_small: u64,
    pub(super) num_large: u64,
}

impl ResidentPages {
    fn upload(context: &Arc<Context>, graph: &Graph, topology: &Topology) -> Result<Self> {
        let pages = Buffer::zeroed(context, topology.bytes() as usize, "the graph's pages")?;
        copy_pages(topology, &pages)?;

        let page_size = u64::from(topology.format().page_size());
        let ids = || topology.small_pages().iter().chain(topology.large_pages());
        let reference = |id: &PageId| [pages.address() + u64::from(id.0) * page_size, u64::from(id.0)];
        let references: Vec<u64> = ids().flat_map(reference).collect();
        let counts = [topology.small_pages().len() as u64, topology.large_pages().len() as u64];
        let start_vids = topology.rvt().start_vids();
        let table = "the table of pages";
        Ok(Self {
            references: Buffer::copy_of(context, bytemuck::cast_slice(&references), table)?,
            counts: Buffer::copy_of(context, bytemuck::cast_slice(&counts), table)?,
            start_vids: if vertex_bytes(graph) == 8 {
                Buffer::copy_of(context, bytemuck::cast_slice(start_vids), table)?
            } else {
                let narrow: Vec<u32> = start_vids.iter().map(|&start| start as u32).collect();
                Buffer::copy_of(context, bytemuck::cast_slice(&narrow), table)?
            },
            num_small: counts[0],
            num_large: counts[1],
            _pages: pages,
        })
    }
}

fn copy_pages(topology: &Topology, target: &Buffer) -> Result<()> {
    let what = "pages";
    if let Some(bytes) = topology.source().resident() {
        return target.upload(0, bytes, what);
    }
    let page_size = topology.format().page_size() as usize;
    let group = (GROUP / page_size).max(1) as u32;
    let mut buffer = vec![0; group as usize * page_size];
    for first in (0..topology.num_pages()).step_by(group as usize) {
        let count = group.min(topology.num_pages() - first);
        let bytes = &mut buffer[..count as usize * page_size];
        topology.source().read(PageId(first), count, bytes)?;
        target.upload(first as usize * page_size, bytes, what)?;
    }
    Ok(())
}

/// The degrees of a graph on a device.
#[derive(Debug)]
pub(super) struct Degrees {
    pub(super) out: Buffer,
    pub(super) incoming: Buffer,
}

/// What a device holds of a graph.
#[derive(Debug)]
struct Resident<T> {
    /// Keeps the addresses that tell graphs apart from being used again.
    _graph: Graph,
    /// The address of what was copied.
    identity: usize,
    copy: Arc<T>,
}

/// The graphs that a device holds.
#[derive(Debug, Default)]
pub(super) struct Residents {
    pages: Mutex<Vec<Resident<ResidentPages>>>,
    degrees: Mutex<Vec<Resident<Degrees>>>,
}

impl Residents {
    /// The pages of a topology, copied to the device when they are asked for first. `None` if the graph has not that one.
    pub(super) fn pages(
        &self,
        context: &Arc<Context>,
        graph: &Graph,
        side: Side,
    ) -> Result<Option<Arc<ResidentPages>>> {
        let Some(topology) = graph.topology(side) else { return Ok(None) };
        let identity = std::ptr::from_ref(topology).addr();
        find_or(&self.pages, graph, identity, || ResidentPages::upload(context, graph, topology)).map(Some)
    }

    /// The degrees of a graph, likewise.
    pub(super) fn degrees(&self, context: &Arc<Context>, graph: &Graph) -> Result<Arc<Degrees>> {
        let identity = graph.out_degrees().as_ptr().addr();
        find_or(&self.degrees, graph, identity, || {
            Ok(Degrees {
                out: Buffer::copy_of(context, bytemuck::cast_slice(graph.out_degrees()), "degrees")?,
                incoming: Buffer::copy_of(context, bytemuck::cast_slice(graph.in_degrees()), "degrees")?,
            })
        })
    }

    /// Frees what no run uses.
    pub(super) fn evict(&self) {
        evict(&self.pages);
        evict(&self.degrees);
    }
}

fn find_or<T>(
    residents: &Mutex<Vec<Resident<T>>>,
    graph: &Graph,
    identity: usize,
    upload: impl FnOnce() -> Result<T>,
) -> Result<Arc<T>> {
    let mut residents = residents.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(resident) = residents.iter().find(|resident| resident.identity == identity) {
        return Ok(resident.copy.clone());
    }
    let copy = Arc::new(upload()?);
    residents.push(Resident { _graph: graph.clone(), identity, copy: copy.clone() });
    Ok(copy)
}

fn evict<T>(residents: &Mutex<Vec<Resident<T>>>) {
    let mut residents = residents.lock().unwrap_or_else(PoisonError::into_inner);
    residents.retain(|resident| Arc::strong_count(&resident.copy) > 1);
}
