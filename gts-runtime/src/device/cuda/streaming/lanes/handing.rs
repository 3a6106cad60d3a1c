//! What lanes hand on to other devices, and fetch from them.
#![allow(unsafe_code)]

use super::{Copies, FLIGHTS_A_SLOT, Lanes, Target};
use crate::device::cuda::driver::{Context, Event};
use crate::device::cuda::streaming::layout::Layout;
use crate::device::cuda::streaming::places::{Piece, extend};
use crate::device::cuda::streaming::relay::{Handed, Lying};
use crate::device::cuda::watch::Watch;
use crate::error::Result;
use std::sync::Arc;

impl Lanes {
    /// Lanes for what other devices hand on. Each has copies of its own, so that none waits for what another brings.
    pub(in crate::device::cuda::streaming) fn of_fetches(
        context: &Arc<Context>,
        layout: Layout,
        page_bytes: usize,
    ) -> Result<Self> {
        let mut lanes = Self::new(context, layout, page_bytes)?;
        for _ in 1..layout.streams {
            lanes.copies.push(Copies::new(context)?);
        }
        Ok(lanes)
    }

    /// The lane of the device that is so many behind this one.
    pub(in crate::device::cuda::streaming) fn lane_of(&self, step: usize) -> usize {
        (step - 1) % self.lanes.len()
    }

    /// Whether a flight of that lane can take off without waiting for one before it.
    pub(in crate::device::cuda::streaming) fn has_room(&self, lane: usize) -> bool {
        let flights = self.lanes[lane].free.len() * FLIGHTS_A_SLOT;
        self.flying.iter().filter(|flight| flight.lane == lane).count() < flights
    }

    /// Copies pages that another device hands on by a lane, and launches the kernels over them. Answers what marks the
    /// copies' ends.
    pub(in crate::device::cuda::streaming) fn fetch(
        &mut self,
        handed: &Handed,
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
                // SAFETY: this device reaches the other's pages, which stay as they are until it has waited for these copies.
                unsafe {
                    self.copies_of(lane).copy_from(from, &self.memory, offset, part.count as usize * self.page_bytes)
                }?;
            }
        }
        ends.extend(self.close(target)?);
        Ok(ends)
    }

    /// Whether half of the flights could take off.
    pub(in crate::device::cuda::streaming) fn has_time(&self) -> bool {
        self.num_ready() >= self.flying.len()
    }

    /// What was handed on out of the slot that the next flight fills.
    pub(in crate::device::cuda::streaming) fn handed(&self) -> Option<&Handed> {
        let lane = &self.lanes[self.turn];
        lane.handed[lane.turn].as_deref()
    }

    /// Keeps in mind what was handed on of the flight that was closed last.
    pub(in crate::device::cuda::streaming) fn keep_handed(&mut self, handed: Arc<Handed>) {
        if let Some(flight) = self.flying.back() {
            self.lanes[flight.lane].handed[flight.slot] = Some(handed);
        }
    }

    /// Where the pages of the flight that was closed last lie.
    pub(in crate::device::cuda::streaming) fn closed(&self) -> Vec<Lying> {
        let address = |&(run, offset): &Piece| (run, self.memory.address() + offset as u64);
        self.flying.back().map(|flight| flight.pieces.iter().map(address).collect()).unwrap_or_default()
    }
}
