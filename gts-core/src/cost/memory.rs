//! Computes the memory that a run needs on each device and on the host before anything is allocated.

use super::algorithm::AlgorithmShape;
use super::edge_list::listed_bytes;
use super::holding::{
    ColumnPlacement, ColumnRead, DeviceLoad, GraphLoad, MARGIN, ReadColumn, SLOTS, TooLarge, Travelling, note,
    note_pulled,
};
use super::host::{HostLoad, cpu_scans_pull, handed};
use super::loops::{StepLoops, loop_need};
use super::machine::{ProcessorConstants, ProcessorKind};
use super::nodes::Nodes;
use super::requirements::{can_pull, check_graph, check_splittable, check_stays, pulled_sides};
use crate::advice::{Advice, Explain};
use crate::graph::GraphShape;
use crate::units;
use gts_contract::language::Code;
use gts_contract::{KernelKind, Side, Technique};

/// The number of staging slots per stream if devices share the pages and there is room. Pages forwarded by another
/// device use a separate stream.
const SHARED_SLOTS: u64 = 4;
/// Divisor of the memory available to pages: a device that also caches pages uses at most the quotient for staging.
const STAGING_PART: u64 = 4;

/// The distribution of WA over the devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// Strategy-P: each device has all of the WA and a share of the pages.
    Pages,
    /// Strategy-S: each device has a part of the WA and visits all pages. If there are fewer devices than parts, the
    /// pages stream more than once per step.
    Split,
}

impl Strategy {
    /// Returns the strategy's name in the paper.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pages => "Strategy-P",
            Self::Split => "Strategy-S",
        }
    }
}

/// The configuration of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct RunConfiguration {
    /// The number of devices.
    pub devices: u32,
    /// The strategy; chosen automatically if `None`.
    pub strategy: Option<Strategy>,
    /// The number of streams per device.
    pub streams: u32,
    /// The size in bytes of a group of pages, which is copied as a unit.
    pub group: u64,
    /// Memory limit per device, in bytes.
    pub device_memory: Option<u64>,
    /// Limit on the host memory for a store's tables and pages, in bytes.
    pub host_memory: Option<u64>,
    /// The policy for the page cache on each device.
    pub cache: CachePolicy,
    /// The method of transferring pages to a device.
    pub transfer: Transfer,
    /// Whether the pages are in a store, which is read during the run if the pages do not fit in host memory. Otherwise
    /// the pages are in host memory from the start.
    pub stored: bool,
    /// Whether an earlier run on the graph has left pages of the store in the host's buffer.
    pub warm: bool,
    /// Divisor `d` of the pull rule on a CPU: a traversal step may pull if its active vertices have at least 1/d of all
    /// edges. With `u64::MAX`, a step pulls whenever it can. With `None`, every step pushes. GPUs use a different
    /// threshold: see [`super::Ways`].
    pub pull_share: Option<u64>,
    /// The distribution of edges over a GPU's threads; chosen automatically if `None`.
    pub technique: Option<Technique>,
    /// The number of steps of a traversal, if known. The prediction distributes the traversal's work over these steps.
    pub levels: Option<u64>,
    /// The loops over traversal steps that a GPU runs without the host; `None` if the host starts every step.
    pub step_loops: Option<StepLoops>,
    /// The nodes that share the run, each with `devices` devices.
    pub nodes: Nodes,
}

impl RunConfiguration {
    /// Returns whether GPUs use edge lists instead of pages.
    pub fn lists_edges(&self) -> bool {
        self.technique.is_some_and(|technique| technique.edge_list().is_some())
    }
}

impl Default for RunConfiguration {
    fn default() -> Self {
        Self {
            devices: 1,
            strategy: None,
            streams: 2,
            group: 16 << 20,
            device_memory: None,
            host_memory: None,
            cache: CachePolicy::Auto,
            transfer: Transfer::Auto,
            stored: false,
            warm: false,
            pull_share: None,
            technique: None,
            levels: None,
            step_loops: None,
            nodes: Nodes::ONE,
        }
    }
}

/// The policy that selects the pages to keep in a device's cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CachePolicy {
    /// A fixed share of the pages for scans, and the most recently used pages for traversals.
    Auto,
    /// The most recently used pages. If the pages do not fit, a scan has no cache hits.
    Lru,
    /// A fixed share of the pages.
    Scan,
    /// No pages.
    Off,
}

/// The method of transferring pages to a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transfer {
    /// In each step, the method with the shorter predicted time.
    Auto,
    /// Pages are copied whole.
    Copy,
    /// Kernels read active records in place, in host memory. Scans still copy pages.
    InPlace,
}

/// An item of memory use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Need {
    /// The name of the stored data, as displayed in plans and errors.
    pub what: &'static str,
    /// The size of the data in bytes.
    pub bytes: u64,
}

/// The placement of a run's data on the devices and the host.
#[derive(Clone, Debug, PartialEq)]
pub struct MemoryPlan {
    /// The distribution of WA over the devices.
    pub strategy: Strategy,
    /// The number of parts of the WA; 1 under Strategy-P.
    pub parts: u64,
    /// The needs of each device besides pages.
    pub device: Vec<Need>,
    /// The columns stored on each device, and the columns that travel with pages.
    pub placement: ColumnPlacement,
    /// The memory per device that a run may use, in bytes.
    pub device_budget: u64,
    /// The size in bytes of each device's page cache, at most the size of the pages that the device visits. If edge
    /// lists replace the pages, the size of the lists.
    pub cache: u64,
    /// Whether each device loads, before the first step, all pages that it visits.
    pub resident: bool,
    /// The needs of the host besides pages.
    pub host: Vec<Need>,
    /// The host memory that pages may use, in bytes.
    pub host_budget: u64,
    /// The size in bytes of the pages in host memory: all pages of the graph, or the pages in the buffer.
    pub host_pages: u64,
    /// Whether pages stay on storage and are loaded through a buffer in host memory.
    pub buffered: bool,
    /// The size in bytes of all pages that the algorithm walks. With several nodes, the maximum over the nodes.
    pub pages: u64,
    /// The size in bytes of all pages of the graph. With several nodes, the maximum over the nodes.
    pub graph_pages: u64,
    /// Whether steps of a traversal may pull.
    pub pulls: bool,
    /// Whether scans pull if their kernels can.
    pub scans_pull: bool,
    /// The size in bytes of the step loops if there is no room for them and the host starts each step; otherwise
    /// `None`.
    pub loops_left_out: Option<u64>,
}

impl MemoryPlan {
    /// Returns the number of times that all pages stream per step.
    pub fn rounds(&self, devices: u32) -> u64 {
        self.parts.div_ceil(u64::from(devices))
    }

    /// Returns the size in bytes of the walked pages that do not fit in host memory and must be read from storage
    /// repeatedly.
    pub fn on_storage(&self) -> u64 {
        self.pages.saturating_sub(self.host_pages)
    }
}

/// The reason why a run is impossible.
#[derive(Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Shortfall {
    /// A device has too little memory.
    #[error("each device needs {} for {what}, and may use {}", units::bytes(*needed), units::bytes(*available))]
    DeviceMemory {
        /// The data that does not fit.
        what: String,
        /// The size of the data in bytes.
        needed: u64,
        /// The available device memory in bytes.
        available: u64,
        /// Advice to the user on how to proceed.
        remedy: Advice,
    },
    /// The host has too little memory.
    #[error("the host needs {} for {what}, and may use {}", units::bytes(*needed), units::bytes(*available))]
    HostMemory {
        /// The data that does not fit.
        what: String,
        /// The size of the data in bytes.
        needed: u64,
        /// The available host memory in bytes.
        available: u64,
        /// Advice to the user on how to proceed.
        remedy: Advice,
    },
    /// A kernel does not support the requested configuration.
    #[error("{kernel} {limit}: {why}")]
    Kernel {
        /// The kernel's name.
        kernel: String,
        /// The limitation, as a verb phrase for the message.
        limit: &'static str,
        /// The reason, as a clause.
        why: &'static str,
        /// Advice to the user on how to proceed.
        remedy: Advice,
    },
    /// The nodes cannot share the run.
    #[error("{nodes} nodes cannot share the run: {why}")]
    Nodes {
        /// The number of nodes requested.
        nodes: u32,
        /// The reason, as a clause.
        why: String,
        /// Advice to the user on how to proceed.
        remedy: Advice,
    },
    /// The graph lacks a property that the algorithm requires.
    #[error("`{who}` needs {what}")]
    Graph {
        /// The algorithm or attribute that requires the property.
        who: String,
        /// The missing property.
        what: String,
        /// Advice to the user on how to proceed.
        remedy: Advice,
    },
}

crate::debug_by_explaining!(Shortfall);

impl Explain for Shortfall {
    fn code(&self) -> Code {
        match self {
            Self::DeviceMemory { .. } => Code::DeviceMemory,
            Self::HostMemory { .. } => Code::HostMemory,
            Self::Kernel { .. } => Code::KernelLimit,
            Self::Nodes { .. } => Code::UnsharedNodes,
            Self::Graph { .. } => Code::UnmetNeed,
        }
    }

    fn advice(&self) -> Option<Advice> {
        match self {
            Self::DeviceMemory { remedy, .. }
            | Self::HostMemory { remedy, .. }
            | Self::Kernel { remedy, .. }
            | Self::Nodes { remedy, .. }
            | Self::Graph { remedy, .. } => Some(remedy.clone()),
        }
    }
}

/// Plans the placement of a run's data.
///
/// # Errors
///
/// Fails if the devices or the host have too little memory, if the graph lacks a property that the algorithm requires,
/// if the attributes cannot be split as Strategy-S requires, or if the nodes cannot share the run.
pub fn memory_plan(
    graph: &GraphShape,
    algorithm: &AlgorithmShape,
    processor: &ProcessorConstants,
    host_memory: u64,
    configuration: &RunConfiguration,
) -> Result<MemoryPlan, Shortfall> {
    check_graph(graph, algorithm)?;
    let walked = algorithm.sides();
    // If a kernel must run on a single device, that device visits all pages.
    let alone = algorithm.kernels().any(|kernel| kernel.kind != KernelKind::Vertex && kernel.writes.alone);
    let nodes = &configuration.nodes;
    nodes.check(graph)?;
    let sharing = if alone { &Nodes::ONE } else { nodes };
    let mut pages = sharing.page_bytes(graph, &walked);
    let graph_pages = sharing.page_bytes(graph, &[Side::Out, Side::In]);
    let device_budget = match configuration.device_memory {
        Some(budget) => budget.min(processor.memory),
        None => processor.memory.saturating_sub(MARGIN),
    };
    let load =
        DeviceLoad { graph: GraphLoad::of_shape(graph), attributes: algorithm.attributes, ra: algorithm.ra.clone() };
    let relayed = configuration.devices > 1 && processor.link.as_ref().is_some_and(|link| link.peer_rate.is_some());
    let on_cpu = processor.kind == ProcessorKind::Cpu;
    let devices = u64::from(configuration.devices.max(1));
    let reads = reads_of(graph, algorithm);

    let whole = if on_cpu { Ok(()) } else { load.check(device_budget) };
    let auto = if whole.is_ok() || nodes.are_several() { Strategy::Pages } else { Strategy::Split };
    let strategy = if on_cpu { Strategy::Pages } else { configuration.strategy.unwrap_or(auto) };
    if strategy == Strategy::Split {
        nodes.check_whole_attributes()?;
    }
    let (parts, placement) = match (strategy, whole) {
        (Strategy::Pages, Ok(())) if on_cpu => {
            (1, ColumnPlacement { held: ReadColumn::all(&load.ra, graph.symmetric, &[]), away: Vec::new() })
        }
        (Strategy::Pages, Ok(())) => {
            (1, check_stays(algorithm, load.place(device_budget, &reads), device_budget, nodes)?)
        }
        (Strategy::Pages, Err(large)) => {
            let remedy = match nodes.are_several() {
                true => Advice::new("give more --device-memory", "allow more `device_memory`"),
                false => Advice::new(
                    "try --strategy s, or give more --device-memory",
                    "try `Strategy::Split`, or allow more `device_memory`",
                ),
            };
            return Err(too_large(large, device_budget, remedy));
        }
        (Strategy::Split, whole) => {
            let needed = whole.as_ref().map_or_else(TooLarge::needed, |()| 0);
            check_splittable(algorithm, needed, device_budget)?;
            let Some(parts) = load.parts(devices, device_budget, relayed) else {
                let mut needs = load.fixed(u64::MAX);
                needs.push(Need { what: "staging", bytes: load.least_staging(Travelling::default(), relayed) });
                let remedy = Advice::new(
                    "give the run more --device-memory or more --devices",
                    "allow more `device_memory`, or more `devices`",
                );
                return Err(too_large(TooLarge { needs, column: None, location: None }, device_budget, remedy));
            };
            (parts, ColumnPlacement::default())
        }
    };
    let mut device = match strategy {
        Strategy::Pages => load.needs(&placement),
        Strategy::Split => load.fixed(parts),
    };
    let attributes: Vec<Need> = match on_cpu {
        true => device.drain(..).filter(|need| ["WA", "RA", "active vertices"].contains(&need.what)).collect(),
        false => Vec::new(),
    };
    let travelling = placement.travelling_of(&reads, graph.symmetric);
    let least = load.least_staging(travelling, relayed && strategy == Strategy::Split);
    // A GPU may pull if its memory contains all pages that it visits. Otherwise the GPU pushes, except in scans that
    // several devices share.
    let pulled = pulled_sides(graph, algorithm, configuration);
    let all_sides: Vec<_> =
        [Side::Out, Side::In].into_iter().filter(|side| walked.contains(side) || pulled.contains(side)).collect();
    let with_pulled = sharing.page_bytes(graph, &all_sides);
    let mut pulls = on_cpu && !pulled.is_empty();
    let shares = strategy == Strategy::Pages && !alone;
    let seen = |pages: u64| if shares { pages.div_ceil(devices) } else { pages };
    let (mut cache, mut resident, mut on_one, mut loops_left_out) = (0, false, false, None);
    let mut scans_pull = on_cpu && cpu_scans_pull(graph, configuration);
    if let Some(pattern) = algorithm.pattern.filter(|_| !on_cpu) {
        // A pattern search stores its own lists on the device instead of pages.
        device.extend(pattern.on_device(graph));
        let needed = device.iter().map(|need| need.bytes).sum::<u64>();
        if needed > device_budget {
            let remedy = Advice::new(
                "give more --device-memory, or run with --device cpu",
                "allow more `device_memory`, or run on the CPU",
            );
            return Err(too_large(TooLarge { needs: device, column: None, location: None }, device_budget, remedy));
        }
        resident = true;
    } else if configuration.lists_edges() && !on_cpu {
        // An edge list is created once, stays on the device, and supports only pushing.
        cache = seen(listed_bytes(graph, algorithm, &walked));
        device.push(Need { what: "edge lists", bytes: cache });
        let needed = device.iter().map(|need| need.bytes).sum::<u64>();
        if parts > 1 || travelling.bytes > 0 || needed > device_budget {
            let remedy = Advice::new(
                "give another --technique, such as balanced, or more --device-memory",
                "choose another `Technique`, such as `Technique::Balanced`, or allow more `device_memory`",
            );
            return Err(too_large(TooLarge { needs: device, column: None, location: None }, device_budget, remedy));
        }
        // The plan counts the lists as the device's share of the graph, not as a need.
        device.pop();
        resident = true;
    } else if !on_cpu {
        let mut left = device_budget - device.iter().map(|need| need.bytes).sum::<u64>();
        let may_stay = parts == 1 && travelling.bytes == 0;
        on_one = may_stay && pages <= left;
        resident = may_stay && seen(pages) <= left;
        if resident {
            let room_to_pull = left - seen(pages);
            let values = handed(graph, algorithm);
            let fits = values.is_none_or(|need| need.bytes <= room_to_pull);
            let values = values.filter(|_| fits);
            let taken = values.map_or(0, |need| need.bytes);
            device.extend(values);
            scans_pull = fits && configuration.pull_share.is_some();
            pulls = !pulled.is_empty() && seen(with_pulled) + taken <= left;
        }
        if pulls {
            pages = with_pulled;
        }
        cache = seen(pages);
        if let Some(need) = loop_need(graph, algorithm, processor, configuration, pulls).filter(|_| resident) {
            // The loops use the memory that pages leave free.
            let held = device.iter().map(|need| need.bytes).sum::<u64>() + cache;
            match held + need.bytes <= device_budget {
                true => device.push(need),
                false => loops_left_out = Some(need.bytes),
            }
        }
        let streams_shares = !resident && devices > 1 && shares && travelling.bytes == 0;
        if streams_shares && configuration.pull_share.is_some() {
            let values = handed(graph, algorithm);
            let bytes = values.map_or(0, |need| need.bytes);
            scans_pull = load.pulls_along_streams(left, bytes);
            if scans_pull {
                left -= bytes;
                device.extend(values);
            }
        }
        if !resident {
            // Travelling values are copied with their pages. Cached pages would lack these values.
            let keeps = configuration.cache != CachePolicy::Off && travelling.bytes == 0;
            let most = if keeps { left / STAGING_PART } else { left };
            let page = u64::from(graph.out.page_size);
            let group = configuration.group.max(page);
            let streams = u64::from(configuration.streams);
            let slots = match strategy {
                Strategy::Pages if devices > 1 => streams * SHARED_SLOTS,
                Strategy::Split if relayed => streams * SHARED_SLOTS + (devices - 1) * SLOTS,
                _ => streams * SLOTS,
            };
            let wanted = slots * (group + group / page * travelling.beside_page(page));
            let staging = wanted.min(most).max(least);
            device.push(Need { what: "staging", bytes: staging });
            cache = if keeps { (left - staging).min(seen(pages)) } else { 0 };
        }
    }

    if on_cpu && pulls {
        pages = with_pulled;
    }
    let away = &placement.away;
    let load = HostLoad { graph, algorithm, attributes, away, processor, graph_pages, walked: pages, on_one };
    let (host, residence) = load.place(host_memory, configuration)?;
    Ok(MemoryPlan {
        strategy,
        parts,
        device,
        placement,
        device_budget,
        cache,
        resident,
        host,
        host_budget: residence.budget,
        host_pages: residence.pages,
        buffered: residence.buffered,
        pages,
        graph_pages,
        pulls,
        scans_pull,
        loops_left_out,
    })
}

/// Returns the columns that an algorithm's kernels read.
fn reads_of(graph: &GraphShape, algorithm: &AlgorithmShape) -> Vec<ColumnRead> {
    let mut reads = Vec::new();
    for kernel in algorithm.kernels() {
        kernel.reads.iter().for_each(|read| note(&mut reads, *read));
        if kernel.leaves_early && can_pull(graph, kernel) {
            note_pulled(&mut reads, &kernel.sides);
        }
    }
    reads
}

/// Returns the error for a device with too little memory for its data.
fn too_large(large: TooLarge, available: u64, remedy: Advice) -> Shortfall {
    let parts = large.needs.iter().filter(|need| need.bytes > 0);
    let parts: Vec<_> = parts.map(|need| format!("{} ({})", need.what, units::bytes(need.bytes))).collect();
    Shortfall::DeviceMemory { what: parts.join(", "), needed: large.needed(), available, remedy }
}
