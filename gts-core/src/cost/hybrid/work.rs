//! Computes the work of each step on the CPU and on the GPUs, derived from the predictions for each side alone.

use super::super::algorithm::{AlgorithmShape, KernelShape};
use super::super::machine::ProcessorConstants;
use super::super::neighbors;
use super::super::predict::{Prediction, StepPrediction};
use super::super::requirements::can_pull;
use super::{LINE, Platform};
use crate::graph::GraphShape;
use gts_contract::KernelKind;

/// The size of a stored degree in bytes.
const DEGREE: u64 = 4;

/// The work of a step on a side that processes all edges. Times are in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct SideWork {
    /// Time spent in edge kernels.
    pub(super) kernels: f64,
    /// Time for computing all source values before a pulling scan. This time does not depend on the side's share of the
    /// edges.
    pub(super) handing_out: f64,
    /// Time spent in vertex kernels.
    pub(super) vertex_kernels: f64,
    /// Time for loading pages over the link.
    pub(super) link: f64,
    /// Time for loading pages from storage.
    pub(super) disk: f64,
    /// Time of work that does not overlap with kernels or loading.
    pub(super) beside: f64,
    /// The size in bytes of all visited pages.
    pub(super) visited: f64,
    /// The size in bytes of the pages loaded over the link.
    pub(super) missed: f64,
    /// The size in bytes of the pages loaded from storage.
    pub(super) read: f64,
    /// Bytes that edge kernels load from host memory, excluding cache hits.
    pub(super) host_bytes: f64,
    /// The share of lines at random addresses among all cache lines that edge kernels access, including cache hits. The
    /// lines at random addresses contain the values of neighbours.
    pub(super) scattered: f64,
    /// The relative delay of reads at random addresses while memory is copied to GPUs.
    pub(super) delay: f64,
    /// Seconds per activated vertex, derived from measured access times. `kernels` includes this time once per
    /// activated vertex.
    pub(super) activation: f64,
}

impl SideWork {
    /// Returns the work of a step with the given number of edge kernels. The step includes vertex kernels if
    /// `has_vertex_kernels` is true.
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

    /// Multiplies the times of the step by `factor`.
    pub(super) fn scale(&mut self, factor: f64) {
        self.scale_passes(factor);
        self.vertex_kernels *= factor;
    }

    /// Multiplies the times of the step, except for vertex kernels, by `factor`.
    pub(super) fn scale_passes(&mut self, factor: f64) {
        let Self { kernels, handing_out, link, disk, beside, .. } = self;
        [kernels, handing_out, link, disk, beside].into_iter().for_each(|seconds| *seconds *= factor);
    }

    /// Returns the seconds for the step if this side processes all edges.
    pub(super) fn alone(&self) -> f64 {
        self.link.max(self.disk).max(self.handing_out + self.kernels) + self.beside + self.vertex_kernels
    }
}

/// The values that cross the link after a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Exchange {
    /// The vertices whose values are sent.
    pub(super) carried: Carried,
    /// Bytes per value sent to the GPUs.
    pub(super) to_gpu: f64,
    /// Bytes per value sent to the CPU.
    pub(super) to_cpu: f64,
}

/// The vertices that a traversal step activates. If edges of both sides reach a vertex, both sides activate it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Changed {
    /// The number of activated vertices.
    pub(super) vertices: f64,
    /// The number of edges that the step walks.
    pub(super) edges: f64,
    /// The probability that the step activates an eligible vertex: one that no earlier step has activated, or any
    /// vertex if vertices can be activated repeatedly.
    pub(super) chance: f64,
}

impl Changed {
    /// Returns the number of vertices that a side with a share `share` of the edges activates, at most one per edge.
    /// The side misses a vertex with a probability of (1 - `chance`) to the power of `share`.
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
    /// The CPU sends the values of the vertices whose lists it processes. The GPUs send all values that the CPU reads.
    Own,
    /// Both sides send the values of all vertices, because both may add to any vertex.
    All,
    /// Both sides send the values of the vertices that a traversal step changes, and mark these vertices in bit sets.
    Changed(Changed),
}

/// One step, or several identical steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Step {
    pub(super) repeats: f64,
    /// The CPU's work when it shares the run with GPUs.
    pub(super) cpu: SideWork,
    /// The CPU's work when it runs alone. Its scans may then pull even if they push in a shared run.
    pub(super) cpu_alone: SideWork,
    /// Whether `cpu` and `cpu_alone` are the same work.
    pub(super) alike: bool,
    pub(super) gpu: SideWork,
    /// Seconds that the CPU spends on initialising the gathered attributes. A CPU that runs alone initialises these
    /// attributes between steps.
    pub(super) filling: f64,
    /// The values sent after the step; `None` if written values cannot be merged and the step therefore runs on the GPU
    /// alone.
    pub(super) exchange: Option<Exchange>,
}

/// Returns the seconds for updating a neighbour and marking the neighbour active. The update and the marking are random
/// accesses.
fn change<'a>(
    graph: &GraphShape,
    kernels: impl Iterator<Item = &'a KernelShape>,
    processor: &ProcessorConstants,
) -> f64 {
    let values = |kernel: &KernelShape| processor.accesses.each(kernel.merged * graph.vertices);
    let set = neighbors::activation(&processor.accesses, graph.vertices as f64, graph.lists.local);
    let of = |kernel: &KernelShape| {
        // If a guard admits only one update, the update is a plain write.
        let value = if kernel.once { values(kernel).write } else { values(kernel).atomic };
        kernel.target.updates as f64 * value + set
    };
    kernels.map(of).sum()
}

/// Returns the steps with the work of the CPU in a shared run, of the CPU alone, and of the GPUs. In a shared run, the
/// CPU's kernels run on a share `cores` of the cores. `gpus` is the number of GPUs, and `pulls` is true if scans pull
/// on both sides.
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
    // The number of vertices activated by earlier steps.
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
        // Each vertex reads its values and degree, and writes a source value. A CPU reads a cache line before writing
        // to it.
        let of_vertex = |kernel: &KernelShape| Some(kernel.at_source + DEGREE + 2 * kernel.handed?);
        let handed: u64 = over_edges().filter(|kernel| pulled(kernel)).filter_map(of_vertex).sum();
        let by_memory = |bytes: u64| (bytes * graph.vertices) as f64 / platform.host.memory_rate;
        let handing_out = by_memory(handed);
        let sums = |kernel: &&KernelShape| pulled(kernel) || kernel.writes.adds;
        let gathered: u64 = over_edges().filter(sums).map(|kernel| 2 * kernel.merged).sum();
        // Bytes per vertex that kernels access at neighbours.
        let far = |kernel: &KernelShape| kernel.handed.filter(|_| pulled(kernel)).unwrap_or(kernel.target.bytes);
        let working_set = graph.vertices * over_edges().map(far).max().unwrap_or(0);
        // The cache contains each value with equal probability.
        let beyond_cache = (1.0 - platform.cpu.accesses.cache as f64 / working_set.max(1) as f64).max(0.0);
        let beside_copies = platform.gpu.link.as_ref().and_then(|link| link.beside.as_ref());
        let delay = beside_copies.map_or(0.0, |beside| beside.times_at_random(working_set) - 1.0);
        let of_cpu = |step: &StepPrediction, cores: f64| {
            let mut work = SideWork { delay, ..SideWork::of(step, platform.cpu, count, more) };
            work.host_bytes *= 1.0 - work.scattered * (1.0 - beyond_cache);
            work.handing_out = handing_out.min(work.kernels);
            work.kernels -= work.handing_out;
            // The kernels were measured on this memory, so their bandwidth cannot have exceeded the memory bandwidth.
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
        // A vertex that keeps its state once reached is activated only once.
        let may_be = match over_edges().all(|kernel| kernel.once) {
            true => (graph.vertices as f64 - reached).max(gpu.activated),
            false => graph.vertices as f64,
        };
        let chance = if may_be > 0.0 { (gpu.activated / may_be).min(1.0) } else { 0.0 };
        // `repeats` covers all searches, and each search begins without reached vertices.
        reached += gpu.repeats / algorithm.searches.max(1) as f64 * gpu.activated;
        // Each vertex is written only on the side that has its list.
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
            // Without GPUs, all cores run kernels.
            cpu_alone: of_cpu(alone, 1.0),
            alike: beside == alone,
            gpu: of_gpu,
            filling: by_memory(gathered),
            exchange,
        }
    };
    all.map(step).collect()
}
