//! The engine, which combines a device with the options of all runs on this device.

mod dealing;
mod opening;
mod options;
mod sharing;

use crate::choice::DeviceChoice;
use crate::report::RunReport;
use crate::run::Run;
use crate::shared::{EngineState, ProgressCallback};
use gts_contract::Technique;
use gts_core::cost::Strategy;
use gts_core::cost::hybrid::Model;
use gts_core::graph::Graph;
use gts_core::store::StoreProgress;
use gts_device::error::Result;
use gts_device::hybrid::Hybrid;
use gts_device::kernel::Attributes;
use gts_device::{BetweenRanks, CudaOptions, Device, MemoryTaken, Propagation, RankWork, SessionOptions, StepsBy};
use gts_group::{Collectives, Group};
use std::num::{NonZeroU32, NonZeroUsize};
use std::sync::Arc;
use std::time::Duration;

/// The maximum chunk size of a virtual warp, in consecutive vertices per lane (S. Hong, S. K. Kim, T. Oguntebi, K.
/// Olukotun: Accelerating CUDA graph algorithms at maximum warp, PPoPP 2011; M. Verstraaten, A. L. Varbanescu, C. de
/// Laat: Quantifying the performance impact of graph structure on neighbour iteration strategies for PageRank, Euro-Par
/// 2015).
pub const MAX_WARP_CHUNK: u32 = 10;

/// A device and the options of all runs on this device. Clones are cheap and share the device.
///
/// # Examples
///
/// The examples of the methods use these attributes and this kernel, and those of [`Run`]:
///
/// ```
/// use gts_graph::prelude::*;
///
/// /// Edges that end at each vertex.
/// #[gts_attributes]
/// struct Degrees {
///     #[wa(init = 0, merge = sum)]
///     into: u64,
/// }
///
/// #[gts_kernel(scan)]
/// fn count(degrees: &mut Degrees, src: Vertex, dst: Vertex) {
///     degrees.into[dst] += 1;
/// }
///
/// let graph = Graph::from_edges([(1, 2), (3, 2)])?;
/// let mut run = Engine::auto()?.start::<Degrees>(&graph)?;
/// run.scan(count)?;
/// assert_eq!(run.take(Degrees::INTO)?, [0, 2, 0]);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone)]
pub struct Engine {
    shared: Arc<EngineState>,
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine").field("device", &self.device_name()).finish_non_exhaustive()
    }
}

impl Engine {
    /// Creates an engine on CUDA device 0, or on the CPU if that device does not work.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Threads`](crate::Error::Threads) if the threads of the CPU device cannot be started.
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_graph::prelude::*;
    /// let engine = Engine::auto()?;
    /// # let name = engine.device_name();
    /// println!("runs on {}", engine.device_name());
    /// # assert!(name.starts_with("cpu") || name.starts_with("cuda:0"), "{name}");
    /// # Ok::<(), Error>(())
    /// ```
    pub fn auto() -> Result<Self> {
        Self::builder().build()
    }

    /// Creates an engine on the CPU.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Threads`](crate::Error::Threads) if the threads of the CPU device cannot be started.
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_graph::prelude::*;
    /// let engine = Engine::cpu()?;
    /// assert!(engine.device_name().starts_with("cpu"));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn cpu() -> Result<Self> {
        Self::builder().device(DeviceChoice::Cpu).build()
    }

    /// Returns a builder with default options.
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_graph::prelude::*;
    /// use std::num::NonZeroUsize;
    ///
    /// let engine = Engine::builder().device(DeviceChoice::Cpu).threads(NonZeroUsize::MIN).build()?;
    /// assert_eq!(engine.device_name(), "cpu (1 thread)");
    /// # Ok::<(), Error>(())
    /// ```
    pub fn builder() -> EngineBuilder {
        EngineBuilder::default()
    }

    /// Returns the device name to show to users, such as `cpu (2 threads)` or `cuda:0 NVIDIA H200`.
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_graph::prelude::*;
    /// # use std::num::NonZeroUsize;
    /// let engine = Engine::builder().device(DeviceChoice::Cpu).threads(NonZeroUsize::MIN).build()?;
    /// assert_eq!(engine.device_name(), "cpu (1 thread)");
    /// # Ok::<(), Error>(())
    /// ```
    pub fn device_name(&self) -> String {
        self.shared.device.name()
    }

    /// Returns the device. [`EngineBuilder::custom_device`] creates another engine on the same device with different
    /// options. Both engines then share the graphs and compiled kernels that the device caches.
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_graph::prelude::*;
    /// let engine = Engine::cpu()?;
    /// let checked = Engine::builder().custom_device(engine.device()).checked(true).build()?;
    /// assert_eq!(checked.device_name(), engine.device_name());
    /// # Ok::<(), Error>(())
    /// ```
    pub fn device(&self) -> Arc<dyn Device> {
        Arc::clone(&self.shared.device)
    }

    /// Returns the names of the devices that share the work, indexed by device number in a trace.
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_graph::prelude::*;
    /// let engine = Engine::cpu()?;
    /// assert_eq!(engine.device_names(), [engine.device_name()]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn device_names(&self) -> Vec<String> {
        self.shared.device.names()
    }

    /// Returns notices for users, one per line. For example, a notice reports that the cache of compiled kernels is
    /// off.
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_graph::prelude::*;
    /// let engine = Engine::cpu()?;
    /// for notice in engine.notices() {
    ///     eprintln!("note: {notice}");
    /// }
    /// # assert!(engine.notices().is_empty());
    /// # Ok::<(), Error>(())
    /// ```
    pub fn notices(&self) -> &[String] {
        &self.shared.notices
    }

    /// Starts a run: allocates the attributes of `A` for a graph and sets their initial values. No vertex is active.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Needs`](crate::Error::Needs) if the graph does not have the edge values that `A` requires,
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory) or [`Error::NoMemory`](crate::Error::NoMemory) if the
    /// attributes do not fit into memory, or [`Error::Poisoned`](crate::Error::Poisoned) if an earlier error has made
    /// the engine unusable.
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_graph::prelude::*;
    /// # #[gts_attributes] struct Hops { #[wa(init = UNREACHED, merge = min)] level: u32 }
    /// let graph = Graph::read("chain:3")?;
    /// let engine = Engine::cpu()?;
    /// let mut run = engine.start::<Hops>(&graph)?;
    /// assert_eq!(run.take(Hops::LEVEL)?, [u32::MAX; 3]);
    /// assert_eq!(run.frontier_size()?, 0);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn start<A: Attributes>(&self, graph: &Graph) -> Result<Run<A>> {
        Run::start(Arc::clone(&self.shared), graph.clone())
    }

    /// Reads the parts of an [on-demand](gts_core::store::OpenOptions::on_demand) graph that the devices traverse.
    /// Calls `progress` with the number of bytes read and the total. Without this call, the first run reads these
    /// parts.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Store`](crate::Error::Store) if pages cannot be read or are malformed,
    /// [`Error::NoMemory`](crate::Error::NoMemory) if memory is too small, or
    /// [`Error::RanksDiffer`](crate::Error::RanksDiffer) if the ranks have different graphs.
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_graph::prelude::*;
    /// use gts_graph::core::store::{self, OpenOptions};
    /// use std::num::NonZeroUsize;
    ///
    /// # let path = std::env::temp_dir().join(format!("gts-load-{}.gts", std::process::id()));
    /// # Graph::read("rmat:6")?.save(&path)?;
    /// let on_demand = OpenOptions { on_demand: Some(NonZeroUsize::MIN), ..OpenOptions::default() };
    /// let graph = Graph::reader(&path).opening(on_demand).read()?;
    /// Engine::cpu()?.load(&graph, &|read, total| eprintln!("{read} of {total} bytes"))?;
    /// let page = graph.out_topology().page(gts_graph::core::graph::PageId(0));
    /// assert!(page.is_some(), "the page is in memory");
    /// # store::remove(&store::io::FileSystem, &path)?;
    /// # Ok::<(), Error>(())
    /// ```
    pub fn load(&self, graph: &Graph, progress: StoreProgress<'_>) -> Result<()> {
        self.shared.device.load(graph, progress)
    }

    /// Drops the data of a graph that devices cache for later runs, for example when an intermediate graph is no longer
    /// needed. Runs in progress on the graph are not affected.
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_graph::prelude::*;
    /// # #[gts_attributes] struct Degrees { #[wa(init = 0, merge = sum)] into: u64 }
    /// # #[gts_kernel(scan)] fn count(degrees: &mut Degrees, src: Vertex, dst: Vertex) { degrees.into[dst] += 1; }
    /// let graph = Graph::read("rmat:6")?;
    /// let engine = Engine::cpu()?;
    /// let part = graph.subgraph(|edge| edge.src < edge.dst)?;
    /// engine.start::<Degrees>(&part)?.scan(count)?;
    /// engine.forget(&part);
    /// # assert!(engine.start::<Degrees>(&part)?.scan(count).is_ok());
    /// # Ok::<(), Error>(())
    /// ```
    pub fn forget(&self, graph: &Graph) {
        self.shared.device.forget(graph);
    }

    /// Returns the work that each rank has done, if several processes share the runs of this engine. Otherwise returns
    /// an empty list. All ranks must call this method at the same point of the program.
    ///
    /// # Errors
    ///
    /// Returns [`Error::LostRank`](crate::Error::LostRank) or [`Error::Aborted`](crate::Error::Aborted) if a rank is
    /// lost, or [`Error::RanksDiffer`](crate::Error::RanksDiffer) if a rank is at a different point of the program.
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_graph::prelude::*;
    /// # use gts_graph::group::threads;
    /// # use std::sync::Arc;
    /// # #[gts_attributes] struct Degrees { #[wa(init = 0, merge = sum)] into: u64 }
    /// # #[gts_kernel(scan)] fn count(degrees: &mut Degrees, src: Vertex, dst: Vertex) { degrees.into[dst] += 1; }
    /// let graph = Graph::read("chain:10")?;
    /// let walked = threads::ranks(2, |group| {
    ///     let engine = Engine::builder().device(DeviceChoice::Cpu).group(Arc::new(group)).build()?;
    ///     engine.start::<Degrees>(&graph)?.scan(count)?;
    ///     Ok(engine.ranks()?.iter().map(|rank| rank.edges).sum::<u64>())
    /// })?;
    /// assert_eq!(walked, [18, 18]);
    /// assert!(Engine::cpu()?.ranks()?.is_empty());
    /// # Ok::<(), Error>(())
    /// ```
    pub fn ranks(&self) -> Result<Vec<RankWork>> {
        self.shared.device.ranks()
    }

    /// Returns how values are transferred between ranks, if several processes share the runs of this engine. Ranks on
    /// GPUs choose the transport when their first run starts.
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_graph::prelude::*;
    /// # use gts_graph::group::threads;
    /// # use std::sync::Arc;
    /// # use gts_graph::device::BetweenRanks;
    /// let transports = threads::ranks(2, |group| {
    ///     let engine = Engine::builder().device(DeviceChoice::Cpu).group(Arc::new(group)).build()?;
    ///     Ok(engine.between_ranks())
    /// })?;
    /// assert_eq!(transports[0], Some(BetweenRanks::HostMemory(None)));
    /// assert_eq!(Engine::cpu()?.between_ranks(), None);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn between_ranks(&self) -> Option<BetweenRanks> {
        self.shared.device.between_ranks()
    }

    /// Returns the allocated memory of each device that has its own memory. The list is empty on the CPU.
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_graph::prelude::*;
    /// let engine = Engine::cpu()?;
    /// for taken in engine.memory_taken() {
    ///     println!("{}: at most {} bytes", taken.device, taken.peak);
    /// }
    /// # assert!(engine.memory_taken().is_empty());
    /// # Ok::<(), Error>(())
    /// ```
    pub fn memory_taken(&self) -> Vec<MemoryTaken> {
        self.shared.device.memory_taken()
    }

    /// Returns the report of all runs of this engine since the last call.
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_graph::prelude::*;
    /// # #[gts_attributes] struct Degrees { #[wa(init = 0, merge = sum)] into: u64 }
    /// # #[gts_kernel(scan)] fn count(degrees: &mut Degrees, src: Vertex, dst: Vertex) { degrees.into[dst] += 1; }
    /// let graph = Graph::read("chain:10")?;
    /// let engine = Engine::cpu()?;
    /// engine.start::<Degrees>(&graph)?.scan(count)?;
    /// let report = engine.take_report();
    /// assert_eq!((report.kernels[0].passes, report.edges()), (1, 18));
    /// assert!(engine.take_report().kernels.is_empty());
    /// # Ok::<(), Error>(())
    /// ```
    pub fn take_report(&self) -> RunReport {
        self.shared.recorder.take()
    }

    /// Ends the current pass and all later passes with [`Error::Interrupted`](crate::Error::Interrupted). Any thread
    /// may call this method.
    ///
    /// # Examples
    ///
    /// ```
    /// # use gts_graph::prelude::*;
    /// # #[gts_attributes] struct Degrees { #[wa(init = 0, merge = sum)] into: u64 }
    /// # #[gts_kernel(scan)] fn count(degrees: &mut Degrees, src: Vertex, dst: Vertex) { degrees.into[dst] += 1; }
    /// let graph = Graph::read("chain:10")?;
    /// let engine = Engine::cpu()?;
    /// let mut run = engine.start::<Degrees>(&graph)?;
    /// // A handler of Ctrl-C would call this method.
    /// engine.interrupt();
    /// assert!(matches!(run.scan(count), Err(Error::Interrupted)));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn interrupt(&self) {
        self.shared.interrupt.stop();
    }
}

/// The options of an [`Engine`].
#[derive(Clone, Default)]
pub struct EngineBuilder {
    device: DeviceChoice,
    custom: Option<Arc<dyn Device>>,
    threads: Option<NonZeroUsize>,
    technique: Option<Technique>,
    warp_chunk: Option<NonZeroU32>,
    propagation: Propagation,
    steps_by: StepsBy,
    max_steps: Option<u32>,
    seed: u64,
    checked: bool,
    time_limit: Option<Duration>,
    progress: Option<ProgressCallback>,
    session: SessionOptions,
    cuda: CudaOptions,
    devices: Option<NonZeroUsize>,
    strategy: Option<Strategy>,
    hybrid: Option<Hybrid>,
    sharing_model: Option<Arc<Model>>,
    group: Option<Arc<dyn Group>>,
    collectives: Collectives,
}
