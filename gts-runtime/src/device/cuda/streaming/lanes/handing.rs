//! What lanes hand on to other devices, and fetch from them.
#![allow(unsafe_code)]

use super::{Lanes, Target};
use crate::device::cuda::driver::Event;
use crate::device::cuda::streaming::places::{Piece, extend};
use crate::device::cuda::streaming::relay::{Handed, Lying};
use crate::device::cuda::watch::Watch;
use crate::error::Result;
use std::sync::Arc;

impl Lanes {
    /// Copies pages that another device hands on, and launches the kernels over them. Answers what marks the copies' ends.
    pub(in crate::device::cuda::streaming) fn fetch(
        &mut self,
        handed: &Handed,
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
                        let flight = self.take_off(watch)?;
                        if let Some(copied) = &handed.copied {
                            self.copies.wait(copied)?;
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
                unsafe { self.copies.copy_from(from, &self.memory, offset, part.count as usize * self.page_bytes) }?;
            }
        }
        ends.extend(self.close(target)?);
        Ok(ends)
    }

    /// Whether half of the flights could take off.
    pub(in crate::device::cuda::streaming) fn has_time(&self) -> bool {
        self.idle.len() >= self.flying.len()
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
