//! Flags that several commands share: how a graph is read and built, and how GPUs are used.

mod honoured;

pub use honoured::{DeviceKind, Given};

use crate::error::Failure;
use crate::hybrid::{AskedSharing, HybridArgs};
use crate::units::{parse_bytes, parse_time};
use gts_graph::contract::{Technique, UnknownTechnique};
use gts_graph::core::advice::{Reader, explain_within};
use gts_graph::core::build::OrderChoice;
use gts_graph::core::cost::{CachePolicy, RunConfiguration, Strategy, Transfer};
use gts_graph::core::graph::{KeyKind, UnknownKeyKind};
use gts_graph::core::import::{Columns, Delimiter, Format};
use gts_graph::core::page::IdWidth;
use gts_graph::core::read::{GraphReader, UnknownWeights, WeightChoice};
use gts_graph::device::Collectives;
use gts_graph::device::cpu::CpuDevice;
use gts_graph::device::{CacheChoice, MAX_STREAMS, TransferChoice};
use gts_graph::prelude::{Engine, Propagation, StepsBy};
use gts_graph::tuning::{CUDA_GROUP_BYTES, CUDA_STREAMS};
use gts_graph::{DeviceChoice, EngineBuilder};
use std::num::{NonZeroU32, NonZeroUsize};
use std::time::Duration;

/// How a graph file is read.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Graph")]
pub(crate) struct FileArgs {
    /// Format of the input; by name and content if not given
    #[arg(long, value_parser = format)]
    pub(crate) format: Option<Format>,
    /// Columns of a table that make an edge, by name or by number from 1, such as source=a,target=b or
    /// source=1,target=2,weight=4; by the header, or the first three, if not given
    #[arg(long, value_name = "COLUMNS")]
    pub(crate) columns: Option<Columns>,
    /// Type of the vertices' keys in a table: number, signed, uuid, text, or auto, which takes that of the first edge
    #[arg(long, value_name = "TYPE", value_parser = keys, default_value = "auto")]
    pub(crate) keys: KeyChoice,
    /// Whether the first record of a table is a header: yes or no; by its names if not given
    #[arg(long, value_name = "YES|NO", value_parser = yes_or_no)]
    pub(crate) header: Option<bool>,
    /// What stands between the fields of a table: a sign such as ; or |, \t, or any for blanks and tabs; by the first record
    /// if not given
    #[arg(long, value_name = "CHAR|any", value_parser = delimiter)]
    pub(crate) delimiter: Option<Delimiter>,
    /// Read weights of a table with a decimal comma, such as 0,5
    #[arg(long)]
    pub(crate) decimal_comma: bool,
    /// Signs that begin a comment in a table; # in CSV, and #% in edge lists if not given
    #[arg(long, value_name = "CHARS")]
    pub(crate) comment: Option<String>,
    /// Type of edge weights: u32, i32, f32, u64, f64, none or 1
    ///
    /// `none` leaves weights out, and `1` gives every edge weight 1.
    #[arg(long, value_name = "TYPE", value_parser = weights)]
    pub(crate) weights: Option<WeightChoice>,
    /// Leave out this many lines at the beginning of a file; comments among them still say whether it is undirected
    #[arg(long, value_name = "LINES", default_value_t = 0)]
    pub(crate) skip: u64,
    /// Read each edge as one arc, even if an edge list or a table says that it is undirected
    #[arg(long, conflicts_with = "undirected")]
    pub(crate) directed: bool,
    /// Read each edge as undirected
    #[arg(long)]
    pub(crate) undirected: bool,
    /// Keep the left and the right ends of edges apart, even if their keys are equal; flags then take left:KEY and
    /// right:KEY
    #[arg(long)]
    pub(crate) bipartite: bool,
}

/// How a graph is read and built.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Graph")]
pub struct BuildArgs {
    /// Bytes of a page: a power of two, from 256 in memory, from 4KiB in a store, to 64MiB; 1MiB, or down to 256KiB where
    /// slot numbers would leave much of it empty, if not given
    #[arg(long, value_name = "BYTES", value_parser = page_size)]
    pub(crate) page_size: Option<u32>,
    /// Bytes of page and slot number in a record ID, such as 2,2; as narrow as serves if not given
    #[arg(long, value_name = "P,Q", value_parser = record_ids)]
    pub(crate) record_ids: Option<IdWidth>,
    /// Order of the vertices: original, random, random:SEED, degree, layers:ROOT, which is that of a breadth-first search from
    /// the vertex ROOT, or auto, which takes degree where hubs have many of the edges and neighbours do not lie near one
    /// another already. If not given, auto for import and generate, and
    /// original for a graph that is made for one run
    #[arg(long, value_name = "ORDER")]
    pub(crate) order: Option<OrderChoice>,
    #[command(flatten)]
    pub(crate) file: FileArgs,
    /// Add the reverse of each edge where the input lacks it
    #[arg(long, conflicts_with_all = ["directed", "undirected"])]
    pub(crate) symmetrise: bool,
    /// Store the in-edges too
    #[arg(long)]
    pub(crate) in_edges: bool,
    /// Drop edges from a vertex to itself
    #[arg(long)]
    pub(crate) drop_self_loops: bool,
    /// Keep one edge of several between the same vertices, that of the smallest weight
    #[arg(long)]
    pub(crate) drop_duplicates: bool,
    /// The most memory that building may take, such as 8GiB; half of what is free if not given. Import and generate
    /// sort on disk what does not fit
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes)]
    pub(crate) memory: Option<u64>,
}

/// How an algorithm runs.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Run")]
pub struct EngineArgs {
    /// Where to run: auto, cpu, cuda[:NUMBER] or cpu+cuda[:NUMBER]
    ///
    /// The CPU and a GPU share the edges.
    #[arg(long, value_parser = device, default_value = "auto")]
    pub(crate) device: DeviceChoice,
    #[arg(long, value_parser = technique, default_value = "auto", help = technique_help())]
    pub(crate) technique: TechniqueChoice,
    /// With edge2 to edge64: how many times its lanes of vertices a virtual warp takes one after the other, 1 to 10; single
    /// vertices in turn with the others if not given
    #[arg(long, value_name = "TIMES")]
    pub(crate) chunk: Option<NonZeroU32>,
    /// Which way values take along edges in kernels that know both: auto, push, pull, which walks the in-edges, or
    /// pull-at-edge, which in scans finds out at each edge what its source hands out
    #[arg(long, value_parser = propagation, default_value = "auto")]
    pub(crate) propagation: Propagation,
    /// Who begins the steps of traversals: auto, host, device (where kernel, graph and device allow), or device:STEPS, where
    /// the host has a say after that number of steps
    #[arg(long, value_name = "WHO", value_parser = steps, default_value = "auto")]
    pub(crate) steps: StepsBy,
    /// Threads of the CPU; one for each core if not given
    #[arg(long, value_parser = threads)]
    pub(crate) threads: Option<NonZeroUsize>,
    /// The most steps of a traversal
    #[arg(long, value_name = "STEPS")]
    pub(crate) max_steps: Option<u32>,
    /// The longest time of a run, such as 30s or 5min
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    pub(crate) time_limit: Option<Duration>,
    /// Seed for algorithms that use random numbers: the same seed gives the same answer on every device
    #[arg(long, default_value_t)]
    pub(crate) seed: u64,
    /// Fail at the first NaN, or if a partial sum of terms of both signs overflows its integer type
    #[arg(long)]
    pub(crate) checked: bool,
    #[command(flatten)]
    pub(crate) gpu: GpuArgs,
}

impl EngineArgs {
    /// Creates an engine builder with these options.
    pub(crate) fn builder(&self) -> EngineBuilder {
        let mut builder = Engine::builder()
            .device(self.device)
            .technique(self.technique.0)
            .propagation(self.propagation)
            .steps_by(self.steps)
            .seed(self.seed)
            .checked(self.checked);
        if let Some(chunk) = self.chunk {
            builder = builder.warp_chunk(chunk);
        }
        if let Some(threads) = self.threads {
            builder = builder.threads(threads);
        }
        if let Some(steps) = self.max_steps {
            builder = builder.max_steps(steps);
        }
        if let Some(limit) = self.time_limit {
            builder = builder.time_limit(limit);
        }
        self.gpu.apply(builder)
    }
}

/// How a GPU is used.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "GPU")]
pub struct GpuArgs {
    /// The most device memory that is taken, such as 4GiB; what is free, less a margin, if not given
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes)]
    device_memory: Option<u64>,
    /// GPUs that share the work, from the chosen one on
    #[arg(long, value_name = "NUMBER")]
    devices: Option<NonZeroUsize>,
    /// How GPUs share the work: p (each has all attributes and walks a share of the pages), s (each has a part of the
    /// attributes and walks all pages), or auto (p where the attributes fit)
    #[arg(long, value_name = "STRATEGY", value_parser = strategy, default_value = "auto")]
    strategy: StrategyChoice,
    /// Streams of copies and launches for pages that do not fit into device memory
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_STREAMS)), default_value_t = CUDA_STREAMS)]
    streams: u32,
    /// Which pages stay in device memory where not all fit: auto, lru, scan or off
    #[arg(long, value_name = "POLICY", default_value_t)]
    cache: CacheChoice,
    /// How the others come to a traversal: auto, copy or in-place
    #[arg(long, value_name = "WAY", default_value_t)]
    transfer: TransferChoice,
    #[command(flatten)]
    hybrid: HybridArgs,
}

impl GpuArgs {
    /// Returns how the CPU shares the work of GPUs on a device; `None` if the device does not include both.
    pub fn hybrid(&self, device: DeviceChoice) -> Result<Option<AskedSharing>, Failure> {
        self.hybrid.asked(device, self.strategy.0)
    }

    /// Returns the kind of a device with these GPUs; `None` if the engine chooses the device.
    pub fn kind(&self, device: DeviceChoice, in_group: bool) -> Option<DeviceKind> {
        DeviceKind::of(device, self.devices.map_or(1, NonZeroUsize::get), in_group)
    }

    /// Returns the same options for the cost model.
    pub fn configuration(&self) -> RunConfiguration {
        let devices = self.devices.map_or(1, |devices| u32::try_from(devices.get()).unwrap_or(u32::MAX));
        RunConfiguration {
            devices,
            strategy: self.strategy.0,
            device_memory: self.device_memory,
            streams: self.streams,
            group: CUDA_GROUP_BYTES,
            cache: match self.cache {
                CacheChoice::Auto => CachePolicy::Auto,
                CacheChoice::Lru => CachePolicy::Lru,
                CacheChoice::Scan => CachePolicy::Scan,
                CacheChoice::Off => CachePolicy::Off,
            },
            transfer: match self.transfer {
                TransferChoice::Auto => Transfer::Auto,
                TransferChoice::Copy => Transfer::Copy,
                TransferChoice::InPlace => Transfer::InPlace,
            },
            ..RunConfiguration::default()
        }
    }

    /// Sets these options in the builder.
    pub fn apply(&self, builder: EngineBuilder) -> EngineBuilder {
        let mut builder = builder.streams(self.streams).cache(self.cache).transfer(self.transfer);
        builder = builder.strategy(self.strategy.0);
        if let Some(devices) = self.devices {
            builder = builder.devices(devices);
        }
        match self.device_memory {
            Some(bytes) => builder.device_memory(bytes),
            None => builder,
        }
    }
}

/// Returns the kind of device that an engine has chosen for `--device auto`.
pub fn taken(engine: &Engine) -> DeviceChoice {
    // Processors without their own memory are CPUs.
    if engine.memory_taken().is_empty() { DeviceChoice::Cpu } else { DeviceChoice::Cuda(0) }
}

/// A strategy; `None` for the engine's choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct StrategyChoice(Option<Strategy>);

fn strategy(text: &str) -> Result<StrategyChoice, String> {
    match text {
        "auto" => Ok(StrategyChoice(None)),
        "p" | "P" => Ok(StrategyChoice(Some(Strategy::Pages))),
        "s" | "S" => Ok(StrategyChoice(Some(Strategy::Split))),
        _ => Err("expected auto, p or s".to_owned()),
    }
}

impl FileArgs {
    /// Applies these options to a reader.
    pub(crate) fn apply(&self, reader: GraphReader) -> GraphReader {
        let mut reader = reader
            .skip(self.skip)
            .directed(self.directed)
            .undirected(self.undirected)
            .bipartite(self.bipartite)
            .decimal_comma(self.decimal_comma);
        if let Some(format) = self.format {
            reader = reader.format(format);
        }
        if let Some(columns) = &self.columns {
            reader = reader.columns(columns.clone());
        }
        if let Some(kind) = self.keys.0 {
            reader = reader.keys(kind);
        }
        if let Some(present) = self.header {
            reader = reader.header(present);
        }
        if let Some(delimiter) = self.delimiter {
            reader = reader.delimiter(delimiter);
        }
        if let Some(signs) = &self.comment {
            reader = reader.comment(signs);
        }
        if let Some(weights) = self.weights {
            reader = reader.choose_weights(weights);
        }
        reader
    }
}

impl BuildArgs {
    /// Applies these options to a reader. Sets no memory limit unless one was given.
    pub fn apply(&self, reader: GraphReader) -> GraphReader {
        let mut reader = self
            .file
            .apply(reader)
            .symmetrise(self.symmetrise)
            .in_edges(self.in_edges)
            .drop_self_loops(self.drop_self_loops)
            .drop_duplicates(self.drop_duplicates);
        if let Some(bytes) = self.page_size {
            reader = reader.page_size(bytes);
        }
        if let Some(width) = self.record_ids {
            reader = reader.width(width);
        }
        if let Some(order) = self.order {
            reader = reader.order(order);
        }
        match self.memory {
            Some(bytes) => reader.memory(bytes),
            None => reader,
        }
    }
}

/// Parses a number of threads, within the CPU's maximum.
pub fn threads(text: &str) -> Result<NonZeroUsize, String> {
    let most = CpuDevice::most_threads();
    text.parse().ok().filter(|threads| *threads <= most).ok_or_else(|| format!("expected a number from 1 to {most}"))
}

/// A technique; `None` for the device's choice.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TechniqueChoice(pub(crate) Option<Technique>);

/// Parses the choice of a technique.
pub(crate) fn technique(text: &str) -> Result<TechniqueChoice, String> {
    if text == "auto" {
        return Ok(TechniqueChoice(None));
    }
    text.parse().map(|known| TechniqueChoice(Some(known))).map_err(|error: UnknownTechnique| format!("{error} or auto"))
}

/// Returns the values of `--technique`.
fn techniques() -> String {
    format!("auto, {}", Technique::ALL.map(Technique::name).join(", "))
}

/// Returns the help of `--technique`.
pub(crate) fn technique_help() -> String {
    format!(
        "How edges are distributed among threads: {}. The edge-list techniques use a list of edges, which a GPU creates \
         in place of pages",
        techniques()
    )
}

/// Parses the direction of propagation.
pub(crate) fn propagation(text: &str) -> Result<Propagation, String> {
    text.parse().map_err(|error| explain_within(&error, Reader::CommandLine))
}

/// Parses the side that begins the steps of traversals.
pub(crate) fn steps(text: &str) -> Result<StepsBy, String> {
    let names = StepsBy::ALL.map(StepsBy::name).join(", ");
    StepsBy::from_name(text).ok_or_else(|| format!("expected {names} or device:STEPS"))
}

/// Parses how ranks make their values equal.
pub(crate) fn collectives(text: &str) -> Result<Collectives, String> {
    text.parse().map_err(|error| explain_within(&error, Reader::CommandLine))
}

/// Parses the choice of a device.
pub fn device(text: &str) -> Result<DeviceChoice, String> {
    text.parse().map_err(|error| explain_within(&error, Reader::CommandLine))
}

/// Parses the bytes of a page.
pub fn page_size(text: &str) -> Result<u32, String> {
    let bytes = parse_bytes(text)?;
    match u32::try_from(bytes) {
        Ok(size) if size.is_power_of_two() && (256..=64 << 20).contains(&size) => Ok(size),
        _ => Err("expected a power of two from 256 to 64MiB".to_owned()),
    }
}

/// Parses the width of record IDs, such as `2,2`.
pub(crate) fn record_ids(text: &str) -> Result<IdWidth, String> {
    let pair = text.split_once(',').and_then(|(p, q)| Some((p.trim().parse().ok()?, q.trim().parse().ok()?)));
    let width = pair.and_then(|(p, q)| IdWidth::new(p, q).ok());
    width.ok_or_else(|| "expected two numbers of bytes from 1 to 4, such as 2,2".to_owned())
}

/// A type of keys; `None` for that of the first edge.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeyChoice(Option<KeyKind>);

fn keys(text: &str) -> Result<KeyChoice, String> {
    match text {
        "auto" => Ok(KeyChoice(None)),
        _ => {
            text.parse().map(|kind| KeyChoice(Some(kind))).map_err(|error: UnknownKeyKind| format!("{error}, or auto"))
        }
    }
}

fn yes_or_no(text: &str) -> Result<bool, String> {
    match text {
        "yes" => Ok(true),
        "no" => Ok(false),
        _ => Err("expected yes or no".to_owned()),
    }
}

fn delimiter(text: &str) -> Result<Delimiter, String> {
    Delimiter::from_name(text).ok_or_else(|| "expected a sign such as `;`, `\\t` or `any`".to_owned())
}

fn format(text: &str) -> Result<Format, String> {
    Format::from_name(text).ok_or_else(|| format!("expected one of {}", Format::names().join(", ")))
}

fn weights(text: &str) -> Result<WeightChoice, String> {
    text.parse().map_err(|error: UnknownWeights| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_sizes_are_powers_of_two_in_range() {
        assert_eq!(page_size("256"), Ok(256));
        assert_eq!(page_size("64MiB"), Ok(64 << 20));
        assert!(["128", "3000", "128MiB", "x"].iter().all(|text| page_size(text).is_err()));
    }

    #[test]
    fn widths_are_two_numbers() {
        assert_eq!(record_ids("2,4").map(|width| (width.page_bytes(), width.slot_bytes())), Ok((2, 4)));
        assert!(["2", "2,5", "0,1", "a,b"].iter().all(|text| record_ids(text).is_err()));
    }

    #[test]
    fn a_device_named_twice_is_told_with_the_next_step() {
        assert_eq!(device("cuda+cpu"), Ok(DeviceChoice::Hybrid(0)));
        let error = device("cuda:0+cuda").expect_err("named twice");
        assert_eq!(error, "device `cuda:0+cuda`: cuda:0 is named twice; name each device once, such as cpu+cuda");
    }

    #[test]
    fn strategies_have_the_letters_of_the_paper() {
        assert_eq!(strategy("auto"), Ok(StrategyChoice(None)));
        assert_eq!(strategy("p"), Ok(StrategyChoice(Some(Strategy::Pages))));
        assert_eq!(strategy("S"), Ok(StrategyChoice(Some(Strategy::Split))));
        assert!(strategy("q").is_err());
    }
}
