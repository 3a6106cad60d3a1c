//! Prefetches: copies for a pass that has not begun.
//!
//! Between two scans the link from the host would be idle: replicas are merged, vertex kernels run. A scan is likely to
//! be followed by the same scan, whose first groups fill the slots meanwhile. If another pass follows, they were copied
//! in vain.

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
        // The flight is stored before anything can fail: its copy is under way.
        self.ahead.extend(self.open.take().map(|flight| Flight { ahead: Some(side), ..flight }));
        match self.ahead.back() {
            Some(flight) => self.copies_of(flight.lane).record(&flight.copied),
            None => Ok(()),
        }
    }

    /// Opens the first prefetched flight, if it has these pages: the first that the pass wants, or those after the
    /// prefetches before. If it does not, all prefetches are discarded. All flights must be closed.
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
            // The flight ends with its copy. The next copies into its slot are ordered after that.
            let copies = self.copies_of(flight.lane);
            copies.record(&flight.launching)?;
            copies.record(&flight.done)?;
        }
        Ok(false)
    }
}

impl Drop for Lanes {
    fn drop(&mut self) {
        // Copies may be under way into memory that is freed with this value.
        if !self.ahead.is_empty() {
            let waited = self.copies.iter().try_for_each(|copies| copies.stream.synchronize("copying ahead"));
            self.reset(waited.is_err());
        }
    }
}
