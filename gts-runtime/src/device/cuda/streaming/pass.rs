//! Passes over pages that stream.

use super::lanes::{Flown, Lanes, Target};
use super::places::References;
use super::plan::{Activity, Plan, Ways};
use super::pool::Pool;
use crate::device::cuda::cache;
use crate::device::cuda::launch::EdgeWork;
use crate::device::cuda::options::TransferChoice;
use crate::device::cuda::pages::{PageLists, PageTable};
use crate::device::cuda::session::{CudaSession, Shared};
use crate::device::cuda::watch::Watch;
use crate::device::{PassOutcome, PassRequest};
use crate::error::{Error, Result};
use crate::trace::{self, TraceEvent, TraceKind};
use crate::tuning;
use gts_core::contract::{KernelDescriptor, Technique};
use gts_core::graph::{Graph, PageId, Side};
use gts_core::page::{PageFeed, PageGroup, Topology};
use gts_core::store::StoreError;
use std::cell::{Cell, RefCell};
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

/// One topology of a pass.
struct Walk<'a> {
    side: Side,
    topology: &'a Topology,
    table: Arc<PageTable>,
    work: EdgeWork,
    plan: Plan,
    cached: PageLists,
    in_place: PageLists,
}

impl CudaSession {
    /// Runs an edge kernel over pages that come anew.
    pub(in crate::device::cuda) fn stream_edges(
        &mut self,
        kernel: &'static KernelDescriptor,
        technique: Technique,
        request: &PassRequest,
    ) -> Result<PassOutcome> {
        let shared = Arc::clone(&self.shared);
        let mut place = shared.pool.lock().unwrap_or_else(PoisonError::into_inner);
        let pool = Pool::ready(&mut place, &shared, &self.graph)?;
        let outcome = self.stream_through(pool, &shared, kernel, technique, request);
        if outcome.is_err() {
            self.give_up(pool, kernel, request);
        }
        outcome
    }

    fn stream_through(
        &mut self,
        pool: &mut Pool,
        shared: &Shared,
        kernel: &'static KernelDescriptor,
        technique: Technique,
        request: &PassRequest,
    ) -> Result<PassOutcome> {
        let graph = self.graph.clone();
        let mut walks = self.walks(pool, shared, &graph, kernel, technique, request)?;
        self.plan(pool, shared, &mut walks, kernel, request)?;

        let began = Instant::now();
        self.begin_pass()?;
        pool.send_lists(&self.stream)?;
        pool.lanes.begin(&self.begun)?;
        for walk in &walks {
            self.launch_pages(&self.stream, &walk.work, &walk.cached, false)?;
        }
        self.stream.record(&self.in_place[0])?;
        for walk in &walks {
            self.launch_pages(&self.stream, &walk.work, &walk.in_place, true)?;
        }
        self.stream.record(&self.in_place[1])?;
        for walk in &walks {
            self.copy_pages(pool, walk, kernel, request)?;
        }
        pool.lanes.join(&self.stream)?;
        self.end_pass(kernel, request)?;
        self.streamed_outcome(pool, &walks, kernel, began)
    }

    /// The topologies of a pass, with what launches over them share.
    fn walks<'a>(
        &self,
        pool: &Pool,
        shared: &Shared,
        graph: &'a Graph,
        kernel: &'static KernelDescriptor,
        technique: Technique,
        request: &PassRequest,
    ) -> Result<Vec<Walk<'a>>> {
        let mut walks = Vec::with_capacity(request.sides.len());
        for &side in &request.sides {
            let (Some(topology), Some(table)) = (graph.topology(side), pool.table(side).cloned()) else {
                return Err(Error::needs(kernel.name, "in-edges", "build the graph with `--in-edges`"));
            };
            let in_place = request.active_only
                && shared.options.transfer != TransferChoice::Copy
                && pool.lock(side).is_some_and(|lock| lock.mapped().is_some());
            let work = self.edge_work(kernel, side, technique, &table, request, in_place)?;
            let (plan, cached, in_place) = Default::default();
            walks.push(Walk { side, topology, table, work, plan, cached, in_place });
        }
        Ok(walks)
    }

    /// Finds out how every page comes.
    fn plan(
        &mut self,
        pool: &mut Pool,
        shared: &Shared,
        walks: &mut [Walk<'_>],
        kernel: &'static KernelDescriptor,
        request: &PassRequest,
    ) -> Result<()> {
        if request.active_only {
            for walk in walks.iter() {
                let offset = size_of::<Activity>() * pool.first_page(walk.side);
                self.measure_pages(walk.side, &walk.table, &pool.activity, offset)?;
            }
            self.stream.fetch(&pool.activity, &mut pool.seen, pool.activity.bytes())?;
            self.stream.synchronize("measuring what is active")?;
        }
        let sides: Vec<Side> = walks.iter().map(|walk| pool.cached_side(walk.side)).collect();
        pool.cache.begin(cache::policy(shared.options.cache, kernel.kind), &sides);
        pool.clear_lists();
        for walk in walks {
            let (side, first) = (pool.cached_side(walk.side), pool.first_page(walk.side));
            let mapped = pool.lock(walk.side).and_then(|lock| lock.mapped());
            let edges = Arc::clone(pool.edges(walk.side));
            let find = |page| pool.cache.find((side, page));
            walk.plan = if request.active_only {
                let all: &[Activity] = bytemuck::cast_slice(pool.seen.as_slice());
                let activity = &all[first..first + walk.topology.num_pages() as usize];
                let choice = shared.options.transfer;
                let ways = Ways { choice, mapped: mapped.is_some(), share: tuning::CUDA_IN_PLACE_SHARE };
                Plan::of_active(walk.topology, activity, ways, request.share, find)
            } else {
                Plan::of_all(walk.topology, &edges, request.share, find)
            };
            let frame = |&(page, frame): &_| (page, pool.lanes.frame(frame));
            let cached: Vec<_> = walk.plan.cached.iter().map(frame).collect();
            walk.cached = pool.list(&References::new(walk.topology, &cached));
            let page_size = u64::from(walk.topology.format().page_size());
            let in_host = |&page: &PageId| (page, mapped.unwrap_or(0) + u64::from(page.0) * page_size);
            let in_place: Vec<_> = walk.plan.in_place.iter().map(in_host).collect();
            walk.in_place = pool.list(&References::new(walk.topology, &in_place));
        }
        Ok(())
    }

    /// Submits the copies of one topology's pages, and the launches over them.
    fn copy_pages(
        &self,
        pool: &mut Pool,
        walk: &Walk<'_>,
        kernel: &'static KernelDescriptor,
        request: &PassRequest,
    ) -> Result<()> {
        if walk.plan.copied.is_empty() {
            return Ok(());
        }
        let side = pool.cached_side(walk.side);
        let lock = pool.lock(walk.side).cloned();
        let launch = |stream: &_, lists: &_| self.launch_pages(stream, &walk.work, lists, false);
        let target = Target { topology: walk.topology, table: &walk.table, lock: lock.as_deref(), launch: &launch };
        let watch = self.watch(kernel, request);
        let mut feed = walk.topology.source().feed(&walk.plan.copied, pool.lanes.group_bytes())?;
        loop {
            pool.lanes.hold_fewer(feed.most_held(), &target, &watch)?;
            let Some(group) = next_group(feed.as_mut(), &mut pool.lanes, &target, &watch)? else { break };
            pool.lanes.add(group, &target, |page| pool.cache.place((side, page)), &watch)?;
        }
        pool.lanes.close(&target)
    }

    /// What a pass that is over did, told to the trace as well.
    fn streamed_outcome(
        &self,
        pool: &mut Pool,
        walks: &[Walk<'_>],
        kernel: &'static KernelDescriptor,
        began: Instant,
    ) -> Result<PassOutcome> {
        let mut outcome = PassOutcome { kernel_time: Some(self.ended.since(&self.begun)?), ..PassOutcome::default() };
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
        let event = |kind, lane, (start, end): (Duration, Duration), pages, bytes, label| TraceEvent {
            kind,
            device: self.number,
            lane,
            start: origin + start,
            end: origin + end,
            bytes,
            pages,
            label,
        };
        let flown: Vec<Flown> = pool.lanes.land(&self.begun)?.to_vec();
        let copy = |flown: &Flown| {
            event(TraceKind::Copy, flown.lane, flown.copy, flown.pages, flown.pages * page_bytes, "topology")
        };
        let mut link: Vec<TraceEvent> = flown.iter().map(copy).collect();
        let launched = flown.iter().map(|flown| {
            event(TraceKind::Launch, flown.lane, flown.launch, flown.pages, flown.pages * page_bytes, kernel.name)
        });
        launched.for_each(|event| self.trace.record(event));
        if outcome.in_place > 0 {
            let span = (self.in_place[0].since(&self.begun)?, self.in_place[1].since(&self.begun)?);
            let pages = walks.iter().map(|walk| walk.plan.in_place.len() as u64).sum();
            link.push(event(TraceKind::Copy, 0, span, pages, outcome.in_place, "topology in place"));
        }
        outcome.link_busy = Some(trace::busy(&link));
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

    /// Ends a pass in its middle: asks its kernels to end, waits for them and for the copies, and forgets the pass.
    fn give_up(&self, pool: &mut Pool, kernel: &'static KernelDescriptor, request: &PassRequest) {
        let settle = || -> Result<()> {
            pool.lanes.join(&self.stream)?;
            self.stream.record(&self.ended)?;
            self.watch(kernel, request).stop(&self.ended)
        };
        // The error that ended the pass is the one to tell of; one that comes after it poisons the context.
        let settled = settle();
        pool.reset(settled.is_err() || self.context().is_poisoned());
    }
}

/// The next group of a feed. While the feed waits, for storage or for room that other devices' feeds fill, what this
/// device holds goes back as soon as it can, so that no two wait for each other.
fn next_group(
    feed: &mut dyn PageFeed,
    lanes: &mut Lanes,
    target: &Target<'_>,
    watch: &Watch<'_>,
) -> Result<Option<PageGroup>> {
    let lanes = RefCell::new(lanes);
    let asked = Cell::new(false);
    let failure = Cell::new(None);
    let stopped = || {
        if !asked.replace(true) {
            return watch.limits.over();
        }
        let mut lanes = lanes.borrow_mut();
        let given_back = lanes.close(target).and_then(|()| lanes.reclaim(watch));
        let failed = given_back.is_err();
        failure.set(given_back.err());
        failed || watch.limits.over()
    };
    match (feed.next_unless(&stopped), failure.take()) {
        (_, Some(error)) => Err(error),
        (Err(StoreError::Stopped), None) => Err(watch.limits.error(watch.kernel)),
        (next, None) => Ok(next?),
    }
}
