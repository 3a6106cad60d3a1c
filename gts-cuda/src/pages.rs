//! Topologies on a device: the page tables, and the pages themselves if all of them fit. All runs of an engine share
//! this data.

use super::driver::{Buffer, Context, PageLock};
use super::edge_list::{EdgeList, ListForm};
use super::shared::DeviceState;
use super::streaming::RESERVE;
use super::techniques::Chosen;
use super::travelling::HostDegrees;
use gts_contract::Side;
use gts_core::cost::loops::place_bytes;
use gts_core::graph::{Graph, PageId, Vertex};
use gts_core::memory;
use gts_core::page::{PageRun, Topology};
use gts_core::parallel::*;
use gts_core::phase::{self, Phase};
use gts_device::error::{Error, Result};
use gts_device::{PageShare, identity, is_same, vertex_bytes};
use std::sync::{Arc, Mutex, PoisonError};

/// The size in bytes of each read and copy of pages that are not in host memory.
pub(super) const GROUP: usize = 16 << 20;

/// The size in bytes of a page reference in kernels (`gts_page_ref`), which contains an offset and a page number.
pub(super) const PAGE_REF: usize = gts_core::cost::holding::PAGE_REF as usize;

/// Consecutive page references in device memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct PageList {
    /// The device address of the first reference.
    pub(super) references: u64,
    /// The number of references.
    pub(super) count: u64,
}

/// The pages of two launches: one over small pages, and one over large pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct PageLists {
    /// The address to which the offsets in the references are added.
    pub(super) base: u64,
    pub(super) small: PageList,
    pub(super) large: PageList,
}

/// The tables of a topology on a device, for all pages or for a share of the pages.
#[derive(Debug)]
pub(super) struct PageTable {
    /// References to the small pages, then to the large pages. The offsets assume that the pages of the share are
    /// stored consecutively.
    references: Buffer,
    /// The first vertex of each page, then the number of vertices. Each entry is as wide as a stored vertex number.
    pub(super) start_vids: Buffer,
    pub(super) num_small: u64,
    pub(super) num_large: u64,
}

impl PageTable {
    /// Returns the size of a topology's tables in bytes.
    pub(super) fn bytes(graph: &Graph, topology: &Topology) -> u64 {
        (PAGE_REF as u64 + vertex_bytes(graph) as u64) * (u64::from(topology.num_pages()) + 1)
    }

    fn upload(shared: &DeviceState, graph: &Graph, topology: &Topology, share: &PageShare) -> Result<Self> {
        let page_size = u64::from(topology.format().page_size());
        let mut offsets = vec![None; topology.num_pages() as usize];
        for (place, page) in (0..).zip(share.runs(topology).into_iter().flat_map(PageRun::pages)) {
            offsets[page.0 as usize] = Some(place * page_size);
        }
        let listed = |pages: &[PageId]| -> Vec<[u64; 2]> {
            pages.iter().filter_map(|id| Some([offsets[id.0 as usize]?, id.0.into()])).collect()
        };
        let (small, large) = (listed(topology.small_pages()), listed(topology.large_pages()));
        let references = [small.as_flattened(), large.as_flattened()].concat();
        let starts = topology.rvt().start_vids().iter().copied().chain([graph.num_vertices()]);
        let table = "the table of pages";
        Ok(Self {
            references: shared.copy_of(bytemuck::cast_slice(&references), table)?,
            start_vids: if vertex_bytes(graph) == 8 {
                shared.copy_of(bytemuck::cast_slice(&starts.collect::<Vec<_>>()), table)?
            } else {
                let narrow: Vec<u32> = starts.map(|start| start as u32).collect();
                shared.copy_of(bytemuck::cast_slice(&narrow), table)?
            },
            num_small: small.len() as u64,
            num_large: large.len() as u64,
        })
    }

    /// Returns the lists of all pages. The first page is at address `base`.
    pub(super) fn all(&self, base: u64) -> PageLists {
        PageLists { base, small: self.list(0, self.num_small), large: self.list(self.num_small, self.num_large) }
    }

    /// Returns the lists of the pages in `run`. These pages are stored consecutively, starting at `address`. This table
    /// must contain all pages of the topology.
    pub(super) fn consecutive(&self, topology: &Topology, run: PageRun, address: u64) -> PageLists {
        let page_size = u64::from(topology.format().page_size());
        let numbers = run.numbers();
        let within = |pages: &[PageId]| {
            let first = pages.partition_point(|page| page.0 < numbers.start);
            let after = pages.partition_point(|page| page.0 < numbers.end);
            (first as u64, (after - first) as u64)
        };
        let (small, large) = (within(topology.small_pages()), within(topology.large_pages()));
        PageLists {
            base: address.wrapping_sub(u64::from(numbers.start) * page_size),
            small: self.list(small.0, small.1),
            large: self.list(self.num_small + large.0, large.1),
        }
    }

    fn list(&self, first: u64, count: u64) -> PageList {
        PageList { references: self.references.address() + PAGE_REF as u64 * first, count }
    }
}

/// The pages of a topology on a device: all pages, or a share of the pages.
#[derive(Debug)]
pub(super) struct ResidentPages {
    pages: Buffer,
    pub(super) table: PageTable,
    pub(super) share: PageShare,
    /// The number of bytes read from storage to load the pages.
    pub(super) read: u64,
}

impl ResidentPages {
    /// Returns an upper bound on the total size in bytes of a share's pages, their table, and the page lists of passes.
    pub(super) fn bytes(graph: &Graph, topology: &Topology, share: &PageShare) -> u64 {
        let lists = PAGE_REF as u64 * u64::from(topology.num_pages());
        PageTable::bytes(graph, topology) + lists + Self::page_bytes(topology, share)
    }

    /// Returns the size of a share's pages in bytes.
    pub(super) fn page_bytes(topology: &Topology, share: &PageShare) -> u64 {
        u64::from(share.num_pages(topology)) * u64::from(topology.format().page_size())
    }

    fn upload(shared: &DeviceState, graph: &Graph, topology: &Topology, share: &PageShare) -> Result<Self> {
        let table = PageTable::upload(shared, graph, topology, share)?;
        let bytes = Self::page_bytes(topology, share) as usize;
        let pages = Buffer::unset(&shared.context, bytes, "the graph's pages")?;
        let read = copy_pages(shared, topology, share, &pages)?;
        Ok(Self { pages, table, share: share.clone(), read })
    }

    /// Returns the lists of all resident pages.
    pub(super) fn lists(&self) -> PageLists {
        self.table.all(self.pages.address())
    }
}

/// Copies the pages of a share to the beginning of `target`. Returns the number of bytes read from storage.
fn copy_pages(shared: &DeviceState, topology: &Topology, share: &PageShare, target: &Buffer) -> Result<u64> {
    let what = "pages";
    let page_size = topology.format().page_size() as usize;
    let runs = share.runs(topology);
    let places = runs.iter().scan(0, |next, run| Some(std::mem::replace(next, *next + run.count as usize)));
    let places: Vec<usize> = places.collect();
    let mut read = 0;
    if let Some(bytes) = topology.source().resident() {
        let part = |(run, place): (&PageRun, usize)| {
            let first = run.first.0 as usize * page_size;
            (place * page_size, &bytes[first..first + run.count as usize * page_size])
        };
        // Upload all runs in one call: a wait after each run would leave the bus idle.
        let parts: Vec<_> = runs.iter().zip(places).map(part).collect();
        shared.upload_parts(target, &parts, what)?;
        return Ok(read);
    }
    let mut feed = topology.source().feed(&runs, GROUP)?;
    while let Some(group) = feed.next()? {
        // A group belongs to a single run: the last run that begins at or before the group.
        let first = group.run().first;
        let index = runs.partition_point(|run| run.first <= first) - 1;
        let place = places[index] + (first.0 - runs[index].first.0) as usize;
        shared.upload(target, place * page_size, group.bytes(), what)?;
        read += group.read().map_or(0, |_| group.bytes().len() as u64);
    }
    Ok(read)
}

/// The original IDs of a graph's vertices in device memory.
#[derive(Debug)]
pub(super) struct OriginalIds {
    pub(super) ids: Buffer,
    /// The number of bytes per ID: 4 or 8.
    pub(super) id_bytes: usize,
}

/// Data of a graph on a device, with the key that identifies the data.
#[derive(Debug)]
struct Resident<T> {
    copy: Arc<T>,
    /// The host address of the copied data. The address and `share` form the key.
    identity: usize,
    share: PageShare,
    /// Keeps host addresses from being reused for other graphs, and keeps page-locked memory alive.
    graph: Graph,
}

impl<T> Resident<T> {
    fn is_of(&self, graph: &Graph) -> bool {
        is_same(&self.graph, graph)
    }
}

/// The data of all graphs on a device, shared by all runs.
#[derive(Debug, Default)]
pub(super) struct Residents {
    tables: Mutex<Vec<Resident<PageTable>>>,
    pages: Mutex<Vec<Resident<ResidentPages>>>,
    degrees: Mutex<Vec<Resident<Buffer>>>,
    host_degrees: Mutex<Vec<Resident<HostDegrees>>>,
    orders: Mutex<Vec<Resident<Buffer>>>,
    names: Mutex<Vec<Resident<OriginalIds>>>,
    places: Mutex<Vec<Resident<Buffer>>>,
    edge_lists: [Mutex<Vec<Resident<EdgeList>>>; ListForm::COUNT],
    locks: Mutex<Vec<Resident<Arc<PageLock>>>>,
    chosen: Mutex<Vec<Resident<Chosen>>>,
}

/// Returns the degree of each vertex in a topology of a graph.
pub(super) fn degrees_of(graph: &Graph, side: Side) -> &[u32] {
    match side {
        Side::Out => graph.out_degrees(),
        Side::In => graph.in_degrees(),
    }
}

impl Residents {
    /// Returns the page tables of a topology. The first call uploads the tables.
    pub(super) fn table(&self, shared: &DeviceState, graph: &Graph, topology: &Topology) -> Result<Arc<PageTable>> {
        find_or(&self.tables, graph, (identity(topology), &PageShare::WHOLE), || {
            PageTable::upload(shared, graph, topology, &PageShare::WHOLE)
        })
    }

    /// Returns the pages in a share of a topology. The first call uploads the pages.
    pub(super) fn pages(
        &self,
        shared: &DeviceState,
        graph: &Graph,
        topology: &Topology,
        share: &PageShare,
    ) -> Result<Arc<ResidentPages>> {
        let upload = || ResidentPages::upload(shared, graph, topology, share);
        find_or(&self.pages, graph, (identity(topology), share), upload)
    }

    /// Returns the techniques that were chosen for passes over a graph. The first call creates an empty set.
    pub(super) fn chosen(&self, graph: &Graph) -> Result<Arc<Chosen>> {
        let key = (identity(graph.out_topology()), &PageShare::WHOLE);
        find_or(&self.chosen, graph, key, || Ok(Chosen::default()))
    }

    /// Returns whether the pages in a share of a topology are on the device.
    pub(super) fn has_pages(&self, topology: &Topology, share: &PageShare) -> bool {
        let pages = self.pages.lock().unwrap_or_else(PoisonError::into_inner);
        pages.iter().any(|resident| (resident.identity, &resident.share) == (identity(topology), share))
    }

    /// Returns whether the edge list for a share of a topology is on the device.
    pub(super) fn has_edge_list(&self, topology: &Topology, share: &PageShare, form: ListForm) -> bool {
        let lists = self.edge_lists[form.number()].lock().unwrap_or_else(PoisonError::into_inner);
        lists.iter().any(|resident| (resident.identity, &resident.share) == (identity(topology), share))
    }

    /// Returns the edge list for a share of a topology. The first call builds the list with `make`.
    pub(super) fn edge_list(
        &self,
        graph: &Graph,
        topology: &Topology,
        share: &PageShare,
        form: ListForm,
        make: impl FnOnce() -> Result<EdgeList>,
    ) -> Result<Arc<EdgeList>> {
        find_or(&self.edge_lists[form.number()], graph, (identity(topology), share), make)
    }

    /// Returns the degrees in a topology of a graph. The first call uploads the degrees. Topologies with the same array
    /// of degrees share one buffer.
    pub(super) fn degrees(&self, shared: &DeviceState, graph: &Graph, side: Side) -> Result<Arc<Buffer>> {
        let degrees = degrees_of(graph, side);
        let key = (degrees.as_ptr().addr(), &PageShare::WHOLE);
        find_or(&self.degrees, graph, key, || shared.copy_of(bytemuck::cast_slice(degrees), "degrees"))
    }

    /// Returns degrees in host memory that the device can access. The first call page-locks the graph's array or copies
    /// it.
    pub(super) fn host_degrees(&self, shared: &DeviceState, graph: &Graph, side: Side) -> Result<Arc<HostDegrees>> {
        let degrees = degrees_of(graph, side);
        let key = (degrees.as_ptr().addr(), &PageShare::WHOLE);
        let context = &shared.context;
        find_or(&self.host_degrees, graph, key, || {
            HostDegrees::of(context, page_lock(context, bytemuck::cast_slice(degrees)), degrees)
        })
    }

    /// Returns the dense vertex numbers in ascending order of original IDs. The first call uploads the numbers. Returns
    /// `None` if dense numbers already have this order, or if the device has too little memory.
    pub(super) fn order(&self, shared: &DeviceState, graph: &Graph) -> Result<Option<Arc<Buffer>>> {
        let Some(order) = graph.ids().permutation() else { return Ok(None) };
        let bytes = bytemuck::cast_slice(order);
        let key = (order.as_ptr().addr(), &PageShare::WHOLE);
        find_or_none(&self.orders, shared, graph, key, bytes.len(), || shared.copy_of(bytes, "the order of vertices"))
    }

    /// Returns the original ID of each vertex, or `None` if the device has too little memory. The first call uploads
    /// the IDs.
    pub(super) fn names(&self, shared: &DeviceState, graph: &Graph) -> Result<Option<Arc<OriginalIds>>> {
        let key = (std::ptr::from_ref(graph.ids()).addr(), &PageShare::WHOLE);
        let ids = graph.ids();
        let last =
            ids.permutation().map_or(graph.num_vertices().checked_sub(1), |order| order.last().map(|&v| v.into()));
        let last = last.map(|v| graph.original(Vertex::from_dense(v)));
        let narrow = last.is_none_or(|last| last < u64::from(u32::MAX));
        let id_bytes = if narrow { 4 } else { 8 };
        let bytes = id_bytes * graph.num_vertices() as usize;
        find_or_none(&self.names, shared, graph, key, bytes, || {
            let what = "original IDs";
            let vertices = (0..graph.num_vertices() as usize).into_par_iter();
            let all = vertices.map(|v| graph.original(Vertex::from_dense(v as u64)));
            let ids = if narrow {
                let ids: Vec<u32> = memory::collected_in_parallel(what, all.map(|id| id as u32))?;
                shared.copy_of(bytemuck::cast_slice(&ids), what)?
            } else {
                shared.copy_of(bytemuck::cast_slice(&memory::collected_in_parallel(what, all)?), what)?
            };
            Ok(OriginalIds { ids, id_bytes })
        })
    }

    /// Returns the position of each vertex's list in a topology, one word per vertex. The first call computes the
    /// positions with `find`. Returns `None` if the device has too little memory.
    pub(super) fn places(
        &self,
        shared: &DeviceState,
        graph: &Graph,
        topology: &Topology,
        find: impl FnOnce(&Buffer) -> Result<()>,
    ) -> Result<Option<Arc<Buffer>>> {
        let bytes = place_bytes(graph.num_vertices()) as usize;
        find_or_none(&self.places, shared, graph, (identity(topology), &PageShare::WHOLE), bytes, || {
            let places = Buffer::unset(&shared.context, bytes, "places of lists")?;
            find(&places)?;
            Ok(places)
        })
    }

    /// Returns the page locks on a topology's host-resident pages. The first call locks the pages.
    pub(super) fn page_locks(&self, context: &Arc<Context>, graph: &Graph, topology: &Topology) -> Result<PageLocks> {
        let source = topology.source();
        let lock = |bytes: &[u8]| {
            let key = (bytes.as_ptr().addr(), &PageShare::WHOLE);
            find_or(&self.locks, graph, key, || page_lock(context, bytes)).map(|lock| Arc::clone(&*lock))
        };
        let pieces = source.held().into_iter().map(lock).collect::<Result<Vec<_>>>()?;
        Ok(PageLocks { pieces, holds_all: source.resident().is_some() })
    }

    /// Frees all data that no run uses. Host memory of the current graph stays page-locked, because locking is slow and
    /// uses no device memory.
    pub(super) fn evict(&self, at_hand: &Graph) {
        evict(&self.pages);
        evict(&self.tables);
        evict(&self.degrees);
        evict(&self.orders);
        evict(&self.names);
        evict(&self.places);
        self.edge_lists.iter().for_each(evict);
        evict(&self.chosen);
        let mut locks = self.locks.lock().unwrap_or_else(PoisonError::into_inner);
        locks.retain(|lock| Arc::strong_count(&lock.copy) > 1 || lock.is_of(at_hand));
        drop(locks);
        let mut degrees = self.host_degrees.lock().unwrap_or_else(PoisonError::into_inner);
        degrees.retain(|degrees| Arc::strong_count(&degrees.copy) > 1 || degrees.is_of(at_hand));
    }

    /// Frees the data of `graph`, except data that a run uses.
    pub(super) fn forget(&self, graph: &Graph) {
        forget(&self.pages, graph);
        forget(&self.tables, graph);
        forget(&self.degrees, graph);
        forget(&self.orders, graph);
        forget(&self.names, graph);
        forget(&self.places, graph);
        self.edge_lists.iter().for_each(|lists| forget(lists, graph));
        forget(&self.locks, graph);
        forget(&self.host_degrees, graph);
        forget(&self.chosen, graph);
    }
}

/// The page locks on a topology's pages in host memory.
#[derive(Clone, Debug, Default)]
pub(super) struct PageLocks {
    pieces: Vec<Arc<PageLock>>,
    /// Whether a single piece contains all pages in order.
    holds_all: bool,
}

impl PageLocks {
    /// Returns the lock on the memory that contains `bytes`, if there is one.
    pub(super) fn of(&self, bytes: &[u8]) -> Option<&PageLock> {
        self.pieces.iter().map(|lock| &**lock).find(|lock| lock.holds(bytes))
    }

    /// Returns the device address of the first page, if all pages are contiguous in the device's address space.
    pub(super) fn mapped(&self) -> Option<u64> {
        self.pieces.first().filter(|_| self.holds_all)?.mapped()
    }
}

#[allow(unsafe_code)]
fn page_lock(context: &Arc<Context>, bytes: &[u8]) -> Result<Arc<PageLock>> {
    // SAFETY: the bytes belong to a graph that the caller stores with the lock, and drops after the lock; a graph's
    // pages and degrees never move.
    unsafe { PageLock::shared(context, bytes) }
}

fn find_or<T>(
    residents: &Mutex<Vec<Resident<T>>>,
    graph: &Graph,
    (identity, share): (usize, &PageShare),
    upload: impl FnOnce() -> Result<T>,
) -> Result<Arc<T>> {
    let mut residents = residents.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(resident) = residents.iter().find(|resident| (resident.identity, &resident.share) == (identity, share))
    {
        return Ok(resident.copy.clone());
    }
    let copy = Arc::new(phase::during(Phase::Upload, upload)?);
    residents.push(Resident { graph: graph.clone(), identity, share: share.clone(), copy: copy.clone() });
    Ok(copy)
}

/// Works like [`find_or`], but returns `None` if the device has too little memory.
fn find_or_none<T>(
    residents: &Mutex<Vec<Resident<T>>>,
    shared: &DeviceState,
    graph: &Graph,
    key: (usize, &PageShare),
    bytes: usize,
    upload: impl FnOnce() -> Result<T>,
) -> Result<Option<Arc<T>>> {
    let there = |resident: &Resident<T>| (resident.identity, &resident.share) == key;
    let found = residents.lock().unwrap_or_else(PoisonError::into_inner).iter().any(there);
    if !found && shared.context.available()? < bytes as u64 + RESERVE {
        return Ok(None);
    }
    match find_or(residents, graph, key, upload) {
        Ok(copy) => Ok(Some(copy)),
        Err(Error::OutOfMemory { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

fn evict<T>(residents: &Mutex<Vec<Resident<T>>>) {
    let mut residents = residents.lock().unwrap_or_else(PoisonError::into_inner);
    residents.retain(|resident| Arc::strong_count(&resident.copy) > 1);
}

fn forget<T>(residents: &Mutex<Vec<Resident<T>>>, graph: &Graph) {
    let mut residents = residents.lock().unwrap_or_else(PoisonError::into_inner);
    residents.retain(|resident| Arc::strong_count(&resident.copy) > 1 || !resident.is_of(graph));
}
