//! A device that spans several processes. Each rank of a group has a replica of the attributes on each of its devices,
//! and visits its share of the pages. After a pass, the ranks exchange messages to make their replicas equal, as the
//! devices of one process do ([`gts_device::replicated`]).
//!
//! Kernels that are not replicable run only on rank 0, which then sends the results to the other ranks.
//!
//! | module | content |
//! |---|---|
//! | here | [`DistributedDevice`] |
//! | `session` | passes: the joint decisions of all ranks, and the work of each rank |
//! | `between` | the transport of values between ranks |
//! | `merge` | merges of the ranks' replicas in host memory |
//! | `work` | counters of this rank's work |
//! | `packed` | densely packed values of the active vertices |

mod between;
mod merge;
mod packed;
mod session;
mod work;

use crate::{Call, CountedGroup, Group, Place};
use between::{AgreedTransport, TransportChoice};
use gts_contract::{Schema, Side};
use gts_core::graph::Graph;
use gts_core::store::StoreProgress;
use gts_core::units::counted;
use gts_device::error::{Error, Result};
use gts_device::{
    BetweenRanks, Device, MemoryTaken, PageShare, PageShares, RankWork, Session, SessionOptions, is_same, topologies,
};
use session::DistributedSession;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use work::WorkRecorder;

pub use between::Collectives;

/// One rank's part of a device that spans all ranks of a group.
///
/// A group executes one run at a time. A run must end before the passes of the next run begin.
#[derive(Clone)]
pub struct DistributedDevice {
    own: Arc<dyn Device>,
    group: Arc<CountedGroup>,
    choice: Arc<Mutex<TransportChoice>>,
    recorder: Arc<WorkRecorder>,
    /// The current graph and the distribution of its pages.
    known: Arc<Mutex<Option<SharedGraph>>>,
}

/// A graph and the distribution of its pages.
#[derive(Clone)]
struct SharedGraph {
    graph: Graph,
    shares: Arc<PageShares>,
    /// The share of this rank.
    share: PageShare,
    /// A hash for detecting ranks with different graphs.
    fingerprint: u64,
}

impl std::fmt::Debug for DistributedDevice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("DistributedDevice").field(&self.name()).finish()
    }
}

impl DistributedDevice {
    /// Creates the device of this rank from the rank's local device, which may combine several devices. All ranks must
    /// have the same number and kind of devices. Ranks on GPUs choose the transport of values together.
    ///
    /// # Errors
    ///
    /// The group has more than [`PageShares::MOST`] devices, or a rank is lost or at a different point.
    pub fn new(own: Arc<dyn Device>, group: Arc<dyn Group>) -> Result<Self> {
        Self::with_collectives(own, group, Collectives::Auto)
    }

    /// Creates the device as [`DistributedDevice::new`] does, with a given method for making the ranks' attributes
    /// equal.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`DistributedDevice::new`], and an error if NCCL is required but a rank lacks NCCL.
    pub fn with_collectives(own: Arc<dyn Device>, group: Arc<dyn Group>, collectives: Collectives) -> Result<Self> {
        let devices = own.parts();
        if group.size() * devices > PageShares::MOST {
            return Err(Error::argument(
                format_args!("{} ranks of {devices} devices each", group.size()),
                format_args!("start at most {} ranks", PageShares::MOST / devices),
            ));
        }
        let group = Arc::new(CountedGroup::new(group));
        let choice = Arc::new(Mutex::new(TransportChoice::begin(group.as_ref(), own.as_ref(), collectives)?));
        Ok(Self { own, group, choice, recorder: Arc::default(), known: Arc::default() })
    }

    fn choice(&self) -> MutexGuard<'_, TransportChoice> {
        self.choice.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the transport of values between ranks, if the choice is complete.
    fn settled(&self) -> Option<AgreedTransport> {
        self.choice().settled().cloned()
    }

    /// Returns the distribution of a graph's pages. The first call for a graph compares the graph with the graphs of
    /// the other ranks, and then loads this rank's share.
    fn known(&self, graph: &Graph, progress: StoreProgress<'_>) -> Result<SharedGraph> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(known) = known.filter(|known| is_same(&known.graph, graph)) {
            return Ok(known);
        }
        let fingerprint = self.compare(graph)?;
        let devices = self.own.parts();
        let shares = PageShares::even(graph, self.group.size() * devices);
        let share = shares.groups_of(devices).nth(self.group.rank()).unwrap_or_default();
        share.read(graph, progress)?;
        let known = SharedGraph { graph: graph.clone(), shares, share, fingerprint };
        *self.known.lock().unwrap_or_else(PoisonError::into_inner) = Some(known.clone());
        Ok(known)
    }

    /// Checks that all ranks have the same graph. Returns the graph's fingerprint.
    fn compare(&self, graph: &Graph) -> Result<u64> {
        let (group, fingerprint) = (self.group.as_ref(), fingerprint(graph));
        let (vertices, edges) = (counted(graph.num_vertices(), "vertex"), counted(graph.num_edges(), "edge"));
        let (devices, name) = (self.own.parts(), self.own.name());
        let kind = name.split([' ', ':']).next().unwrap_or_default();
        let what = format_args!("a graph of {vertices} and {edges}, with {devices} x {kind}");
        let place = Place::new(what, fingerprint);
        let all = group.all_gather(&Call::new(&place), &graph.content().to_le_bytes())?;
        let contents = || all.iter().map(|content| u64::from_le_bytes(bytemuck::pod_read_unaligned(content)));
        let first = contents().next().unwrap_or_default();
        let with = |content: u64| format!("at a graph with the content {content:016x}");
        (0..).zip(contents()).find(|other| other.1 != first).map_or(Ok(fingerprint), |(rank, content)| {
            Err(Error::RanksDiffer { own: 0, here: with(first), rank, there: with(content) })
        })
    }
}

/// Returns a hash that distinguishes graphs without reading their edges. The hash covers the sizes, the properties, and
/// the first vertex of every page.
fn fingerprint(graph: &Graph) -> u64 {
    let mut hasher = DefaultHasher::new();
    (graph.num_vertices(), graph.num_edges(), format!("{:?}", graph.properties())).hash(&mut hasher);
    for topology in [Side::Out, Side::In].into_iter().filter_map(|side| graph.topology(side)) {
        (topology.format().page_size(), topology.rvt().start_vids()).hash(&mut hasher);
    }
    hasher.finish()
}

impl Device for DistributedDevice {
    fn name(&self) -> String {
        format!("{} on each of {} ranks", self.own.name(), self.group.size())
    }

    fn names(&self) -> Vec<String> {
        self.own.names()
    }

    fn start(&self, graph: &Graph, schema: &'static Schema, options: &SessionOptions) -> Result<Box<dyn Session>> {
        let known = self.known(graph, &|_, _| ())?;
        let way = self.choice().settle(self.group.as_ref())?;
        let own = self.own.start(graph, schema, options)?;
        let (vertices, edges) = (counted(graph.num_vertices(), "vertex"), counted(graph.num_edges(), "edge"));
        let start = format!("the start of `{}` on a graph of {vertices} and {edges}", schema.name);
        self.group.barrier(&Call::new(&Place::new(start, (known.fingerprint, own.vertex_bytes()))))?;
        Ok(Box::new(DistributedSession::new(self, known, schema, (own, way), options.trace.clone())))
    }

    fn load(&self, graph: &Graph, progress: StoreProgress<'_>) -> Result<()> {
        self.known(graph, progress).map(drop)
    }

    fn keeps_time(&self) -> bool {
        // If several ranks enforced the limit, they might stop at different passes.
        self.group.rank() == 0
    }

    fn ranks(&self) -> Result<Vec<RankWork>> {
        let exchanged = self.group.exchanged();
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let topologies = known.iter().flat_map(|known| topologies(&known.graph));
        let (held, pages) = topologies.fold((0, 0), |(held, pages), topology| {
            (held + u64::from(topology.pages_in_memory()), pages + u64::from(topology.num_pages()))
        });
        let by_nccl = self.settled().map(|way| way.exchanged()).unwrap_or_default();
        let own = RankWork { pages_in_memory: held, pages, ..self.recorder.work(exchanged, by_nccl) };
        let place = Place::new("the account of the ranks", ());
        let all = self.group.all_gather(&Call::new(&place), &work::encoded(&own))?;
        Ok(all.iter().map(|told| work::decoded(told)).collect())
    }

    fn between_ranks(&self) -> Option<BetweenRanks> {
        self.settled().map(|way| way.told().clone())
    }

    fn forget(&self, graph: &Graph) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.as_ref().is_some_and(|known| is_same(&known.graph, graph)) {
            *known = None;
        }
        drop(known);
        self.own.forget(graph);
    }

    fn memory_taken(&self) -> Vec<MemoryTaken> {
        self.own.memory_taken()
    }
}
