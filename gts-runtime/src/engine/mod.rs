//! The engine: a device and the options of every run on it.

mod dealing;

use crate::choice::DeviceChoice;
use crate::device::gpus;
use crate::report::{Progress, Recorder, RunReport};
use crate::run::Run;
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
use gts_device::kernel::{Attributes, StopFlag};
use gts_device::trace::Trace;
use gts_device::{
    BetweenRanks, CacheChoice, CudaOptions, Device, Limits, MemoryTaken, PassOutcome, Propagation, RankWork,
    SessionOptions, StepsBy, TransferChoice,
};
use gts_group::{Collectives, DistributedDevice, Group};
use std::num::{NonZeroU32, NonZeroUsize};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// Largest chunk of a virtual warp: it takes up to this multiple of its lanes as consecutive vertices (S. Hong, S. K.
/// Kim, T. Oguntebi, K. Olukotun: Accelerating CUDA graph algorithms at maximum warp, PPoPP 2011; M. Verstraaten, A. L.
/// Varbanescu, C. de Laat: Quantifying the performance impact of graph structure on neighbour iteration strategies for
/// PageRank, Euro-Par 2015).
pub const MAX_WARP_CHUNK: u32 = 10;

/// Called once per pass with the progress of the run.
pub type ProgressCallback = Arc<dyn Fn(&Progress) + Send + Sync>;

/// State that an engine shares with its runs.
pub(crate) struct Shared {
    pub(crate) device: Arc<dyn Device>,
    pub(crate) technique: Option<Technique>,
    pub(crate) warp_chunk: Option<NonZeroU32>,
    pub(crate) propagation: Propagation,
    pub(crate) steps_by: StepsBy,
    pub(crate) max_steps: u32,
    pub(crate) seed: u64,
    pub(crate) time_limit: Option<Duration>,
    pub(crate) progress: Option<ProgressCallback>,
    pub(crate) session: SessionOptions,
    pub(crate) interrupt: Arc<StopFlag>,
    pub(crate) recorder: Recorder,
    poison: OnceLock<Error>,
    notices: Vec<String>,
}

impl Shared {
    /// Records the first error that makes the device unusable.
    pub(crate) fn note(&self, error: Error) -> Error {
        if error.is_sticky() {
            // Only the first error names the cause; later ones are its consequences.
            let _ = self.poison.set(error.clone());
        }
        error
    }

    pub(crate) fn check(&self) -> Result<()> {
        match self.poison.get() {
            Some(error) => Err(Error::Poisoned(Box::new(error.clone()))),
            None => Ok(()),
        }
    }

    /// Records a pass, and calls the progress callback if there is one.
    pub(crate) fn tell(
        &self,
        kernel: &'static str,
        step: u32,
        outcome: &PassOutcome,
        frontier: Option<u64>,
        time: Duration,
    ) {
        self.recorder.pass(kernel, outcome, time);
        if let Some(callback) = &self.progress {
            callback(&Progress { kernel, step, edges: outcome.edges, frontier, time });
        }
    }

    /// Returns the limits of a pass that starts now, in a run that started at `start`.
    pub(crate) fn limits(&self, start: Instant) -> Limits {
        let kept = self.time_limit.filter(|_| self.device.keeps_time());
        Limits { deadline: kept.map(|limit| (limit, start + limit)), interrupt: Arc::clone(&self.interrupt) }
    }
}

/// A device and the options of every run on it. Cheap to clone; clones share the device.
#[derive(Clone)]
pub struct Engine {
    shared: Arc<Shared>,
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine").field("device", &self.device_name()).finish_non_exhaustive()
    }
}

impl Engine {
    /// Returns an engine on the first CUDA device that works, or on the CPU if none does.
    ///
    /// # Errors
    ///
    /// The CPU's threads cannot be started.
    pub fn auto() -> Result<Self> {
        Self::builder().build()
    }

    /// Returns an engine on the CPU.
    ///
    /// # Errors
    ///
    /// The CPU's threads cannot be started.
    pub fn cpu() -> Result<Self> {
        Self::builder().device(DeviceChoice::Cpu).build()
    }

    /// Returns a builder of an engine with options.
    pub fn builder() -> EngineBuilder {
        EngineBuilder::default()
    }

    /// Returns the device's name for people: `cpu (2 threads)`, `cuda:0 NVIDIA H200`.
    pub fn device_name(&self) -> String {
        self.shared.device.name()
    }

    /// Returns the device. [`EngineBuilder::custom_device`] passes it to another engine, whose runs have their own
    /// options. Both engines share the graphs and the compiled kernels that the device keeps.
    pub fn device(&self) -> Arc<dyn Device> {
        Arc::clone(&self.shared.device)
    }

    /// Returns the names of the devices that share the work, in the order of their numbers in a trace.
    pub fn device_names(&self) -> Vec<String> {
        self.shared.device.names()
    }

    /// Returns remarks about the engine, one per line, for example that the cache of compiled kernels is off.
    pub fn notices(&self) -> &[String] {
        &self.shared.notices
    }

    /// Allocates the attributes of `A` for the vertices of a graph, sets them to their initial values, and makes no
    /// vertex active.
    ///
    /// # Errors
    ///
    /// The graph lacks edge values that `A` needs, the device has too little memory, or the engine failed before.
    pub fn start<A: Attributes>(&self, graph: &Graph) -> Result<Run<A>> {
        self.shared.check()?;
        Run::start(Arc::clone(&self.shared), graph.clone())
    }

    /// Reads the parts of an [on-demand](gts_core::store::OpenOptions::on_demand) graph that the devices traverse, and
    /// reports the bytes done and the total. Without this call the first run reads them.
    ///
    /// # Errors
    ///
    /// Pages cannot be read or are malformed, or ranks have different graphs.
    pub fn load(&self, graph: &Graph, progress: StoreProgress<'_>) -> Result<()> {
        self.shared.device.load(graph, progress)
    }

    /// Drops the data that devices cache of a graph for later runs, for example of an intermediate graph that is not
    /// needed any more. Runs that use the graph keep their data.
    pub fn forget(&self, graph: &Graph) {
        self.shared.device.forget(graph);
    }

    /// Returns the work of each rank so far if several processes share the runs of this engine, and nothing otherwise.
    /// All ranks must call this method at the same point.
    ///
    /// # Errors
    ///
    /// A rank is lost, or at another point of the program.
    pub fn ranks(&self) -> Result<Vec<RankWork>> {
        self.shared.device.ranks()
    }

    /// Returns how values travel between ranks if several processes share the runs of this engine, and nothing
    /// otherwise. Ranks on GPUs settle this when their first run starts.
    pub fn between_ranks(&self) -> Option<BetweenRanks> {
        self.shared.device.between_ranks()
    }

    /// Returns the memory taken so far on each device that has its own; nothing on the CPU.
    pub fn memory_taken(&self) -> Vec<MemoryTaken> {
        self.shared.device.memory_taken()
    }

    /// Returns the report of this engine's runs since the last call.
    pub fn take_report(&self) -> RunReport {
        self.shared.recorder.take()
    }

    /// Ends the running pass, and every later one, with [`Error::Interrupted`]. Any thread may call this method.
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

    /// Sets a custom device, or [the device of another engine](Engine::device).
    #[must_use]
    pub fn custom_device(mut self, device: Arc<dyn Device>) -> Self {
        self.custom = Some(device);
        self
    }

    /// Sets how the CPU and GPUs of [`DeviceChoice::Hybrid`] share the edges of a graph. By default the GPUs have all
    /// of them.
    #[must_use]
    pub fn hybrid(mut self, hybrid: Hybrid) -> Self {
        self.hybrid = Some(hybrid);
        self
    }

    /// Sets the model of the runs to come on the CPU and GPUs: one algorithm on one graph. If [`Hybrid::alpha`] is not
    /// set, the model [chooses](Model::choose) the CPU's share of the edges. Runs that scan all edges several times
    /// [adjust](Model::adjust) the share after their first passes, once per graph, and report it in
    /// [`RunReport::adjustment`]. Groups of processes do not share work with their CPUs.
    #[must_use]
    pub fn sharing_model(mut self, model: Arc<Model>) -> Self {
        self.sharing_model = Some(model);
        self
    }

    /// Sets the group of processes that share each run. This process is a rank of it. Every rank has the same options.
    /// Each rank takes [`devices`](Self::devices) GPUs of its machine, from the chosen one on, or runs on the CPU. With
    /// [`DeviceChoice::Auto`] ranks run on CPUs if there are too few GPUs.
    #[must_use]
    pub fn group(mut self, group: Arc<dyn Group>) -> Self {
        self.group = Some(group);
        self
    }

    /// Sets how ranks of a group make their attributes equal after a pass; [`Collectives::Auto`] by default.
    #[must_use]
    pub fn collectives(mut self, collectives: Collectives) -> Self {
        self.collectives = collectives;
        self
    }

    /// Sets the number of threads of the CPU device. The default is one per core; beside GPUs, one per core that feeds
    /// no GPU.
    #[must_use]
    pub fn threads(mut self, threads: NonZeroUsize) -> Self {
        self.threads = Some(threads);
        self
    }

    /// Sets how edges are spread over threads. The default is the kernel's own choice, or the device's if the kernel
    /// has none.
    #[must_use]
    pub fn technique(mut self, technique: Option<Technique>) -> Self {
        self.technique = technique;
        self
    }

    /// Sets the chunk of a virtual warp: it processes `chunk` times its lanes as consecutive vertices, one after the
    /// other. `chunk` is 1 to [`MAX_WARP_CHUNK`]. By default virtual warps take single vertices in turn. Chunks need
    /// [`Technique::Edge`], which [`EngineBuilder::technique`] chooses.
    #[must_use]
    pub fn warp_chunk(mut self, chunk: NonZeroU32) -> Self {
        self.warp_chunk = Some(chunk);
        self
    }

    /// Sets the direction in which values travel along edges in kernels that have both forms. By default the device
    /// chooses.
    #[must_use]
    pub fn propagation(mut self, propagation: Propagation) -> Self {
        self.propagation = propagation;
        self
    }

    /// Sets whether the host or the device begins the steps of traversals. By default the device chooses.
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

    /// Sets the seed of random numbers in kernels; 0 by default. A seed gives the same numbers on every device.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Sets the time limit of a run, counted from its start; none by default.
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

    /// Sets the trace in which runs record their reads, copies, launches and merges. By default nothing is recorded.
    #[must_use]
    pub fn trace(mut self, trace: Trace) -> Self {
        self.session.trace = trace;
        self
    }

    /// Sets the limit of a CUDA device's memory in bytes. The default is the free memory, less a margin. If the pages
    /// of a graph do not fit, they are streamed past the attributes.
    #[must_use]
    pub fn device_memory(mut self, bytes: u64) -> Self {
        self.cuda.memory = Some(bytes);
        self
    }

    /// Sets the number of CUDA devices that share the work, from the chosen one on; 1 by default.
    #[must_use]
    pub fn devices(mut self, devices: NonZeroUsize) -> Self {
        self.devices = Some(devices);
        self
    }

    /// Sets how CUDA devices share the work, even if there is only one. Strategy-P gives each device the updatable
    /// attributes of all vertices and a share of the pages, Strategy-S a part of the attributes and all pages. The
    /// default is P if the attributes fit.
    #[must_use]
    pub fn strategy(mut self, strategy: Option<Strategy>) -> Self {
        self.strategy = strategy;
        self
    }

    /// Sets the number of streams that copy and process the pages that do not fit into a CUDA device's memory: 1 to
    /// [`crate::device::MAX_STREAMS`], 2 by default.
    #[must_use]
    pub fn streams(mut self, streams: u32) -> Self {
        self.cuda.streams = streams;
        self
    }

    /// Sets which of the streamed pages stay in the device's cache. The default depends on the kind of kernel.
    #[must_use]
    pub fn cache(mut self, cache: CacheChoice) -> Self {
        self.cuda.cache = cache;
        self
    }

    /// Sets how pages outside the cache reach the device. By default the share of a page that a traversal needs
    /// decides.
    #[must_use]
    pub fn transfer(mut self, transfer: TransferChoice) -> Self {
        self.cuda.transfer = transfer;
        self
    }

    /// Checks the options that can be checked before a device is opened. [`EngineBuilder::build`] does this too.
    ///
    /// # Errors
    ///
    /// Options contradict each other.
    pub fn check(&self) -> Result<()> {
        check_warp_chunk(self.warp_chunk, self.technique)?;
        check_edge_list(self.technique, self.propagation)
    }

    /// Builds the engine.
    ///
    /// # Errors
    ///
    /// The requested device is not available, or options contradict each other. With [`DeviceChoice::Auto`] the CPU
    /// takes the device's place, unless several devices were requested.
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
                        // A request for a GPU fails if there is none.
                        gpus::open(number, count, self.cuda, Some(Strategy::Pages))?;
                        cpu(self.threads)?
                    }
                    Sides::Both(weights) => {
                        let cpu = CpuDevice::new(Some(self.threads.unwrap_or_else(|| hybrid::threads_beside(count))))?;
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
            shared: Arc::new(Shared {
                device,
                technique: self.technique,
                warp_chunk: self.warp_chunk,
                propagation: self.propagation,
                steps_by: self.steps_by,
                max_steps: self.max_steps.unwrap_or(u32::MAX),
                seed: self.seed,
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

/// Refuses a chunk that is too large, or that no virtual warp takes.
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

/// Refuses to pull along edge lists: they replace the receivers' adjacency lists, which pulling needs.
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
