//! How pages come to a device in a pass: copied from host memory, and handed on by other devices.

use super::lanes::Target;
use super::pool::Pool;
use super::relay::{Lying, Member};
use crate::device::cuda::watch::Watch;
use crate::error::Result;
use gts_core::graph::{PageId, Side};
use gts_core::page::{PageFeed, PageGroup, PageRun};
use gts_core::store::StoreError;
use std::cell::{Cell, RefCell};

/// What brings pages to a device.
pub(super) struct Intake<'a, 'm> {
    pub(super) pool: &'a mut Pool,
    /// The topologies of the pass.
    pub(super) targets: &'a [Target<'a>],
    pub(super) watch: Watch<'a>,
    /// The device's part in a relay, where others walk the same pages.
    pub(super) member: Option<&'a mut Member<'m>>,
}

impl Intake<'_, '_> {
    /// Hands on pages of a topology that lie in the cache.
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

    /// Submits the copies of a topology's pages from host memory, and the launches over them.
    pub(super) fn copy(&mut self, walk: usize, side: Side, runs: &[PageRun]) -> Result<()> {
        let target = &self.targets[walk];
        if runs.is_empty() {
            return Ok(());
        }
        let mut feed = target.topology.source().feed(runs, self.pool.lanes.group_bytes())?;
        let most_held = feed.most_held();
        loop {
            self.receive()?;
            if self.pool.lanes.holds(most_held) {
                self.close(walk)?;
                self.pool.lanes.hold_fewer(most_held, &self.watch)?;
            }
            let Some(group) = self.next_group(feed.as_mut(), walk)? else { break };
            if self.pool.lanes.takes_off(group.run().count) {
                self.close(walk)?;
                self.wait_for_slot()?;
            }
            let Pool { lanes, cache, .. } = &mut *self.pool;
            lanes.add(group, target, |page| cache.place((side, page)), &self.watch)?;
        }
        self.close(walk)?;
        // Other devices may wait for what this one holds.
        if most_held < usize::MAX {
            self.pool.lanes.hold_fewer(1, &self.watch)?;
        }
        Ok(())
    }

    /// Hands on what is still to come, and takes what other devices hand on, until all are at their end.
    pub(super) fn drain(&mut self) -> Result<()> {
        let mut closed = false;
        loop {
            let received = self.receive()?;
            let Some(member) = &self.member else { return Ok(()) };
            if !closed && !self.pool.lanes.brings() {
                member.close();
                closed = true;
            }
            // Where the others are closed, too, none needs back what it has handed on.
            if closed && member.is_drained()? {
                return Ok(());
            }
            if !received {
                self.pause()?;
            }
        }
    }

    /// Launches the kernels over what was copied last, which is to be handed on.
    fn close(&mut self, walk: usize) -> Result<()> {
        let lanes = &mut self.pool.lanes;
        if lanes.close(&self.targets[walk])?
            && let Some(member) = &self.member
        {
            let handed = member.bring(walk, lanes.closed());
            lanes.keep_handed(handed);
        }
        Ok(())
    }

    /// Hands on what has come, takes what other devices hand on as long as it can be submitted at once, and gives back what
    /// was taken. Answers whether there was any of it.
    fn receive(&mut self) -> Result<bool> {
        let (Some(member), Some(fetches)) = (&mut self.member, &mut self.pool.fetches) else { return Ok(false) };
        let lanes = &mut self.pool.lanes;
        lanes.reclaim(&self.watch)?;
        let mut received = false;
        for handed in lanes.arrived() {
            member.hand_on(handed);
            received = true;
        }
        while fetches.is_ready(&self.watch)?
            && let Some(handed) = member.take(fetches.has_time())?
        {
            let target = &self.targets[handed.walk];
            fetches.fetch(handed, target, &self.watch)?;
            received = true;
        }
        for handed in fetches.arrived() {
            member.give_back(&handed);
            received = true;
        }
        Ok(received)
    }

    /// Waits until the next slot can be filled: others are through with it, and a flight is free.
    fn wait_for_slot(&mut self) -> Result<()> {
        while self.member.is_some() && !(self.pool.lanes.is_back() && self.pool.lanes.is_ready(&self.watch)?) {
            if !self.receive()? {
                self.pause()?;
            }
        }
        Ok(())
    }

    /// Waits a moment for others, or for the device.
    fn pause(&mut self) -> Result<()> {
        if self.watch.limits.over() {
            return Err(self.watch.limits.error(self.watch.kernel));
        }
        self.member.as_mut().map_or(Ok(()), |member| member.pause())
    }

    /// The next group of a feed. While the feed waits, for storage or for room that other devices' feeds fill, what this
    /// device holds goes back as soon as it can, so that no two wait for each other.
    fn next_group(&mut self, feed: &mut dyn PageFeed, walk: usize) -> Result<Option<PageGroup>> {
        let limits = self.watch.limits;
        let error = limits.error(self.watch.kernel);
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
            (Err(StoreError::Stopped), None) => Err(error),
            (next, None) => Ok(next?),
        }
    }

    /// Submits what is left to submit, and gives back what is no longer needed.
    fn give_back(&mut self, walk: usize) -> Result<()> {
        self.close(walk)?;
        self.pool.lanes.reclaim(&self.watch)?;
        self.receive().map(|_| ())
    }
}
