//! The memory that a run needs, on each device and on the host, before anything is allocated.

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
use super::shape::GraphShape;
use crate::advice::{Advice, Explain};
use crate::units;
use gts_contract::{KernelKind, Side, Technique};

/// Those of a stream where devices share the pages out, as long as there is room; what each of the others hands on has a
/// stream of its own.
const SHARED_SLOTS: u64 = 4;
/// Staging takes at most one part in so many of what pages may take, where some of them are kept.
const STAGING_PART: u64 = 4;

/// How WA lies on the devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// Strategy-P: each device has all of WA, and a share of the pages.
    Pages,
    /// Strategy-S: each device has a part of WA, and sees all pages. With fewer devices than parts, the pages pass more
    /// than once.
    Split,
}

impl Strategy {
    /// The paper's name for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pages => "Strategy-P",
            Self::Split => "Strategy-S",
        }
    }
}

/// How a run is set up.
#[derive(Clone, Debug, PartialEq)]
pub struct RunConfiguration {
    /// The number of devices.
    pub devices: u32,
    /// The strategy; chosen where none is given.
    pub strategy: Option<Strategy>,
    /// Streams of each device.
    pub streams: u32,
    /// Bytes of a group of pages that is copied at once.
    pub group: u64,
    /// The most bytes of each device's memory.
    pub device_memory: Option<u64>,
    /// The most bytes of host memory for the tables and pages of a store.
    pub host_memory: Option<u64>,
    /// Which pages stay in a device's cache.
    pub cache: CachePolicy,
    /// How pages come to a device.
    pub transfer: Transfer,
    /// Whether pages lie in a store, from which they are read where they do not fit into host memory; else they are there
    /// from the beginning.
    pub stored: bool,
    /// Whether an earlier run on the graph has left pages in the buffer that they come through from a store.
    pub warm: bool,
    /// A step of a traversal may pull where its active vertices have at least one of so many edges; `u64::MAX` where all that
    /// can pull shall, none where all push. GPUs take another number: see [`super::Ways`].
    pub pull_share: Option<u64>,
    /// How edges are spread over a GPU's threads; chosen where none is given.
    pub technique: Option<Technique>,
    /// The number of steps of a traversal, where it is known. The prediction spreads the work over them.
    pub levels: Option<u64>,
    /// The loops over steps of traversals that a GPU runs by itself; `None` where the host begins each step.
    pub step_loops: Option<StepLoops>,
    /// The nodes that share the run. Each has `devices` devices.
    pub nodes: Nodes,
}

impl RunConfiguration {
    /// Returns whether GPUs have lists of edges in place of pages.
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

/// Which pages stay in a device's cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CachePolicy {
    /// A fixed share for scans, the last used for traversals.
    Auto,
    /// Those used last: of a scan that does not fit, none are found again.
    Lru,
    /// A fixed share.
    Scan,
    /// None.
    Off,
}

/// How pages come to a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transfer {
    /// Whichever is less work for the link.
    Auto,
    /// Copied whole.
    Copy,
    /// Read in place, by active records; scans are copied all the same.
    InPlace,
}

/// Something that takes memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Need {
    /// What it is.
    pub what: &'static str,
    /// Its bytes.
    pub bytes: u64,
}

/// Where a run's data lies.
#[derive(Clone, Debug, PartialEq)]
pub struct MemoryPlan {
    /// How WA lies on the devices.
    pub strategy: Strategy,
    /// Parts of WA: 1 under Strategy-P.
    pub parts: u64,
    /// What each device holds beside pages.
    pub device: Vec<Need>,
    /// Which columns each device holds, and which travel.
    pub placement: ColumnPlacement,
    /// Bytes of each device that a run may use.
    pub device_budget: u64,
    /// Bytes of each device's page cache, at most the pages that it sees; or of the edge lists that it has in their place.
    pub cache: u64,
    /// Whether all pages that a device sees are loaded onto it before they are worked on.
    pub resident: bool,
    /// What the host holds beside pages.
    pub host: Vec<Need>,
    /// Bytes of host memory that a run may use.
    pub host_budget: u64,
    /// Bytes of pages in host memory: all of the graph, or those in the buffer.
    pub host_pages: u64,
    /// Whether pages stay on storage, and come through a buffer in host memory.
    pub buffered: bool,
    /// Bytes of all pages that the algorithm walks; of several nodes on the one with the most.
    pub pages: u64,
    /// Bytes of all pages of the graph, walked or not; of several nodes on the one with the most.
    pub graph_pages: u64,
    /// Whether steps of a traversal may pull.
    pub pulls: bool,
    /// Whether scans that can pull do so.
    pub scans_pull: bool,
    /// Bytes of loops over steps for which each device has no room, so that the host begins each step.
    pub loops_left_out: Option<u64>,
}

impl MemoryPlan {
    /// Times that all pages pass in a step.
    pub fn rounds(&self, devices: u32) -> u64 {
        self.parts.div_ceil(u64::from(devices))
    }

    /// Bytes of walked pages that host memory does not hold, and that come from storage again and again.
    pub fn on_storage(&self) -> u64 {
        self.pages.saturating_sub(self.host_pages)
    }
}

/// Why a graph cannot be run.
#[derive(Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Shortfall {
    /// A device has too little memory.
    #[error("each device needs {} for {what}, and may use {}", units::bytes(*needed), units::bytes(*available))]
    DeviceMemory {
        /// What does not fit.
        what: String,
        /// Bytes that it needs.
        needed: u64,
        /// Bytes that there are.
        available: u64,
        /// How to go on.
        remedy: Advice,
    },
    /// The host has too little memory.
    #[error("the host needs {} for {what}, and may use {}", units::bytes(*needed), units::bytes(*available))]
    HostMemory {
        /// What does not fit.
        what: String,
        /// Bytes that it needs.
        needed: u64,
        /// Bytes that there are.
        available: u64,
        /// How to go on.
        remedy: Advice,
    },
    /// The kernels do not allow what the configuration asks for.
    #[error("{kernel} {limit}: {why}")]
    Kernel {
        /// The kernel.
        kernel: String,
        /// What it does not allow.
        limit: &'static str,
        /// Why, in half a sentence.
        why: &'static str,
        /// How to go on.
        remedy: Advice,
    },
    /// Nodes cannot share the run.
    #[error("{nodes} nodes cannot share the run: {why}")]
    Nodes {
        /// The number of nodes.
        nodes: u32,
        /// Why, in a sentence.
        why: String,
        /// How to go on.
        remedy: Advice,
    },
    /// The graph lacks something.
    #[error("`{who}` needs {what}")]
    Graph {
        /// The algorithm, or the attribute.
        who: String,
        /// What is missing.
        what: String,
        /// How to go on.
        remedy: Advice,
    },
}

crate::debug_by_explaining!(Shortfall);

impl Explain for Shortfall {
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

/// Where the data of a run would lie.
///
/// # Errors
///
/// What is missing: memory of the devices or the host, what the algorithm asks of its graph, or a kernel that could be
/// split.
pub fn memory_plan(
    graph: &GraphShape,
    algorithm: &AlgorithmShape,
    processor: &ProcessorConstants,
    host_memory: u64,
    configuration: &RunConfiguration,
) -> Result<MemoryPlan, Shortfall> {
    check_graph(graph, algorithm)?;
    let walked = algorithm.sides();
    // Where one device runs a kernel alone, it sees all pages.
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
    // A GPU pulls where it has all of its pages at hand. Else it pushes, but for scans that several share.
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
        // The search has lists of its own on the device, and no pages.
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
        // A list is made once, stays, and is pushed along.
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
        // They are counted as what the device has of the graph.
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
            // They take what pages leave.
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
            // What travels comes with copies: pages of a cache would be without it.
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

/// Returns what the kernels of an algorithm read.
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

/// Refuses a device without the room for what it would hold.
fn too_large(large: TooLarge, available: u64, remedy: Advice) -> Shortfall {
    let parts = large.needs.iter().filter(|need| need.bytes > 0);
    let parts: Vec<_> = parts.map(|need| format!("{} ({})", need.what, units::bytes(need.bytes))).collect();
    Shortfall::DeviceMemory { what: parts.join(", "), needed: large.needed(), available, remedy }
}
