//! Hand-written rounds over an edge list, with or without checks by the host, used as the baseline for traversal steps.
#![allow(unsafe_code)]

use super::gpu::{BLOCK, Gpu, Kernel, Memory};
use gts_graph::device::cuda::CudaDevice;
use gts_graph::{Error, Result};
use std::num::NonZeroU32;
use std::ops::Range;
use std::time::Duration;

/// Edges of a graph, and the rounds that relax them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rounds<'a> {
    /// Source of each edge.
    pub(crate) sources: &'a [u32],
    /// Target of each edge.
    pub(crate) targets: &'a [u32],
    /// Length of each edge.
    pub(crate) lengths: &'a [u32],
    /// Number of vertices.
    pub(crate) vertices: usize,
    /// Vertex at distance 0.
    pub(crate) root: u32,
    /// Range of edges processed in each round.
    pub(crate) rounds: &'a [Range<usize>],
    /// Number of rounds between two checks by the host, or `None` for no checks. The host ends the run if no distance
    /// has changed since the previous check.
    pub(crate) ask_every: Option<NonZeroU32>,
}

/// Results of running the rounds.
#[derive(Clone, Debug)]
pub(crate) struct PeerRounds {
    /// Time of each repetition.
    pub(crate) times: Vec<Duration>,
    /// Number of rounds that ran.
    pub(crate) rounds: usize,
    /// Distance of each vertex, or `u32::MAX` if the vertex is not reached.
    pub(crate) distances: Vec<u32>,
}

/// Runs the rounds `repetitions` times. Each round launches the hand-written kernels `relax` and `settle` of `source`.
/// A round reads the distances that the previous round wrote.
///
/// # Errors
///
/// Fails if the edges or the rounds are inconsistent, or if the compiler or the device fails.
pub(crate) fn relax(device: &CudaDevice, source: &str, list: &Rounds<'_>, repetitions: u32) -> Result<PeerRounds> {
    let edges = list.sources.len();
    let ends = || list.sources.iter().chain(list.targets).all(|&vertex| (vertex as usize) < list.vertices);
    let in_list = list.rounds.iter().all(|round| round.start <= round.end && round.end <= edges);
    let alike = list.targets.len() == edges && list.lengths.len() == edges && (list.root as usize) < list.vertices;
    if !alike || !in_list || !ends() {
        return Err(Error::argument("the hand-written rounds", "the edges are not those of a graph with that root"));
    }
    let gpu = Gpu::of(device)?;
    let program = gpu.program("rounds", source)?;
    let (relax, settle) = (program.kernel("relax")?, program.kernel("settle")?);
    let (sources, targets, lengths) = (gpu.copied(list.sources)?, gpu.copied(list.targets)?, gpu.copied(list.lengths)?);
    let mut start = vec![u32::MAX; list.vertices];
    start[list.root as usize] = 0;
    let (distances, next) = (gpu.copied(&start)?, gpu.copied(&start)?);
    let changed = gpu.zeroed(8)?;
    let launch = |kernel: Kernel, count: usize, arguments: &[u64]| {
        let grid = ((count as u64).div_ceil(u64::from(BLOCK)) as u32, 1);
        // SAFETY: the edges and their rounds were checked, there is a distance for each vertex, and all memory exists
        // until the stream has been synchronised.
        unsafe { gpu.launch(kernel, grid, arguments) }
    };
    let mut result = PeerRounds { times: Vec::new(), rounds: 0, distances: start.clone() };
    for _ in 0..repetitions {
        gpu.upload(&distances, &start)?;
        gpu.upload(&next, &start)?;
        gpu.clear(&changed)?;
        result.rounds = 0;
        let time = gpu.time(|| {
            for round in list.rounds {
                let (first, count) = (round.start as u64, round.len() as u64);
                if count > 0 {
                    let [sources, targets, lengths] = [&sources, &targets, &lengths].map(Memory::address);
                    let (distances, next) = (distances.address(), next.address());
                    launch(relax, round.len(), &[sources, targets, lengths, distances, next, first, count])?;
                    launch(settle, round.len(), &[targets, distances, next, first, count, changed.address()])?;
                }
                result.rounds += 1;
                if list.ask_every.is_some_and(|every| result.rounds.is_multiple_of(every.get() as usize)) {
                    let mut flag = [0u64];
                    gpu.download(&changed, &mut flag)?;
                    if flag == [0] {
                        break;
                    }
                    gpu.clear(&changed)?;
                }
            }
            Ok(())
        })?;
        result.times.push(time);
    }
    gpu.download(&distances, &mut result.distances)?;
    Ok(result)
}
