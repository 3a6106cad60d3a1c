//! Searches for a pattern: the lists of the graph in device memory, and rounds of one kernel until no work is left.
#![allow(unsafe_code)]

use super::driver::{Buffer, Function};
use super::pass::Clock;
use super::session::CudaSession;
use crate::device::{PassOutcome, PassRequest, on_disk, too_many_matches, too_many_vertices};
use crate::error::{Error, Result};
use crate::kernel::{Matching, SEARCH, WholeLists};
use bytemuck::{Pod, Zeroable};
use gts_core::pattern::{self, MOST_VERTICES, PatternPlan};
use gts_core::threads;
use std::sync::Arc;

/// Entries of lists that make a unit of the first round: `GTS_SEARCH_CHUNK`.
const CHUNK: u64 = 256;
/// Warps of a multiprocessor: `GTS_SEARCH_BLOCKS` blocks.
const BLOCKS: u32 = 4;
const WARPS_A_BLOCK: u64 = 8;

/// What a level asks of a vertex: `gts_search_level`.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
struct LevelArguments {
    adjacent: u32,
    apart: u32,
    below: u32,
    distinct: u32,
    least_degree: u32,
    label: u32,
}

/// What all warps share: `gts_search_control`.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
struct Control {
    next: u64,
    found: u64,
    left: u64,
    overflow: u32,
    idle: u32,
    split: u32,
    unused: u32,
}

/// What a round is launched with: `gts_search_arguments`.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
pub(super) struct SearchArguments {
    starts: u64,
    neighbours: u64,
    before: u64,
    labels: u64,
    control: u64,
    status: u64,
    units: u64,
    num_units: u64,
    left: u64,
    room: u64,
    num_vertices: u64,
    num_levels: u32,
    by_length: u32,
    levels: [LevelArguments; MOST_VERTICES],
}

/// What the search has in device memory: as much as [`pattern::device_bytes`] says.
struct Held {
    starts: Buffer,
    neighbours: Buffer,
    before: Buffer,
    labels: Buffer,
    control: Buffer,
    units: [Buffer; 2],
}

impl CudaSession {
    /// Counts how often a pattern occurs.
    pub(super) fn find_matches(
        &mut self,
        matching: &Matching<'_>,
        request: &PassRequest,
    ) -> Result<(u64, PassOutcome)> {
        let graph = self.graph.clone();
        let topology = graph.out_topology();
        if !topology.load_all()? {
            return Err(on_disk(&SEARCH));
        }
        threads::prepare()?;
        let lists = WholeLists::new(topology, graph.out_degrees(), matching, || request.limits.over())?;
        let Some(lists) = lists else {
            return Err(if request.limits.over() { request.limits.error(&SEARCH) } else { too_many_vertices(&SEARCH) });
        };
        let function = self.shared.kernels.search(self.context())?;
        let blocks = (BLOCKS * self.context().multiprocessors()).min((pattern::MOST_WARPS / WARPS_A_BLOCK) as u32);
        let warps = u64::from(blocks) * WARPS_A_BLOCK;
        let room = pattern::units_left(matching.plan.len() as u64, warps);
        let held = self.having_room(|session| session.hold(&lists, matching.plan, room))?;
        self.begin_pass(Clock::Events)?;
        let found = self.search(&function, &held, &lists, (matching.plan, room, blocks), request)?;
        self.close_pass(&SEARCH, request, Clock::Events)?;
        self.end_pass(&SEARCH, request, Clock::Events)?;
        let outcome = PassOutcome {
            edges: topology.num_edges(),
            pages: topology.num_pages().into(),
            bytes: topology.bytes(),
            copied: 4 * lists.neighbours().len() as u64,
            kernel_time: Some(self.kit.ended.since(&self.kit.begun)?),
            ..PassOutcome::default()
        };
        self.trace_pass(&SEARCH, &outcome);
        if found.overflow != 0 { Err(too_many_matches()) } else { Ok((found.found, outcome)) }
    }

    /// Brings the lists to the device, and takes room for what warps leave to others.
    fn hold(&self, lists: &WholeLists, plan: &PatternPlan, room: u64) -> Result<Held> {
        let stream = &self.kit.stream;
        let sent = |bytes: &[u8], what: &str| {
            let buffer = Buffer::lent(stream, bytes.len(), what)?;
            self.send(&buffer, 0, bytes)?;
            Ok::<_, Error>(buffer)
        };
        let bytes = (4 * pattern::unit_words(plan.len() as u64) * room) as usize;
        let units = || Buffer::lent(stream, bytes, "work that is left to others");
        Ok(Held {
            starts: sent(bytemuck::cast_slice(lists.starts()), "where lists begin")?,
            neighbours: sent(bytemuck::cast_slice(lists.neighbours()), "lists of neighbours by degree")?,
            before: sent(bytemuck::cast_slice(lists.before()), "numbers of neighbours")?,
            labels: sent(lists.labels(), "labels of vertices")?,
            control: Buffer::lent_zeroed(stream, size_of::<Control>(), "the state of a search")?,
            units: [units()?, units()?],
        })
    }

    /// Runs rounds until no work is left. Answers what they found.
    fn search(
        &mut self,
        function: &Arc<Function>,
        held: &Held,
        lists: &WholeLists,
        (plan, room, blocks): (&PatternPlan, u64, u32),
        request: &PassRequest,
    ) -> Result<Control> {
        let mut levels = [LevelArguments::default(); MOST_VERTICES];
        for (arguments, level) in levels.iter_mut().zip(plan.levels()) {
            let (least_degree, label) = (level.least_degree, level.label.into());
            let (adjacent, apart, below, distinct) = (level.adjacent, level.apart, level.below, level.distinct);
            *arguments = LevelArguments { adjacent, apart, below, distinct, least_degree, label };
        }
        let mut arguments = SearchArguments {
            starts: held.starts.address(),
            neighbours: held.neighbours.address(),
            before: held.before.address(),
            labels: held.labels.address(),
            control: held.control.address(),
            status: self.kit.report.address(),
            num_units: (lists.neighbours().len() as u64).div_ceil(CHUNK),
            left: held.units[0].address(),
            room,
            num_vertices: lists.num_vertices().into(),
            num_levels: plan.len() as u32,
            // Of two vertices the first is no level that is walked.
            by_length: (plan.counts_by_length() && plan.len() > 2).into(),
            levels,
            ..SearchArguments::default()
        };
        loop {
            let words: &[u64] = bytemuck::cast_slice(std::slice::from_ref(&arguments));
            // SAFETY: the lists hold every place that they name, the control is there, and both buffers of units have
            // the room that the arguments state.
            unsafe { function.launch(&self.kit.stream, (blocks, 1), &[words]) }?;
            self.kit.stream.record(&self.kit.ended)?;
            self.watch(&SEARCH, request).wait(&self.kit.ended)?;
            let mut control = Control::zeroed();
            held.control.download(0, bytemuck::bytes_of_mut(&mut control), "the state of a search")?;
            if control.left == 0 || control.overflow != 0 {
                return Ok(control);
            }
            let [one, other] = &held.units;
            let (units, left) = if arguments.left == one.address() { (one, other) } else { (other, one) };
            (arguments.units, arguments.num_units, arguments.left) = (units.address(), control.left, left.address());
            let next = Control { found: control.found, ..Control::default() };
            self.kit.stream.upload(&held.control, 0, bytemuck::bytes_of(&next))?;
        }
    }
}
