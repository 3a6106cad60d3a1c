//! Models runs shared by a CPU and GPUs. [`totem`] contains TOTEM's model. This project's model predicts the speedup
//! over GPUs alone.
//!
//! This project's model starts from the predictions of [`predict`] for the CPU alone and the GPUs alone. For every
//! step, the model computes the time if the CPU has a share *alpha* of the edges. At alpha 0 and 1, the result equals
//! the prediction for one side alone. For other values:
//!
//! - The sides work concurrently. The CPU's kernel and the pages that stream to the GPUs compete for host memory
//!   bandwidth. If their total demand exceeds the bandwidth, both slow down in proportion until one of them finishes.
//!   Accesses to neighbours' values that hit the CPU's cache use no memory bandwidth.
//! - While pages are copied, the CPU's random reads take longer, by a factor measured for their working set. This
//!   factor and the bandwidth limit do not add up: the greater slowdown counts.
//! - A GPU keeps the same pages in memory at every alpha: the CPU processes edges of pages that would otherwise stream.
//!   Pages on storage stay with the GPUs, which limits alpha.
//! - In a scan, the gathered attributes of all vertices are initialised before the CPU walks its share, even if the
//!   share is small. If the scan pulls, the source values of all vertices are computed as well.
//! - In a traversal, a vertex that both sides reach is activated on both sides, at full cost on each. The model assumes
//!   that both sides push.
//! - A step ends with messages. The number of messages depends on the number of vertices, not on the number of edges
//!   that end at them. In a pulling scan, each list belongs to one side. The CPU sends the values of its own vertices,
//!   and the GPUs send the values that the CPU reads in the next step. In a traversal, both sides send changed values.
//!   A scan that adds to the values of neighbours pushes on both sides unless it can pull on both. When pushing, the
//!   CPU needs one atomic update per edge, and both sides send the values of all vertices.
//! - Vertex kernels run on the GPUs.

use super::algorithm::{AlgorithmShape, Steps};
use super::holding::{DeviceLoad, GraphLoad};
use super::host::{cpu_scans_pull, handed};
use super::machine::{HostConstants, ProcessorConstants};
use super::memory::{MemoryPlan, Need, RunConfiguration, Shortfall, Strategy};
use super::predict::predict;
use crate::graph::GraphShape;
use work::{Carried, Exchange, Step, steps_of};

mod adjust;
mod messages;
#[cfg(test)]
mod tests;
pub mod totem;
mod work;

pub use adjust::{Adjustment, MeasuredPasses};
pub use messages::{Messages, expected_messages};

/// Bytes of host memory that the CPU's kernel reads per neighbour access: a cache line.
const LINE: f64 = 64.0;
/// The number of vertices per word of a bit set.
const WORD: f64 = 32.0;
/// The number of grid intervals in the search for the best alpha.
const GRID: u32 = 100;
/// The number of search steps around the best grid point. Each step narrows the interval by a factor of 0.618.
const NARROWING: usize = 24;
/// Minimum speedup for which the CPU gets a share of the GPUs' work. While other processes run, the speed of cores
/// varies by a similar factor from minute to minute. Setting up the CPU takes a tenth of a second.
pub const WORTH_SHARING: f64 = 1.15;
/// Minimum speedup for which a run redistributes its pages according to measured times, and for which additional nodes
/// are worthwhile.
pub const WORTHWHILE: f64 = 1.05;

/// The processors of a machine that share a run.
#[derive(Clone, Copy, Debug)]
pub struct Platform<'a> {
    /// The constants of the host.
    pub host: &'a HostConstants,
    /// The constants of the host's CPU.
    pub cpu: &'a ProcessorConstants,
    /// The constants of each GPU.
    pub gpu: &'a ProcessorConstants,
}

/// The division of the CPU's cores between kernels and work for the GPUs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sharing {
    /// The share of the measured CPU cores that run kernels. The other cores feed the GPUs.
    pub cores: f64,
}

impl Default for Sharing {
    fn default() -> Self {
        Self { cores: 1.0 }
    }
}

/// The part of the machine that limits a run: a run would save the most time if this part were twice as fast.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// Host memory bandwidth, shared by copies to the GPUs and the CPU's kernel.
    HostMemory,
    /// The link between the host and the GPUs.
    Link,
    /// Storage.
    Disk,
    /// The CPU's kernels.
    Cpu,
    /// The GPUs' kernels.
    Gpu,
    /// Gathering, sending and merging of messages.
    Messages,
    /// The fixed costs of launches and steps.
    Steps,
}

impl Bound {
    /// All bounds. Ties go to the earlier bound.
    pub const ALL: [Self; 7] =
        [Self::HostMemory, Self::Link, Self::Disk, Self::Cpu, Self::Gpu, Self::Messages, Self::Steps];

    /// Returns the bound's name for display.
    pub const fn name(self) -> &'static str {
        match self {
            Self::HostMemory => "host memory",
            Self::Link => "link",
            Self::Disk => "disk",
            Self::Cpu => "CPU",
            Self::Gpu => "GPU",
            Self::Messages => "messages",
            Self::Steps => "launches",
        }
    }
}

/// The seconds of a step, or of all steps, for a given alpha.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Seconds {
    /// Seconds until the CPU's edge kernels finish.
    pub cpu: f64,
    /// Seconds until the GPUs' edge kernels finish.
    pub gpu: f64,
    /// Seconds for messages, including their fixed cost.
    pub messages: f64,
    /// Seconds spent in vertex kernels.
    pub vertex_kernels: f64,
    /// Total seconds.
    pub total: f64,
}

impl Seconds {
    fn plus(self, other: Self, times: f64) -> Self {
        Self {
            cpu: self.cpu + times * other.cpu,
            gpu: self.gpu + times * other.gpu,
            messages: self.messages + times * other.messages,
            vertex_kernels: self.vertex_kernels + times * other.vertex_kernels,
            total: self.total + times * other.total,
        }
    }
}

/// The measured seconds of all steps, from separate runs on one side alone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeasuredSides {
    /// Seconds on the GPUs.
    pub gpu: f64,
    /// Seconds on all cores of the CPU.
    pub cpu: f64,
    /// Seconds on the CPU cores that feed no GPU. If the CPU [pushes](Model::cpu_pushes) when it shares a run, the
    /// measured run pushes too.
    pub cpu_beside: f64,
}

/// The prediction for the alpha that [`Model::best`] or [`Model::choose`] has selected.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Forecast {
    /// The CPU's share of the edges.
    pub alpha: f64,
    /// Seconds for all steps at this alpha.
    pub seconds: Seconds,
    /// Seconds for all steps on the GPUs alone.
    pub gpu_alone: f64,
    /// Seconds for all steps on the CPU alone.
    pub cpu_alone: f64,
    /// The bound with the largest effect on the run.
    pub bound: Bound,
    /// The obstacle to sharing if alpha is 0. Among host memory, the CPU's kernels and messages, this is the bound that
    /// would save the most time at twice the speed. If none would save time, it is the CPU's kernels.
    pub against: Option<Bound>,
}

impl Forecast {
    /// Returns the predicted speedup over the GPUs alone.
    pub fn speedup(&self) -> f64 {
        if self.seconds.total > 0.0 { self.gpu_alone / self.seconds.total } else { 1.0 }
    }

    /// Returns whether the GPUs should process all edges.
    pub fn is_gpu_alone(&self) -> bool {
        self.alpha == 0.0
    }
}

/// The model of a run shared by a CPU and GPUs. Rates are in bytes per second.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    steps: Vec<Step>,
    vertices: f64,
    /// The size in bytes of the source values that replace pages in a GPU's memory during a pulling scan.
    handed: f64,
    /// The largest possible alpha.
    most: f64,
    /// Host memory bandwidth.
    host_rate: f64,
    /// The rates of copies and of CPU reads while both run concurrently, if measured.
    together: Option<[f64; 2]>,
    /// The rate of copies to a GPU.
    to_gpu_rate: f64,
    /// The rate of copies from a GPU.
    to_cpu_rate: f64,
    /// Fixed seconds per message exchange.
    meeting: f64,
    /// The ratio of message rates to copy rates.
    message_speed: f64,
    /// The host memory needs of the CPU's replica.
    replica: Vec<Need>,
}

impl Model {
    /// Creates the model of a run. `configuration` applies to the GPUs, and to the CPU except for the number of devices
    /// and the strategy.
    ///
    /// # Errors
    ///
    /// Returns the [`Shortfall`] of a side that could not run alone.
    pub fn of(
        graph: &GraphShape,
        algorithm: &AlgorithmShape,
        platform: Platform<'_>,
        configuration: &RunConfiguration,
        sharing: &Sharing,
    ) -> Result<Self, Shortfall> {
        let Platform { host, cpu, gpu } = platform;
        let on_gpu = predict(graph, algorithm, host, gpu, configuration)?;
        let cpu_configuration = RunConfiguration { devices: 1, strategy: None, ..configuration.clone() };
        let on_cpu = predict(graph, algorithm, host, cpu, &cpu_configuration)?;
        let link = gpu.link.as_ref();
        let memory = &on_gpu.memory;
        let beside_gpu = |need: &&Need| memory.host.iter().all(|held| held.what != need.what);
        let replica: Vec<Need> = on_cpu.memory.host.iter().filter(beside_gpu).copied().collect();
        let most = match memory.strategy {
            // A device with only a part of the WA has no replica.
            Strategy::Split => 0.0,
            Strategy::Pages => 1.0 - memory.on_storage() as f64 / memory.pages.max(1) as f64,
        };
        let handed = handed_together(graph, algorithm, configuration, memory);
        let pulls = match algorithm.steps {
            Steps::WhileActive(_) => memory.pulls,
            Steps::Fixed(_) | Steps::AtMost(_) => handed.is_some(),
        };
        // If the GPUs push, the CPU pushes too when it shares the run.
        let beside = match pulls {
            true => on_cpu.clone(),
            false => predict(graph, algorithm, host, cpu, &RunConfiguration { pull_share: None, ..cpu_configuration })?,
        };
        let of_each = [&beside, &on_cpu, &on_gpu];
        Ok(Self {
            steps: steps_of(
                graph,
                algorithm,
                of_each,
                platform,
                (sharing.cores, configuration.devices.max(1)),
                handed.is_some(),
            ),
            vertices: graph.vertices as f64,
            handed: handed.filter(|_| !memory.resident).unwrap_or(0) as f64,
            most,
            host_rate: host.memory_rate,
            together: link.and_then(|link| link.beside.as_ref()).map(|beside| [beside.copy_rate, beside.memory_rate]),
            to_gpu_rate: link.map_or(f64::INFINITY, |link| link.chunk_rate()),
            to_cpu_rate: link.map_or(f64::INFINITY, |link| link.back_rate),
            meeting: gpu.step,
            message_speed: 1.0,
            replica,
        })
    }

    /// Returns the host memory that the CPU needs in addition to the GPUs' needs: its replica of the WA and RA.
    pub fn host_needs(&self) -> &[Need] {
        &self.replica
    }

    /// Returns the largest allowed alpha: below 1 if pages on storage stay with the GPUs, and 0 if the GPUs have no
    /// replicas.
    pub fn most(&self) -> f64 {
        self.most
    }

    /// Returns the seconds for all steps if the CPU processes a share `alpha` of the edges.
    pub fn seconds(&self, alpha: f64) -> Seconds {
        self.steps.iter().fold(Seconds::default(), |sum, step| sum.plus(self.step_seconds(step, alpha), step.repeats))
    }

    /// Returns the number of values sent in all steps if the CPU processes a share `alpha` of the edges.
    pub fn messages(&self, alpha: f64) -> Messages {
        self.steps.iter().fold(Messages::default(), |sum, step| {
            let each = step.exchange.map_or(Messages::default(), |exchange| self.carried(exchange, alpha));
            Messages {
                to_gpu: sum.to_gpu + step.repeats * each.to_gpu,
                to_cpu: sum.to_cpu + step.repeats * each.to_cpu,
            }
        })
    }

    /// Returns the forecast for the best alpha. Ties go to the smallest alpha.
    pub fn best(&self) -> Forecast {
        self.forecast(self.fastest())
    }

    /// Returns the forecast for the default alpha: the best alpha, or 0 if sharing is not [worthwhile](WORTH_SHARING).
    pub fn choose(&self) -> Forecast {
        self.choose_for(WORTH_SHARING)
    }

    /// Returns the forecast for the best alpha, or for alpha 0 if the best speedup is below `least`.
    fn choose_for(&self, least: f64) -> Forecast {
        let best = self.best();
        if best.speedup() >= least { best } else { self.forecast((0.0, self.seconds(0.0))) }
    }

    fn forecast(&self, (alpha, seconds): (f64, Seconds)) -> Forecast {
        let most = |all: &[(Bound, f64)], least| {
            all.iter().fold(least, |most: (Bound, f64), next| if next.1 > most.1 { *next } else { most }).0
        };
        let saved = Bound::ALL.map(|bound| (bound, seconds.total - self.doubled(bound).fastest().1.total));
        let bound = most(&saved, saved[0]);
        let of_sharing = [Bound::HostMemory, Bound::Cpu, Bound::Messages];
        let gained: Vec<_> = saved.into_iter().filter(|(bound, _)| of_sharing.contains(bound)).collect();
        let against = (alpha == 0.0).then(|| most(&gained, (Bound::Cpu, 0.0)));
        Forecast {
            alpha,
            seconds,
            gpu_alone: self.of_all_steps(|step| step.gpu.alone()),
            cpu_alone: self.of_all_steps(|step| step.cpu_alone.alone()),
            bound,
            against,
        }
    }

    /// Adds up `seconds` over all steps and their repetitions.
    fn of_all_steps(&self, seconds: impl Fn(&Step) -> f64) -> f64 {
        self.steps.iter().map(|step| step.repeats * seconds(step)).sum()
    }

    /// Returns the best alpha and the seconds at this alpha. Searches a grid first, then the interval around the best
    /// grid point.
    fn fastest(&self) -> (f64, Seconds) {
        let at = |alpha: f64| (alpha, self.seconds(alpha));
        let better = |best: (f64, Seconds), next: (f64, Seconds)| if next.1.total < best.1.total { next } else { best };
        let point = |number: u32| f64::from(number) / f64::from(GRID);
        let within = (0..=GRID).map(point).filter(|alpha| *alpha <= self.most);
        let best = within.map(at).chain([at(self.most)]).reduce(better).unwrap_or_else(|| at(0.0));
        let (mut low, mut high) = ((best.0 - point(1)).max(0.0), (best.0 + point(1)).min(self.most));
        let golden = (5f64.sqrt() - 1.0) / 2.0;
        let mut found = best;
        for _ in 0..NARROWING {
            let (left, right) = (at(high - golden * (high - low)), at(low + golden * (high - low)));
            found = better(better(found, left), right);
            if left.1.total <= right.1.total { high = right.0 } else { low = left.0 }
        }
        found
    }

    /// Returns the model of a machine in which the part `bound` is twice as fast.
    fn doubled(&self, bound: Bound) -> Self {
        let mut model = self.clone();
        match bound {
            Bound::HostMemory => {
                model.host_rate *= 2.0;
                for step in &mut model.steps {
                    step.cpu.handing_out /= 2.0;
                    step.cpu.delay /= 2.0;
                    step.filling /= 2.0;
                }
                model.together = model.together.map(|[copies, reads]| [2.0 * copies, 2.0 * reads]);
            }
            Bound::Messages => model.message_speed *= 2.0,
            Bound::Steps => model.meeting /= 2.0,
            Bound::Link | Bound::Disk | Bound::Cpu | Bound::Gpu => {}
        }
        for Step { cpu, cpu_alone, gpu, .. } in &mut model.steps {
            match bound {
                Bound::HostMemory | Bound::Messages => {}
                Bound::Link => gpu.link /= 2.0,
                Bound::Disk => gpu.disk /= 2.0,
                Bound::Cpu => {
                    for cpu in [cpu, cpu_alone] {
                        // Faster CPU kernels remain limited by the host memory bandwidth.
                        cpu.kernels = (cpu.kernels / 2.0).max((cpu.host_bytes / self.host_rate).min(cpu.kernels));
                        cpu.vertex_kernels /= 2.0;
                        cpu.activation /= 2.0;
                    }
                }
                Bound::Gpu => {
                    gpu.kernels /= 2.0;
                    gpu.vertex_kernels /= 2.0;
                    gpu.activation /= 2.0;
                }
                Bound::Steps => {
                    cpu.beside /= 2.0;
                    cpu_alone.beside /= 2.0;
                    gpu.beside /= 2.0;
                }
            }
        }
        model
    }

    fn step_seconds(&self, step: &Step, alpha: f64) -> Seconds {
        let Step { cpu, gpu, .. } = step;
        if alpha >= 1.0 {
            let alone = &step.cpu_alone;
            let total = alone.alone();
            return Seconds {
                cpu: total - alone.vertex_kernels,
                vertex_kernels: alone.vertex_kernels,
                total,
                ..Seconds::default()
            };
        }
        let Some(exchange) = step.exchange.filter(|_| alpha > 0.0) else {
            let total = gpu.alone();
            return Seconds {
                gpu: total - gpu.vertex_kernels,
                vertex_kernels: gpu.vertex_kernels,
                total,
                ..Seconds::default()
            };
        };
        let messages = self.messages_of(exchange, alpha);
        let (computing, streaming) = self.sharing_host_memory(step, alpha);
        let cpu_end = computing + cpu.beside;
        let [_, on_gpu] = self.activated_on_both(step, alpha);
        let gpu_end = streaming.max((1.0 - alpha) * gpu.kernels + on_gpu) + gpu.beside;
        let vertex_kernels = gpu.vertex_kernels;
        let total = cpu_end.max(gpu_end) + messages + vertex_kernels + self.meeting;
        Seconds { cpu: cpu_end, gpu: gpu_end, messages: messages + self.meeting, vertex_kernels, total }
    }

    /// Returns the seconds for the CPU's edge kernels, and the seconds for streaming pages to the GPUs. The two compete
    /// for host memory bandwidth, and slow each other down while they run concurrently.
    fn sharing_host_memory(&self, step: &Step, alpha: f64) -> (f64, f64) {
        let Step { cpu, gpu, .. } = step;
        let missed = ((1.0 - alpha) * gpu.visited - self.kept(step)).max(0.0);
        let link = if gpu.missed > 0.0 { gpu.link * missed / gpu.missed } else { 0.0 };
        let by_vertices = cpu.handing_out + step.filling;
        let [on_cpu, _] = self.activated_on_both(step, alpha);
        let (computing, streaming) = (by_vertices + alpha * cpu.kernels + on_cpu, link.max(gpu.disk));
        let rate = |bytes: f64, seconds: f64| if seconds > 0.0 { bytes / seconds } else { 0.0 };
        // Pages from storage use the bandwidth twice: they are first written to memory, then read.
        let of_cpu = by_vertices * self.host_rate + alpha * cpu.host_bytes;
        let wanted = [rate(of_cpu, computing), rate(missed + gpu.read, streaming)];
        let delay = cpu.delay * cpu.scattered * rate(alpha * cpu.kernels, computing);
        let [of_cpu, of_gpu] = self.slowed(wanted, delay);
        if computing * of_cpu <= streaming * of_gpu {
            let end = computing * of_cpu;
            (end, end + streaming - end / of_gpu)
        } else {
            let end = streaming * of_gpu;
            (end + computing - end / of_cpu, end)
        }
    }

    /// Returns the additional seconds that the CPU and the GPUs spend on activations because both sides activate some
    /// vertices.
    fn activated_on_both(&self, Step { cpu, gpu, exchange, .. }: &Step, alpha: f64) -> [f64; 2] {
        let Some(Exchange { carried: Carried::Changed(changed), .. }) = exchange else { return [0.0; 2] };
        let beyond = |share: f64| (changed.by(share) - share * changed.vertices).max(0.0);
        [cpu.activation * beyond(alpha), gpu.activation * beyond(1.0 - alpha)]
    }

    /// Returns the size in bytes of the pages that stay in the GPUs' memory between repetitions of a step.
    fn kept(&self, Step { gpu, exchange, .. }: &Step) -> f64 {
        let handed = if matches!(exchange, Some(Exchange { carried: Carried::Own, .. })) { self.handed } else { 0.0 };
        (gpu.visited - gpu.missed - handed).max(0.0)
    }

    /// Returns the slowdowns of the CPU and of the copies, which demand `of_cpu` and `of_gpu` bytes per second from
    /// host memory. While copies run at full speed, slower random reads extend the CPU's time by a share `delay`.
    fn slowed(&self, [of_cpu, of_gpu]: [f64; 2], delay: f64) -> [f64; 2] {
        match self.together {
            Some([copy_rate, memory_rate]) => {
                // Copies slow down if the CPU saturates the memory.
                let pressed = (of_cpu / memory_rate).min(1.0);
                // During copies, random reads have a higher latency, no matter how few bytes they read.
                let copying = (of_gpu / copy_rate).min(1.0);
                let waiting = 1.0 + copying * delay;
                [(of_cpu / memory_rate).max(waiting), 1.0 + pressed * ((of_gpu / copy_rate).max(1.0) - 1.0)]
            }
            None => [((of_cpu + of_gpu) / self.host_rate).max(1.0); 2],
        }
    }

    /// Returns whether the CPU pushes when it shares the run with GPUs, but pulls when it runs alone.
    pub fn cpu_pushes(&self) -> bool {
        self.steps.iter().any(|step| !step.alike)
    }

    /// Returns the model with speeds adjusted to the measured times of runs on one side alone.
    #[must_use]
    pub fn calibrated(&self, measured: &MeasuredSides) -> Self {
        let factor = |measured: f64, predicted: f64| if predicted > 0.0 { measured / predicted } else { 1.0 };
        let of_gpu = factor(measured.gpu, self.of_all_steps(|step| step.gpu.alone()));
        let of_all_cores = factor(measured.cpu, self.of_all_steps(|step| step.cpu_alone.alone()));
        let of_cores_left = factor(measured.cpu_beside, self.of_all_steps(|step| step.cpu.alone()));
        let mut model = self.clone();
        for Step { cpu, cpu_alone, gpu, .. } in &mut model.steps {
            gpu.scale(of_gpu);
            cpu_alone.scale(of_all_cores);
            cpu.scale(of_cores_left);
        }
        model
    }

    fn carried(&self, exchange: Exchange, alpha: f64) -> Messages {
        match exchange.carried {
            _ if alpha <= 0.0 || alpha >= 1.0 => Messages::default(),
            Carried::Own => Messages { to_gpu: alpha * self.vertices, to_cpu: self.vertices },
            Carried::All => Messages { to_gpu: self.vertices, to_cpu: self.vertices },
            Carried::Changed(changed) => Messages { to_gpu: changed.by(alpha), to_cpu: changed.by(1.0 - alpha) },
        }
    }

    /// Returns the share of a set's words that contain at least one of `count` randomly placed vertices.
    fn words_with(&self, count: f64) -> f64 {
        1.0 - (1.0 - (count / self.vertices.max(1.0)).min(1.0)).powf(WORD)
    }

    /// Returns the seconds that a step's messages take.
    fn messages_of(&self, exchange: Exchange, alpha: f64) -> f64 {
        let Messages { to_gpu, to_cpu } = self.carried(exchange, alpha);
        let bytes = |count: f64, value: f64| match exchange.carried {
            Carried::Own | Carried::All => count * value,
            // A bit set of 32-bit words marks the changed vertices. If one vertex of a word changed, the values of all
            // vertices in that word are sent.
            Carried::Changed(_) => self.vertices / 8.0 + value * self.vertices * self.words_with(count),
        };
        let (to_gpu, to_cpu) = (bytes(to_gpu, exchange.to_gpu), bytes(to_cpu, exchange.to_cpu));
        // The CPU's set is copied to memory that GPUs can access, and the result is copied back.
        let copied = match exchange.carried {
            Carried::Own | Carried::All => 0.0,
            Carried::Changed(_) => 4.0 * self.vertices / 8.0 / self.host_rate,
        };
        (to_gpu / self.to_gpu_rate + to_cpu / self.to_cpu_rate + copied) / self.message_speed
    }
}

/// Returns the size of the source values in bytes if scans pull on both sides; otherwise `None`. Both sides pull if the
/// configuration makes the CPU pull, no column travels, and the GPUs have room for the values.
fn handed_together(
    graph: &GraphShape,
    algorithm: &AlgorithmShape,
    configuration: &RunConfiguration,
    memory: &MemoryPlan,
) -> Option<u64> {
    if !cpu_scans_pull(graph, configuration) {
        return None;
    }
    let handed = handed(graph, algorithm).map_or(0, |need| need.bytes);
    let load =
        DeviceLoad { graph: GraphLoad::of_shape(graph), attributes: algorithm.attributes, ra: algorithm.ra.clone() };
    let held = memory.device.iter().filter(|need| need.what != "staging");
    let left = memory.device_budget.saturating_sub(held.map(|need| need.bytes).sum());
    let pulls = memory.scans_pull || load.pulls_along_streams(left, handed);
    (memory.placement.away.is_empty() && pulls).then_some(handed)
}
