//! Lanes: streams on which kernels run over groups of pages that were copied into staging slots.
//!
//! All copies from host memory run one after the other in a single stream, because concurrent copies are slower. A lane
//! has a stream for launches, and slots: kernels read one slot while another is filled. Events order the streams. The
//! host submits work in advance, and checks events only to reuse slots and flights. Launches of lanes have priority
//! over all other launches. Therefore slots become free, and copies continue, regardless of other work on the device.
//!
//! The work submitted for one launch is a *flight*. A flight holds its groups of pages until the copies of these pages
//! are complete. Each group is a lease on host memory. If devices share the copying, the pages of a flight are
//! forwarded to the other devices. Separate lanes fetch the pages that other devices forward.
#![allow(unsafe_code)]

mod ahead;
mod handing;
mod pieces;

use super::beside;
use super::layout::MemoryLayout;
use super::places::{ContiguousPages, References, extend, placed};
use super::relay::HandedPages;
use crate::driver::{Buffer, Context, Event, Pinned, Stream};
use crate::pages::{PAGE_REF, PageLists, PageLocks, PageTable};
use crate::travelling::Traveller;
use crate::watch::Watch;
use gts_contract::Side;
use gts_core::graph::PageId;
use gts_core::page::{PageGroup, PageRun, Topology};
use gts_device::error::{Error, Result};
use pieces::{Half, copy_columns};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Instant;

/// Flights per slot: one uses the slot, and one waits for the slot. One more flight per slot is reserved for
/// prefetches.
const FLIGHTS_A_SLOT: usize = 2;

/// Launches kernels over pages. The last argument contains the address of each travelling column, or is `None` if the
/// slot does not contain the columns.
pub(super) type Launch<'a> = Box<dyn Fn(&Stream, &PageLists, Option<&[u64]>) -> Result<()> + 'a>;

/// A topology whose pages are loaded, and the function that launches the kernels over these pages.
pub(super) struct Target<'a> {
    pub(super) topology: &'a Topology,
    pub(super) table: &'a PageTable,
    pub(super) locks: &'a PageLocks,
    /// The columns whose values travel with the pages.
    pub(super) travellers: &'a [Traveller<'a>],
    pub(super) launch: Launch<'a>,
}

/// Timings of a flight in seconds since the pass began; negative if the flight was prefetched.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flown {
    pub(super) lane: u32,
    pub(super) pages: u64,
    pub(super) copy: (f64, f64),
    /// The number of vertices whose values were copied beside the pages, and the time span of that copy.
    pub(super) beside: Option<(u64, (f64, f64))>,
    pub(super) launch: (f64, f64),
}

#[derive(Debug)]
struct Lane {
    launches: Stream,
    /// One event per slot, recorded after the last launch over the slot.
    free: Vec<Event>,
    /// The pages in each slot that were forwarded to other devices.
    handed: Vec<Option<Arc<HandedPages>>>,
    /// The index of the next slot to fill.
    turn: usize,
    ended: Event,
}

/// A stream of copies, and the event that marks the end of the last copy.
#[derive(Debug)]
struct Copies {
    stream: Stream,
    ended: Event,
}

/// Pages that are being copied for one launch, or that the launch is processing.
#[derive(Debug)]
struct Flight {
    /// The index of the flight, and of its part of `host_lists`.
    number: usize,
    lane: usize,
    slot: usize,
    /// The offsets of the flight's pages in memory. Each piece consists of consecutive pages that are contiguous in
    /// memory.
    pieces: Vec<ContiguousPages>,
    /// The number of the flight's pages in the slot, and the flight's total number of pages.
    staged: usize,
    pages: usize,
    groups: Vec<PageGroup>,
    /// The topology of the flight's pages, if the flight was prefetched.
    ahead: Option<Side>,
    /// The number of vertices whose values were copied beside the pages.
    beside: Option<u64>,
    copying: Event,
    /// Marks the start of the copies beside the pages.
    copying_beside: Event,
    copied: Arc<Event>,
    launching: Event,
    done: Event,
}

/// The lanes, and the memory into which pages are copied.
#[derive(Debug)]
pub(super) struct Lanes {
    /// The slots of all lanes, then the frames of the cache.
    memory: Buffer,
    frames_at: usize,
    /// The values that travel with the pages of each slot.
    beside: Buffer,
    /// Bytes of `beside` per slot.
    slot_beside: usize,
    /// The halves of `beside`, which vertex kernels use alternately.
    halves: [Half; 2],
    /// References to the pages of each slot, for slots whose pages are not consecutive.
    lists: Buffer,
    host_lists: Pinned,
    page_bytes: usize,
    slot_pages: usize,
    /// The copy streams: one for all lanes, or one per lane.
    copies: Vec<Copies>,
    lanes: Vec<Lane>,
    /// The index of the lane for the next flight.
    turn: usize,
    /// The flight that is being filled.
    open: Option<Flight>,
    flying: VecDeque<Flight>,
    idle: Vec<Flight>,
    /// Prefetched flights in consecutive slots. These flights have no launch yet.
    ahead: VecDeque<Flight>,
    flown: Vec<Flown>,
    /// The number of bytes copied from host memory, and the start, the end and the size in bytes of each read from
    /// storage.
    copied: u64,
    reads: Vec<(Instant, Instant, u64)>,
}

impl Lanes {
    pub(super) fn new(context: &Arc<Context>, layout: MemoryLayout, page_bytes: usize) -> Result<Self> {
        let slots = (layout.streams * layout.slots) as usize;
        let slot_pages = layout.slot_pages as usize;
        let frames_at = slots * slot_pages * page_bytes;
        let slot_beside = slot_pages * layout.beside as usize;
        let lane = || -> Result<Lane> {
            Ok(Lane {
                launches: Stream::urgent(context)?,
                free: (0..layout.slots).map(|_| Event::new(context)).collect::<Result<_>>()?,
                handed: vec![None; layout.slots as usize],
                turn: 0,
                ended: Event::new(context)?,
            })
        };
        let half = || Ok::<_, Error>(Half { copied: Event::new(context)?, free: Event::new(context)? });
        let flights = slots * (FLIGHTS_A_SLOT + 1);
        let flight = |number| -> Result<Flight> {
            Ok(Flight {
                number,
                lane: 0,
                slot: 0,
                pieces: Vec::new(),
                staged: 0,
                pages: 0,
                groups: Vec::new(),
                ahead: None,
                beside: None,
                copying: Event::new(context)?,
                copying_beside: Event::new(context)?,
                copied: Arc::new(Event::new(context)?),
                launching: Event::new(context)?,
                done: Event::new(context)?,
            })
        };
        Ok(Self {
            memory: Buffer::zeroed(context, frames_at + layout.frames as usize * page_bytes, "pages")?,
            frames_at,
            beside: Buffer::unset(context, slots * slot_beside, "values that travel with pages")?,
            slot_beside,
            halves: [half()?, half()?],
            lists: Buffer::zeroed(context, slots * slot_pages * PAGE_REF, "lists of pages")?,
            host_lists: Pinned::new(context, flights * slot_pages * PAGE_REF)?,
            page_bytes,
            slot_pages,
            copies: vec![Copies::new(context)?],
            lanes: (0..layout.streams).map(|_| lane()).collect::<Result<_>>()?,
            turn: 0,
            open: None,
            flying: VecDeque::new(),
            idle: (0..flights).map(flight).collect::<Result<_>>()?,
            ahead: VecDeque::new(),
            flown: Vec::new(),
            copied: 0,
            reads: Vec::new(),
        })
    }

    /// Returns the number of lanes.
    pub(super) fn streams(&self) -> u32 {
        self.lanes.len() as u32
    }

    /// Returns the size of a page in bytes.
    pub(super) fn page_bytes(&self) -> usize {
        self.page_bytes
    }

    /// Returns the maximum number of pages per launch.
    pub(super) fn slot_pages(&self) -> u32 {
        self.slot_pages as u32
    }

    /// Returns the maximum number of bytes per group.
    pub(super) fn group_bytes(&self) -> usize {
        self.slot_pages * self.page_bytes
    }

    /// Returns the address of a cache frame.
    pub(super) fn frame(&self, frame: u32) -> u64 {
        self.memory.address() + (self.frames_at + frame as usize * self.page_bytes) as u64
    }

    /// Begins a pass. Except for prefetches, no work of the pass runs before the event `begun`.
    pub(super) fn begin(&mut self, begun: &Event) -> Result<()> {
        self.flown.clear();
        self.reads.clear();
        self.copied = 0;
        self.copies.iter().try_for_each(|copies| copies.stream.wait(begun))?;
        for lane in &mut self.lanes {
            // The previous pass is over on all devices.
            lane.handed.fill(None);
            lane.launches.wait(begun)?;
        }
        Ok(())
    }

    /// Returns whether flights hold at least `most` groups.
    pub(super) fn holds(&self, most: usize) -> bool {
        self.flying.iter().chain(&self.open).map(|flight| flight.groups.len()).sum::<usize>() >= most
    }

    /// Waits until flights hold fewer than `most` groups. All flights must be closed.
    pub(super) fn hold_fewer(&mut self, most: usize, watch: &Watch<'_>) -> Result<()> {
        loop {
            self.reclaim(watch)?;
            if !self.holds(most) {
                return Ok(());
            }
            if let Some(flight) = self.flying.iter().find(|flight| !flight.groups.is_empty()) {
                watch.wait(&flight.copied)?;
            }
        }
    }

    /// Copies a group. If `place` returns a frame for a page, the page is copied into the frame; otherwise, into a
    /// slot. The open flight, if any, must have room for the group.
    pub(super) fn add(
        &mut self,
        group: PageGroup,
        locks: &PageLocks,
        place: impl FnMut(PageId) -> Option<u32>,
        watch: &Watch<'_>,
    ) -> Result<()> {
        let flight = match self.open.take() {
            Some(open) => open,
            None => self.take_off(self.turn, watch)?,
        };
        self.add_to(flight, group, locks, place)
    }

    /// Submits the copies of a group for a flight, and makes the flight the open flight.
    fn add_to(
        &mut self,
        mut flight: Flight,
        group: PageGroup,
        locks: &PageLocks,
        mut place: impl FnMut(PageId) -> Option<u32>,
    ) -> Result<()> {
        let run = group.run();
        let slot = self.first_place(&flight);
        let mut pieces: Vec<ContiguousPages> = Vec::new();
        for page in run.pages() {
            let offset = match place(page) {
                Some(frame) => self.frames_at + frame as usize * self.page_bytes,
                None => {
                    flight.staged += 1;
                    (slot + flight.staged - 1) * self.page_bytes
                }
            };
            extend(&mut pieces, PageRun { first: page, count: 1 }, offset, self.page_bytes);
        }
        pieces.iter().for_each(|&(run, offset)| extend(&mut flight.pieces, run, offset, self.page_bytes));
        flight.pages += run.count as usize;
        self.copied += group.bytes().len() as u64;
        if let Some((begun, ended)) = group.read() {
            self.reads.push((begun, ended, group.bytes().len() as u64));
        }
        flight.groups.push(group);

        // The flight is stored before the first copy begins. Therefore its groups are held until the copies are done,
        // even after an error.
        let flight = self.open.insert(flight);
        let Some(group) = flight.groups.last() else { return Ok(()) };
        for (piece, offset) in pieces {
            let from = (piece.first.0 - run.first.0) as usize * self.page_bytes;
            let bytes = &group.bytes()[from..from + piece.count as usize * self.page_bytes];
            let whole = 0..bytes.len();
            let cuts = locks.of(bytes).map(|lock| lock.cut(bytes).collect());
            for cut in cuts.unwrap_or_else(|| vec![whole]) {
                // SAFETY: the group contains the bytes, and the flight holds the group until the event after the copy
                // is complete.
                unsafe { self.copies[0].stream.copy(&self.memory, offset + cut.start, &bytes[cut]) }?;
            }
        }
        Ok(())
    }

    /// Returns whether a flight can take off without waiting for an earlier flight.
    pub(super) fn is_ready(&mut self, watch: &Watch<'_>) -> Result<bool> {
        self.reclaim(watch)?;
        Ok(self.num_ready() > 0)
    }

    /// Returns the number of slots.
    fn slots(&self) -> usize {
        self.lanes.iter().map(|lane| lane.free.len()).sum()
    }

    /// Returns the number of flights that a pass may start now. One flight per slot stays reserved for prefetches.
    fn num_ready(&self) -> usize {
        (self.idle.len() + self.ahead.len()).saturating_sub(self.slots())
    }

    /// Returns whether the number of flights in progress is at least the number of lanes.
    pub(super) fn has_work(&self) -> bool {
        self.flying.len() >= self.lanes.len()
    }

    /// Returns whether a group of `pages` pages needs a new flight.
    pub(super) fn takes_off(&self, pages: u32) -> bool {
        self.open.as_ref().is_none_or(|open| open.pages + pages as usize > self.slot_pages)
    }

    /// Returns the index of a flight's slot among the slots of all lanes. All lanes have the same number of slots.
    fn number_of_slot(&self, flight: &Flight) -> usize {
        flight.lane * self.lanes[flight.lane].free.len() + flight.slot
    }

    /// Returns the copy stream of a lane.
    fn copies_of(&self, lane: usize) -> &Stream {
        &self.copies[lane % self.copies.len()].stream
    }

    /// Returns the offset of a flight's slot in memory, in pages.
    fn first_place(&self, flight: &Flight) -> usize {
        self.number_of_slot(flight) * self.slot_pages
    }

    /// Closes the open flight, and launches the kernels over its pages. Returns the event that marks the end of the
    /// copies, or `None` if no flight was open.
    pub(super) fn close(&mut self, target: &Target<'_>) -> Result<Option<Arc<Event>>> {
        let Some(flight) = self.open.take() else { return Ok(None) };
        self.flying.push_back(flight);
        let places = self.copy_beside(target)?;
        let Some(flight) = self.flying.back() else { return Ok(None) };
        let lane = &self.lanes[flight.lane];
        let lists = match flight.pieces.as_slice() {
            &[(run, offset)] => target.table.consecutive(target.topology, run, self.memory.address() + offset as u64),
            pieces => {
                let list_bytes = self.slot_pages * PAGE_REF;
                let pages = placed(pieces, self.memory.address(), self.page_bytes);
                let references = References::new(target.topology, &pages);
                let bytes = bytemuck::cast_slice(&references.all);
                let place = flight.number * list_bytes;
                self.host_lists.as_mut_slice()[place..place + bytes.len()].copy_from_slice(bytes);
                let bytes = &self.host_lists.as_slice()[place..place + bytes.len()];
                let slot = self.number_of_slot(flight) * list_bytes;
                // SAFETY: this part of `host_lists` belongs to the flight, and is overwritten only after the flight is
                // done.
                unsafe { self.copies_of(flight.lane).copy(&self.lists, slot, bytes) }?;
                references.lists(self.lists.address() + slot as u64)
            }
        };
        if flight.ahead.is_none() || places.is_some() {
            self.copies_of(flight.lane).record(&flight.copied)?;
        }
        lane.launches.wait(&flight.copied)?;
        lane.launches.record(&flight.launching)?;
        (target.launch)(&lane.launches, &lists, places.as_deref())?;
        lane.launches.record(&lane.free[flight.slot])?;
        lane.launches.record(&flight.done)?;
        Ok(Some(Arc::clone(&flight.copied)))
    }

    /// Copies the travelling values of the last flight's vertices beside the flight's pages. Returns the address that
    /// vertex 0 of each column would have. Returns `None` if no values travel, if the pages are not consecutive, or if
    /// the slot has too little room.
    fn copy_beside(&mut self, target: &Target<'_>) -> Result<Option<Vec<u64>>> {
        let Some(flight) = self.flying.back() else { return Ok(None) };
        let &[(run, _)] = flight.pieces.as_slice() else { return Ok(None) };
        if target.travellers.is_empty() {
            return Ok(None);
        }
        let rvt = target.topology.rvt();
        let last = PageId(run.numbers().end - 1);
        let vertices = rvt.vertices(run.first).start..rvt.vertices(last).end;
        let values = target.travellers.iter().map(|traveller| traveller.value);
        let Some(places) = beside::places(&vertices, values, self.slot_beside as u64) else { return Ok(None) };
        let slot = self.number_of_slot(flight) * self.slot_beside;
        let copies = self.copies_of(flight.lane);
        copies.record(&flight.copying_beside)?;
        let addresses = copy_columns(copies, &self.beside, slot, &vertices, target.travellers, &places)?;
        let count = vertices.end - vertices.start;
        self.copied += count * target.travellers.iter().map(|traveller| traveller.value).sum::<u64>();
        if let Some(flight) = self.flying.back_mut() {
            flight.beside = Some(count);
        }
        Ok(Some(addresses))
    }

    /// Makes a stream wait for all copies and launches.
    pub(super) fn join(&self, stream: &Stream) -> Result<()> {
        // An aborted pass may have copies without a later launch.
        for copies in &self.copies {
            copies.stream.record(&copies.ended)?;
            stream.wait(&copies.ended)?;
        }
        for lane in &self.lanes {
            lane.launches.record(&lane.ended)?;
            stream.wait(&lane.ended)?;
        }
        Ok(())
    }

    /// Waits for all copies that were submitted before the last [`join`](Lanes::join).
    pub(super) fn wait_for_copies(&self, watch: &Watch<'_>) -> Result<()> {
        self.copies.iter().try_for_each(|copies| watch.wait(&copies.ended))
    }

    /// Returns the timings of all flights in a completed pass. `begun` is the event that marks the beginning of the
    /// pass.
    pub(super) fn land(&mut self, begun: &Event) -> Result<&[Flown]> {
        while let Some(flight) = self.flying.pop_front() {
            self.keep(flight, begun)?;
        }
        Ok(&self.flown)
    }

    /// Returns the number of bytes copied in this pass.
    pub(super) fn copied(&self) -> u64 {
        self.copied
    }

    /// Returns the start, the end and the size in bytes of each read from storage for this pass.
    pub(super) fn reads(&self) -> &[(Instant, Instant, u64)] {
        &self.reads
    }

    /// Discards an aborted pass. If the context has failed (`poisoned`), copies may still be in progress. In that case,
    /// the source memory of the copies is never freed.
    pub(super) fn reset(&mut self, poisoned: bool) {
        let all = self.open.take().into_iter().chain(self.flying.drain(..)).chain(self.ahead.drain(..));
        for mut flight in all {
            if poisoned {
                std::mem::forget(std::mem::take(&mut flight.groups));
            }
            flight.clear();
            self.idle.push(flight);
        }
    }

    /// Starts a flight in the next slot of a lane.
    fn take_off(&mut self, lane: usize, watch: &Watch<'_>) -> Result<Flight> {
        let flight = loop {
            if self.num_ready() > 0
                && let Some(flight) = self.idle.pop()
            {
                break flight;
            }
            self.reclaim(watch)?;
            if let (0, Some(first)) = (self.num_ready(), self.flying.front()) {
                watch.wait(&first.done)?;
            }
        };
        self.depart(flight, lane)
    }

    /// Assigns the next slot of a lane to a flight. The flight's copies wait until the slot is free.
    fn depart(&mut self, mut flight: Flight, lane: usize) -> Result<Flight> {
        flight.lane = lane;
        self.turn = (lane + 1) % self.lanes.len();
        let copies = &self.copies[lane % self.copies.len()].stream;
        let lane = &mut self.lanes[lane];
        flight.slot = lane.turn;
        lane.turn = (lane.turn + 1) % lane.free.len();
        copies.wait(&lane.free[flight.slot])?;
        if let Some(handed) = lane.handed[flight.slot].take() {
            handed.ends().iter().try_for_each(|end| copies.wait(end))?;
        }
        copies.record(&flight.copying)?;
        Ok(flight)
    }

    /// Releases groups that were copied, and flights that are done.
    pub(super) fn reclaim(&mut self, watch: &Watch<'_>) -> Result<()> {
        let during = watch.kernel.function;
        for flight in &mut self.flying {
            if !flight.groups.is_empty() {
                if !flight.copied.is_done(during)? {
                    break;
                }
                flight.groups.clear();
            }
        }
        // Flights of one lane finish in order, but flights of different lanes do not. Therefore, once a flight of a
        // lane is not done, the lane's later flights are skipped.
        let (mut at, mut under_way) = (0, 0u64);
        while let Some(flight) = self.flying.get(at) {
            let lane = 1 << (flight.lane % u64::BITS as usize);
            if under_way & lane != 0 || !flight.done.is_done(during)? {
                under_way |= lane;
                at += 1;
            } else if let Some(flight) = self.flying.remove(at) {
                self.keep(flight, watch.begun)?;
            }
        }
        Ok(())
    }

    /// Records the timings of a completed flight, and makes the flight available again.
    fn keep(&mut self, mut flight: Flight, begun: &Event) -> Result<()> {
        let span = |from: &Event, to: &Event| Ok::<_, Error>((from.seconds_since(begun)?, to.seconds_since(begun)?));
        // An unused prefetch has no launch.
        if flight.pages > 0 {
            let (pages_end, beside) = match flight.beside {
                Some(vertices) => {
                    let span = span(&flight.copying_beside, &flight.copied)?;
                    (&flight.copying_beside, Some((vertices, span)))
                }
                None => (flight.copied.as_ref(), None),
            };
            self.flown.push(Flown {
                lane: flight.lane as u32,
                pages: flight.pages as u64,
                copy: span(&flight.copying, pages_end)?,
                beside,
                launch: span(&flight.launching, &flight.done)?,
            });
        }
        flight.clear();
        self.idle.push(flight);
        Ok(())
    }
}

impl Copies {
    fn new(context: &Arc<Context>) -> Result<Self> {
        Ok(Self { stream: Stream::new(context)?, ended: Event::new(context)? })
    }
}

impl Flight {
    fn clear(&mut self) {
        self.groups.clear();
        self.pieces.clear();
        (self.staged, self.pages, self.ahead, self.beside) = (0, 0, None, None);
    }
}
