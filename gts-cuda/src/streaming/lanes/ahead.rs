//! Prefetches: copies for a pass that has not begun.
//!
//! Between two scans, replicas are merged and vertex kernels run, so the link from the host would be idle. The same
//! scan often follows, so its first groups are copied into the slots in the meantime. If a different pass follows, the
//! prefetches are discarded.

use super::{Flight, Lanes};
use crate::pages::PageLocks;
use gts_contract::Side;
use gts_core::page::{PageGroup, PageRun};
use gts_device::error::Result;

impl Lanes {
    /// Returns whether another group can be prefetched without waiting.
    pub(in crate::streaming) fn has_room_ahead(&self) -> bool {
        self.ahead.len() < self.slots() && !self.idle.is_empty()
    }

    /// Prefetches a group of a topology, if there [is room](Lanes::has_room_ahead). All flights must be closed.
    pub(in crate::streaming) fn copy_ahead(&mut self, side: Side, group: PageGroup, locks: &PageLocks) -> Result<()> {
        let Some(flight) = self.idle.pop() else { return Ok(()) };
        let flight = self.depart(flight, self.turn)?;
        self.add_to(flight, group, locks, |_| None)?;
        // The flight is stored before anything can fail, because its copy is already in progress.
        self.ahead.extend(self.open.take().map(|flight| Flight { ahead: Some(side), ..flight }));
        match self.ahead.back() {
            Some(flight) => self.copies_of(flight.lane).record(&flight.copied),
            None => Ok(()),
        }
    }

    /// Opens the first prefetched flight if the flight contains exactly the pages of `run`. Otherwise, discards all
    /// prefetches. Returns whether a flight was opened. All flights must be closed.
    pub(in crate::streaming) fn open_ahead(&mut self, side: Side, run: PageRun) -> Result<bool> {
        let wanted =
            |flight: &Flight| flight.ahead == Some(side) && matches!(flight.pieces[..], [(pages, _)] if pages == run);
        if self.ahead.front().is_some_and(wanted) {
            self.open = self.ahead.pop_front();
            return Ok(true);
        }
        while let Some(flight) = self.ahead.pop_front() {
            self.flying.push_back(Flight { pages: 0, ..flight });
            let Some(flight) = self.flying.back() else { break };
            // The flight is done when its copy is complete. Later copies into the slot run after this copy.
            let copies = self.copies_of(flight.lane);
            copies.record(&flight.launching)?;
            copies.record(&flight.done)?;
        }
        Ok(false)
    }
}

impl Drop for Lanes {
    fn drop(&mut self) {
        // Copies may still be writing to memory that is freed with this value.
        if !self.ahead.is_empty() {
            let waited = self.copies.iter().try_for_each(|copies| copies.stream.synchronize("copying ahead"));
            self.reset(waited.is_err());
        }
    }
}
