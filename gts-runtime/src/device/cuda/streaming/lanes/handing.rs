//! What lanes hand on to other devices, and fetch from them.
#![allow(unsafe_code)]

use super::{Lanes, Target};
use crate::device::cuda::streaming::places::{Piece, extend};
use crate::device::cuda::streaming::relay::{Handed, Lying};
use crate::device::cuda::watch::Watch;
use crate::error::Result;
use std::sync::Arc;

impl Lanes {
    /// Copies pages that another device hands on, and launches the kernels over them.
    pub(in crate::device::cuda::streaming) fn fetch(
        &mut self,
        handed: Arc<Handed>,
        target: &Target<'_>,
        watch: &Watch<'_>,
    ) -> Result<()> {
        for &(run, address) in &handed.pages {
            // The other device may have larger slots.
            for part in run.pieces(self.slot_pages as u32) {
                let from = address + u64::from(part.first.0 - run.first.0) * self.page_bytes as u64;
                if self.open.as_ref().is_some_and(|open| open.pages + part.count as usize > self.slot_pages) {
                    self.close(target)?;
                }
                let mut flight = match self.open.take() {
                    Some(open) => open,
                    None => self.take_off(watch)?,
                };
                let offset = (self.first_place(&flight) + flight.staged) * self.page_bytes;
                extend(&mut flight.pieces, part, offset, self.page_bytes);
                flight.staged += part.count as usize;
                flight.pages += part.count as usize;
                self.open = Some(flight);
                // SAFETY: this device reaches the other's pages, which have come, and stay as they are until they are given
                // back, after the last of these copies.
                unsafe { self.copies.copy_from(from, &self.memory, offset, part.count as usize * self.page_bytes) }?;
            }
        }
        // Copies end in the order in which they were submitted: the last flight stands for all.
        if self.close(target)?
            && let Some(flight) = self.flying.back_mut()
        {
            flight.handed = Some(handed);
        }
        Ok(())
    }

    /// Whether half of the flights could take off.
    pub(in crate::device::cuda::streaming) fn has_time(&self) -> bool {
        self.idle.len() >= self.flying.len()
    }

    /// Whether other devices are through with the slot that the next flight fills.
    pub(in crate::device::cuda::streaming) fn is_back(&self) -> bool {
        let lane = &self.lanes[self.turn];
        lane.handed[lane.turn].as_ref().is_none_or(|handed| handed.is_back())
    }

    /// Keeps in mind that the pages of the flight that was closed last are to be handed on.
    pub(in crate::device::cuda::streaming) fn keep_handed(&mut self, handed: Arc<Handed>) {
        if let Some(flight) = self.flying.back_mut() {
            self.lanes[flight.lane].handed[flight.slot] = Some(Arc::clone(&handed));
            flight.handed = Some(handed);
        }
    }

    /// What is to be handed on, or given back, because the copies are done: what [`Lanes::reclaim`] has found so.
    pub(in crate::device::cuda::streaming) fn arrived(&mut self) -> impl Iterator<Item = Arc<Handed>> {
        self.arrived.drain(..)
    }

    /// Whether copies are under way of what is still to be handed on.
    pub(in crate::device::cuda::streaming) fn brings(&self) -> bool {
        !self.arrived.is_empty() || self.flying.iter().any(|flight| flight.handed.is_some())
    }

    /// Where the pages of the flight that was closed last lie.
    pub(in crate::device::cuda::streaming) fn closed(&self) -> Vec<Lying> {
        let address = |&(run, offset): &Piece| (run, self.memory.address() + offset as u64);
        self.flying.back().map(|flight| flight.pieces.iter().map(address).collect()).unwrap_or_default()
    }
}
