//! The engine, which combines a device with the options of all runs on this device.

mod dealing;

use crate::choice::DeviceChoice;
use crate::device::gpus;
use crate::report::{Recorder, RunReport};
use crate::run::Run;
use crate::shared::{EngineState, ProgressCallback};
use gts_contract::Technique;
use gts_core::advice::Advice;
use gts_core::cost::Strategy;
use gts_core::cost::hybrid::Model;
use gts_core::graph::Graph;
use gts_core::phase::{self, Phase};
use gts_core::store::StoreProgress;
use gts_cpu::CpuDevice;
use gts_device::error::{Error, Result};
use gts_device::hybrid::{self, Hybrid, Sides};
use gts_device::kernel::Attributes;
use gts_device::trace::Trace;
use gts_device::{
    BetweenRanks, CacheChoice, CudaOptions, Device, MemoryTaken, Propagation, RankWork, SessionOptions, StepsBy,
    TransferChoice,
};
use gts_group::{Collectives, DistributedDevice, Group};
use std::num::{NonZeroU32, NonZeroUsize};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// The maximum chunk size of a virtual warp, in consecutive vertices per lane (S. Hong, S. K. Kim, T. Oguntebi, K.
/// Olukotun: Accelerating CUDA graph algorithms at maximum warp, PPoPP 2011; M. Verstraaten, A. L. Varbanescu, C. de
/// Laat: Quantifying the performance impact of graph structure on neighbour iteration strategies for PageRank, Euro-Par
/// 2015).
pub const MAX_WARP_CHUNK: u32 = 10;

/// A device and the options of all runs on this device. Clones are cheap and share the device.
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
    /// The threads of the CPU device cannot be started.
    pub fn auto() -> Result<Self> {
        Self::builder().build()
    }

    /// Creates an engine on the CPU.
    ///
    /// # Errors
    ///
    /// The threads of the CPU device cannot be started.
    pub fn cpu() -> Result<Self> {
        Self::builder().device(DeviceChoice::Cpu).build()
    }

    /// Returns a builder with default options.
    pub fn builder() -> EngineBuilder {
        EngineBuilder::default()
    }

    /// Returns the device name to show to users, such as `cpu (2 threads)` or `cuda:0 NVIDIA H200`.
    pub fn device_name(&self) -> String {
        self.shared.device.name()
    }

    /// Returns the device. [`EngineBuilder::custom_device`] creates another engine on the same device with different
    /// options. Both engines then share the graphs and compiled kernels that the device caches.
    pub fn device(&self) -> Arc<dyn Device> {
        Arc::clone(&self.shared.device)
    }

    /// Returns the names of the devices that share the work, indexed by device number in a trace.
    pub fn device_names(&self) -> Vec<String> {
        self.shared.device.names()
    }

    /// Returns notices for users, one per line. For example, a notice reports that the cache of compiled kernels is
    /// off.
    pub fn notices(&self) -> &[String] {
        &self.shared.notices
    }

    /// Starts a run: allocates the attributes of `A` for a graph and sets their initial values. No vertex is active.
    ///
    /// # Errors
    ///
    /// The graph does not have the edge values that `A` requires, device memory is too small, or the engine is unusable
    /// because of an earlier error.
    pub fn start<A: Attributes>(&self, graph: &Graph) -> Result<Run<A>> {
        self.shared.check()?;
        Run::start(Arc::clone(&self.shared), graph.clone())
    }

    /// Reads the parts of an [on-demand](gts_core::store::OpenOptions::on_demand) graph that the devices traverse.
    /// Calls `progress` with the number of bytes read and the total. Without this call, the first run reads these
    /// parts.
    ///
    /// # Errors
    ///
    /// Pages cannot be read or are malformed, or the ranks have different graphs.
    pub fn load(&self, graph: &Graph, progress: StoreProgress<'_>) -> Result<()> {
        self.shared.device.load(graph, progress)
    }

    /// Drops the data of a graph that devices cache for later runs, for example when an intermediate graph is no longer
    /// needed. Runs in progress on the graph are not affected.
    pub fn forget(&self, graph: &Graph) {
        self.shared.device.forget(graph);
    }

    /// Returns the work that each rank has done, if several processes share the runs of this engine. Otherwise returns
    /// an empty list. All ranks must call this method at the same point of the program.
    ///
    /// # Errors
    ///
    /// A rank is lost, or is at a different point of the program.
    pub fn ranks(&self) -> Result<Vec<RankWork>> {
        self.shared.device.ranks()
    }

    /// Returns how values are transferred between ranks, if several processes share the runs of this engine. Ranks on
    /// GPUs choose the transport when their first run starts.
    pub fn between_ranks(&self) -> Option<BetweenRanks> {
        self.shared.device.between_ranks()
    }

    /// Returns the allocated memory of each device that has its own memory. The list is empty on the CPU.
    pub fn memory_taken(&self) -> Vec<MemoryTaken> {
        self.shared.device.memory_taken()
    }

    /// Returns the report of all runs of this engine since the last call.
    pub fn take_report(&self) -> RunReport {
        self.shared.recorder.take()
    }

    /// Ends the current pass and all later passes with [`Error::Interrupted`]. Any thread may call this method.
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

impl EngineBuilder {
    /// Sets the device; [`DeviceChoice::Auto`] by default.
    #[must_use]
    pub fn device(mut self, device: DeviceChoice) -> Self {
        self.device = device;
        self
    }

    /// Sets a custom device or [the device of another engine](Engine::device), instead of a [`DeviceChoice`].
    #[must_use]
    pub fn custom_device(mut self, device: Arc<dyn Device>) -> Self {
        self.custom = Some(device);
        self
    }

    /// Sets how the CPU and the GPUs of [`DeviceChoice::Hybrid`] share the edges of a graph. By default, the GPUs
    /// process all edges.
    #[must_use]
    pub fn hybrid(mut self, hybrid: Hybrid) -> Self {
        self.hybrid = Some(hybrid);
        self
    }

    /// Sets the cost model for hybrid runs of one algorithm on one graph. If [`Hybrid::alpha`] is not set, the model
    /// [chooses](Model::choose) the CPU's share of the edges. Runs that scan all edges several times
    /// [adjust](Model::adjust) the share after their first passes, once per graph, and report the adjustment in
    /// [`RunReport::adjustment`]. Groups of processes do not share work with their CPUs.
    #[must_use]
    pub fn sharing_model(mut self, model: Arc<Model>) -> Self {
        self.sharing_model = Some(model);
        self
    }

    /// Sets the group of processes that share each run. This process is a rank of the group, and all ranks must have
    /// the same options. Each rank uses [`devices`](Self::devices) GPUs of its machine, starting with the chosen one,
    /// or the CPU. With [`DeviceChoice::Auto`], ranks run on CPUs if there are too few GPUs.
    #[must_use]
    pub fn group(mut self, group: Arc<dyn Group>) -> Self {
        self.group = Some(group);
        self
    }

    /// Sets how the ranks of a group merge their attributes after a pass; [`Collectives::Auto`] by default.
    #[must_use]
    pub fn collectives(mut self, collectives: Collectives) -> Self {
        self.collectives = collectives;
        self
    }

    /// Sets the number of threads of the CPU device. The default is one thread per core that does not feed a GPU.
    #[must_use]
    pub fn threads(mut self, threads: NonZeroUsize) -> Self {
        self.threads = Some(threads);
        self
    }

    /// Sets the mapping of edges to threads. The default is the kernel's technique, or the device's choice if the
    /// kernel does not specify one.
    #[must_use]
    pub fn technique(mut self, technique: Option<Technique>) -> Self {
        self.technique = technique;
        self
    }

    /// Sets the chunk size of virtual warps, from 1 to [`MAX_WARP_CHUNK`]. A chunk consists of consecutive vertices,
    /// `chunk` per lane, which one virtual warp processes one after another. By default, virtual warps process single
    /// vertices in turn. Chunks require [`Technique::Edge`], set by [`EngineBuilder::technique`].
    #[must_use]
    pub fn warp_chunk(mut self, chunk: NonZeroU32) -> Self {
        self.warp_chunk = Some(chunk);
        self
    }

    /// Sets whether kernels that have both forms push or pull values along edges. By default, the device chooses.
    #[must_use]
    pub fn propagation(mut self, propagation: Propagation) -> Self {
        self.propagation = propagation;
        self
    }

    /// Sets whether the host or the device starts the steps of traversals. By default, the device chooses.
    #[must_use]
    pub fn steps_by(mut self, steps_by: StepsBy) -> Self {
        self.steps_by = steps_by;
        self
    }

    /// Sets the maximum number of steps of a traversal; `u32::MAX` by default.
    #[must_use]
    pub fn max_steps(mut self, steps: u32) -> Self {
        self.max_steps = Some(steps);
        self
    }

    /// Sets checked mode; off by default. In checked mode, a pass ends with a fault if a body stores or merges a NaN, or
    /// if a sum of terms of both signs leaves the range of its integer type on the way. All other checks are
    /// always on. On a GPU, checked mode compiles separate programs.
    #[must_use]
    pub fn checked(mut self, checked: bool) -> Self {
        self.checked = checked;
        self
    }

    /// Sets the seed of random numbers in kernels; 0 by default. Equal seeds yield equal numbers on all devices.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Sets the time limit of a run, measured from its start. By default, there is no limit.
    #[must_use]
    pub fn time_limit(mut self, limit: Duration) -> Self {
        self.time_limit = Some(limit);
        self
    }

    /// Sets a callback that is called once per pass.
    #[must_use]
    pub fn progress(mut self, callback: ProgressCallback) -> Self {
        self.progress = Some(callback);
        self
    }

    /// Sets the trace in which runs record their reads, copies, launches and merges. By default, the trace is off.
    #[must_use]
    pub fn trace(mut self, trace: Trace) -> Self {
        self.session.trace = trace;
        self
    }

    /// Sets the memory limit of each CUDA device in bytes. The default is the free memory minus a margin. Pages that do
    /// not fit are streamed from the host.
    #[must_use]
    pub fn device_memory(mut self, bytes: u64) -> Self {
        self.cuda.memory = Some(bytes);
        self
    }

    /// Sets the number of CUDA devices that share the work, starting with the chosen one; 1 by default.
    #[must_use]
    pub fn devices(mut self, devices: NonZeroUsize) -> Self {
        self.devices = Some(devices);
        self
    }

    /// Sets how CUDA devices share the work. The strategy also applies to a single device. With Strategy-P, each device
    /// has the updatable attributes of all vertices and a share of the pages. With Strategy-S, each device has a part
    /// of the attributes and processes all pages. The default is Strategy-P if the attributes fit.
    #[must_use]
    pub fn strategy(mut self, strategy: Option<Strategy>) -> Self {
        self.strategy = strategy;
        self
    }

    /// Sets the number of CUDA streams that process streamed pages, from 1 to [`crate::device::MAX_STREAMS`]; 2 by
    /// default.
    #[must_use]
    pub fn streams(mut self, streams: u32) -> Self {
        self.cuda.streams = streams;
        self
    }

    /// Sets which streamed pages the device caches. The default depends on the kind of kernel.
    #[must_use]
    pub fn cache(mut self, cache: CacheChoice) -> Self {
        self.cuda.cache = cache;
        self
    }

    /// Sets how pages outside the cache are transferred to the device. By default, the choice depends on the share of a
    /// page that a traversal needs.
    #[must_use]
    pub fn transfer(mut self, transfer: TransferChoice) -> Self {
        self.cuda.transfer = transfer;
        self
    }

    /// Checks the options that do not require an open device. [`EngineBuilder::build`] calls this method.
    ///
    /// # Errors
    ///
    /// The options contradict each other.
    pub fn check(&self) -> Result<()> {
        check_warp_chunk(self.warp_chunk, self.technique)?;
        check_edge_list(self.technique, self.propagation)
    }

    /// Builds the engine.
    ///
    /// # Errors
    ///
    /// The requested device is not available, or the options contradict each other. With [`DeviceChoice::Auto`], an
    /// unavailable GPU is not an error, unless several devices were requested.
    pub fn build(self) -> Result<Engine> {
        self.check()?;
        gts_core::threads::prepare()?;
        phase::during(Phase::Device, || self.open())
    }

    fn open(mut self) -> Result<Engine> {
        let count = self.devices.map_or(1, NonZeroUsize::get);
        let mut notices = Vec::new();
        if let (Some(group), None) = (&self.group, &self.custom) {
            let asked = self.device;
            self.device = dealing::choose(group.as_ref(), asked, count, self.strategy)?;
            if self.device != DeviceChoice::Cpu {
                prepare_nccl(group.as_ref(), self.collectives);
            }
            self.strategy = Some(Strategy::Pages);
            if asked == DeviceChoice::Auto && self.device == DeviceChoice::Cpu && gpus::count().is_ok() {
                notices.push("the ranks run on CPUs: there are too few GPUs for all of them".to_owned());
            }
        }
        let mut compiles = |device: Arc<dyn Device>| {
            notices.extend(gpus::problems());
            device
        };
        if self.custom.is_none() {
            self.device.check_sharing(self.hybrid.is_some(), self.strategy)?;
        }
        let device = match (self.custom, self.device) {
            (Some(device), _) => device,
            (None, DeviceChoice::Cpu) if count > 1 => {
                return Err(Error::argument_with_advice(
                    format!("{count} devices"),
                    "there is one CPU",
                    Advice::new("give --threads instead of --devices", "spread work over it with `threads`"),
                ));
            }
            (None, DeviceChoice::Cpu) => cpu(self.threads)?,
            (None, DeviceChoice::Cuda(number)) => compiles(gpus::open(number, count, self.cuda, self.strategy)?),
            (None, DeviceChoice::Hybrid(number)) => {
                let asked = self.hybrid.unwrap_or_default();
                let model = self.sharing_model.filter(|_| asked.alpha.is_none());
                let chosen = model.as_ref().map(|model| model.choose().alpha);
                let hybrid = Hybrid { alpha: asked.alpha.or(chosen), ..asked };
                match hybrid.sides(count)? {
                    Sides::Gpus => {
                        let device = compiles(gpus::open(number, count, self.cuda, self.strategy)?);
                        if hybrid.alpha.is_none() {
                            notices.push("alpha was not set: the GPUs have all edges, and the CPU has none".to_owned());
                        }
                        device
                    }
                    Sides::Cpu => {
                        // Open the GPUs even if the CPU processes all edges, so that a request for missing GPUs fails.
                        gpus::check(number, count, self.cuda)?;
                        cpu(self.threads)?
                    }
                    Sides::Both(weights) => {
                        let threads = self.threads.unwrap_or_else(|| hybrid::threads_beside(count));
                        let cpu = || CpuDevice::new(Some(threads));
                        let together = gpus::beside_cpu((number, count), self.cuda, cpu, &weights, hybrid.placement)?;
                        compiles(Arc::new(match model.filter(|model| model.is_adjusted()) {
                            Some(model) => together.adjusted_by(Arc::new(move |measured| model.adjust(measured))),
                            None => together,
                        }))
                    }
                }
            }
            (None, DeviceChoice::Auto) => match gpus::open(0, count, self.cuda, self.strategy) {
                Ok(device) => compiles(device),
                // A request for several GPUs must not fall back to the CPU.
                Err(error) if count > 1 => return Err(error),
                Err(_) => cpu(self.threads)?,
            },
        };
        let device = match self.group {
            Some(group) => Arc::new(DistributedDevice::with_collectives(device, group, self.collectives)?),
            None => device,
        };
        Ok(Engine {
            shared: Arc::new(EngineState {
                device,
                technique: self.technique,
                warp_chunk: self.warp_chunk,
                propagation: self.propagation,
                steps_by: self.steps_by,
                max_steps: self.max_steps.unwrap_or(u32::MAX),
                seed: self.seed,
                checked: self.checked,
                time_limit: self.time_limit,
                progress: self.progress,
                session: self.session,
                interrupt: Arc::default(),
                recorder: Recorder::default(),
                poison: OnceLock::new(),
                notices,
            }),
        })
    }
}

/// Fails if a chunk is too large, or if the technique does not use virtual warps.
fn check_warp_chunk(chunk: Option<NonZeroU32>, technique: Option<Technique>) -> Result<()> {
    let Some(chunk) = chunk else { return Ok(()) };
    if chunk.get() > MAX_WARP_CHUNK {
        return Err(Error::argument(
            format_args!("chunk {chunk}"),
            format_args!("expected 1 to {MAX_WARP_CHUNK} times the lanes of a virtual warp"),
        ));
    }
    if matches!(technique, Some(Technique::Edge(_))) {
        return Ok(());
    }
    let technique = technique.map_or("auto", Technique::name);
    Err(Error::argument_with_advice(
        format_args!("chunk {chunk}"),
        format_args!("technique `{technique}` has no virtual warps to take chunks of vertices"),
        Advice::new("give --technique edge32 too, or leave --chunk out", "choose a `Technique::Edge` too"),
    ))
}

/// Fails if a run would pull along edge lists, because pulling needs the receivers' adjacency lists, which edge lists
/// replace.
fn check_edge_list(technique: Option<Technique>, propagation: Propagation) -> Result<()> {
    match technique.filter(|technique| technique.edge_list().is_some()) {
        Some(technique) if propagation.pulls() => Err(Error::argument_with_advice(
            format_args!("propagation `{}` by `{technique}`", propagation.name()),
            "a thread that takes an edge writes to its target",
            Advice::new(
                "leave --propagation out, or give another --technique",
                "leave `propagation` out, or choose another `Technique`",
            ),
        )),
        _ => Ok(()),
    }
}

fn cpu(threads: Option<NonZeroUsize>) -> Result<Arc<dyn Device>> {
    Ok(Arc::new(CpuDevice::new(threads)?))
}

/// Loads NCCL if ranks on GPUs may use it.
fn prepare_nccl(group: &dyn Group, collectives: Collectives) {
    if collectives != Collectives::Host && group.size() > 1 {
        gpus::prepare_nccl();
    }
}
