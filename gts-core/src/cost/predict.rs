//! Predicts the time of a run step by step, with an extension of the paper's models.
//!
//! In a step, pages pass through stages that work concurrently: storage, link and kernels. The slowest stage *bounds*
//! the step. The time of a step is the time of this stage, plus the time of the other stages for the first and last
//! groups of pages, which does not overlap, plus fixed costs. The model extends equations 1 and 2 by:
//!
//! - storage as a separate stage: a page is read once if the host's buffer has room for it, and in every step
//!   otherwise;
//! - traversal steps that pull: they walk the whole opposite topology, but check only some of its edges;
//! - copy times that depend on the size, because pages are copied in groups;
//! - kernels as a stage, because they may bound a step;
//! - cached pages in scans, and 32-byte sectors of active records, which traversals read in place if this is faster
//!   than copying pages;
//! - under Strategy-S with more parts of the WA than devices: several passes over the topology per step, a snapshot of
//!   the WA that streams as RA, and the exchange of WA parts;
//! - the columns that travel with pages because there is no room for them on the device, and the values that `rotate`
//!   copies to these columns in host memory;
//! - the values that devices exchange after a pass to make all replicas of the WA equal: all values, the values of
//!   activated vertices, or the values owned by other devices;
//! - the host's limit on concurrent copies to all devices;
//! - several nodes: see [`super::nodes`]. The bytes and seconds of a step are then those of the busiest node.

use super::algorithm::{AlgorithmShape, KernelShape, Steps};
use super::levels::{StepActivity, levels, stretched};
use super::machine::{HostConstants, LinkConstants, ProcessorConstants, ProcessorKind};
use super::memory::{CachePolicy, MemoryPlan, RunConfiguration, Shortfall, Strategy, Transfer, memory_plan};
use super::merging::Apart;
use super::neighbors::slowdown;
use super::nodes::Nodes;
use super::pulling::level_pulls;
use super::requirements::can_pull;
use crate::graph::{GraphShape, TopologyShape};
use gts_contract::KernelKind;

/// The size in bytes of a sector, the smallest unit of reads over the link. A list that is read in place costs about
/// one additional sector, because its first and last sectors are only partly used.
const SECTOR: f64 = 32.0;
/// The size of a slot in bytes.
const SLOT: f64 = 4.0;

/// The resource that limits a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepBound {
    /// Storage.
    Disk,
    /// The link between host and device.
    Link,
    /// The kernels.
    Kernel,
    /// The fixed costs of launches and the step.
    Step,
    /// Merging of WA between devices.
    Merge,
    /// Messages between nodes.
    Network,
}

impl StepBound {
    /// Returns the bound's name for display.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Disk => "disk",
            Self::Link => "link",
            Self::Kernel => "kernel",
            Self::Step => "launches",
            Self::Merge => "merge",
            Self::Network => "network",
        }
    }
}

/// Bytes transferred in a step, summed over all devices of a node.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepBytes {
    /// The size in bytes of the visited pages.
    pub visited: f64,
    /// Bytes read from storage.
    pub read: f64,
    /// Bytes copied over the link.
    pub copied: f64,
    /// Bytes read in place over the link.
    pub in_place: f64,
    /// The size in bytes of the visited pages that a cache contained.
    pub cached: f64,
    /// Bytes per replica that devices and nodes merge after passes.
    pub merged: f64,
    /// Bytes sent to other nodes.
    pub sent: f64,
}

/// The seconds of a step, by cause.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepSeconds {
    /// Reads from storage.
    pub disk: f64,
    /// Copies and in-place reads over the link.
    pub link: f64,
    /// Execution of edge kernels.
    pub kernel: f64,
    /// Work on the first and last groups of pages, which does not overlap with other stages.
    pub ends: f64,
    /// Launches, the end of the step, and vertex kernels.
    pub step: f64,
    /// The part of `step` spent in vertex kernels.
    pub vertex_kernels: f64,
    /// Merging of WA replicas, and exchange of WA parts between devices.
    pub merge: f64,
    /// Merging and exchange between nodes.
    pub network: f64,
}

impl StepSeconds {
    /// Returns the seconds for the whole step.
    pub fn total(&self) -> f64 {
        self.disk.max(self.link).max(self.kernel) + self.ends + self.step + self.merge + self.network
    }

    /// Returns the cause that accounts for the most time.
    pub fn bound(&self) -> StepBound {
        let all = [
            (self.link, StepBound::Link),
            (self.disk, StepBound::Disk),
            (self.kernel, StepBound::Kernel),
            (self.step, StepBound::Step),
            (self.merge, StepBound::Merge),
            (self.network, StepBound::Network),
        ];
        all.into_iter().fold(all[0], |most, next| if next.0 > most.0 { next } else { most }).1
    }
}

/// One step, or several identical steps.
#[derive(Clone, Debug, PartialEq)]
pub struct StepPrediction {
    /// The step's name for display, such as `first step` or `level 3`.
    pub name: String,
    /// The number of identical steps.
    pub repeats: f64,
    /// The number of active vertices; `None` if the step visits all vertices.
    pub active: Option<f64>,
    /// The number of vertices that the step activates.
    pub activated: f64,
    /// The number of edges visited on all nodes together.
    pub edges: f64,
    /// The number of message exchanges between nodes.
    pub exchanges: f64,
    /// Bytes transferred in the step.
    pub bytes: StepBytes,
    /// The seconds of the step, by cause.
    pub seconds: StepSeconds,
}

/// The predicted behaviour of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Prediction {
    /// The placement of the run's data.
    pub memory: MemoryPlan,
    /// The steps, in order.
    pub steps: Vec<StepPrediction>,
    /// Seconds before the first step, for loading the graph onto the device or page-locking its pages.
    pub setup: f64,
    /// Seconds for all steps.
    pub passes: f64,
    /// Seconds for creating attributes, passing them between steps, and copying the result to the host.
    pub attributes: f64,
}

impl Prediction {
    /// Returns the seconds for the whole run, from an opened graph to the result.
    pub fn seconds(&self) -> f64 {
        self.setup + self.passes + self.attributes
    }

    /// Returns the seconds in which nodes send, merge, or wait for values, summed over all steps.
    pub fn network(&self) -> f64 {
        self.steps.iter().map(|step| step.seconds.network * step.repeats).sum()
    }

    /// Returns the number of bytes sent by the busiest node, summed over all steps.
    pub fn sent(&self) -> f64 {
        self.steps.iter().map(|step| step.bytes.sent * step.repeats).sum()
    }

    /// Returns the number of exchanges, summed over all steps.
    pub fn exchanges(&self) -> f64 {
        self.steps.iter().map(|step| step.exchanges * step.repeats).sum()
    }

    /// Returns the bound of the step that takes the most time in total.
    pub fn bound(&self) -> Option<StepBound> {
        let weight = |step: &&StepPrediction| step.seconds.total() * step.repeats;
        self.steps.iter().max_by(|a, b| weight(a).total_cmp(&weight(b))).map(|step| step.seconds.bound())
    }
}

/// Predicts the time and memory use of a run.
///
/// # Errors
///
/// Returns the [`Shortfall`] that makes the run impossible.
pub fn predict(
    graph: &GraphShape,
    algorithm: &AlgorithmShape,
    host: &HostConstants,
    processor: &ProcessorConstants,
    configuration: &RunConfiguration,
) -> Result<Prediction, Shortfall> {
    let memory = memory_plan(graph, algorithm, processor, host.memory, configuration)?;
    let devices = f64::from(configuration.devices.max(1));
    let nodes = configuration.nodes;
    let model = RunModel { graph, algorithm, host, processor, configuration, memory: &memory, devices, nodes };
    let steps = model.steps();
    let passes = steps.iter().map(|step| step.seconds.total() * step.repeats).sum();
    let count: f64 = steps.iter().map(|step| step.repeats).sum();
    let (setup, attributes) = (model.setup(), model.attributes(count));
    Ok(Prediction { steps, setup, passes, attributes, memory })
}

/// State that carries over from one step to the next.
#[derive(Clone, Copy, Debug)]
struct Carryover {
    /// The size in bytes of the pages in the devices' caches.
    cached: f64,
    /// The size in bytes of the pages in the host's buffer.
    buffered: f64,
    /// The share of all edges walked in earlier levels.
    walked: f64,
}

/// The inputs of a prediction.
#[derive(Clone, Copy)]
struct RunModel<'a> {
    graph: &'a GraphShape,
    algorithm: &'a AlgorithmShape,
    host: &'a HostConstants,
    processor: &'a ProcessorConstants,
    configuration: &'a RunConfiguration,
    memory: &'a MemoryPlan,
    /// The number of devices per node that run a kernel.
    devices: f64,
    /// The nodes that run a kernel.
    nodes: Nodes,
}

impl RunModel<'_> {
    fn rounds(&self) -> f64 {
        self.memory.rounds(self.configuration.devices.max(1)) as f64
    }

    /// Returns the number of times that a pass loads each page. Under Strategy-S, a page that every device receives
    /// counts once per round.
    fn streamed(&self) -> f64 {
        match self.memory.strategy {
            Strategy::Pages => 1.0,
            Strategy::Split => self.rounds(),
        }
    }

    fn steps(&self) -> Vec<StepPrediction> {
        let mut steps = Vec::new();
        let mut held = Carryover {
            cached: if self.memory.resident { self.cached_most() } else { 0.0 },
            buffered: if self.configuration.warm { self.memory.host_pages as f64 } else { 0.0 },
            walked: 0.0,
        };
        let vertices = self.graph.vertices as f64;
        let all = |repeats| (StepActivity::all(self.graph, repeats), vertices);
        for kernel in &self.algorithm.once {
            let only = std::slice::from_ref(kernel);
            steps.push(self.step(format!("{} once", short(&kernel.name)), only, all(1.0), false, &mut held));
        }
        let kernels = &self.algorithm.each_step;
        let walk = kernels.iter().find(|kernel| kernel.kind != KernelKind::Vertex);
        let before = steps.len();
        match (self.algorithm.steps, walk) {
            (Steps::WhileActive(start), Some(walk)) => {
                let predicted = levels(self.graph, start, walk.once);
                let levels = match self.configuration.levels {
                    Some(count) => stretched(&predicted, count, vertices),
                    None => predicted,
                };
                for (number, level) in levels.iter().enumerate() {
                    // Each of several equal steps, except the last, activates `level.vertices` vertices.
                    let next = levels.get(number + 1).map_or(0.0, |next| next.vertices);
                    let activated = (level.vertices * (level.repeats - 1.0) + next) / level.repeats;
                    steps.push(self.step(format!("level {number}"), kernels, (*level, activated), true, &mut held));
                    held.walked += level.share * level.repeats;
                }
            }
            (Steps::Fixed(count) | Steps::AtMost(count), _) => {
                if count > 0 {
                    steps.push(self.step("first step".to_owned(), kernels, all(1.0), false, &mut held));
                }
                if count > 1 {
                    let rest = all((count - 1) as f64);
                    steps.push(self.step("each later step".to_owned(), kernels, rest, false, &mut held));
                }
            }
            // The number of steps is unknown. Assume one.
            (Steps::WhileActive(_), None) => {
                steps.push(self.step("each step".to_owned(), kernels, all(1.0), false, &mut held));
            }
        }
        for step in &mut steps[before..] {
            step.repeats *= self.algorithm.searches as f64;
        }
        steps
    }

    /// Predicts one step that runs `kernels` and activates `activated` vertices. Updates `held` to the state after the
    /// step.
    fn step(
        &self,
        name: String,
        kernels: &[KernelShape],
        (level, activated): (StepActivity, f64),
        active_only: bool,
        held: &mut Carryover,
    ) -> StepPrediction {
        let mut step = StepPrediction {
            name,
            repeats: level.repeats,
            active: active_only.then_some(level.vertices),
            activated,
            edges: 0.0,
            exchanges: 0.0,
            bytes: StepBytes::default(),
            seconds: StepSeconds::default(),
        };
        for kernel in kernels {
            if kernel.kind == KernelKind::Vertex {
                let seconds = self.vertex_pass(kernel, &level);
                step.seconds.step += self.processor.step + seconds;
                step.seconds.vertex_kernels += seconds;
                self.merge(kernel, false, activated, &mut step);
                continue;
            }
            let alone = self.memory.strategy == Strategy::Pages && kernel.writes.alone;
            let model = if alone { Self { devices: 1.0, nodes: Nodes::ONE, ..*self } } else { *self };
            let pulls = active_only && self.pulls(kernel, &level, held.walked);
            for side in &kernel.sides {
                let side = if pulls { side.opposite() } else { *side };
                if let Some(topology) = self.graph.topology(side) {
                    let share = model.nodes.most_share(self.graph, side);
                    let walk = StepWalk { topology, share, level: &level, active_only: active_only && !pulls, pulls };
                    model.edge_pass(kernel, walk, held, &mut step);
                }
            }
            step.seconds.step += self.processor.step;
            self.merge(kernel, pulls || (!active_only && self.scan_pulls(kernel)), activated, &mut step);
            step.seconds.merge += self.exchange();
        }
        step
    }

    fn vertex_pass(&self, kernel: &KernelShape, level: &StepActivity) -> f64 {
        let working_set = kernel.touched * self.graph.vertices;
        let own = self.processor.kernel_seconds(&kernel.name, kernel.kind, false, working_set);
        let by_memory = kernel.touched as f64 / self.processor.memory_rate;
        let link = self.processor.link.as_ref();
        // Each device computes the values of its own replica.
        let (times, share) = match self.memory.strategy {
            Strategy::Pages => (self.devices, 1.0),
            Strategy::Split => (1.0, self.rounds() / self.devices),
        };
        let by_link = link.map_or(0.0, |link| times * self.travelling(kernel) / self.copy_rate(link));
        let by_device = level.vertices * own.max(by_memory) * share;
        by_device.max(by_link)
    }

    /// Returns whether a traversal step pulls if earlier steps have walked a share `walked` of the edges.
    fn pulls(&self, kernel: &KernelShape, level: &StepActivity, walked: f64) -> bool {
        let many = |share| level_pulls(self.graph, kernel, self.processor, (level, walked), share);
        self.memory.pulls && kernel.leaves_early && self.configuration.pull_share.is_some_and(many)
    }

    /// Returns whether a kernel's scans pull.
    fn scan_pulls(&self, kernel: &KernelShape) -> bool {
        self.memory.scans_pull && kernel.handed.is_some() && can_pull(self.graph, kernel)
    }

    fn edge_pass(&self, kernel: &KernelShape, walk: StepWalk<'_>, held: &mut Carryover, step: &mut StepPrediction) {
        let StepWalk { topology, share, level, active_only, pulls } = walk;
        let all = topology.edges as f64;
        // A pulling pass loads whole lists, but checks only part of their edges.
        let (edges, looked_at) =
            if pulls { (all, level.searched * all) } else { (level.share * all, level.share * all) };
        let touched = if active_only { level.touched_pages(self.graph, topology) } else { topology.pages() as f64 };
        let visited = touched * share * f64::from(topology.page_size);
        let hits = visited * self.hit_rate(active_only, held.cached);
        let missed = (visited - hits) * self.streamed();

        let working_set = kernel.touched * self.graph.vertices / self.memory.parts;
        let scan_pulls = !active_only && self.scan_pulls(kernel);
        let each = self.processor.kernel_seconds(&kernel.name, kernel.kind, scan_pulls, working_set);
        // Under Strategy-S, every device walks every edge and ignores edges of vertices in other parts.
        let of_device = if self.memory.strategy == Strategy::Pages { 1.0 / self.devices } else { self.rounds() };
        let slowdown = slowdown(self.graph, kernel, pulls || scan_pulls, self.configuration.technique, self.processor);
        let kernels = looked_at * share * each * slowdown * of_device;

        // Adjacent slots share a sector.
        let slots = (SECTOR * level.vertices).min(SLOT * self.graph.vertices as f64);
        let lines = edges * topology.entry_bytes() as f64 + SECTOR * level.vertices + slots;
        let in_place = lines * share * self.streamed() * (missed / (visited * self.streamed()).max(1.0));
        let beside = self.travelling(kernel) * missed / topology.bytes().max(1) as f64;
        let (link, copied, in_place) = self.link(missed, in_place, beside, active_only);
        held.cached = (held.cached + copied / self.streamed()).min(self.cached_most());

        let read = self.read(missed.min(visited), level.repeats, held);
        let disk = if read > 0.0 { read / self.host.disk_rate } else { 0.0 };

        let groups = (copied.max(read) / self.configuration.group as f64 / self.devices).max(1.0);
        // Kernels for cached pages wait for no copy. These kernels run while the device would otherwise be idle.
        let of_missed = kernels * (1.0 - hits / visited.max(1.0));
        let stages = [disk, link, of_missed];
        let longest = stages.into_iter().fold(0.0, f64::max);
        step.edges += edges;
        step.bytes.visited += visited;
        step.bytes.read += read;
        step.bytes.copied += copied;
        step.bytes.in_place += in_place;
        step.bytes.cached += hits;
        step.seconds.disk += disk;
        step.seconds.link += link;
        step.seconds.kernel += kernels + groups * self.processor.launch;
        step.seconds.ends += (stages.iter().sum::<f64>() - longest) / groups;
    }

    /// Returns the share of visited pages that a cache of `cached` bytes contains.
    fn hit_rate(&self, active_only: bool, cached: f64) -> f64 {
        let (most, pages) = (self.cached_most(), self.memory.pages.max(1) as f64);
        let scanned_lru = match self.configuration.cache {
            CachePolicy::Lru => !active_only,
            CachePolicy::Auto | CachePolicy::Scan | CachePolicy::Off => false,
        };
        // Least recently used pages are evicted first, so a scan never finds its next page in the cache.
        if scanned_lru && most < pages { 0.0 } else { (cached / pages).min(1.0) }
    }

    /// Returns the total size in bytes of the distinct pages that the caches can hold.
    fn cached_most(&self) -> f64 {
        let pages = self.memory.pages as f64;
        match self.memory.strategy {
            // Edge lists replace all pages, so all pages count as cached.
            _ if self.configuration.lists_edges() => pages,
            Strategy::Pages => (self.memory.cache as f64 * self.devices).min(pages),
            Strategy::Split => (self.memory.cache as f64).min(pages),
        }
    }

    /// Returns the number of bytes read from storage per step if `wanted` bytes are needed: the bytes that exceed the
    /// buffer, and the bytes that fit in the buffer but have not been loaded.
    fn read(&self, wanted: f64, repeats: f64, held: &mut Carryover) -> f64 {
        if !self.memory.buffered {
            return 0.0;
        }
        let (room, pages) = (self.memory.host_pages as f64, self.memory.pages.max(1) as f64);
        let (again, left) = (wanted * (1.0 - room / pages), (room - held.buffered).max(0.0));
        let first = (wanted * left / pages).min(left / repeats);
        held.buffered += first * repeats;
        again + first
    }

    /// Returns the size in bytes of all column values that a kernel reads and that are not on the device.
    fn travelling(&self, kernel: &KernelShape) -> f64 {
        let travelling = self.memory.placement.travelling_of(&kernel.reads, self.graph.symmetric);
        (travelling.bytes * self.graph.vertices) as f64
    }

    /// Returns the link time for missed pages and travelling values, the number of bytes copied, and the number of
    /// bytes read in place.
    fn link(&self, missed: f64, lines: f64, travelling: f64, active_only: bool) -> (f64, f64, f64) {
        let Some(link) = &self.processor.link else { return (0.0, 0.0, 0.0) };
        let snapshot = match self.memory.strategy {
            Strategy::Pages => travelling,
            Strategy::Split => {
                let source: u64 = self.algorithm.each_step.iter().map(|kernel| kernel.at_source).sum();
                (source * self.graph.vertices) as f64 * self.rounds()
            }
        };
        let copying = (missed + snapshot) / self.copy_rate(link);
        let reading =
            lines / (link.in_place_rate * self.devices).min(link.shared_rate) + snapshot / self.copy_rate(link);
        // Pages that are loaded through a buffer cannot be read in place.
        let possible = active_only && !self.memory.buffered;
        let in_place = possible
            && match self.configuration.transfer {
                Transfer::Auto => reading < copying,
                Transfer::Copy => false,
                Transfer::InPlace => true,
            };
        if in_place { (reading, snapshot, lines) } else { (copying, missed + snapshot, 0.0) }
    }

    /// Returns the rate at which groups are copied to the devices, in bytes per second. Under Strategy-S, a group that
    /// every device receives counts once.
    fn copy_rate(&self, link: &LinkConstants) -> f64 {
        let one = link.rate(self.configuration.group);
        match self.memory.strategy {
            Strategy::Pages => (one * self.devices).min(link.shared_rate),
            // Every device gets every page. With peer access, the host sends each page once, and devices forward it.
            // Otherwise the host sends each page to every device.
            Strategy::Split => match link.peer_rate {
                Some(peer) => (one * self.devices).min(link.shared_rate).min(peer),
                None => one.min(link.shared_rate / self.devices),
            },
        }
    }

    /// Adds the cost of exchanging values after a pass between devices and nodes that store all of the WA.
    fn merge(&self, kernel: &KernelShape, pulls: bool, activated: f64, step: &mut StepPrediction) {
        if self.memory.strategy == Strategy::Split {
            return;
        }
        // Each device and node computes the same values for its own replica.
        let same = kernel.kind == KernelKind::Vertex && !kernel.writes.alone;
        let vertices = self.graph.vertices as f64;
        let apart = (!same).then(|| Apart::after(kernel, pulls, [vertices, activated]));
        let between_ranks = match self.nodes.are_several() {
            true => apart.map(|apart| apart.between_ranks(kernel, vertices, self.nodes.transport)),
            false => apart,
        };
        let link = self.processor.link.as_ref().filter(|_| self.devices > 1.0);
        if let Some(apart) = between_ranks.filter(|_| link.is_some() || self.nodes.are_several()) {
            step.bytes.merged += apart.bytes.sum();
        }
        if let (Some(apart), Some(link)) = (apart, link) {
            step.seconds.merge += apart.between_devices(self.devices, link);
        }
        let asks = self.configuration.pull_share.is_some();
        let rates = (self.memory_rate(), self.processor.link.as_ref());
        let crossing = self.nodes.crossing(kernel, between_ranks, (asks, pulls), vertices, rates);
        step.bytes.sent += crossing.sent;
        step.seconds.network += crossing.seconds;
        step.exchanges += crossing.exchanges;
    }

    /// Returns the rate at which attributes are read and written in the processor's memory.
    fn memory_rate(&self) -> f64 {
        match self.processor.kind {
            ProcessorKind::Cpu => self.host.memory_rate,
            ProcessorKind::Cuda => self.processor.memory_rate,
        }
    }

    /// Returns the seconds for exchanging WA parts in a step if there are more parts than devices.
    fn exchange(&self) -> f64 {
        let Some(link) = self.processor.link.as_ref().filter(|_| self.rounds() > 1.0) else { return 0.0 };
        let bytes = (self.algorithm.attributes.wa * self.graph.vertices) as f64 / self.devices;
        bytes / link.chunk_rate() + bytes / link.back_rate
    }

    /// Returns the seconds for loading resident pages, or for page-locking streamed pages in ordinary memory.
    fn setup(&self) -> f64 {
        let Some(link) = &self.processor.link else { return 0.0 };
        let pages = self.memory.pages as f64;
        let kept = if self.configuration.warm { self.memory.host_pages.min(self.memory.pages) as f64 } else { 0.0 };
        match (self.memory.resident, self.memory.buffered) {
            (true, true) => (pages - kept) / self.host.disk_rate + pages / link.pageable_rate,
            (true, false) => pages / link.pageable_rate,
            (false, false) => pages / link.pin_rate,
            (false, true) => 0.0,
        }
    }

    /// Returns the seconds for creating attributes, passing them between steps, and copying the result to the host.
    fn attributes(&self, steps: f64) -> f64 {
        let vertices = self.graph.vertices as f64;
        let load = &self.algorithm.attributes;
        let updated = (load.wa * self.graph.vertices + load.edge_wa * self.graph.edges) as f64;
        let all = updated + self.algorithm.ra_bytes() as f64 * vertices;
        let rotated: u64 = self.algorithm.rotated.iter().map(|column| column.bytes).sum();
        let rotated = rotated as f64 * vertices * steps;
        // Values that `rotate` writes to a column in host memory must cross the link.
        let away = self.algorithm.rotated_away(&self.memory.placement) as f64 * vertices * steps;
        let back = match &self.processor.link {
            Some(link) => (updated + away) / link.back_rate,
            None => 0.0,
        };
        let answer = updated / self.host.memory_rate;
        (all + rotated) / self.memory_rate() + back + answer
    }
}

/// The edges that a kernel walks in one step.
#[derive(Clone, Copy)]
struct StepWalk<'a> {
    topology: &'a TopologyShape,
    /// The share of the topology that the node walks.
    share: f64,
    level: &'a StepActivity,
    /// Whether pages without active vertices are skipped.
    active_only: bool,
    /// Whether vertices search the topology for active neighbours.
    pulls: bool,
}

fn short(kernel: &str) -> &str {
    kernel.rsplit("::").next().unwrap_or(kernel)
}
