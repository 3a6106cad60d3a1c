//! Ways of running an algorithm on a device. The way must not change the answer.

use super::question::Question;
use super::ranks::Ranks;
use super::subject::Subject;
use crate::product::{Streaming, within};
use gts_core::cost::Strategy;
use gts_core::graph::Graph;
use gts_graph::algorithm::Answer;
use gts_graph::device::Device;
use gts_graph::device::cuda::CudaDevice;
use gts_graph::device::{CacheChoice, TransferChoice};
use gts_graph::prelude::*;
use gts_graph::{EngineBuilder, Error, RunReport};
use std::fmt;
use std::num::{NonZeroU32, NonZeroUsize};
use std::sync::Arc;

/// Number of CPU threads in ways that push, and in ways that share edges with a GPU.
const THREADS: usize = 3;
/// Divisor for the cache of a streaming GPU: one page in this number fits.
const CACHED_SHARE: u64 = 8;
/// The CPU's share of the edges if it shares them with a GPU.
const SHARE_OF_CPU: f64 = 0.3;
/// Maximum number of times that a limit of device memory is raised.
const RAISES: usize = 24;

/// A way of running an algorithm on a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// On the CPU, with several threads that push.
    Push,
    /// On the CPU, with one thread that pulls if possible.
    Pull,
    /// On the CPU, with pages on disk.
    OutOfCore,
    /// On a group of ranks. All ranks must return the same answer.
    Ranks {
        /// Number of ranks.
        count: usize,
        /// Kind of the group.
        ranks: Ranks,
    },
    /// On the CPU, only for algorithms with random numbers. The GPU's answers must be bit for bit the same.
    SameBits,
    /// On a GPU with all pages in device memory.
    Resident {
        /// Number of the GPU.
        device: u32,
        /// Technique that assigns edges to threads.
        technique: Technique,
    },
    /// On a GPU that pulls at the edge if possible: it computes contributions of sources at each edge. Virtual warps
    /// process chunks.
    PullAtEdge {
        /// Number of the GPU.
        device: u32,
        /// Number of lanes per virtual warp.
        warp: VirtualWarp,
    },
    /// On a GPU whose memory is too small for all pages.
    Streamed {
        /// Number of the GPU.
        device: u32,
        /// How pages are transferred.
        transfer: TransferChoice,
    },
    /// On a GPU with memory for little more than WA. Values that kernels only read travel with the pages.
    Travelling {
        /// Number of the GPU.
        device: u32,
        /// How pages are transferred.
        transfer: TransferChoice,
    },
    /// On several GPUs, starting with the first.
    Several {
        /// Number of GPUs.
        devices: NonZeroUsize,
        /// How the GPUs share attributes and pages.
        strategy: Strategy,
    },
    /// On a GPU and the CPU, which share the edges.
    Together {
        /// Number of the GPU.
        device: u32,
        /// Whether the GPU's memory is too small for all of its pages.
        streams: bool,
    },
}

/// Prefix of a device name that selects several GPUs. The numbers of GPUs follow it.
const SEVERAL: &str = "cuda-devices:";

/// Returns the ways for a name with the prefix [`SEVERAL`], or `None` for other names.
fn on_several(text: &str) -> Option<Result<Vec<Way>>> {
    let numbers = text.strip_prefix(SEVERAL)?.split(',').map(|number| number.parse().ok());
    let of = |devices| [Strategy::Pages, Strategy::Split].map(|strategy| Way::Several { devices, strategy });
    let ways: Option<Vec<_>> = numbers.map(|number| number.map(of)).collect();
    Some(
        ways.map(|ways| ways.concat()).ok_or_else(|| {
            Error::argument(format_args!("`{text}`"), format_args!("expected numbers, as in {SEVERAL}2,3"))
        }),
    )
}

/// Splits the device name of a group of ranks into the numbers of ranks and the kind of group.
fn numbers_of_ranks(device: &str) -> Option<(&str, Ranks)> {
    Ranks::ALL.into_iter().find_map(|ranks| Some((device.strip_prefix(ranks.prefix())?, ranks)))
}

/// Returns the device whose answers are compared with those of `device`: the CPU for ranks, the first of several GPUs.
///
/// # Errors
///
/// The device does not exist.
pub fn alone(device: &str) -> Result<DeviceChoice> {
    match device {
        _ if numbers_of_ranks(device).is_some() => Ok(DeviceChoice::Cpu),
        _ if device.starts_with(SEVERAL) => Ok(DeviceChoice::Cuda(0)),
        _ => device.parse(),
    }
}

/// Returns all ways for a device name, which may also name groups of ranks or several GPUs.
///
/// # Errors
///
/// The name is malformed.
pub fn ways_of(device: &str) -> Result<Vec<Way>> {
    if let Some((numbers, ranks)) = numbers_of_ranks(device) {
        let way = |count| Way::Ranks { count, ranks };
        let number = |text: &str| text.parse().ok().filter(|count| *count > 0).map(way);
        let ways = numbers.split(',').map(number).collect::<Option<Vec<_>>>();
        return ways.ok_or_else(|| Error::argument(format_args!("`{device}`"), "expected numbers, as in ranks:2,3"));
    }
    if let Some(ways) = on_several(device) {
        return ways;
    }
    let resident = |device, technique| Way::Resident { device, technique };
    Ok(match device.parse()? {
        DeviceChoice::Cuda(number) => {
            let device = u32::try_from(number).unwrap_or(u32::MAX);
            vec![
                Way::SameBits,
                resident(device, Technique::Balanced),
                resident(device, Technique::Vertex),
                resident(device, Technique::Edge(VirtualWarp::W64)),
                resident(device, Technique::EdgeList(EdgeLayout::Pairs)),
                Way::PullAtEdge { device, warp: VirtualWarp::W2 },
                Way::PullAtEdge { device, warp: VirtualWarp::W64 },
                Way::Streamed { device, transfer: TransferChoice::Copy },
                Way::Streamed { device, transfer: TransferChoice::InPlace },
                Way::Travelling { device, transfer: TransferChoice::Copy },
                Way::Travelling { device, transfer: TransferChoice::Auto },
            ]
        }
        DeviceChoice::Cpu => vec![Way::Push, Way::Pull, Way::OutOfCore, Way::Ranks { count: 3, ranks: Ranks::Memory }],
        DeviceChoice::Hybrid(number) => {
            let device = u32::try_from(number).unwrap_or(u32::MAX);
            [false, true].map(|streams| Way::Together { device, streams }).to_vec()
        }
        DeviceChoice::Auto => {
            return Err(Error::argument(format_args!("device `{device}`"), "expected cpu, cuda or cpu+cuda"));
        }
    })
}

impl Way {
    /// Returns whether the question applies to this way.
    pub(super) fn takes(self, question: &Question) -> bool {
        self != Self::SameBits || question.has_random_numbers()
    }
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self {
            Self::Push => "cpu push".to_owned(),
            Self::Pull => "cpu pull".to_owned(),
            Self::OutOfCore => "cpu out of core".to_owned(),
            Self::Ranks { count, ranks } => format!("{} {count} ranks", ranks.name()),
            Self::SameBits => "cpu".to_owned(),
            Self::Resident { technique, .. } => format!("gpu {technique}"),
            Self::PullAtEdge { warp, .. } => format!("gpu pull at edge, {} lanes", warp.lanes()),
            Self::Streamed { transfer, .. } => format!("gpu streamed, {transfer}"),
            Self::Travelling { transfer, .. } => format!("gpu travelling, {transfer}"),
            Self::Several { devices, strategy } => format!("{devices} gpus, {}", strategy.name()),
            Self::Together { streams: false, .. } => "cpu and gpu".to_owned(),
            Self::Together { streams: true, .. } => "cpu and gpu, streamed".to_owned(),
        };
        f.pad(&name)
    }
}

/// Outcome of a cell.
pub(super) enum Outcome {
    /// One answer per run of the question.
    Answered(Vec<Answer>),
    /// One answer per run, computed in another way than requested, and the reason.
    Elsewise(Vec<Answer>, String),
    /// The error that ended the cell.
    Failed(String),
    /// The reason why the cell cannot run.
    Missing(String),
}

/// Engines and devices for all ways.
pub(super) struct Lab {
    /// Engines of the ways that need no separate engine per graph.
    engines: Vec<(Way, Engine)>,
    /// Devices for the largest group of each kind.
    ranks: [Vec<Arc<dyn Device>>; Ranks::ALL.len()],
    /// Keeps the devices' contexts open, so that they are not created again for every cell.
    _contexts: Vec<CudaDevice>,
}

impl Lab {
    pub(super) fn new(ways: &[Way]) -> Result<Self> {
        let (mut engines, mut contexts) = (Vec::new(), Vec::new());
        let mut of_ranks = Ranks::ALL.map(|_| Vec::new());
        let cpu = |threads| Engine::builder().device(DeviceChoice::Cpu).threads(threads);
        let several = NonZeroUsize::MIN.saturating_add(THREADS - 1);
        for &way in ways {
            let builder = match way {
                Way::Push | Way::SameBits => cpu(several).propagation(Propagation::Push),
                Way::Pull => cpu(NonZeroUsize::MIN).propagation(Propagation::Pull),
                Way::OutOfCore => cpu(several),
                Way::Ranks { count, ranks } => {
                    let devices = &mut of_ranks[ranks as usize];
                    while devices.len() < count {
                        devices.push(ranks.device()?);
                    }
                    continue;
                }
                Way::Resident { device, technique } => {
                    Engine::builder().device(DeviceChoice::Cuda(device as usize)).technique(Some(technique))
                }
                Way::PullAtEdge { device, warp } => Engine::builder()
                    .device(DeviceChoice::Cuda(device as usize))
                    .technique(Some(Technique::Edge(warp)))
                    .warp_chunk(NonZeroU32::MIN.saturating_add(2))
                    .propagation(Propagation::PullAtEdge),
                Way::Several { devices, strategy } => {
                    Engine::builder().device(DeviceChoice::Cuda(0)).devices(devices).strategy(Some(strategy))
                }
                Way::Together { device, streams: false } => together(device),
                Way::Streamed { device, .. } | Way::Travelling { device, .. } | Way::Together { device, .. } => {
                    contexts.push(CudaDevice::new(device)?);
                    continue;
                }
            };
            engines.push((way, builder.build()?));
        }
        Ok(Self { engines, ranks: of_ranks, _contexts: contexts })
    }

    /// Runs the cell of a way and a question.
    pub(super) fn run(&self, way: Way, question: &Question, subject: &Subject) -> Outcome {
        let graph = match way {
            Way::OutOfCore => subject.stored(question.view),
            _ => subject.graph(question.view).map(Some),
        };
        let graph = match graph {
            Ok(Some(graph)) => graph,
            Ok(None) => return Outcome::Missing("the store fits into the least host memory".to_owned()),
            Err(error) => return Outcome::Failed(error.to_string()),
        };
        let answers = match way {
            Way::Streamed { .. } | Way::Travelling { .. } | Way::Together { streams: true, .. } => {
                let cached = match way {
                    Way::Travelling { .. } => 0,
                    _ => graph.out_topology().bytes() / CACHED_SHARE,
                };
                match streamed(way, cached, question, &graph) {
                    Ok((answers, report)) if report.pages() == 0 => {
                        return Outcome::Elsewise(answers, "no pass walks pages".to_owned());
                    }
                    Ok((answers, report)) if report.link_busy().is_none() && report.in_place() == 0 => {
                        return Outcome::Elsewise(answers, "all pages fit into the least device memory".to_owned());
                    }
                    outcome => outcome.map(|(answers, _)| answers),
                }
            }
            Way::Ranks { count, ranks } => {
                let devices = &self.ranks[ranks as usize][..count];
                of_ranks(ranks, devices, question, &graph).map_err(|error| error.to_string())
            }
            _ => match self.engine(way).and_then(|engine| answers(engine, question, &graph)) {
                // Some kernels access the lists of arbitrary vertices, which storage does not allow. Some kernels need
                // all attributes on one device.
                Err(refusal @ Error::Needs { .. })
                    if matches!(way, Way::OutOfCore | Way::Several { strategy: Strategy::Split, .. }) =>
                {
                    return Outcome::Missing(refusal.to_string());
                }
                outcome => outcome.map_err(|error| error.to_string()),
            },
        };
        answers.map_or_else(Outcome::Failed, Outcome::Answered)
    }

    fn engine(&self, way: Way) -> Result<&Engine> {
        let known = self.engines.iter().find(|(known, _)| *known == way);
        known.map(|(_, engine)| engine).ok_or_else(|| Error::argument(way, "no engine was made for it"))
    }
}

/// Returns the answer of each run on a group. All ranks must return the same answer.
fn of_ranks(ranks: Ranks, devices: &[Arc<dyn Device>], question: &Question, graph: &Graph) -> Result<Vec<Answer>> {
    let found = ranks.run(devices, |engine| answers(engine, question, graph))?;
    let mut found = found.into_iter();
    let first = found.next().unwrap_or_default();
    // NaN differs from itself, so compare the texts too.
    if found.any(|other| other != first && format!("{other:?}") != format!("{first:?}")) {
        return Err(Error::argument("a group", "its ranks have come to different answers"));
    }
    Ok(first)
}

/// Returns the answer of each run on an engine.
fn answers(engine: &Engine, question: &Question, graph: &Graph) -> Result<Vec<Answer>> {
    question.arguments()?.iter().map(|arguments| question.algorithm.run(engine, graph, arguments)).collect()
}

/// Returns the builder of engines on a GPU and the CPU.
fn together(device: u32) -> EngineBuilder {
    let hybrid = Hybrid { alpha: Some(SHARE_OF_CPU), placement: Placement::Random };
    let threads = NonZeroUsize::MIN.saturating_add(THREADS - 1);
    Engine::builder().device(DeviceChoice::Hybrid(device as usize)).hybrid(hybrid).threads(threads)
}

/// Runs a question with limited device memory. Returns the answers, the report of the passes, and the peak memory in
/// bytes.
fn with_memory(
    way: Way,
    memory: u64,
    question: &Question,
    graph: &Graph,
) -> gts_graph::Result<(Vec<Answer>, RunReport, u64)> {
    match way {
        Way::Streamed { device, transfer } | Way::Travelling { device, transfer } => {
            let streaming = Streaming { streams: 2, cache: CacheChoice::Auto, transfer };
            within(device, streaming, Some(Technique::Balanced), memory, |engine| answers(engine, question, graph))
        }
        Way::Together { device, .. } => {
            let engine = together(device).device_memory(memory).build()?;
            let found = answers(&engine, question, graph)?;
            let peak = engine.memory_taken().iter().map(|taken| taken.peak).max().unwrap_or_default();
            Ok((found, engine.take_report(), peak))
        }
        _ => Err(Error::argument(way, "its device memory is not bounded")),
    }
}

/// Runs a question with the least sufficient device memory, plus `cached` bytes for the cache. Returns the answers and
/// the report of the passes.
fn streamed(way: Way, cached: u64, question: &Question, graph: &Graph) -> Result<(Vec<Answer>, RunReport), String> {
    let mut memory = 1;
    for _ in 0..RAISES {
        match with_memory(way, memory, question, graph) {
            // Later parts of a run, and tables of some kernels, need more memory than the first failed request.
            Err(Error::OutOfMemory { needed, .. }) => memory = (memory / 4 * 5).max(needed + cached),
            Ok((_, _, peak)) if peak > memory => {
                return Err(format!("{peak} bytes of device memory taken, {memory} allowed"));
            }
            Ok((answers, report, _)) => return Ok((answers, report)),
            Err(error) => return Err(error.to_string()),
        }
    }
    Err(format!("{memory} bytes of device memory are still too little"))
}
