//! Loads the pages of a pass onto a device: copies pages from host memory, and receives pages from other devices.

use super::lanes::Target;
use super::pool::Pool;
use super::relay::{Lying, Member};
use crate::watch::Watch;
use gts_contract::Side;
use gts_core::graph::PageId;
use gts_core::page::{PageFeed, PageGroup, PageRun};
use gts_core::store::StoreError;
use gts_device::error::Result;
use std::cell::{Cell, RefCell};

/// Loads the pages of one pass onto a device.
pub(super) struct Intake<'a, 'm> {
    pub(super) pool: &'a mut Pool,
    /// The topologies of the pass, with their launches.
    pub(super) targets: &'a [Target<'a>],
    pub(super) watch: Watch<'a>,
    /// This device's handle to the relay, if other devices walk the same pages.
    pub(super) member: Option<&'a mut Member<'m>>,
}

impl Intake<'_, '_> {
    /// Forwards the cached pages of a topology to the other devices.
    pub(super) fn hand_on_cached(&self, walk: usize, cached: &[(PageId, u32)]) {
        let Some(member) = &self.member else { return };
        let page_bytes = self.pool.lanes.page_bytes() as u64;
        let most = (self.pool.lanes.group_bytes() as u64 / page_bytes) as usize;
        for pages in cached.chunks(most) {
            let mut lying: Vec<Lying> = Vec::new();
            for &(page, frame) in pages {
                let address = self.pool.lanes.frame(frame);
                match lying.last_mut() {
                    Some((run, first))
                        if run.numbers().end == page.0 && *first + u64::from(run.count) * page_bytes == address =>
                    {
                        run.count += 1;
                    }
                    _ => lying.push((PageRun { first: page, count: 1 }, address)),
                }
            }
            member.hand_on_cached(walk, lying);
        }
    }

    /// Submits the copies of a topology's pages from host memory, and the launches over these pages.
    pub(super) fn copy(&mut self, walk: usize, side: Side, runs: &[PageRun]) -> Result<()> {
        let target = &self.targets[walk];
        if runs.is_empty() {
            return Ok(());
        }
        let mut feed = target.topology.source().feed(runs, self.pool.lanes.group_bytes())?;
        let most_held = feed.most_held();
        loop {
            // Receive forwarded pages only while the link from the host is busy.
            if self.pool.lanes.has_work() {
                self.receive()?;
            }
            if self.pool.lanes.holds(most_held) {
                self.close(walk)?;
                self.pool.lanes.hold_fewer(most_held, &self.watch)?;
            }
            let Some(group) = self.next_group(feed.as_mut(), walk)? else { break };
            if self.pool.lanes.open_ahead(side, group.run())? {
                self.close(walk)?;
                continue;
            }
            if self.pool.lanes.takes_off(group.run().count) {
                self.close(walk)?;
                self.wait_for_slot()?;
            }
            let Pool { lanes, cache, .. } = &mut *self.pool;
            lanes.add(group, target.locks, |page| cache.place((side, page)), &self.watch)?;
        }
        self.close(walk)?;
        // Other devices may be waiting for host memory that this device's groups occupy.
        if most_held < usize::MAX {
            self.pool.lanes.hold_fewer(1, &self.watch)?;
        }
        Ok(())
    }

    /// Declares that this device forwards no more pages, then receives pages until no other device has pages left to
    /// forward.
    pub(super) fn drain(&mut self) -> Result<()> {
        if let Some(member) = &self.member {
            member.close();
        }
        while let Some(member) = &self.member
            && !member.is_drained()?
        {
            if !self.receive()? {
                self.pause()?;
            }
        }
        Ok(())
    }

    /// Closes the open flight: launches the kernels over its pages, and forwards the pages.
    fn close(&mut self, walk: usize) -> Result<()> {
        let lanes = &mut self.pool.lanes;
        if let (Some(copied), Some(member)) = (lanes.close(&self.targets[walk])?, &self.member) {
            let handed = member.hand_on(walk, lanes.closed(), copied);
            lanes.keep_handed(handed);
        }
        Ok(())
    }

    /// Receives forwarded pages while their copies can be submitted without waiting. Returns whether any pages were
    /// received.
    fn receive(&mut self) -> Result<bool> {
        let (Some(member), Some(fetches)) = (&mut self.member, &mut self.pool.fetches) else { return Ok(false) };
        let mut received = false;
        loop {
            fetches.reclaim(&self.watch)?;
            let room = |step| fetches.has_room(fetches.lane_of(step));
            let Some((step, handed)) = member.take(room, fetches.has_time())? else { break };
            let lane = fetches.lane_of(step);
            let ends = fetches.fetch(&handed, lane, &self.targets[handed.walk], &self.watch)?;
            member.took(&handed, ends);
            received = true;
        }
        Ok(received)
    }

    /// Waits until the next slot can be filled without waiting: all other devices have submitted their copies from the
    /// slot, and a flight is free.
    fn wait_for_slot(&mut self) -> Result<()> {
        while let Some(member) = &self.member {
            let taken = self.pool.lanes.handed().is_none_or(|handed| member.all_took(handed));
            if taken && self.pool.lanes.is_ready(&self.watch)? {
                break;
            }
            if !self.receive()? {
                self.pause()?;
            }
        }
        Ok(())
    }

    /// Waits briefly for this device or another device to make progress.
    fn pause(&self) -> Result<()> {
        if self.watch.limits.over() {
            return Err(self.watch.limits.error(self.watch.kernel));
        }
        self.member.as_ref().map_or(Ok(()), |member| member.pause())
    }

    /// Returns the next group of a feed. The feed may wait for storage, or for memory that the feeds of other devices
    /// occupy. During the wait, this device releases its groups as soon as possible, so that no two feeds wait for each
    /// other.
    fn next_group(&mut self, feed: &mut dyn PageFeed, walk: usize) -> Result<Option<PageGroup>> {
        let limits = self.watch.limits;
        let kernel = self.watch.kernel;
        let asked = Cell::new(false);
        let failure = Cell::new(None);
        let intake = RefCell::new(self);
        let stopped = || {
            if !asked.replace(true) {
                return limits.over();
            }
            let mut intake = intake.borrow_mut();
            let given_back = intake.give_back(walk);
            let failed = given_back.is_err();
            failure.set(given_back.err());
            failed || limits.over()
        };
        match (feed.next_unless(&stopped), failure.take()) {
            (_, Some(error)) => Err(error),
            (Err(StoreError::Stopped), None) => Err(limits.error(kernel)),
            (next, None) => Ok(next?),
        }
    }

    /// Submits all remaining work, and releases groups that are no longer needed.
    fn give_back(&mut self, walk: usize) -> Result<()> {
        self.close(walk)?;
        self.pool.lanes.reclaim(&self.watch)?;
        self.receive().map(|_| ())
    }
}
