//! What each step of a run asks of either side, from what is predicted of that side alone.

use super::super::algorithm::{AlgorithmShape, KernelShape};
use super::super::machine::ProcessorConstants;
use super::super::neighbours;
use super::super::predict::{Prediction, StepPrediction};
use super::super::requirements::can_pull;
use super::super::shape::GraphShape;
use super::{LINE, Platform};
use gts_contract::KernelKind;

/// Bytes of a degree.
const DEGREE: u64 = 4;

/// A step's work on one side, all edges given to it: seconds, where nothing else is said.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct SideWork {
    /// Kernels over edges.
    pub(super) kernels: f64,
    /// What all vertices do before the edges of a scan that pulls, whatever the side's share of these.
    pub(super) handing_out: f64,
    /// Kernels over vertices.
    pub(super) vertex_kernels: f64,
    /// Pages that come over the link.
    pub(super) link: f64,
    /// Pages that come from storage.
    pub(super) disk: f64,
    /// What neither hides.
    pub(super) beside: f64,
    /// Bytes of pages visited.
    pub(super) visited: f64,
    /// Bytes of them that come over the link.
    pub(super) missed: f64,
    /// Bytes of them that come from storage.
    pub(super) read: f64,
    /// Bytes that the kernels over edges take from the host's memory, past the caches.
    pub(super) host_bytes: f64,
    /// The share of the lines that they go over, in caches or not, that lie at random places: the values at the other ends of
    /// edges.
    pub(super) scattered: f64,
    /// What reads at these places take longer while memory is copied to GPUs, over what they take alone.
    pub(super) delay: f64,
    /// Seconds in which the side activates a vertex, by measured accesses. `kernels` contains them once for each vertex.
    pub(super) activation: f64,
}

impl SideWork {
    /// Returns the work of a step with so many kernels over edges, and over vertices if it `has_vertex_kernels`.
    fn of(
        step: &StepPrediction,
        processor: &ProcessorConstants,
        edge_kernels: usize,
        has_vertex_kernels: bool,
    ) -> Self {
        let (bytes, seconds) = (&step.bytes, &step.seconds);
        let launches = match has_vertex_kernels {
            true => (edge_kernels as f64 * processor.step).min(seconds.step),
            false => seconds.step,
        };
        let at_random = LINE * step.edges;
        let lines = bytes.visited + at_random;
        Self {
            kernels: seconds.kernel,
            handing_out: 0.0,
            vertex_kernels: seconds.step - launches,
            link: seconds.link,
            disk: seconds.disk,
            beside: seconds.ends + seconds.merge + launches,
            visited: bytes.visited,
            missed: bytes.copied + bytes.in_place,
            read: bytes.read,
            host_bytes: lines,
            scattered: if lines > 0.0 { at_random / lines } else { 0.0 },
            delay: 0.0,
            activation: 0.0,
        }
    }

    /// Makes all take `factor` times as long.
    pub(super) fn scale(&mut self, factor: f64) {
        self.scale_passes(factor);
        self.vertex_kernels *= factor;
    }

    /// Makes passes over edges take `factor` times as long.
    pub(super) fn scale_passes(&mut self, factor: f64) {
        let Self { kernels, handing_out, link, disk, beside, .. } = self;
        [kernels, handing_out, link, disk, beside].into_iter().for_each(|seconds| *seconds *= factor);
    }

    /// Returns the seconds of the step where the other side has nothing.
    pub(super) fn alone(&self) -> f64 {
        self.link.max(self.disk).max(self.handing_out + self.kernels) + self.beside + self.vertex_kernels
    }
}

/// What crosses the link after a step, and why.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Exchange {
    /// The vertices whose values cross it.
    pub(super) carried: Carried,
    /// Bytes of each value that goes to the GPUs.
    pub(super) to_gpu: f64,
    /// Bytes of each value that goes to the CPU.
    pub(super) to_cpu: f64,
}

/// The vertices that a step of a traversal activates. Both sides activate those to which edges of both lead.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Changed {
    /// How many there are.
    pub(super) vertices: f64,
    /// The edges that the step walks.
    pub(super) edges: f64,
    /// The chance that these edges activate a vertex which they may activate.
    pub(super) chance: f64,
}

impl Changed {
    /// Returns how many vertices a side with a share of the edges activates: at most one for each edge. The chance that no edge of
    /// the side leads to a vertex is the chance that none of all edges does, to the power of the share.
    pub(super) fn by(&self, share: f64) -> f64 {
        if self.chance <= 0.0 {
            return 0.0;
        }
        let reached = self.vertices * (1.0 - (1.0 - self.chance).powf(share)) / self.chance;
        reached.min(share * self.edges)
    }
}

/// The vertices whose values cross the link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Carried {
    /// Those whose lists the CPU has, and back all of what it reads.
    Own,
    /// All of them, either way: both sides add at any vertex.
    All,
    /// Those that a step of a traversal changes; sets of vertices say which.
    Changed(Changed),
}

/// One step, or several alike.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Step {
    pub(super) repeats: f64,
    /// That of the CPU beside GPUs.
    pub(super) cpu: SideWork,
    /// That of the CPU where it has all edges: its scans may then pull where they push beside GPUs.
    pub(super) cpu_alone: SideWork,
    /// Whether the CPU does the same in both.
    pub(super) alike: bool,
    pub(super) gpu: SideWork,
    /// Seconds in which the CPU gives what vertices gather its first value. A CPU without GPUs does so between steps.
    pub(super) filling: f64,
    /// None where replicas of what it writes cannot be merged: it runs on the GPU alone.
    pub(super) exchange: Option<Exchange>,
}

/// Returns the seconds in which a processor changes a vertex at the end of an edge, and takes note that it is active: both at random
/// places.
fn change<'a>(
    graph: &GraphShape,
    kernels: impl Iterator<Item = &'a KernelShape>,
    processor: &ProcessorConstants,
) -> f64 {
    let values = |kernel: &KernelShape| processor.accesses.each(kernel.merged * graph.vertices);
    let set = neighbours::activation(&processor.accesses, graph.vertices as f64, graph.lists.local);
    let of = |kernel: &KernelShape| {
        // A guard lets one update through, which is a plain one.
        let value = if kernel.once { values(kernel).write } else { values(kernel).atomic };
        kernel.target.updates as f64 * value + set
    };
    kernels.map(of).sum()
}

/// Returns the steps of both sides, which are the same but for what they take: of the CPU beside GPUs, of the CPU alone, and of
/// the GPUs. The CPU's kernels get a share `cores` of its cores, and there are `gpus` GPUs. `pulls` says whether scans pull on both
/// sides.
pub(super) fn steps_of(
    graph: &GraphShape,
    algorithm: &AlgorithmShape,
    [beside, alone, on_gpu]: [&Prediction; 3],
    platform: Platform<'_>,
    (cores, gpus): (f64, u32),
    pulls: bool,
) -> Vec<Step> {
    let of_cpu = beside.steps.iter().zip(&alone.steps);
    let all = on_gpu.steps.iter().zip(of_cpu).enumerate();
    // Vertices that steps before have activated.
    let mut reached = 0.0;
    let step = |(index, (gpu, (beside, alone))): (usize, (&StepPrediction, (&StepPrediction, &StepPrediction)))| {
        let kernels = match algorithm.once.get(index) {
            Some(kernel) => std::slice::from_ref(kernel),
            None => &algorithm.each_step[..],
        };
        let over_edges = || kernels.iter().filter(|kernel| kernel.kind != KernelKind::Vertex);
        let count = over_edges().count();
        let more = count < kernels.len();
        let pulled = |kernel: &KernelShape| pulls && kernel.handed.is_some() && can_pull(graph, kernel);
        // Each vertex reads its values and its degree, and writes what it hands out. A CPU reads a line before it writes to it.
        let of_vertex = |kernel: &KernelShape| Some(kernel.at_source + DEGREE + 2 * kernel.handed?);
        let handed: u64 = over_edges().filter(|kernel| pulled(kernel)).filter_map(of_vertex).sum();
        let by_memory = |bytes: u64| (bytes * graph.vertices) as f64 / platform.host.memory_rate;
        let handing_out = by_memory(handed);
        let sums = |kernel: &&KernelShape| pulled(kernel) || kernel.writes.adds;
        let gathered: u64 = over_edges().filter(sums).map(|kernel| 2 * kernel.merged).sum();
        // What lies at the other ends of edges.
        let far = |kernel: &KernelShape| kernel.handed.filter(|_| pulled(kernel)).unwrap_or(kernel.target.bytes);
        let working_set = graph.vertices * over_edges().map(far).max().unwrap_or(0);
        // The cache holds the same share of all values.
        let beyond_cache = (1.0 - platform.cpu.accesses.cache as f64 / working_set.max(1) as f64).max(0.0);
        let beside_copies = platform.gpu.link.as_ref().and_then(|link| link.beside.as_ref());
        let delay = beside_copies.map_or(0.0, |beside| beside.times_at_random(working_set) - 1.0);
        let of_cpu = |step: &StepPrediction, cores: f64| {
            let mut work = SideWork { delay, ..SideWork::of(step, platform.cpu, count, more) };
            work.host_bytes *= 1.0 - work.scattered * (1.0 - beyond_cache);
            work.handing_out = handing_out.min(work.kernels);
            work.kernels -= work.handing_out;
            // Kernels that were measured at some speed cannot have wanted more than there was.
            work.host_bytes = work.host_bytes.min(work.kernels * platform.host.memory_rate);
            work.kernels /= cores.max(f64::MIN_POSITIVE);
            work.activation = change(graph, over_edges(), platform.cpu) / cores.max(f64::MIN_POSITIVE);
            work
        };
        let of_gpu = SideWork {
            activation: change(graph, over_edges(), platform.gpu) / f64::from(gpus),
            ..SideWork::of(gpu, platform.gpu, count, more)
        };
        let traverses = gpu.active.is_some();
        // A vertex that stays as it is once it is reached is not activated again.
        let may_be = match over_edges().all(|kernel| kernel.once) {
            true => (graph.vertices as f64 - reached).max(gpu.activated),
            false => graph.vertices as f64,
        };
        let chance = if may_be > 0.0 { (gpu.activated / may_be).min(1.0) } else { 0.0 };
        // A step stands for that of each search, and each begins with no vertex reached.
        reached += gpu.repeats / algorithm.searches.max(1) as f64 * gpu.activated;
        // Each vertex is written on the side that has its list.
        let own = |kernel: &KernelShape| kernel.writes.at_source && kernel.sides.len() == 1;
        let shared = |kernel: &KernelShape| !kernel.writes.alone;
        let read = |kernel: &KernelShape| kernel.at_source.max(kernel.touched.saturating_sub(kernel.merged));
        let exchange = (count > 0 && over_edges().all(shared)).then(|| Exchange {
            carried: match traverses {
                true => Carried::Changed(Changed { vertices: gpu.activated, edges: gpu.edges, chance }),
                false if over_edges().all(|kernel| own(kernel) || pulled(kernel)) => Carried::Own,
                false => Carried::All,
            },
            to_gpu: over_edges().map(|kernel| kernel.merged as f64).sum(),
            to_cpu: over_edges().map(|kernel| if traverses { kernel.merged } else { read(kernel) } as f64).sum(),
        });
        Step {
            repeats: gpu.repeats,
            cpu: of_cpu(beside, cores),
            // No core feeds a GPU then.
            cpu_alone: of_cpu(alone, 1.0),
            alike: beside == alone,
            gpu: of_gpu,
            filling: by_memory(gathered),
            exchange,
        }
    };
    all.map(step).collect()
}
