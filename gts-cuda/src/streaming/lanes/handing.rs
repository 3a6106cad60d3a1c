//! Transfers of pages between devices: lanes fetch pages from other devices, and track the pages that this device
//! forwards.
#![allow(unsafe_code)]

use super::{Copies, FLIGHTS_A_SLOT, Lanes, Target};
use crate::driver::{Context, Event};
use crate::streaming::layout::MemoryLayout;
use crate::streaming::places::{ContiguousPages, extend};
use crate::streaming::relay::{HandedPages, Lying};
use crate::watch::Watch;
use gts_device::error::Result;
use std::sync::Arc;

impl Lanes {
    /// Creates lanes for forwarded pages. Each lane has its own copy stream, so that lanes do not wait for each other.
    pub(in crate::streaming) fn of_fetches(
        context: &Arc<Context>,
        layout: MemoryLayout,
        page_bytes: usize,
    ) -> Result<Self> {
        let mut lanes = Self::new(context, layout, page_bytes)?;
        for _ in 1..layout.streams {
            lanes.copies.push(Copies::new(context)?);
        }
        Ok(lanes)
    }

    /// Returns the index of the lane for pages from the device that is `step` devices after this device.
    pub(in crate::streaming) fn lane_of(&self, step: usize) -> usize {
        (step - 1) % self.lanes.len()
    }

    /// Returns whether a flight of a lane can take off without waiting for an earlier flight.
    pub(in crate::streaming) fn has_room(&self, lane: usize) -> bool {
        let flights = self.lanes[lane].free.len() * FLIGHTS_A_SLOT;
        self.flying.iter().filter(|flight| flight.lane == lane).count() < flights
    }

    /// Copies forwarded pages on a lane, and launches the kernels over the pages. Returns the events that mark the ends
    /// of the copies.
    pub(in crate::streaming) fn fetch(
        &mut self,
        handed: &HandedPages,
        lane: usize,
        target: &Target<'_>,
        watch: &Watch<'_>,
    ) -> Result<Vec<Arc<Event>>> {
        let mut ends = Vec::new();
        for &(run, address) in &handed.pages {
            // The other device may have larger slots.
            for part in run.pieces(self.slot_pages as u32) {
                let from = address + u64::from(part.first.0 - run.first.0) * self.page_bytes as u64;
                if self.open.as_ref().is_some_and(|open| open.pages + part.count as usize > self.slot_pages) {
                    ends.extend(self.close(target)?);
                }
                let mut flight = match self.open.take() {
                    Some(open) => open,
                    None => {
                        let flight = self.take_off(lane, watch)?;
                        if let Some(copied) = &handed.copied {
                            self.copies_of(lane).wait(copied)?;
                        }
                        flight
                    }
                };
                let offset = (self.first_place(&flight) + flight.staged) * self.page_bytes;
                extend(&mut flight.pieces, part, offset, self.page_bytes);
                flight.staged += part.count as usize;
                flight.pages += part.count as usize;
                self.open = Some(flight);
                // SAFETY: this device can access the other device's pages, which stay unchanged until that device has
                // waited for these copies.
                unsafe {
                    self.copies_of(lane).copy_from(from, &self.memory, offset, part.count as usize * self.page_bytes)
                }?;
            }
        }
        ends.extend(self.close(target)?);
        Ok(ends)
    }

    /// Returns whether the number of flights that a pass may start is at least the number of flights in progress.
    pub(in crate::streaming) fn has_time(&self) -> bool {
        self.num_ready() >= self.flying.len()
    }

    /// Returns the forwarded pages in the slot that the next flight will fill.
    pub(in crate::streaming) fn handed(&self) -> Option<&HandedPages> {
        let lane = &self.lanes[self.turn];
        lane.handed[lane.turn].as_deref()
    }

    /// Records the forwarded pages of the most recently closed flight.
    pub(in crate::streaming) fn keep_handed(&mut self, handed: Arc<HandedPages>) {
        if let Some(flight) = self.flying.back() {
            self.lanes[flight.lane].handed[flight.slot] = Some(handed);
        }
    }

    /// Returns the page addresses of the most recently closed flight.
    pub(in crate::streaming) fn closed(&self) -> Vec<Lying> {
        let address = |&(run, offset): &ContiguousPages| (run, self.memory.address() + offset as u64);
        self.flying.back().map(|flight| flight.pieces.iter().map(address).collect()).unwrap_or_default()
    }
}
