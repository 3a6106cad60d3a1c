//! A CPU and GPUs on one graph: TOTEM's model, in [`totem`], and ours, which predicts the speed over the GPUs alone.
//!
//! Ours starts from what [`predict`] says of either side alone, step by step, and asks what a step takes where the CPU has
//! a share *alpha* of the edges. At alpha 0 and 1 the answer is that of [`predict`]. Between them:
//!
//! - The sides work at the same time. The CPU's kernel and the pages that stream to the GPUs both take from the bandwidth
//!   of the host's memory. Where they want more than there is, both slow down in proportion until one of them ends.
//! - What a GPU keeps in its memory, it keeps at every alpha: the CPU's edges are taken from what would stream. Pages on
//!   storage stay with the GPUs, which bounds alpha.
//! - A step ends with messages, one a vertex whatever the number of edges that end there: to the GPUs for the vertices
//!   that the CPU's edges touch (or, in a traversal, change), and back for those that the CPU's edges leave. The side that
//!   ends first sends while the other works.
//! - Vertex kernels run on the GPUs, after the messages to them; those back follow.
//!
//! Messages are those expected where edges are placed at random, until a run has [counted](Counted) them.

use super::algorithm::AlgorithmShape;
use super::machine::{HostConstants, ProcessorConstants};
use super::memory::{Need, RunConfiguration, Shortfall, Strategy};
use super::predict::predict;
use super::shape::{DegreeClass, GraphShape};
use crate::graph::Side;
use messages::reversed;
use work::{Carried, Exchange, Step, steps_of};

mod messages;
#[cfg(test)]
mod tests;
pub mod totem;
mod work;

pub use messages::{Counted, Messages, expected_messages};

/// Bytes of host memory that an edge's other end costs the CPU's kernel, and a message its gathering or scattering: a line
/// of a cache.
const LINE: f64 = 64.0;
/// Parts of the grid over which the best alpha is looked for.
const GRID: u32 = 100;
/// Steps of the search between two points of the grid: each narrows it by a factor of 0.618.
const NARROWING: usize = 24;
/// The least speed over the GPUs alone for which the CPU is given a share: measured rates vary by nearly as much.
pub const WORTHWHILE: f64 = 1.05;

/// The processors of a machine that share a graph.
#[derive(Clone, Copy, Debug)]
pub struct Platform<'a> {
    /// The host.
    pub host: &'a HostConstants,
    /// Its CPU.
    pub cpu: &'a ProcessorConstants,
    /// Each of its GPUs.
    pub gpu: &'a ProcessorConstants,
}

/// How the work is shared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sharing {
    /// The share of the CPU's cores that its kernels get, of those that its rates were measured with: others feed GPUs.
    pub cores: f64,
    /// Whether the side that ends first sends while the other works.
    pub overlaps: bool,
    /// The messages of a scan that a run has counted, which correct those expected.
    pub counted: Option<Counted>,
}

impl Default for Sharing {
    fn default() -> Self {
        Self { cores: 1.0, overlaps: true, counted: None }
    }
}

/// What decides how long a run takes: the part of the machine that, were it twice as fast, would save most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// The bandwidth of the host's memory, for copies to the GPUs and the CPU's kernel together.
    HostMemory,
    /// The way between host and GPUs.
    Link,
    /// Storage.
    Disk,
    /// The CPU's kernels.
    Cpu,
    /// The GPUs' kernels.
    Gpu,
    /// Messages: gathering, sending and merging them.
    Messages,
    /// Launches and the ends of steps.
    Steps,
}

impl Bound {
    /// Every bound; of two that would save as much, the first counts.
    pub const ALL: [Self; 7] =
        [Self::HostMemory, Self::Link, Self::Disk, Self::Cpu, Self::Gpu, Self::Messages, Self::Steps];

    /// Returns what it is, for people.
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

/// Seconds of a step, or of all, at some alpha.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Seconds {
    /// Until the CPU's kernels over edges have ended.
    pub cpu: f64,
    /// Until the GPUs' have.
    pub gpu: f64,
    /// Messages that no work hides.
    pub messages: f64,
    /// Kernels over vertices.
    pub vertex_kernels: f64,
    /// The whole step.
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

/// What is predicted of a run at the best alpha.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Forecast {
    /// The CPU's share of the edges.
    pub alpha: f64,
    /// Seconds of all steps with it.
    pub seconds: Seconds,
    /// Seconds of all steps on the GPUs alone.
    pub gpu_alone: f64,
    /// Seconds of all steps on the CPU alone.
    pub cpu_alone: f64,
    /// What decides how long it takes.
    pub bound: Bound,
    /// Where alpha is 0, why: of what sharing needs, that which would give the CPU most, were it twice as fast; the CPU's
    /// kernels where nothing would.
    pub against: Option<Bound>,
}

impl Forecast {
    /// Returns the speed over the GPUs alone.
    pub fn speedup(&self) -> f64 {
        if self.seconds.total > 0.0 { self.gpu_alone / self.seconds.total } else { 1.0 }
    }

    /// Returns whether the CPU had better have nothing.
    pub fn is_gpu_alone(&self) -> bool {
        self.alpha == 0.0
    }
}

/// A run of an algorithm on a graph that a CPU and GPUs share. Rates are in bytes a second.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    steps: Vec<Step>,
    classes: Vec<DegreeClass>,
    vertices: f64,
    overlaps: bool,
    counted: Option<Counted>,
    /// The greatest alpha.
    most: f64,
    /// That of the host's memory.
    host_rate: f64,
    /// That of a GPU's memory.
    gpu_rate: f64,
    /// That of copies to a GPU.
    to_gpu_rate: f64,
    /// That of copies from a GPU.
    to_cpu_rate: f64,
    /// Seconds that messages cost beside their bytes.
    meeting: f64,
    /// The rates of messages over those measured.
    message_speed: f64,
    /// What the host holds for the CPU.
    replica: Vec<Need>,
}

impl Model {
    /// Creates the model of a run. `configuration` is that of the GPUs.
    ///
    /// # Errors
    ///
    /// Why a side cannot run it alone: see [`Shortfall`].
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
            // Parts of WA are no replicas.
            Strategy::Split => 0.0,
            Strategy::Pages => 1.0 - memory.on_storage() as f64 / memory.pages.max(1) as f64,
        };
        Ok(Self {
            steps: steps_of(algorithm, [&on_cpu, &on_gpu], platform, sharing.cores),
            classes: graph.classes.clone(),
            vertices: graph.vertices as f64,
            overlaps: sharing.overlaps,
            counted: sharing.counted,
            most,
            host_rate: host.memory_rate,
            gpu_rate: gpu.memory_rate,
            to_gpu_rate: link.map_or(f64::INFINITY, |link| link.chunk_rate()),
            to_cpu_rate: link.map_or(f64::INFINITY, |link| link.back_rate),
            meeting: gpu.step,
            message_speed: 1.0,
            replica,
        })
    }

    /// Returns what the host holds for the CPU, beside what it holds for the GPUs alone: its replica of WA and RA.
    pub fn host_needs(&self) -> &[Need] {
        &self.replica
    }

    /// Returns the greatest alpha: below 1 where pages on storage stay with the GPUs, 0 where these have no replicas.
    pub fn most(&self) -> f64 {
        self.most
    }

    /// Returns the seconds of all steps where the CPU has a share `alpha` of the edges.
    pub fn seconds(&self, alpha: f64) -> Seconds {
        self.steps.iter().fold(Seconds::default(), |sum, step| sum.plus(self.step_seconds(step, alpha), step.repeats))
    }

    /// Returns the messages of all steps.
    pub fn messages(&self, alpha: f64) -> Messages {
        self.steps.iter().fold(Messages::default(), |sum, step| {
            let each = step.exchange.map_or(Messages::default(), |exchange| self.carried(exchange.carried, alpha));
            Messages {
                to_gpu: sum.to_gpu + step.repeats * each.to_gpu,
                to_cpu: sum.to_cpu + step.repeats * each.to_cpu,
            }
        })
    }

    /// Returns what is predicted of the best alpha; the least of several as good.
    pub fn best(&self) -> Forecast {
        self.forecast(self.fastest())
    }

    /// Returns what is predicted of the alpha to take where nobody has chosen: the best one, or 0 where that is not
    /// [worthwhile](WORTHWHILE).
    pub fn choose(&self) -> Forecast {
        let best = self.best();
        if best.speedup() >= WORTHWHILE { best } else { self.forecast((0.0, self.seconds(0.0))) }
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
        let alone = |side: fn(&Step) -> f64| self.steps.iter().map(|step| step.repeats * side(step)).sum();
        Forecast {
            alpha,
            seconds,
            gpu_alone: alone(|step| step.gpu.alone()),
            cpu_alone: alone(|step| step.cpu.alone()),
            bound,
            against,
        }
    }

    /// Finds the best alpha and its time: the best point of a grid, and what is better between its neighbours.
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

    /// Returns the same on a machine of which one part is twice as fast.
    fn doubled(&self, bound: Bound) -> Self {
        let mut model = self.clone();
        match bound {
            Bound::HostMemory => model.host_rate *= 2.0,
            Bound::Messages => model.message_speed *= 2.0,
            Bound::Steps => model.meeting /= 2.0,
            Bound::Link | Bound::Disk | Bound::Cpu | Bound::Gpu => {}
        }
        for Step { cpu, gpu, .. } in &mut model.steps {
            match bound {
                Bound::HostMemory | Bound::Messages => {}
                Bound::Link => gpu.link /= 2.0,
                Bound::Disk => gpu.disk /= 2.0,
                Bound::Cpu => {
                    // Its kernels get no more of the host's memory than there is.
                    cpu.kernels = (cpu.kernels / 2.0).max((cpu.host_bytes / self.host_rate).min(cpu.kernels));
                    cpu.vertex_kernels /= 2.0;
                }
                Bound::Gpu => {
                    gpu.kernels /= 2.0;
                    gpu.vertex_kernels /= 2.0;
                }
                Bound::Steps => {
                    cpu.beside /= 2.0;
                    gpu.beside /= 2.0;
                }
            }
        }
        model
    }

    fn step_seconds(&self, step: &Step, alpha: f64) -> Seconds {
        let Step { cpu, gpu, .. } = step;
        if alpha >= 1.0 {
            let total = cpu.alone();
            return Seconds {
                cpu: total - cpu.vertex_kernels,
                vertex_kernels: cpu.vertex_kernels,
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
        let messages = self.messages_of(&exchange, alpha);
        let (computing, streaming) = self.sharing_host_memory(step, alpha);
        let cpu_end = computing + cpu.beside;
        let kernels = (1.0 - alpha) * gpu.kernels;
        let gpu_end = |link: f64| (streaming + link).max(kernels) + gpu.beside;
        let both = |gpu_end: f64| cpu_end.max(gpu_end);
        let vertex = gpu.vertex_kernels;
        // Whether the messages to the CPU wait for nothing but the GPUs' edges.
        let early = vertex == 0.0;
        let total = if !self.overlaps {
            both(gpu_end(0.0)) + messages.to_gpu + vertex + messages.to_cpu
        } else if cpu_end <= gpu_end(0.0) {
            // The messages take from the link what pages then lack.
            (cpu_end + messages.to_gpu).max(gpu_end(messages.on_link)) + vertex + messages.to_cpu
        } else if early {
            cpu_end.max(gpu_end(0.0) + messages.to_cpu) + messages.to_gpu
        } else {
            cpu_end + messages.to_gpu + vertex + messages.to_cpu
        } + self.meeting;
        let gpu_end = gpu_end(0.0);
        let exposed = total - both(gpu_end) - vertex;
        Seconds { cpu: cpu_end, gpu: gpu_end, messages: exposed, vertex_kernels: vertex, total }
    }

    /// Returns the seconds of the CPU's kernels over edges, and of the pages that come to the GPUs. Both take from the
    /// bandwidth of the host's memory. They are slower by the same factor while they want more of it than there is.
    fn sharing_host_memory(&self, Step { cpu, gpu, .. }: &Step, alpha: f64) -> (f64, f64) {
        let kept = gpu.visited - gpu.missed;
        let missed = ((1.0 - alpha) * gpu.visited - kept).max(0.0);
        let link = if gpu.missed > 0.0 { gpu.link * missed / gpu.missed } else { 0.0 };
        let (computing, streaming) = (alpha * cpu.kernels, link.max(gpu.disk));
        let rate = |bytes: f64, seconds: f64| if seconds > 0.0 { bytes / seconds } else { 0.0 };
        // What comes from storage is written there before it is read.
        let (of_cpu, of_gpu) = (rate(alpha * cpu.host_bytes, computing), rate(missed + gpu.read, streaming));
        let slowed = computing.min(streaming) * ((of_cpu + of_gpu) / self.host_rate - 1.0).max(0.0);
        (computing + slowed, streaming + slowed)
    }

    fn carried(&self, carried: Carried, alpha: f64) -> Messages {
        if alpha <= 0.0 || alpha >= 1.0 {
            return Messages::default();
        }
        match carried {
            Carried::Touched(side) => {
                let at = |alpha| match side {
                    Side::Out => expected_messages(&self.classes, alpha),
                    Side::In => {
                        let classes: Vec<_> = self.classes.iter().map(reversed).collect();
                        expected_messages(&classes, alpha)
                    }
                };
                let expected = at(alpha);
                let Some(Counted { alpha: known, messages }) = self.counted else { return expected };
                let reference = at(known);
                let corrected = |expected: f64, counted: f64, reference: f64| match reference > 0.0 {
                    true => (expected * counted / reference).min(self.vertices),
                    false => expected,
                };
                Messages {
                    to_gpu: corrected(expected.to_gpu, messages.to_gpu, reference.to_gpu),
                    to_cpu: corrected(expected.to_cpu, messages.to_cpu, reference.to_cpu),
                }
            }
            Carried::Changed { vertices, edges } => {
                Messages { to_gpu: vertices.min(alpha * edges), to_cpu: alpha * vertices }
            }
        }
    }

    /// Returns the seconds of the messages either way.
    fn messages_of(&self, exchange: &Exchange, alpha: f64) -> MessageSeconds {
        let count = self.carried(exchange.carried, alpha);
        let set = match exchange.carried {
            Carried::Touched(_) => 0.0,
            Carried::Changed { .. } => self.vertices / 8.0,
        };
        let (to_gpu, to_cpu) = (count.to_gpu * exchange.to_gpu + set, count.to_cpu * exchange.to_cpu + set);
        let on_link = to_gpu / self.to_gpu_rate;
        // The CPU gathers and scatters a line of a cache for each value, the GPU reads and writes a sector.
        let host = |vertices: f64| LINE * vertices / self.host_rate;
        let gpu = |vertices: f64| LINE * vertices / self.gpu_rate;
        let speed = self.message_speed;
        MessageSeconds {
            to_gpu: (host(count.to_gpu) + on_link + gpu(count.to_gpu)) / speed,
            to_cpu: (gpu(count.to_cpu) + to_cpu / self.to_cpu_rate + host(count.to_cpu)) / speed,
            on_link: on_link / speed,
        }
    }
}

/// Seconds of messages.
#[derive(Clone, Copy, Debug)]
struct MessageSeconds {
    /// Those to the GPUs, gathered, sent and merged.
    to_gpu: f64,
    /// Those to the CPU.
    to_cpu: f64,
    /// The part of those to the GPUs that is spent on the link.
    on_link: f64,
}
