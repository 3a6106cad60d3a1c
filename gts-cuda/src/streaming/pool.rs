//! The memory and the streams through which the pages of a graph stream.

use super::host::LockedMemory;
use super::lanes::Lanes;
use super::layout::Wanted;
use super::places::References;
use super::plan::{Activity, page_edges};
use crate::cache::PageCache;
use crate::driver::{Buffer, Context, Event, Pinned, Stream};
use crate::pages::{PAGE_REF, PageLists, PageLocks, PageTable};
use crate::session::place;
use crate::shared::DeviceState;
use crate::travelling::Traveller;
use gts_contract::Side;
use gts_core::advice::Advice;
use gts_core::cost::holding::{self, Travelling};
use gts_core::graph::Graph;
use gts_core::page::HostMemory;
use gts_device::error::{Error, Result};
use gts_device::options::{CacheChoice, CudaOptions};
use gts_device::tuning;
use gts_device::{PageShare, identity, is_same};
use std::ops::Range;
use std::sync::Arc;

/// Bytes of device memory that stay free for temporary needs of a run, such as lists of vertices to activate.
pub(crate) const RESERVE: u64 = holding::RESERVE;

/// The device memory and the streams through which the pages of one graph stream, and the state of the page cache. A
/// pool is retained between runs.
#[derive(Debug)]
pub(crate) struct Pool {
    pub(super) lanes: Lanes,
    /// Lanes for pages that other devices forward.
    pub(super) fetches: Option<Lanes>,
    pub(super) cache: PageCache,
    /// Whether the slots were sized for a share of the pages, instead of all pages.
    shares_out: bool,
    /// The travelling values for which slots have room beside pages.
    travelling: Travelling,
    /// The topology and the share of the previous pass, if that pass covered all pages of the share and forwarded none.
    pub(super) scanned: Option<(Side, PageShare)>,
    /// Bytes of device memory that the lanes and the cache occupy.
    taken: u64,
    /// The activity of each page: all pages of the out-topology, then all pages of the in-topology.
    pub(super) activity: Buffer,
    pub(super) seen: Pinned,
    /// References to the pages that a pass does not copy.
    lists: Buffer,
    host_lists: Pinned,
    /// The number of references in the lists.
    listed: usize,
    /// Per topology, the locks on the pages, and the number of bytes that pages occupied in host memory at the time of
    /// locking.
    locks: [(Arc<PageLocks>, u64); 2],
    tables: [Option<Arc<PageTable>>; 2],
    /// Per topology and page, the number of edges in the lists that begin in the page.
    edges: [Arc<[u64]>; 2],
    graph: Graph,
}

impl Pool {
    /// Returns the pool in `place` if the pool suits this graph and share. Otherwise, creates a new pool. `relayed`
    /// requests lanes for pages that the devices of the other shares forward.
    pub(super) fn ready<'a>(
        place: &'a mut Option<Self>,
        shared: &DeviceState,
        graph: &Graph,
        share: &PageShare,
        relayed: bool,
        travelling: Travelling,
    ) -> Result<&'a mut Self> {
        let serves = |pool: &Self| {
            let room = pool.travelling.bytes >= travelling.bytes && pool.travelling.columns >= travelling.columns;
            room && (share.is_whole() || pool.shares_out) && (!relayed || pool.fetches.is_some())
        };
        if !place.as_ref().is_some_and(|pool| pool.is_of(graph) && serves(pool)) {
            *place = None;
            shared.residents.evict(graph);
        }
        match place {
            Some(pool) => Ok(pool),
            None => Ok(place.insert(Self::new(shared, graph, share, relayed, travelling)?)),
        }
    }

    fn new(
        shared: &DeviceState,
        graph: &Graph,
        share: &PageShare,
        relayed: bool,
        travelling: Travelling,
    ) -> Result<Self> {
        let context = &shared.context;
        // Memory of fixed size is allocated before the lanes, because the lanes use all remaining memory.
        let table = |side| match graph.topology(side) {
            Some(topology) => shared.residents.table(shared, graph, topology).map(Some),
            None => Ok(None),
        };
        let tables = [table(Side::Out)?, table(Side::In)?];
        let pages = total_pages(graph);
        let what = "what is active of each page";
        let activity = Buffer::zeroed(context, size_of::<Activity>() * pages, what)?;
        let lists = Buffer::zeroed(context, PAGE_REF * pages, "lists of pages")?;
        let locked: Arc<dyn HostMemory> = Arc::new(LockedMemory { context: context.clone() });
        for topology in [Side::Out, Side::In].into_iter().filter_map(|side| graph.topology(side)) {
            topology.source().use_host_memory(&locked);
        }
        let before = context.available()?;
        let (lanes, fetches, frames) = lanes(context, graph, &shared.options, share, relayed, travelling)?;
        let taken = before.saturating_sub(context.available()?);
        Ok(Self {
            lanes,
            fetches,
            cache: PageCache::new(frames),
            shares_out: !share.is_whole(),
            travelling,
            scanned: None,
            taken,
            seen: Pinned::new(context, activity.bytes().max(1))?,
            activity,
            host_lists: Pinned::new(context, lists.bytes().max(1))?,
            lists,
            listed: 0,
            locks: Default::default(),
            edges: [Side::Out, Side::In].map(|side| page_edges(graph, side).into()),
            tables,
            graph: graph.clone(),
        })
    }

    /// Launches a kernel over successive ranges of vertices, like [`Lanes::each_piece`].
    pub(crate) fn each_piece(
        &self,
        vertices: Range<u64>,
        travellers: &[Traveller<'_>],
        stream: &Stream,
        begun: &Event,
        launch: impl Fn(Range<u64>, &[u64]) -> Result<()>,
    ) -> Result<Option<u64>> {
        self.lanes.each_piece(vertices, travellers, stream, begun, launch)
    }

    /// Returns whether the pool belongs to `graph`.
    pub(crate) fn is_of(&self, graph: &Graph) -> bool {
        is_same(&self.graph, graph)
    }

    /// Returns the number of bytes of device memory that dropping the pool frees.
    pub(crate) fn bytes(&self) -> u64 {
        self.taken
    }

    /// Returns the index of a topology's first page among the pages of both topologies.
    pub(super) fn first_page(&self, side: Side) -> usize {
        match side {
            Side::Out => 0,
            Side::In => self.graph.out_topology().num_pages() as usize,
        }
    }

    /// Returns the side under which a topology's pages are cached. In a symmetric graph, both sides share the same
    /// pages, which are cached as out-pages.
    pub(super) fn cached_side(&self, side: Side) -> Side {
        match self.graph.topology(side) {
            Some(topology) if identity(topology) == identity(self.graph.out_topology()) => Side::Out,
            _ => side,
        }
    }

    /// Returns the page table of a topology.
    pub(super) fn table(&self, side: Side) -> Option<&Arc<PageTable>> {
        self.tables[place(side)].as_ref()
    }

    /// Returns, per page of a topology, the number of edges in the lists that begin in the page.
    pub(super) fn edges(&self, side: Side) -> &Arc<[u64]> {
        &self.edges[place(side)]
    }

    /// Page-locks the pages of a topology that are in host memory, unless they are already locked. Passes lock only the
    /// topologies that they walk, because locking takes as long as copying the topology once or twice.
    pub(super) fn lock_pages(&mut self, shared: &DeviceState, side: Side) -> Result<()> {
        let Some(topology) = self.graph.topology(side) else { return Ok(()) };
        let (locks, locked) = &mut self.locks[place(side)];
        let bytes = topology.source().host_bytes();
        if *locked != bytes {
            *locks = Arc::new(shared.residents.page_locks(&shared.context, &self.graph, topology)?);
            *locked = bytes;
        }
        Ok(())
    }

    /// Returns the locks on a topology's pages in host memory.
    pub(super) fn locks(&self, side: Side) -> &Arc<PageLocks> {
        &self.locks[place(side)].0
    }

    /// Clears the page lists for a new pass. The previous pass must be complete.
    pub(super) fn clear_lists(&mut self) {
        self.listed = 0;
    }

    /// Appends references to the lists of the pass, which [`Pool::send_lists`] copies to the device.
    pub(super) fn list(&mut self, references: &References) -> PageLists {
        let bytes = bytemuck::cast_slice(&references.all);
        let at = self.listed * PAGE_REF;
        self.host_lists.as_mut_slice()[at..at + bytes.len()].copy_from_slice(bytes);
        self.listed += bytes.len() / PAGE_REF;
        references.lists(self.lists.address() + at as u64)
    }

    /// Copies the lists of the pass to the device.
    pub(super) fn send_lists(&self, stream: &Stream) -> Result<()> {
        stream.upload(&self.lists, 0, &self.host_lists.as_slice()[..self.listed * PAGE_REF])
    }

    /// Discards an aborted pass.
    pub(super) fn reset(&mut self, poisoned: bool) {
        self.lanes.reset(poisoned);
        self.fetches.iter_mut().for_each(|fetches| fetches.reset(poisoned));
        self.cache.clear();
        self.scanned = None;
    }
}

/// Returns the number of pages in both topologies of a graph. The pages of a symmetric graph are counted twice.
fn total_pages(graph: &Graph) -> usize {
    [Side::Out, Side::In].into_iter().filter_map(|side| graph.topology(side)).map(|it| it.num_pages() as usize).sum()
}

/// Creates the lanes in the available memory. If an allocation fails, retries with less memory: the memory may be
/// fragmented, or another process may have allocated part of it. Returns the lanes, the lanes for forwarded pages, and
/// the number of cache frames.
fn lanes(
    context: &Arc<Context>,
    graph: &Graph,
    options: &CudaOptions,
    share: &PageShare,
    relayed: bool,
    travelling: Travelling,
) -> Result<(Lanes, Option<Lanes>, u32)> {
    let page_bytes = graph.out_topology().format().page_size() as usize;
    let mut distinct = vec![graph.out_topology()];
    distinct.extend(graph.topology(Side::In).filter(|other| identity(other) != identity(distinct[0])));
    let pages = distinct.iter().map(|topology| topology.num_pages()).fold(0u32, u32::saturating_add);
    let available = context.available()?.saturating_sub(RESERVE);
    let mut wanted = Wanted {
        available,
        page_bytes: page_bytes as u64,
        pages,
        streams: options.streams,
        group_bytes: tuning::CUDA_GROUP_BYTES,
        cache: options.cache != CacheChoice::Off,
        devices: share.count(),
        together: if share.is_whole() { 1 } else { share.group(graph.out_topology()) },
        relayed,
        travelling,
    };
    loop {
        let Some(layout) = wanted.layout() else {
            return Err(Error::OutOfMemory {
                device: context.name().to_owned(),
                what: "staging the graph's pages beside attributes and tables".to_owned(),
                needed: wanted.least() + RESERVE,
                free: available,
                remedy: Advice::new(
                    "give the device more --device-memory, or build the graph with a smaller --page-size",
                    "allow more `device_memory`, or build the graph with a smaller `page_size`",
                ),
            });
        };
        let both = || -> Result<_> {
            let fetches = || Lanes::of_fetches(context, layout.of_fetches(), page_bytes);
            let fetches = (layout.fetching > 0).then(fetches).transpose()?;
            Ok((Lanes::new(context, layout, page_bytes)?, fetches, layout.frames))
        };
        match both() {
            Err(Error::OutOfMemory { .. }) => wanted.available = wanted.available / 8 * 7,
            lanes => return lanes,
        }
    }
}
