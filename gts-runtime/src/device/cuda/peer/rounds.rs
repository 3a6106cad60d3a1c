//! Hand-written rounds over a list of edges, with or without a word from the host: what steps of traversals are held against.
#![allow(unsafe_code)]

use crate::device::cuda::CudaDevice;
use crate::device::cuda::compile::compile;
use crate::device::cuda::driver::{Buffer, Event, Function, Module, Stream};
use crate::error::{Error, Result};
use std::num::NonZeroU32;
use std::ops::Range;
use std::time::Duration;

/// Threads of a block.
const BLOCK: u64 = 256;

/// Edges that are relaxed in rounds.
#[derive(Clone, Copy, Debug)]
pub struct Rounds<'a> {
    /// Where each edge begins.
    pub sources: &'a [u32],
    /// Where it ends.
    pub targets: &'a [u32],
    /// How long it is.
    pub lengths: &'a [u32],
    /// The number of vertices.
    pub vertices: usize,
    /// The vertex at distance 0.
    pub root: u32,
    /// The edges of each round.
    pub rounds: &'a [Range<usize>],
    /// The number of rounds after which the host asks whether a distance has changed. The host ends the rounds where none has.
    pub ask_every: Option<NonZeroU32>,
}

/// What hand-written rounds did.
#[derive(Clone, Debug)]
pub struct PeerRounds {
    /// Time of each repetition.
    pub times: Vec<Duration>,
    /// Rounds that ran.
    pub rounds: usize,
    /// The distance of each vertex, all ones where it was not reached.
    pub distances: Vec<u32>,
}

/// Runs `relax` and `settle` of a hand-written `source` for each round, `repetitions` times. A round reads distances of the
/// round before it.
///
/// # Errors
///
/// Edges that do not fit each other or their rounds; the compiler; the device.
pub fn relax(device: &CudaDevice, source: &str, list: &Rounds<'_>, repetitions: u32) -> Result<PeerRounds> {
    let edges = list.sources.len();
    let ends = || list.sources.iter().chain(list.targets).all(|&vertex| (vertex as usize) < list.vertices);
    let in_list = list.rounds.iter().all(|round| round.start <= round.end && round.end <= edges);
    let alike = list.targets.len() == edges && list.lengths.len() == edges && (list.root as usize) < list.vertices;
    if !alike || !in_list || !ends() {
        return Err(Error::argument("the hand-written rounds", "the edges are not those of a graph with that root"));
    }
    let context = &device.shared.context;
    let module = Module::load(context, &compile("rounds", source, context.architecture())?)?;
    let (relax, settle) = (module.function("relax", &[8; 7])?, module.function("settle", &[8; 6])?);
    let copied = |values: &[u32], what: &str| Buffer::copy_of(context, bytemuck::cast_slice(values), what);
    let sources = copied(list.sources, "sources")?;
    let targets = copied(list.targets, "targets")?;
    let lengths = copied(list.lengths, "lengths")?;
    let mut start = vec![u32::MAX; list.vertices];
    start[list.root as usize] = 0;
    let (distances, next) = (copied(&start, "distances")?, copied(&start, "distances")?);
    let changed = Buffer::zeroed(context, 8, "a flag")?;
    let stream = Stream::new(context)?;
    let marks = [Event::new(context)?, Event::new(context)?];
    let launch = |function: &Function, count: usize, arguments: &[u64]| {
        let grid = ((count as u64).div_ceil(BLOCK) as u32, 1);
        let slots: Vec<&[u64]> = arguments.chunks(1).collect();
        // SAFETY: the edges and their rounds were checked, there is a distance for each vertex, and all of it stays until the
        // stream was waited for.
        unsafe { function.launch(&stream, grid, &slots) }
    };
    let mut result = PeerRounds { times: Vec::new(), rounds: 0, distances: start.clone() };
    for _ in 0..repetitions {
        distances.upload(0, bytemuck::cast_slice(&start), "distances")?;
        next.upload(0, bytemuck::cast_slice(&start), "distances")?;
        stream.clear(&changed, 0, changed.bytes())?;
        stream.record(&marks[0])?;
        result.rounds = 0;
        for round in list.rounds {
            let (first, count) = (round.start as u64, round.len() as u64);
            if count > 0 {
                let [sources, targets, lengths] = [&sources, &targets, &lengths].map(Buffer::address);
                let (distances, next) = (distances.address(), next.address());
                launch(&relax, round.len(), &[sources, targets, lengths, distances, next, first, count])?;
                launch(&settle, round.len(), &[targets, distances, next, first, count, changed.address()])?;
            }
            result.rounds += 1;
            if list.ask_every.is_some_and(|every| result.rounds.is_multiple_of(every.get() as usize)) {
                stream.synchronize("the hand-written rounds")?;
                let mut flag = [0; 8];
                changed.download(0, &mut flag, "a flag")?;
                if flag == [0; 8] {
                    break;
                }
                stream.clear(&changed, 0, changed.bytes())?;
            }
        }
        stream.record(&marks[1])?;
        stream.synchronize("the hand-written rounds")?;
        result.times.push(marks[1].since(&marks[0])?);
    }
    distances.download(0, bytemuck::cast_slice_mut(&mut result.distances), "distances")?;
    Ok(result)
}
