//! Searches for a pattern. The graph's lists are in device memory, and a kernel runs in rounds until no work is left.
//! The matches are counted first, and then listed if requested. If the memory for rows is full, warps save the state of
//! their search, and the host copies the rows.
#![allow(unsafe_code)]

use super::driver::Buffer;
use super::pass::Clock;
use super::session::CudaSession;
use bytemuck::{Pod, Zeroable};
use gts_core::pattern::{self, Level, MOST_VERTICES, PatternPlan};
use gts_core::{summaries, threads};
use gts_device::error::{Error, Result};
use gts_device::kernel::{Matched, Matching, SEARCH, WholeLists};
use gts_device::{PassOutcome, PassRequest, on_disk, too_many_matches, too_many_vertices};

/// The number of list entries per work unit in the first round: `GTS_SEARCH_CHUNK`.
const CHUNK: u64 = 256;
/// The number of blocks per multiprocessor: `GTS_SEARCH_BLOCKS`.
const BLOCKS: u32 = 4;
const WARPS_A_BLOCK: u64 = 8;

/// The conditions that a level imposes on its vertex: `gts_search_level`.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
struct LevelArguments {
    adjacent: u32,
    apart: u32,
    below: u32,
    distinct: u32,
    least_degree: u32,
    first: u32,
    behind: u32,
}

/// The state shared by all warps: `gts_search_control`.
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
    rows: u64,
    listed: u64,
}

/// The arguments of a round: `gts_search_arguments`.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
pub(super) struct SearchArguments {
    starts: u64,
    neighbours: u64,
    before: u64,
    control: u64,
    status: u64,
    units: u64,
    num_units: u64,
    left: u64,
    room: u64,
    rows: u64,
    room_of_rows: u64,
    saved: u64,
    num_vertices: u64,
    num_levels: u32,
    by_length: u32,
    levels: [LevelArguments; MOST_VERTICES],
}

/// The device memory of a search, [`pattern::device_bytes`] bytes in total.
struct SearchMemory {
    starts: Buffer,
    neighbours: Buffer,
    before: Buffer,
    control: Buffer,
    units: [Buffer; 2],
}

/// The additional device memory of a listing, [`pattern::listing_device_bytes`] bytes in total.
struct ListingMemory {
    rows: Buffer,
    room: u64,
    saved: Buffer,
    saved_bytes: usize,
}

impl CudaSession {
    /// Counts the occurrences of a pattern, and lists the matches if requested.
    pub(super) fn find_matches(
        &mut self,
        matching: &Matching<'_>,
        request: &PassRequest,
    ) -> Result<(Matched, PassOutcome)> {
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
        let blocks = (BLOCKS * self.context().multiprocessors()).min((pattern::MOST_WARPS / WARPS_A_BLOCK) as u32);
        let warps = u64::from(blocks) * WARPS_A_BLOCK;
        let room = pattern::units_left(matching.plan.len() as u64, warps);
        let held = self.having_room(|session| session.hold(&lists, matching.plan, room))?;
        self.begin_pass(Clock::Events)?;
        let launch = SearchLaunch { held: &held, lists: &lists, plan: matching.plan, room, blocks };
        let counted = self.search(&launch, None, request)?;
        let is_counted = counted.overflow == 0 && !request.limits.over();
        let matched =
            if is_counted { self.list(&launch, counted.found, matching, request)? } else { Matched::default() };
        self.close_pass(&SEARCH, request, Clock::Events)?;
        self.end_pass(&SEARCH, request, Clock::Events)?;
        let outcome = PassOutcome {
            edges: topology.num_edges(),
            pages: topology.num_pages().into(),
            bytes: topology.bytes(),
            copied: 4 * lists.neighbors().len() as u64,
            kernel_time: Some(self.kit.ended.since(&self.kit.begun)?),
            ..PassOutcome::default()
        };
        self.trace_pass(&SEARCH, &outcome);
        if counted.overflow != 0 { Err(too_many_matches()) } else { Ok((matched, outcome)) }
    }

    /// Lists the matches, if requested. `matches` is the counted number of matches.
    fn list(
        &mut self,
        launch: &SearchLaunch<'_>,
        matches: u64,
        matching: &Matching<'_>,
        request: &PassRequest,
    ) -> Result<Matched> {
        let mut matched = Matched::with_room(matches, matching)?;
        if matched.listed.is_empty() {
            return Ok(matched);
        }
        let levels = launch.plan.len() as u64;
        let room = pattern::rows_at_a_time(levels, matches);
        let saved_bytes = (4 * pattern::SAVED_WORDS * u64::from(launch.blocks) * WARPS_A_BLOCK) as usize;
        let listing = self.having_room(|session| {
            let stream = &session.kit.stream;
            Ok(ListingMemory {
                rows: Buffer::lent(stream, (4 * levels * room) as usize, "rows of matches")?,
                room,
                saved: Buffer::lent_zeroed(stream, saved_bytes, "searches that wait")?,
                saved_bytes,
            })
        })?;
        self.search(launch, Some((&listing, &mut matched.listed)), request)?;
        summaries::change(&mut matched.listed, |place| *place = launch.lists.vertices()[*place as usize]);
        Ok(matched)
    }

    /// Copies the lists to the device, and allocates memory for `room` work units that warps leave to other warps.
    fn hold(&self, lists: &WholeLists, plan: &PatternPlan, room: u64) -> Result<SearchMemory> {
        let stream = &self.kit.stream;
        let sent = |bytes: &[u8], what: &str| {
            let buffer = Buffer::lent(stream, bytes.len(), what)?;
            self.send(&buffer, 0, bytes)?;
            Ok::<_, Error>(buffer)
        };
        let bytes = (4 * pattern::unit_words(plan.len() as u64) * room) as usize;
        let units = || Buffer::lent(stream, bytes, "work that is left to others");
        Ok(SearchMemory {
            starts: sent(bytemuck::cast_slice(lists.starts()), "where lists begin")?,
            neighbours: sent(bytemuck::cast_slice(lists.neighbors()), "lists of neighbours by degree")?,
            before: sent(bytemuck::cast_slice(lists.before()), "numbers of neighbours")?,
            control: Buffer::lent_zeroed(stream, size_of::<Control>(), "the state of a search")?,
            units: [units()?, units()?],
        })
    }

    /// Runs rounds until no work is left, and returns the final state. If `listing` is set, writes each match to the
    /// slice in `listing`, as indices into the vertices of `launch.lists`.
    fn search(
        &mut self,
        launch: &SearchLaunch<'_>,
        mut listing: Option<(&ListingMemory, &mut [u32])>,
        request: &PassRequest,
    ) -> Result<Control> {
        let function = self.shared.kernels.search(self.context(), listing.is_some())?;
        let mut arguments = launch.arguments(listing.as_ref().map(|(listing, _)| *listing));
        arguments.status = self.kit.report.address();
        let (control, mut row) = (&launch.held.control, 0);
        self.kit.stream.upload(control, 0, bytemuck::bytes_of(&Control::default()))?;
        loop {
            let words: &[u64] = bytemuck::cast_slice(std::slice::from_ref(&arguments));
            // SAFETY: each neighbour in a list is the index of a list, the control state is allocated, and the buffers
            // of units, rows and saved searches have the sizes that the arguments state.
            unsafe { function.launch(&self.kit.stream, (launch.blocks, 1), &[words]) }?;
            self.kit.stream.record(&self.kit.ended)?;
            self.watch(&SEARCH, request).wait(&self.kit.ended)?;
            let mut found = Control::zeroed();
            control.download(0, bytemuck::bytes_of_mut(&mut found), "the state of a search")?;
            if let Some((listing, listed)) = &mut listing {
                let is_full = found.rows > listing.room;
                let rows = if is_full { found.listed } else { found.rows };
                let end = listed.len().min(row + rows as usize * launch.plan.len());
                let bytes = bytemuck::cast_slice_mut(&mut listed[row..end]);
                if !bytes.is_empty() {
                    listing.rows.download(0, bytes, "rows of matches")?;
                }
                row = end;
                if is_full && !request.limits.over() {
                    self.kit.stream.upload(control, 0, bytemuck::bytes_of(&Control { rows: 0, ..found }))?;
                    continue;
                }
                self.kit.stream.clear(&listing.saved, 0, listing.saved_bytes)?;
            }
            if found.left == 0 || found.overflow != 0 {
                return Ok(found);
            }
            let [one, other] = &launch.held.units;
            let (units, left) = if arguments.left == one.address() { (one, other) } else { (other, one) };
            (arguments.units, arguments.num_units, arguments.left) = (units.address(), found.left, left.address());
            let next = Control { found: found.found, ..Control::default() };
            self.kit.stream.upload(control, 0, bytemuck::bytes_of(&next))?;
        }
    }
}

/// The state shared by all launches of a search.
struct SearchLaunch<'a> {
    held: &'a SearchMemory,
    lists: &'a WholeLists,
    plan: &'a PatternPlan,
    room: u64,
    blocks: u32,
}

impl SearchLaunch<'_> {
    /// Returns the arguments of the first round, except the address of the status.
    fn arguments(&self, listing: Option<&ListingMemory>) -> SearchArguments {
        let of_level = |level: &Level| {
            let places = self.lists.labelled(level.label);
            LevelArguments {
                adjacent: level.adjacent,
                apart: level.apart,
                below: level.below,
                distinct: level.distinct,
                least_degree: level.least_degree,
                first: places.start,
                // Skipping the bound costs less than checking a bound that all vertices satisfy.
                behind: if level.label == 0 { u32::MAX } else { places.end },
            }
        };
        let mut levels = [LevelArguments::default(); MOST_VERTICES];
        levels.iter_mut().zip(self.plan.levels()).for_each(|(arguments, level)| *arguments = of_level(level));
        let held = self.held;
        SearchArguments {
            starts: held.starts.address(),
            neighbours: held.neighbours.address(),
            before: held.before.address(),
            control: held.control.address(),
            num_units: (self.lists.neighbors().len() as u64).div_ceil(CHUNK),
            left: held.units[0].address(),
            room: self.room,
            rows: listing.map_or(0, |listing| listing.rows.address()),
            room_of_rows: listing.map_or(0, |listing| listing.room),
            saved: listing.map_or(0, |listing| listing.saved.address()),
            num_vertices: self.lists.num_vertices().into(),
            num_levels: self.plan.len() as u32,
            // Counting by length requires a walked level before the last level. A search for two vertices has no such
            // level.
            by_length: (listing.is_none() && self.plan.counts_by_length() && self.plan.len() > 2).into(),
            levels,
            ..SearchArguments::default()
        }
    }
}
