//! Predicts the time of a run, step by step, by an extension of the paper's models.
//!
//! A step moves pages through stages that work concurrently: storage, link, kernels. Its time is that of the slowest
//! stage, which *bounds* the step, plus what the other stages take for the first and last group of pages, which nothing
//! hides, plus the cost of a step besides its work. This adds to equations 1 and 2:
//!
//! - storage as a stage of its own, for pages that host memory does not hold, and once for all pages of a store that
//!   are loaded through a buffer;
//! - traversal steps that pull: they walk all of the opposite topology, but check only some of its edges;
//! - the cost of a copy by its size, because copies are made of groups of pages;
//! - kernels as a stage, because they may bound a step;
//! - pages that scans find in the cache, and pages that traversals read in place by 128-byte lines of active records,
//!   if that is less than copying the pages;
//! - the passes over the topology that Strategy-S makes if WA has more parts than there are devices, the snapshot of WA
//!   that then streams as RA, and the exchange of WA parts;
//! - the columns that travel with pages because the device has no room for them, and what `rotate` copies back;
//! - the values that devices exchange after a pass so that all have the same WA: all values, those of activated
//!   vertices, or those that other devices own; and the host's bound on simultaneous copies to all devices;
//! - several nodes: see [`super::nodes`]. A step's figures are then those of the busiest node.

use super::algorithm::{AlgorithmShape, KernelShape, Steps};
use super::levels::{Level, levels, stretched};
use super::machine::{HostConstants, LinkConstants, ProcessorConstants, ProcessorKind};
use super::memory::{CachePolicy, MemoryPlan, RunConfiguration, Shortfall, Strategy, Transfer, memory_plan};
use super::merging::Apart;
use super::neighbours::slowdown;
use super::nodes::Nodes;
use super::pulling::level_pulls;
use super::requirements::can_pull;
use crate::graph::{GraphShape, TopologyShape};
use gts_contract::KernelKind;

/// Bytes that cross the link in addition to an active list that is read in place: a sector for its ends.
const SECTOR: f64 = 32.0;
/// Bytes of a slot.
const SLOT: f64 = 4.0;

/// The resource that a step waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// Storage.
    Disk,
    /// The link between host and device.
    Link,
    /// The kernels.
    Kernel,
    /// Launches and the end of the step.
    Step,
    /// The merge of WA over devices.
    Merge,
    /// Messages between nodes.
    Network,
}

impl Bound {
    /// Returns a name for display.
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

/// Bytes of a step, summed over all devices of a node.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepBytes {
    /// Pages visited.
    pub visited: f64,
    /// Read from storage.
    pub read: f64,
    /// Copied over the link.
    pub copied: f64,
    /// Read in place over the link.
    pub in_place: f64,
    /// Pages found in a cache.
    pub cached: f64,
    /// Merged over devices and nodes after passes, per replica.
    pub merged: f64,
    /// Sent to other nodes.
    pub sent: f64,
}

/// Seconds of a step, by cause.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepSeconds {
    /// Reading from storage.
    pub disk: f64,
    /// Copies and reading in place.
    pub link: f64,
    /// Kernels.
    pub kernel: f64,
    /// Unhidden work: the other stages' first and last groups.
    pub ends: f64,
    /// Launches, the end of the step, and vertex kernels.
    pub step: f64,
    /// The part of `step` that vertex kernels take.
    pub vertex_kernels: f64,
    /// Merging replicas of WA, and exchanging parts of WA.
    pub merge: f64,
    /// The same between nodes.
    pub network: f64,
}

impl StepSeconds {
    /// The time of the step.
    pub fn total(&self) -> f64 {
        self.disk.max(self.link).max(self.kernel) + self.ends + self.step + self.merge + self.network
    }

    /// Returns the cause that takes the most time.
    pub fn bound(&self) -> Bound {
        let all = [
            (self.link, Bound::Link),
            (self.disk, Bound::Disk),
            (self.kernel, Bound::Kernel),
            (self.step, Bound::Step),
            (self.merge, Bound::Merge),
            (self.network, Bound::Network),
        ];
        all.into_iter().fold(all[0], |most, next| if next.0 > most.0 { next } else { most }).1
    }
}

/// One step, or several equal ones.
#[derive(Clone, Debug, PartialEq)]
pub struct StepPrediction {
    /// The name of the step: `first step`, `level 3`.
    pub name: String,
    /// The number of such steps.
    pub repeats: f64,
    /// Active vertices, if the step visits only those.
    pub active: Option<f64>,
    /// Vertices that the step activates.
    pub activated: f64,
    /// Edges visited by all nodes.
    pub edges: f64,
    /// Exchanges of messages between nodes.
    pub exchanges: f64,
    /// Bytes moved.
    pub bytes: StepBytes,
    /// Time by cause.
    pub seconds: StepSeconds,
}

/// The predicted behaviour of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Prediction {
    /// The placement of the run's data.
    pub memory: MemoryPlan,
    /// The steps, in order.
    pub steps: Vec<StepPrediction>,
    /// Seconds before the first step: loading the graph onto the device or page-locking it.
    pub setup: f64,
    /// Seconds of all steps.
    pub passes: f64,
    /// Seconds for creating attributes, passing them between steps, and copying the result back.
    pub attributes: f64,
}

impl Prediction {
    /// Seconds of the whole run, from the open graph to the result.
    pub fn seconds(&self) -> f64 {
        self.setup + self.passes + self.attributes
    }

    /// Returns the seconds in which nodes send, merge received values, and wait for exchanges, over all steps.
    pub fn network(&self) -> f64 {
        self.steps.iter().map(|step| step.seconds.network * step.repeats).sum()
    }

    /// Bytes that the busiest node sends in all steps.
    pub fn sent(&self) -> f64 {
        self.steps.iter().map(|step| step.bytes.sent * step.repeats).sum()
    }

    /// Exchanges of all steps.
    pub fn exchanges(&self) -> f64 {
        self.steps.iter().map(|step| step.exchanges * step.repeats).sum()
    }

    /// Returns the cause that takes the most time of the steps.
    pub fn bound(&self) -> Option<Bound> {
        let weight = |step: &&StepPrediction| step.seconds.total() * step.repeats;
        self.steps.iter().max_by(|a, b| weight(a).total_cmp(&weight(b))).map(|step| step.seconds.bound())
    }
}

/// Predicts a run.
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
    let model = Model { graph, algorithm, host, processor, configuration, memory: &memory, devices, nodes };
    let steps = model.steps();
    let passes = steps.iter().map(|step| step.seconds.total() * step.repeats).sum();
    let count: f64 = steps.iter().map(|step| step.repeats).sum();
    let (setup, attributes) = (model.setup(), model.attributes(count));
    Ok(Prediction { steps, setup, passes, attributes, memory })
}

/// State that earlier steps leave behind.
#[derive(Clone, Copy, Debug)]
struct Held {
    /// Bytes of pages in the devices' caches.
    cached: f64,
    /// Bytes of pages in the host's buffer.
    buffered: f64,
    /// The share of the edges that earlier levels have walked.
    walked: f64,
}

/// All inputs of a prediction.
#[derive(Clone, Copy)]
struct Model<'a> {
    graph: &'a GraphShape,
    algorithm: &'a AlgorithmShape,
    host: &'a HostConstants,
    processor: &'a ProcessorConstants,
    configuration: &'a RunConfiguration,
    memory: &'a MemoryPlan,
    /// The devices of a node that run a kernel.
    devices: f64,
    /// The nodes that run a kernel.
    nodes: Nodes,
}

impl Model<'_> {
    fn rounds(&self) -> f64 {
        self.memory.rounds(self.configuration.devices.max(1)) as f64
    }

    /// Returns the bytes that a pass loads onto all devices together, per byte of the topology.
    fn streamed(&self) -> f64 {
        match self.memory.strategy {
            Strategy::Pages => 1.0,
            Strategy::Split => self.rounds(),
        }
    }

    fn steps(&self) -> Vec<StepPrediction> {
        let mut steps = Vec::new();
        let mut held = Held {
            cached: if self.memory.resident { self.cached_most() } else { 0.0 },
            buffered: if self.configuration.warm { self.memory.host_pages as f64 } else { 0.0 },
            walked: 0.0,
        };
        let vertices = self.graph.vertices as f64;
        let all = |repeats| (Level::all(self.graph, repeats), vertices);
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
                    // Of several equal steps, all but the last activate the number of vertices that is active.
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
            // The number of steps is unknown: assume one.
            (Steps::WhileActive(_), None) => {
                steps.push(self.step("each step".to_owned(), kernels, all(1.0), false, &mut held));
            }
        }
        for step in &mut steps[before..] {
            step.repeats *= self.algorithm.searches as f64;
        }
        steps
    }

    /// Predicts one step of some kernels, which activates `activated` vertices. Updates `held` to the state afterwards.
    fn step(
        &self,
        name: String,
        kernels: &[KernelShape],
        (level, activated): (Level, f64),
        active_only: bool,
        held: &mut Held,
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
                    let walk = Walk { topology, share, level: &level, active_only: active_only && !pulls, pulls };
                    model.edge_pass(kernel, walk, held, &mut step);
                }
            }
            step.seconds.step += self.processor.step;
            self.merge(kernel, pulls || (!active_only && self.scan_pulls(kernel)), activated, &mut step);
            step.seconds.merge += self.exchange();
        }
        step
    }

    fn vertex_pass(&self, kernel: &KernelShape, level: &Level) -> f64 {
        let working_set = kernel.touched * self.graph.vertices;
        let own = self.processor.kernel_seconds(&kernel.name, kernel.kind, false, working_set);
        let by_memory = kernel.touched as f64 / self.processor.memory_rate;
        let link = self.processor.link.as_ref();
        // Every replica computes the same values on its own device.
        let (times, share) = match self.memory.strategy {
            Strategy::Pages => (self.devices, 1.0),
            Strategy::Split => (1.0, self.rounds() / self.devices),
        };
        let by_link = link.map_or(0.0, |link| times * self.travelling(kernel) / self.copy_rate(link));
        let by_device = level.vertices * own.max(by_memory) * share;
        by_device.max(by_link)
    }

    /// Returns whether a traversal step pulls, after steps that have walked a share of the edges.
    fn pulls(&self, kernel: &KernelShape, level: &Level, walked: f64) -> bool {
        let many = |share| level_pulls(self.graph, kernel, self.processor, (level, walked), share);
        self.memory.pulls && kernel.leaves_early && self.configuration.pull_share.is_some_and(many)
    }

    /// Returns whether a scan pulls.
    fn scan_pulls(&self, kernel: &KernelShape) -> bool {
        self.memory.scans_pull && kernel.handed.is_some() && can_pull(self.graph, kernel)
    }

    fn edge_pass(&self, kernel: &KernelShape, walk: Walk<'_>, held: &mut Held, step: &mut StepPrediction) {
        let Walk { topology, share, level, active_only, pulls } = walk;
        let all = topology.edges as f64;
        // If vertices leave their lists early, a pass goes through the rest of the lists without checking the edges.
        let (edges, looked_at) =
            if pulls { (all, level.searched * all) } else { (level.share * all, level.share * all) };
        let touched = if active_only { level.touched_pages(self.graph, topology) } else { topology.pages() as f64 };
        let visited = touched * share * f64::from(topology.page_size);
        let hits = visited * self.hit_rate(active_only, held.cached);
        let missed = (visited - hits) * self.streamed();

        let working_set = kernel.touched * self.graph.vertices / self.memory.parts;
        let scan_pulls = !active_only && self.scan_pulls(kernel);
        let each = self.processor.kernel_seconds(&kernel.name, kernel.kind, scan_pulls, working_set);
        // Under Strategy-S every device walks every edge and drops those of foreign vertices.
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
        // Kernels of cached pages wait for no copy and run while the device would be idle.
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

    /// Returns the share of visited pages found in a cache that holds `cached` bytes.
    fn hit_rate(&self, active_only: bool, cached: f64) -> f64 {
        let (most, pages) = (self.cached_most(), self.memory.pages.max(1) as f64);
        let scanned_lru = match self.configuration.cache {
            CachePolicy::Lru => !active_only,
            CachePolicy::Auto | CachePolicy::Scan | CachePolicy::Off => false,
        };
        // The most recently used pages are the last ones that a scan reaches.
        if scanned_lru && most < pages { 0.0 } else { (cached / pages).min(1.0) }
    }

    /// Returns the bytes of distinct pages that all caches hold together.
    fn cached_most(&self) -> f64 {
        let pages = self.memory.pages as f64;
        match self.memory.strategy {
            // Edge lists may be smaller than the pages that they replace.
            _ if self.configuration.lists_edges() => pages,
            Strategy::Pages => (self.memory.cache as f64 * self.devices).min(pages),
            Strategy::Split => (self.memory.cache as f64).min(pages),
        }
    }

    /// Returns the bytes read from storage per step, out of `wanted` bytes: those that exceed the buffer, and those
    /// that fit into the buffer but have not been loaded yet.
    fn read(&self, wanted: f64, repeats: f64, held: &mut Held) -> f64 {
        if !self.memory.buffered {
            return 0.0;
        }
        let (room, pages) = (self.memory.host_pages as f64, self.memory.pages.max(1) as f64);
        let (again, left) = (wanted * (1.0 - room / pages), (room - held.buffered).max(0.0));
        let first = (wanted * left / pages).min(left / repeats);
        held.buffered += first * repeats;
        again + first
    }

    /// Returns the bytes of all values in columns that a kernel reads and that are not on the device.
    fn travelling(&self, kernel: &KernelShape) -> f64 {
        let travelling = self.memory.placement.travelling_of(&kernel.reads, self.graph.symmetric);
        (travelling.bytes * self.graph.vertices) as f64
    }

    /// Returns the link time of missed pages and travelling values, and the bytes copied and read in place.
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
        // Storage delivers whole pages only.
        let possible = active_only && !self.memory.buffered;
        let in_place = possible
            && match self.configuration.transfer {
                Transfer::Auto => reading < copying,
                Transfer::Copy => false,
                Transfer::InPlace => true,
            };
        if in_place { (reading, snapshot, lines) } else { (copying, missed + snapshot, 0.0) }
    }

    /// Returns the rate at which all devices together receive copies of groups, in bytes per second.
    fn copy_rate(&self, link: &LinkConstants) -> f64 {
        let one = link.rate(self.configuration.group);
        match self.memory.strategy {
            Strategy::Pages => (one * self.devices).min(link.shared_rate),
            // Every device gets every page: once from the host if devices forward pages, otherwise each from the host.
            Strategy::Split => match link.peer_rate {
                Some(peer) => (one * self.devices).min(link.shared_rate).min(peer),
                None => one.min(link.shared_rate / self.devices),
            },
        }
    }

    /// Adds the values that devices and nodes with all of WA exchange after a pass.
    fn merge(&self, kernel: &KernelShape, pulls: bool, activated: f64, step: &mut StepPrediction) {
        if self.memory.strategy == Strategy::Split {
            return;
        }
        // Every replica computes the same values itself.
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

    /// Returns the rate at which attributes are read and written.
    fn memory_rate(&self) -> f64 {
        match self.processor.kind {
            ProcessorKind::Cpu => self.host.memory_rate,
            ProcessorKind::Cuda => self.processor.memory_rate,
        }
    }

    /// Returns the seconds for exchanging parts of WA in a step, if there are more parts than devices.
    fn exchange(&self) -> f64 {
        let Some(link) = self.processor.link.as_ref().filter(|_| self.rounds() > 1.0) else { return 0.0 };
        let bytes = (self.algorithm.attributes.wa * self.graph.vertices) as f64 / self.devices;
        bytes / link.chunk_rate() + bytes / link.back_rate
    }

    /// Returns the seconds for loading resident pages, or for page-locking pages that stream from plain memory.
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

    /// Returns the seconds for creating attributes, passing them between steps, and copying the result back.
    fn attributes(&self, steps: f64) -> f64 {
        let vertices = self.graph.vertices as f64;
        let load = &self.algorithm.attributes;
        let updated = (load.wa * self.graph.vertices + load.edge_wa * self.graph.edges) as f64;
        let all = updated + self.algorithm.ra_bytes() as f64 * vertices;
        let rotated: u64 = self.algorithm.rotated.iter().map(|column| column.bytes).sum();
        let rotated = rotated as f64 * vertices * steps;
        // Values that `rotate` writes to a column in host memory cross the link.
        let away = self.algorithm.rotated_away(&self.memory.placement) as f64 * vertices * steps;
        let back = match &self.processor.link {
            Some(link) => (updated + away) / link.back_rate,
            None => 0.0,
        };
        let answer = updated / self.host.memory_rate;
        (all + rotated) / self.memory_rate() + back + answer
    }
}

/// The edges that one kernel walks in a step.
#[derive(Clone, Copy)]
struct Walk<'a> {
    topology: &'a TopologyShape,
    /// The node's share of the topology.
    share: f64,
    level: &'a Level,
    /// Whether pages without an active vertex are skipped.
    active_only: bool,
    /// Whether vertices search the topology for active neighbours.
    pulls: bool,
}

fn short(kernel: &str) -> &str {
    kernel.rsplit("::").next().unwrap_or(kernel)
}
