//! The engine: a device and the options of every run on it.

use crate::choice::DeviceChoice;
use crate::device::cpu::CpuDevice;
use crate::device::cuda::{CacheChoice, CubinCache, CudaDevice, CudaOptions, SplitDevice, TransferChoice};
use crate::device::distributed::{self, DistributedDevice};
use crate::device::fitting::FittingDevice;
use crate::device::hybrid::{self, Hybrid, Sides};
use crate::device::{
    BetweenRanks, Collectives, Device, Limits, MemoryTaken, PassOutcome, Propagation, RankWork, SessionOptions, StepsBy,
};
use crate::error::{Error, Result};
use crate::group::Group;
use crate::kernel::{Attributes, StopFlag};
use crate::report::{Progress, Recorder, RunReport};
use crate::run::Run;
use crate::trace::Trace;
use gts_contract::Technique;
use gts_core::advice::Advice;
use gts_core::cost::Strategy;
use gts_core::cost::hybrid::Model;
use gts_core::graph::Graph;
use gts_core::phase::{self, Phase};
use gts_core::store::StoreProgress;
use std::num::{NonZeroU32, NonZeroUsize};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// The largest multiple of its lanes that a virtual warp takes of vertices one after the other (S. Hong, S. K. Kim,
/// T. Oguntebi, K. Olukotun: Accelerating CUDA graph algorithms at maximum warp, PPoPP 2011; M. Verstraaten, A. L. Varbanescu,
/// C. de Laat: Quantifying the performance impact of graph structure on neighbour iteration strategies for PageRank,
/// Euro-Par 2015).
pub const MAX_WARP_CHUNK: u32 = 10;

/// Called once a pass with how far the run is.
pub type ProgressCallback = Arc<dyn Fn(&Progress) + Send + Sync>;

/// What an engine keeps for its runs.
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
    /// Keeps the first error after which the device is of no use.
    pub(crate) fn note(&self, error: Error) -> Error {
        if error.is_sticky() {
            // Only the first error says what happened; those after it are its consequences.
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

    /// Records a pass, and tells who asked to be told.
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

    /// The limits of a pass that starts now, in a run that started at `start`.
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
    /// An engine on the first CUDA device that works, else on the CPU.
    ///
    /// # Errors
    ///
    /// The CPU's threads cannot be started.
    pub fn auto() -> Result<Self> {
        Self::builder().build()
    }

    /// An engine on the CPU.
    ///
    /// # Errors
    ///
    /// Its threads cannot be started.
    pub fn cpu() -> Result<Self> {
        Self::builder().device(DeviceChoice::Cpu).build()
    }

    /// An engine with options.
    pub fn builder() -> EngineBuilder {
        EngineBuilder::default()
    }

    /// The device, for people: `cpu (2 threads)`, `cuda:0 NVIDIA H200`.
    pub fn device_name(&self) -> String {
        self.shared.device.name()
    }

    /// Returns the device. [`EngineBuilder::custom_device`] gives it to another engine, whose runs have options of their own. What the
    /// device keeps of graphs and of compiled kernels serves both.
    pub fn device(&self) -> Arc<dyn Device> {
        Arc::clone(&self.shared.device)
    }

    /// The names of the devices that share the work, in the order of their numbers in a trace.
    pub fn device_names(&self) -> Vec<String> {
        self.shared.device.names()
    }

    /// What is to be said of how the engine works, a line each: that its cache of compiled kernels is off, say.
    pub fn notices(&self) -> &[String] {
        &self.shared.notices
    }

    /// Makes the attributes of `A` for the vertices of a graph, each at its initial value, with no vertex active.
    ///
    /// # Errors
    ///
    /// The graph lacks edge values that `A` needs, the device has too little memory, or the engine has failed before.
    pub fn start<A: Attributes>(&self, graph: &Graph) -> Result<Run<A>> {
        self.shared.check()?;
        Run::start(Arc::clone(&self.shared), graph.clone())
    }

    /// Reads what the devices walk of a graph that was opened [on demand](gts_core::store::OpenOptions::on_demand), and tells
    /// of the bytes done and the bytes in all. Without this call the first run reads it.
    ///
    /// # Errors
    ///
    /// Pages that cannot be read or are not sound; ranks that have another graph than this one.
    pub fn load(&self, graph: &Graph, progress: StoreProgress<'_>) -> Result<()> {
        self.shared.device.load(graph, progress)
    }

    /// Lets go of what devices keep of a graph for later runs on it: of one that was made on the way to an answer and is
    /// needed no more. Runs that use it keep it.
    pub fn forget(&self, graph: &Graph) {
        self.shared.device.forget(graph);
    }

    /// Returns what each rank has done so far, where several processes share the runs of this engine; nothing otherwise. All
    /// ranks call it at the same place.
    ///
    /// # Errors
    ///
    /// A rank that is lost or elsewhere.
    pub fn ranks(&self) -> Result<Vec<RankWork>> {
        self.shared.device.ranks()
    }

    /// Returns by what way values go between ranks, where several processes share the runs of this engine; nothing otherwise.
    /// Ranks on GPUs settle it when their first run starts.
    pub fn between_ranks(&self) -> Option<BetweenRanks> {
        self.shared.device.between_ranks()
    }

    /// What was taken so far of the memory of each device that has its own; nothing on the CPU.
    pub fn memory_taken(&self) -> Vec<MemoryTaken> {
        self.shared.device.memory_taken()
    }

    /// What the runs of this engine have done since the last call.
    pub fn take_report(&self) -> RunReport {
        self.shared.recorder.take()
    }

    /// Ends the pass that is running, and every later one, with [`Error::Interrupted`]; may be called from any thread.
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
    /// The device; [`DeviceChoice::Auto`] by default.
    #[must_use]
    pub fn device(mut self, device: DeviceChoice) -> Self {
        self.device = device;
        self
    }

    /// Sets a device of the caller's own, or [that of another engine](Engine::device).
    #[must_use]
    pub fn custom_device(mut self, device: Arc<dyn Device>) -> Self {
        self.custom = Some(device);
        self
    }

    /// How the CPU and GPUs of [`DeviceChoice::Hybrid`] share the edges of a graph. By default the GPUs have all of them.
    #[must_use]
    pub fn hybrid(mut self, hybrid: Hybrid) -> Self {
        self.hybrid = Some(hybrid);
        self
    }

    /// Sets the model of the runs to come on the CPU and GPUs: one algorithm on one graph. Where [`Hybrid::alpha`] is not set, the
    /// model [chooses](Model::choose) the CPU's share of the edges. Runs that scan all edges several times then
    /// [adjust](Model::adjust) it after their first passes, once for each graph, and [`RunReport::adjustment`] says how. Groups of
    /// processes do not share work with their CPUs.
    #[must_use]
    pub fn sharing_model(mut self, model: Arc<Model>) -> Self {
        self.sharing_model = Some(model);
        self
    }

    /// Sets the group of processes that share each run. This process is a rank of it. Every rank has the same options. Ranks take
    /// the GPUs of their machine from the chosen one on, as many each as [`devices`](Self::devices) says, or they run on CPUs.
    /// With [`DeviceChoice::Auto`] they run on CPUs if there are too few GPUs.
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

    /// Threads of the CPU device; one for each core by default, beside GPUs one for each core that feeds none.
    #[must_use]
    pub fn threads(mut self, threads: NonZeroUsize) -> Self {
        self.threads = Some(threads);
        self
    }

    /// How edges are spread over threads; by default the kernel's own choice, else the device's.
    #[must_use]
    pub fn technique(mut self, technique: Option<Technique>) -> Self {
        self.technique = technique;
        self
    }

    /// Sets how many consecutive vertices a virtual warp takes one after the other: `chunk` times its lanes. `chunk` is 1 to
    /// [`MAX_WARP_CHUNK`]. By default a virtual warp takes single vertices in turn with the others. Chunks need
    /// [`Technique::Edge`], which [`EngineBuilder::technique`] chooses.
    #[must_use]
    pub fn warp_chunk(mut self, chunk: NonZeroU32) -> Self {
        self.warp_chunk = Some(chunk);
        self
    }

    /// Which way values take along edges in kernels that have both forms; by default the device's choice.
    #[must_use]
    pub fn propagation(mut self, propagation: Propagation) -> Self {
        self.propagation = propagation;
        self
    }

    /// Says who begins the steps of traversals. By default the device chooses.
    #[must_use]
    pub fn steps_by(mut self, steps_by: StepsBy) -> Self {
        self.steps_by = steps_by;
        self
    }

    /// Largest number of steps of a traversal; `u32::MAX` by default.
    #[must_use]
    pub fn max_steps(mut self, steps: u32) -> Self {
        self.max_steps = Some(steps);
        self
    }

    /// Seed of random numbers in kernels; 0 by default. The same seed gives the same numbers on every device.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Longest time of a run, counted from its start; none by default.
    #[must_use]
    pub fn time_limit(mut self, limit: Duration) -> Self {
        self.time_limit = Some(limit);
        self
    }

    /// Called once a pass.
    #[must_use]
    pub fn progress(mut self, callback: ProgressCallback) -> Self {
        self.progress = Some(callback);
        self
    }

    /// Where runs record their reads, copies, launches and merges; nowhere by default.
    #[must_use]
    pub fn trace(mut self, trace: Trace) -> Self {
        self.session.trace = trace;
        self
    }

    /// Most bytes of a CUDA device's memory that are taken; by default what is free, less a margin. Where the pages of a
    /// graph do not fit, they are streamed past the attributes.
    #[must_use]
    pub fn device_memory(mut self, bytes: u64) -> Self {
        self.cuda.memory = Some(bytes);
        self
    }

    /// CUDA devices that share the work, from the chosen one on: 1 by default.
    #[must_use]
    pub fn devices(mut self, devices: NonZeroUsize) -> Self {
        self.devices = Some(devices);
        self
    }

    /// How CUDA devices share the work, one device too: Strategy-P gives each the updatable attributes of all vertices and
    /// a share of the pages, Strategy-S a part of the attributes and all pages. By default P where the attributes fit.
    #[must_use]
    pub fn strategy(mut self, strategy: Option<Strategy>) -> Self {
        self.strategy = strategy;
        self
    }

    /// Streams of copies and launches through which pages come that do not fit into a CUDA device's memory: 1 to
    /// [`crate::device::cuda::MAX_STREAMS`], 2 by default.
    #[must_use]
    pub fn streams(mut self, streams: u32) -> Self {
        self.cuda.streams = streams;
        self
    }

    /// Which of those pages stay in the device's cache; by default as the kernel's kind wants it.
    #[must_use]
    pub fn cache(mut self, cache: CacheChoice) -> Self {
        self.cuda.cache = cache;
        self
    }

    /// How the others come; by default each by what a traversal needs of it.
    #[must_use]
    pub fn transfer(mut self, transfer: TransferChoice) -> Self {
        self.cuda.transfer = transfer;
        self
    }

    /// Checks what can be checked before a device is opened, as [`EngineBuilder::build`] does too.
    ///
    /// # Errors
    ///
    /// Options that contradict each other.
    pub fn check(&self) -> Result<()> {
        check_warp_chunk(self.warp_chunk, self.technique)?;
        check_edge_list(self.technique, self.propagation)
    }

    /// The engine.
    ///
    /// # Errors
    ///
    /// The device that was asked for is not to be had; with [`DeviceChoice::Auto`] the CPU takes its place, unless several
    /// devices were asked for. Options that contradict each other are refused.
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
            self.device = distributed::choose(group.as_ref(), asked, count, self.strategy)?;
            if self.device != DeviceChoice::Cpu {
                distributed::prepare(group.as_ref(), self.collectives);
            }
            self.strategy = Some(Strategy::Pages);
            if asked == DeviceChoice::Auto && self.device == DeviceChoice::Cpu && CudaDevice::count().is_ok() {
                notices.push("the ranks run on CPUs: there are too few GPUs for all of them".to_owned());
            }
        }
        let mut compiles = |device: Arc<dyn Device>| {
            notices.extend(CubinCache::of_user().problems());
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
            (None, DeviceChoice::Cuda(number)) => compiles(cuda(number, count, self.cuda, self.strategy)?),
            (None, DeviceChoice::Hybrid(number)) => {
                let asked = self.hybrid.unwrap_or_default();
                let model = self.sharing_model.filter(|_| asked.alpha.is_none());
                let chosen = model.as_ref().map(|model| model.choose().alpha);
                let hybrid = Hybrid { alpha: asked.alpha.or(chosen), ..asked };
                match hybrid.sides(count)? {
                    Sides::Gpus => {
                        let device = compiles(cuda(number, count, self.cuda, self.strategy)?);
                        if hybrid.alpha.is_none() {
                            notices.push("alpha was not set: the GPUs have all edges, and the CPU has none".to_owned());
                        }
                        device
                    }
                    Sides::Cpu => {
                        // Who asks for a GPU is told where there is none.
                        gpus(number, count, self.cuda)?;
                        cpu(self.threads)?
                    }
                    Sides::Both(weights) => {
                        let gpus = gpus(number, count, self.cuda)?;
                        let cpu = CpuDevice::new(Some(self.threads.unwrap_or_else(|| hybrid::threads_beside(count))))?;
                        let together = hybrid::together(gpus, cpu, &weights, hybrid.placement)?;
                        compiles(Arc::new(match model.filter(|model| model.is_adjusted()) {
                            Some(model) => together.adjusted_by(Arc::new(move |measured| model.adjust(measured))),
                            None => together,
                        }))
                    }
                }
            }
            (None, DeviceChoice::Auto) => match cuda(0, count, self.cuda, self.strategy) {
                Ok(device) => compiles(device),
                // Who asks for several wants no CPU instead.
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

/// Refuses to pull along edge lists, which stand in place of the lists of those who receive.
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

/// Opens so many GPUs from one on.
fn gpus(number: usize, count: usize, options: CudaOptions) -> Result<Vec<Arc<CudaDevice>>> {
    // No machine has more devices than fit: a larger number is one that the device layer refuses by its name.
    let device = |number: usize| CudaDevice::with_options(u32::try_from(number).unwrap_or(u32::MAX), options);
    (number..number.saturating_add(count)).map(|number| device(number).map(Arc::new)).collect()
}

fn cuda(number: usize, count: usize, options: CudaOptions, strategy: Option<Strategy>) -> Result<Arc<dyn Device>> {
    let devices = gpus(number, count, options)?;
    let split = SplitDevice::new(devices.clone())?;
    let whole: Arc<dyn Device> = match devices.as_slice() {
        [only] => Arc::clone(only) as Arc<dyn Device>,
        several => Arc::new(CudaDevice::together(several)?),
    };
    Ok(match strategy {
        Some(Strategy::Pages) => whole,
        Some(Strategy::Split) => Arc::new(split),
        None => Arc::new(FittingDevice::new(whole, Arc::new(split))),
    })
}
