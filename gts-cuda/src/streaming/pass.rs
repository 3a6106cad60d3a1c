//! Passes over pages that stream.

use super::intake::Intake;
use super::lanes::{Flown, Target};
use super::places::References;
use super::plan::{Activity, DeliveryPlan, TransferConditions, tapered};
use super::pool::Pool;
use super::relay::Member;
use crate::cache;
use crate::launch::EdgeWork;
use crate::pages::{PageLists, PageTable};
use crate::pass::{Clock, Course};
use crate::session::CudaSession;
use crate::shared::DeviceState;
use gts_contract::{KernelDescriptor, Side};
use gts_core::graph::{Graph, PageId};
use gts_core::page::{PageRun, Topology};
use gts_device::error::{Error, Result};
use gts_device::options::TransferChoice;
use gts_device::trace::{self, TraceEvent, TraceKind};
use gts_device::tuning;
use gts_device::{PassOutcome, PassRequest};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Lanes of the trace. `COPIES` contains all copies from host memory, which share one stream. `IN_PLACE` contains the
/// reads in place, which run concurrently with copies.
const COPIES: u32 = 0;
const IN_PLACE: u32 = 1;

/// A topology that a pass walks.
#[derive(Debug)]
struct PassTopology<'a> {
    side: Side,
    topology: &'a Topology,
    table: Arc<PageTable>,
    work: EdgeWork,
    plan: DeliveryPlan,
    cached: PageLists,
    in_place: PageLists,
}

/// A pass that the host has submitted, but not yet waited for.
#[derive(Debug)]
pub(crate) struct Streamed<'a> {
    pool: &'a mut Pool,
    walks: Vec<PassTopology<'a>>,
    began: Instant,
}

impl CudaSession {
    /// Submits a pass of an edge kernel over streamed pages, through the pool in `place`. The pages of the request's
    /// share are loaded from host memory or the cache. If the device is a member of a relay, the other members forward
    /// all other pages. On return, the pass holds no lease on host memory for which other devices may wait.
    pub(crate) fn submit_streamed<'a>(
        &mut self,
        graph: &'a Graph,
        place: &'a mut Option<Pool>,
        kernel: &'static KernelDescriptor,
        course: Course,
        request: &PassRequest,
        mut member: Option<&mut Member<'_>>,
    ) -> Result<Streamed<'a>> {
        let travelling = self.travelling(kernel);
        let pool = Pool::ready(place, &self.shared, graph, &request.share, member.is_some(), travelling)?;
        match self.submit_through(pool, graph, kernel, course, request, member.as_deref_mut()) {
            Ok((walks, began)) => Ok(Streamed { pool, walks, began }),
            Err(error) => {
                if let Some(member) = member {
                    member.fail(&error);
                }
                self.give_up(pool, kernel, request);
                Err(error)
            }
        }
    }

    /// Waits for a pass over pages that stream, and returns its outcome.
    pub(crate) fn finish_streamed(
        &mut self,
        streamed: Streamed<'_>,
        kernel: &'static KernelDescriptor,
        request: &PassRequest,
    ) -> Result<PassOutcome> {
        let Streamed { pool, walks, began } = streamed;
        // Little work remains after the last copy, so the second wait usually ends while it still spins.
        let copied = pool.lanes.wait_for_copies(&self.watch(kernel, request));
        let ended = copied.and_then(|()| self.end_pass(kernel, request, Clock::Events));
        let outcome = ended.and_then(|_| self.streamed_outcome(pool, &walks, kernel, began));
        if outcome.is_err() {
            self.give_up(pool, kernel, request);
        }
        outcome
    }

    fn submit_through<'a>(
        &mut self,
        pool: &mut Pool,
        graph: &'a Graph,
        kernel: &'static KernelDescriptor,
        course: Course,
        request: &PassRequest,
        member: Option<&mut Member<'_>>,
    ) -> Result<(Vec<PassTopology<'a>>, Instant)> {
        let shared = Arc::clone(&self.shared);
        for &side in &request.sides {
            if let Some(topology) = graph.topology(side) {
                request.share.load(topology)?;
                pool.lock_pages(&shared, side)?;
            }
        }
        let mut walks = self.walks(pool, &shared, graph, kernel, course, request)?;
        self.plan(pool, &shared, &mut walks, kernel, request, member.as_deref())?;

        let began = Instant::now();
        self.begin_pass(Clock::Events)?;
        pool.send_lists(&self.kit.stream)?;
        let mut start = &self.kit.begun;
        if let (Some(walk), true) = (walks.first(), course.pulls) {
            self.hand_out(kernel, walk.topology, request)?;
            start = &self.kit.ready;
            self.kit.stream.record(start)?;
        }
        pool.lanes.begin(start)?;
        pool.fetches.iter_mut().try_for_each(|fetches| fetches.begin(start))?;
        for walk in &walks {
            self.launch_pages(&self.kit.stream, &walk.work, &walk.cached, false)?;
        }
        self.kit.stream.record(&self.kit.in_place[0])?;
        for walk in &walks {
            self.launch_pages(&self.kit.stream, &walk.work, &walk.in_place, true)?;
        }
        self.kit.stream.record(&self.kit.in_place[1])?;
        let relayed = member.is_some();
        self.take_in(pool, &walks, kernel, request, member)?;
        self.join(pool)?;
        self.close_pass(kernel, request, Clock::Events)?;
        // Devices that forward pages do not prefetch. When these devices prefetched, on four H200 GPUs, slots stayed
        // full of pages that the other devices had not yet copied. This cost a fifth of a scan's time.
        if !relayed {
            copy_ahead(pool, &walks, request)?;
        }
        Ok((walks, began))
    }

    /// Returns the topologies of a pass, with the data shared by all launches over a topology.
    fn walks<'a>(
        &self,
        pool: &Pool,
        shared: &DeviceState,
        graph: &'a Graph,
        kernel: &'static KernelDescriptor,
        course: Course,
        request: &PassRequest,
    ) -> Result<Vec<PassTopology<'a>>> {
        let mut walks = Vec::with_capacity(request.sides.len());
        for &side in &request.sides {
            let (Some(topology), Some(table)) = (graph.topology(side), pool.table(side).cloned()) else {
                return Err(gts_device::no_in_edges(kernel));
            };
            let in_place = request.active_only
                && shared.options.transfer != TransferChoice::Copy
                && pool.locks(side).mapped().is_some();
            let work = match course.pulls {
                true => self.pull_work(kernel, topology, course.technique, &table, request)?,
                false => self.edge_work(kernel, side, course.technique, &table, request, in_place)?,
            };
            let (plan, cached, in_place) = Default::default();
            walks.push(PassTopology { side, topology, table, work, plan, cached, in_place });
        }
        Ok(walks)
    }

    /// Determines how every page reaches the kernels.
    fn plan(
        &mut self,
        pool: &mut Pool,
        shared: &DeviceState,
        walks: &mut [PassTopology<'_>],
        kernel: &'static KernelDescriptor,
        request: &PassRequest,
        member: Option<&Member<'_>>,
    ) -> Result<()> {
        if request.active_only {
            for walk in walks.iter() {
                let offset = size_of::<Activity>() * pool.first_page(walk.side);
                self.measure_pages(walk.side, &walk.table, &pool.activity, offset)?;
            }
            self.kit.stream.fetch(&pool.activity, &mut pool.seen, pool.activity.bytes())?;
            self.kit.stream.synchronize("measuring what is active")?;
        }
        let sides: Vec<Side> = walks.iter().map(|walk| pool.cached_side(walk.side)).collect();
        pool.cache.begin(cache::policy(shared.options.cache, kernel.kind), &sides);
        pool.clear_lists();
        // A page is copied from host memory once for all devices. A page that is read in place is read once by each
        // device.
        let share = tuning::CUDA_IN_PLACE_SHARE / member.map_or(1, Member::devices) as f64;
        for walk in walks.iter_mut() {
            let (side, first) = (pool.cached_side(walk.side), pool.first_page(walk.side));
            let mapped = pool.locks(walk.side).mapped();
            let edges = Arc::clone(pool.edges(walk.side));
            let find = |page| pool.cache.find((side, page));
            walk.plan = if request.active_only {
                let all: &[Activity] = bytemuck::cast_slice(pool.seen.as_slice());
                let activity = &all[first..first + walk.topology.num_pages() as usize];
                let choice = shared.options.transfer;
                let ways = TransferConditions { choice, mapped: mapped.is_some(), share };
                DeliveryPlan::of_active(walk.topology, activity, ways, &request.share, find)
            } else {
                DeliveryPlan::of_all(walk.topology, &edges, &request.share, find)
            };
            let frame = |&(page, frame): &_| (page, pool.lanes.frame(frame));
            let cached: Vec<_> = walk.plan.cached.iter().map(frame).collect();
            walk.cached = pool.list(&References::new(walk.topology, &cached));
        }
        if let (Some(member), true) = (member, request.active_only) {
            let own = walks.iter().map(|walk| (walk.plan.in_place.clone(), walk.plan.in_place_bytes)).collect();
            for other in member.share_in_place(own, &request.limits, kernel)? {
                for (walk, (pages, bytes)) in walks.iter_mut().zip(other) {
                    walk.plan.in_place.extend(pages);
                    walk.plan.in_place_bytes += bytes;
                }
            }
        }
        for walk in walks {
            let mapped = pool.locks(walk.side).mapped();
            if mapped.is_none() && !walk.plan.in_place.is_empty() {
                return Err(Error::PageLock {
                    device: self.context().name().to_owned(),
                    bytes: walk.topology.bytes(),
                    why: "another device reads them in place, and this one cannot".to_owned(),
                });
            }
            let page_size = u64::from(walk.topology.format().page_size());
            let in_host = |&page: &PageId| (page, mapped.unwrap_or(0) + u64::from(page.0) * page_size);
            let in_place: Vec<_> = walk.plan.in_place.iter().map(in_host).collect();
            walk.in_place = pool.list(&References::new(walk.topology, &in_place));
        }
        Ok(())
    }

    /// Submits all copies, and the launches over the copied pages.
    fn take_in(
        &self,
        pool: &mut Pool,
        walks: &[PassTopology<'_>],
        kernel: &'static KernelDescriptor,
        request: &PassRequest,
        member: Option<&mut Member<'_>>,
    ) -> Result<()> {
        let locks: Vec<_> = walks.iter().map(|walk| Arc::clone(pool.locks(walk.side))).collect();
        let sides: Vec<Side> = walks.iter().map(|walk| pool.cached_side(walk.side)).collect();
        let travellers = self.travellers(kernel);
        let travellers = travellers.as_slice();
        let mut targets = Vec::with_capacity(walks.len());
        for (walk, locks) in walks.iter().zip(&locks) {
            targets.push(Target {
                topology: walk.topology,
                table: &walk.table,
                locks,
                travellers,
                launch: Box::new(move |stream, lists, places| match places {
                    Some(places) => self.launch_pages(stream, &walk.work.at(travellers, places), lists, false),
                    None => self.launch_pages(stream, &walk.work, lists, false),
                }),
            });
        }
        let mut intake = Intake { pool, targets: &targets, watch: self.watch(kernel, request), member };
        for (number, walk) in walks.iter().enumerate() {
            intake.hand_on_cached(number, &walk.plan.cached);
        }
        for (number, (walk, side)) in walks.iter().zip(sides).enumerate() {
            // A store's feed chooses the order of its reads, so pass all runs to the feed in one batch.
            let batches = match walk.topology.is_resident() {
                true => tapered(&walk.plan.copied, intake.pool.lanes.slot_pages()),
                false => vec![walk.plan.copied.clone()],
            };
            for runs in batches {
                intake.copy(number, side, &runs)?;
            }
        }
        intake.drain()
    }

    /// Makes the session's stream wait for all lanes.
    fn join(&self, pool: &Pool) -> Result<()> {
        pool.lanes.join(&self.kit.stream)?;
        pool.fetches.iter().try_for_each(|fetches| fetches.join(&self.kit.stream))
    }

    /// Returns the outcome of a completed pass, and records the pass in the trace.
    fn streamed_outcome(
        &self,
        pool: &mut Pool,
        walks: &[PassTopology<'_>],
        kernel: &'static KernelDescriptor,
        began: Instant,
    ) -> Result<PassOutcome> {
        let mut outcome =
            PassOutcome { kernel_time: Some(self.kit.ended.since(&self.kit.begun)?), ..PassOutcome::default() };
        let mut page_bytes = 0;
        for walk in walks {
            page_bytes = u64::from(walk.topology.format().page_size());
            outcome.pages += walk.plan.pages;
            outcome.edges += walk.plan.edges;
            outcome.bytes += walk.plan.pages * page_bytes;
            outcome.cached_pages += walk.plan.cached.len() as u64;
            outcome.in_place += walk.plan.in_place_bytes;
        }
        let origin = self.trace.time_of(began);
        // Prefetches from before this run are recorded at the start of the run.
        let first = self.trace.time_of(self.since);
        let time = |seconds: f64| Duration::from_secs_f64((origin.as_secs_f64() + seconds).max(0.0)).max(first);
        let event = |kind, lane, (start, end): (f64, f64), pages, bytes, label| TraceEvent {
            kind,
            device: self.number,
            lane,
            start: time(start),
            end: time(end),
            bytes,
            pages,
            label,
        };
        let flown: Vec<Flown> = pool.lanes.land(&self.kit.begun)?.to_vec();
        let copy = |flown: &Flown| {
            event(TraceKind::Copy, COPIES, flown.copy, flown.pages, flown.pages * page_bytes, "topology")
        };
        let mut link: Vec<TraceEvent> = flown.iter().map(copy).collect();
        let columns: Vec<_> = self.travellers(kernel).iter().map(|column| (column.label, column.value)).collect();
        for (vertices, span) in flown.iter().filter_map(|flown| flown.beside) {
            // The columns were copied one after the other. The time span of all copies is divided among the columns in
            // proportion to their sizes.
            let all: u64 = columns.iter().map(|(_, value)| value).sum();
            let mut start = span.0;
            for &(label, value) in &columns {
                let end = start + (span.1 - span.0) * value as f64 / all as f64;
                link.push(event(TraceKind::Copy, COPIES, (start, end), 0, vertices * value, label));
                start = end;
            }
        }
        let fetched: Vec<Flown> = match &mut pool.fetches {
            Some(fetches) => fetches.land(&self.kit.begun)?.to_vec(),
            None => Vec::new(),
        };
        let streams = pool.lanes.streams();
        let fetched: Vec<Flown> =
            fetched.into_iter().map(|flown| Flown { lane: streams + flown.lane, ..flown }).collect();
        for flown in &fetched {
            let bytes = flown.pages * page_bytes;
            self.trace.record(event(
                TraceKind::Copy,
                flown.lane,
                flown.copy,
                flown.pages,
                bytes,
                "topology, handed on",
            ));
        }
        let launched = flown.iter().chain(&fetched).map(|flown| {
            event(TraceKind::Launch, flown.lane, flown.launch, flown.pages, flown.pages * page_bytes, kernel.name)
        });
        launched.for_each(|event| self.trace.record(event));
        if outcome.in_place > 0 {
            let [start, end] = &self.kit.in_place;
            let span = (start.seconds_since(&self.kit.begun)?, end.seconds_since(&self.kit.begun)?);
            let pages = walks.iter().map(|walk| walk.plan.in_place.len() as u64).sum();
            link.push(event(TraceKind::Copy, IN_PLACE, span, pages, outcome.in_place, "topology in place"));
        }
        // Exclude the time before the pass, during which prefetches used the link.
        let within =
            |event: &TraceEvent| TraceEvent { start: event.start.max(origin), end: event.end.max(origin), ..*event };
        outcome.link_busy = Some(trace::busy(&link.iter().map(within).collect::<Vec<_>>()));
        link.into_iter().for_each(|event| self.trace.record(event));
        for &(begun, ended, bytes) in pool.lanes.reads() {
            outcome.read += bytes;
            let (start, end) = (self.trace.time_of(begun), self.trace.time_of(ended));
            let (kind, pages) = (TraceKind::Read, bytes / page_bytes.max(1));
            self.trace.record(TraceEvent {
                kind,
                device: self.number,
                lane: 0,
                start,
                end,
                bytes,
                pages,
                label: "topology",
            });
        }
        outcome.copied = pool.lanes.copied();
        Ok(outcome)
    }

    /// Aborts a pass: stops its kernels, waits for its kernels and copies, and discards the pass.
    fn give_up(&mut self, pool: &mut Pool, kernel: &'static KernelDescriptor, request: &PassRequest) {
        // The report contains the flag that stops the kernels, and must be cleared before the next pass.
        self.kit.report_is_clear = false;
        let settle = || -> Result<()> {
            self.join(pool)?;
            self.kit.stream.record(&self.kit.ended)?;
            self.watch(kernel, request).stop(&self.kit.ended)
        };
        // The caller reports the error that ended the pass. After an error here, copies may still be in progress.
        let settled = settle();
        pool.reset(settled.is_err() || self.context().is_poisoned());
    }
}

/// Prefetches the first pages of the next pass if this pass repeats the previous pass. Without prefetches, the link
/// from the host would be idle while replicas are merged and vertex kernels run.
fn copy_ahead(pool: &mut Pool, walks: &[PassTopology<'_>], request: &PassRequest) -> Result<()> {
    let scanned = pool.scanned.take();
    let (Some(walk), false) = (walks.first(), request.active_only) else { return Ok(()) };
    let side = pool.cached_side(walk.side);
    pool.scanned = Some((side, request.share.clone()));
    // Only resident pages are prefetched. A prefetch from a store would compete with the passes of other devices for
    // the store's host buffer.
    let source = walk.topology.source();
    if scanned != pool.scanned || !walk.topology.is_resident() || !pool.cache.is_settled() {
        return Ok(());
    }
    let missing = walk.plan.copied.iter().flat_map(|run| run.pages()).filter(|&page| !pool.cache.holds((side, page)));
    let runs = PageRun::join(missing);
    let Some(first) = tapered(&runs, pool.lanes.slot_pages()).into_iter().next() else { return Ok(()) };
    let mut feed = source.feed(&first, pool.lanes.group_bytes())?;
    let locks = Arc::clone(pool.locks(walk.side));
    while pool.lanes.has_room_ahead() {
        let Some(group) = feed.next_unless(&|| false)? else { break };
        // A prefetch puts one group into a slot, but a pass puts several short groups into a slot. Therefore short
        // groups are not prefetched.
        if group.run().count <= pool.lanes.slot_pages() / 2 {
            break;
        }
        pool.lanes.copy_ahead(side, group, &locks)?;
    }
    Ok(())
}
