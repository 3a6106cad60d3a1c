//! Runs algorithms on several GPUs and with attributes in parts. Neither may change an answer.

use super::{Algorithm, Case, Cell, Report, answer, for_each};
use gts_core::cost::Strategy;
use gts_core::graph::Graph;
use gts_graph::Error;
use gts_graph::device::CacheChoice;
use gts_graph::device::cuda::CudaDevice;
use gts_graph::prelude::*;
use std::fmt;
use std::num::NonZeroUsize;

/// Upper bound on the bytes of attributes per vertex.
const ATTRIBUTES: u64 = 24;

/// How several GPUs share the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sharing {
    /// Number of GPUs.
    pub devices: NonZeroUsize,
    /// How the GPUs share attributes and pages.
    pub strategy: Strategy,
    /// Whether pages stay in device memory.
    pub cached: bool,
    /// Amount of device memory.
    pub room: Room,
}

/// Amount of device memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Room {
    /// Sufficient for all attributes and pages.
    Plenty,
    /// Sufficient for the attributes; pages stream.
    Attributes,
    /// Insufficient for the attributes; parts of them take turns.
    Turns,
}

impl fmt::Display for Sharing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { devices, strategy, cached, room } = self;
        let cache = if *cached { "with" } else { "without" };
        let room = match room {
            Room::Plenty => "",
            Room::Attributes => ", pages streaming",
            Room::Turns => ", parts taking turns",
        };
        write!(f, "{devices} devices, {}, {cache} cache{room}", strategy.name())
    }
}

/// Runs every algorithm on these cases, with each page size, on `devices` GPUs by each strategy. Returns the report,
/// and the number of cells in which parts of the attributes took turns.
///
/// # Errors
///
/// A device is not available. Errors within a cell are recorded in the report.
pub fn several(
    devices: NonZeroUsize,
    cases: &[Case],
    page_sizes: &[u32],
    progress: impl FnMut(&str),
) -> Result<(Report, usize)> {
    // Keep the devices' contexts open, so that they are not created again for every cell.
    let _contexts = (0..devices.get() as u32).map(CudaDevice::new).collect::<Result<Vec<_>>>()?;
    let sharing = |strategy, cached, room| Sharing { devices, strategy, cached, room };
    let ways = [
        sharing(Strategy::Pages, true, Room::Plenty),
        sharing(Strategy::Pages, false, Room::Plenty),
        sharing(Strategy::Split, true, Room::Plenty),
        sharing(Strategy::Split, true, Room::Attributes),
        sharing(Strategy::Split, false, Room::Attributes),
        sharing(Strategy::Split, true, Room::Turns),
        sharing(Strategy::Split, false, Room::Turns),
    ];
    let (mut report, mut in_turns) = (Report::default(), 0);
    for_each(cases, page_sizes, &mut report, progress, |case, graph, cell, report| {
        for sharing in ways {
            let outcome = run(graph, cell.algorithm, case, sharing, &mut in_turns);
            report.ran(Cell { sharing: Some(sharing), ..cell.clone() }, outcome);
        }
    });
    Ok((report, in_turns))
}

fn run(graph: &Graph, algorithm: Algorithm, case: &Case, sharing: Sharing, in_turns: &mut usize) -> Result<(), String> {
    let cache = if sharing.cached { CacheChoice::Auto } else { CacheChoice::Off };
    let engine = |memory: Option<u64>| -> Result<Engine> {
        let builder = Engine::builder().device(DeviceChoice::Cuda(0)).devices(sharing.devices).cache(cache);
        let builder = builder.strategy(Some(sharing.strategy));
        memory.map_or_else(|| builder.clone(), |bytes| builder.clone().device_memory(bytes)).build()
    };
    let within = |memory: Option<u64>| -> Result<(Result<(), String>, usize)> {
        let engine = engine(memory)?;
        let found = answer(&engine, graph, algorithm, case)?;
        let turns = |kernel: &gts_graph::KernelReport| kernel.parts as usize > sharing.devices.get();
        Ok((case.check(&found), usize::from(engine.take_report().kernels.iter().any(turns))))
    };
    let a_vertex = match sharing.room {
        Room::Plenty => None,
        Room::Attributes => Some(ATTRIBUTES),
        Room::Turns => Some(2),
    };
    let memory = match a_vertex.map(|bytes| (bytes, within(Some(1)))) {
        None => None,
        // With almost no memory, the error contains the minimum for the smallest part.
        Some((bytes, Err(Error::OutOfMemory { needed, .. }))) => Some(needed + bytes * graph.num_vertices()),
        Some((_, Err(error))) => return Err(error.to_string()),
        Some((_, Ok(_))) => return Err("ran without any device memory".to_owned()),
    };
    let (checked, turned) = within(memory).map_err(|error| error.to_string())?;
    *in_turns += turned;
    checked
}
