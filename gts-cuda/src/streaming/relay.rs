//! Pages that devices forward to each other. Each page crosses the host's bus once, although every device walks the
//! page.
//!
//! Each device loads its share of the pages from host memory or from its cache, and publishes the addresses of these
//! pages. The other devices copy the pages from these addresses, device to device. Events order the copies: an event
//! marks the end of the copies that load forwarded pages, and a staging slot is refilled only after all other devices
//! have copied its pages. The host waits only until other devices have submitted copies, never until a device completes
//! them. While a device waits, the device receives forwarded pages, and its kernels free memory for these pages.
//! Therefore no two devices wait for each other.

use crate::driver::Event;
use gts_contract::KernelDescriptor;
use gts_core::graph::PageId;
use gts_core::page::PageRun;
use gts_device::PassLimits;
use gts_device::error::{Error, Result};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Time limit of a single wait for other devices. Afterwards, the caller checks its own device again.
const PATIENCE: Duration = Duration::from_micros(50);

/// Consecutive pages in device memory, and the address of the first page.
pub(super) type Lying = (PageRun, u64);

/// Pages that one device forwards for the other devices to copy.
#[derive(Debug)]
pub(super) struct HandedPages {
    /// The index of the pages' topology in the pass.
    pub(super) walk: usize,
    pub(super) pages: Vec<Lying>,
    /// Marks the end of the copies that load the pages. `None` if the pages were on the device before the pass.
    pub(super) copied: Option<Arc<Event>>,
    taken: Mutex<Taken>,
}

/// The number of devices that have submitted their copies of forwarded pages, and the events after these copies.
#[derive(Debug, Default)]
struct Taken {
    devices: usize,
    /// The events that mark the ends of these copies.
    ends: Vec<Arc<Event>>,
}

/// Per topology, the pages that a pass reads in place, and the number of bytes read.
pub(super) type InPlace = Vec<(Vec<PageId>, u64)>;

/// The state shared by the devices that forward pages to each other in one pass.
#[derive(Debug)]
pub(crate) struct Relay {
    state: Mutex<RelayState>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct RelayState {
    members: Vec<MemberState>,
    /// The error that ends all waits.
    failed: Option<Error>,
}

/// The published state of one device.
#[derive(Debug, Default)]
struct MemberState {
    /// Pages in staging slots. The slots stay occupied until the other devices have copied the pages.
    staged: Vec<Arc<HandedPages>>,
    /// Pages that were in the device's cache before the pass.
    cached: Vec<Arc<HandedPages>>,
    in_place: Option<InPlace>,
    /// Whether the device has forwarded all of its pages.
    closed: bool,
    /// Whether all work of the device is done.
    finished: bool,
}

impl Relay {
    /// Creates a relay between `devices` devices.
    pub(crate) fn new(devices: usize) -> Self {
        let members = (0..devices).map(|_| MemberState::default()).collect();
        Self { state: Mutex::new(RelayState { members, failed: None }), changed: Condvar::new() }
    }

    /// Returns a handle to the relay for the device with this index.
    pub(crate) fn member(&self, index: usize) -> Member<'_> {
        let taken = vec![TakenCounts::default(); self.state().members.len()];
        Member { relay: self, index, taken, finished: false }
    }

    fn state(&self) -> MutexGuard<'_, RelayState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the shared state, and notifies all waiting devices.
    fn change<T>(&self, change: impl FnOnce(&mut RelayState) -> T) -> T {
        let changed = change(&mut self.state());
        self.changed.notify_all();
        changed
    }

    fn fail(&self, error: &Error) {
        self.change(|state| {
            state.failed.get_or_insert_with(|| error.clone());
        });
    }
}

/// The numbers of elements that this device has taken from another device's `staged` and `cached` lists.
#[derive(Clone, Copy, Debug, Default)]
struct TakenCounts {
    staged: usize,
    cached: usize,
}

/// One device in a relay. If this value is dropped before [`Member::finish`], the passes of the other devices fail.
#[derive(Debug)]
pub(crate) struct Member<'a> {
    relay: &'a Relay,
    index: usize,
    /// The counts of taken elements, by the device that forwarded them.
    taken: Vec<TakenCounts>,
    finished: bool,
}

impl Member<'_> {
    /// Returns the device's index in the relay.
    pub(crate) fn index(&self) -> usize {
        self.index
    }

    /// Returns the number of devices in the relay.
    pub(super) fn devices(&self) -> usize {
        self.taken.len()
    }

    /// Forwards pages in staging slots. `copied` marks the end of the copies into the slots. These copies may still be
    /// in progress.
    pub(super) fn hand_on(&self, walk: usize, pages: Vec<Lying>, copied: Arc<Event>) -> Arc<HandedPages> {
        let handed = Arc::new(HandedPages { walk, pages, copied: Some(copied), taken: Mutex::default() });
        self.relay.change(|state| state.members[self.index].staged.push(Arc::clone(&handed)));
        handed
    }

    /// Forwards pages that stay at their addresses for the whole pass.
    pub(super) fn hand_on_cached(&self, walk: usize, pages: Vec<Lying>) {
        let handed = Arc::new(HandedPages { walk, pages, copied: None, taken: Mutex::default() });
        self.relay.change(|state| state.members[self.index].cached.push(handed));
    }

    /// Declares that this device forwards no more pages.
    pub(super) fn close(&self) {
        self.relay.change(|state| state.members[self.index].closed = true);
    }

    /// Returns the next forwarded pages from a device for which `room` returns true, and the number of steps from this
    /// device to that device. Takes pages in slots first, because slots are scarce. Takes cached pages only if `cached`
    /// is set.
    pub(super) fn take(
        &mut self,
        room: impl Fn(usize) -> bool,
        cached: bool,
    ) -> Result<Option<(usize, Arc<HandedPages>)>> {
        let state = self.relay.state();
        check(&state)?;
        // Each device starts with its successor, so that not all devices take from the same device.
        let devices = self.taken.len();
        let others = || (1..devices).filter(|&step| room(step)).map(|step| (step, (self.index + step) % devices));
        let behind = others().filter(|&(_, other)| self.taken[other].staged < state.members[other].staged.len());
        if let Some((step, other)) = behind.min_by_key(|&(_, other)| self.taken[other].staged) {
            let handed = Arc::clone(&state.members[other].staged[self.taken[other].staged]);
            self.taken[other].staged += 1;
            return Ok(Some((step, handed)));
        }
        let mut behind = others().filter(|&(_, other)| self.taken[other].cached < state.members[other].cached.len());
        if let (true, Some((step, other))) = (cached, behind.next()) {
            let handed = Arc::clone(&state.members[other].cached[self.taken[other].cached]);
            self.taken[other].cached += 1;
            return Ok(Some((step, handed)));
        }
        Ok(None)
    }

    /// Reports that this device has submitted its copies of these pages. `ends` contains the events that mark the ends
    /// of the copies.
    pub(super) fn took(&self, handed: &HandedPages, ends: Vec<Arc<Event>>) {
        let mut taken = handed.taken.lock().unwrap_or_else(PoisonError::into_inner);
        taken.devices += 1;
        taken.ends.extend(ends);
        drop(taken);
        self.relay.change(|_| ());
    }

    /// Returns whether all other devices have submitted their copies of these pages.
    pub(super) fn all_took(&self, handed: &HandedPages) -> bool {
        handed.taken.lock().unwrap_or_else(PoisonError::into_inner).devices + 1 == self.taken.len()
    }

    /// Returns whether the other devices have forwarded all of their pages, and this device has taken all of these
    /// pages.
    pub(super) fn is_drained(&self) -> Result<bool> {
        let state = self.relay.state();
        check(&state)?;
        let mut members = state.members.iter().zip(&self.taken).enumerate();
        Ok(members.all(|(index, (member, taken))| {
            let all = taken.staged == member.staged.len() && taken.cached == member.cached.len();
            index == self.index || member.closed && all
        }))
    }

    /// Waits briefly until another device forwards or takes pages.
    pub(super) fn pause(&self) -> Result<()> {
        let state = self.relay.state();
        check(&state)?;
        // The reason for the end of the wait does not matter: the caller checks everything again.
        let waited = self.relay.changed.wait_timeout(state, PATIENCE).unwrap_or_else(PoisonError::into_inner);
        check(&waited.0)
    }

    /// Publishes the pages that this device has planned to read in place, and returns the pages that the other devices
    /// have published. Every device reads all of these pages.
    pub(super) fn share_in_place(
        &self,
        own: InPlace,
        limits: &PassLimits,
        kernel: &'static KernelDescriptor,
    ) -> Result<Vec<InPlace>> {
        self.relay.change(|state| state.members[self.index].in_place = Some(own));
        self.wait_for(limits, kernel, |member| member.in_place.is_some())?;
        let state = self.relay.state();
        let others = state.members.iter().enumerate().filter(|(index, _)| *index != self.index);
        Ok(others.filter_map(|(_, member)| member.in_place.clone()).collect())
    }

    /// Waits until all other devices have finished the pass. Until then, these devices may read pages that this device
    /// has forwarded.
    pub(crate) fn finish(&mut self, limits: &PassLimits, kernel: &'static KernelDescriptor) -> Result<()> {
        self.finished = true;
        self.relay.change(|state| state.members[self.index].finished = true);
        self.wait_for(limits, kernel, |member| member.finished)
    }

    /// Makes the other devices fail with this device's error.
    pub(crate) fn fail(&self, error: &Error) {
        self.relay.fail(error);
    }

    fn wait_for(
        &self,
        limits: &PassLimits,
        kernel: &'static KernelDescriptor,
        ready: impl Fn(&MemberState) -> bool,
    ) -> Result<()> {
        loop {
            let state = self.relay.state();
            check(&state)?;
            if state.members.iter().all(&ready) {
                return Ok(());
            }
            if limits.over() {
                return Err(limits.error(kernel));
            }
            drop(self.relay.changed.wait_timeout(state, PATIENCE));
        }
    }
}

impl Drop for Member<'_> {
    fn drop(&mut self) {
        if !self.finished {
            self.relay.fail(&Error::Interrupted);
        }
    }
}

impl HandedPages {
    /// Returns the events that mark the ends of the other devices' copies.
    pub(super) fn ends(&self) -> Vec<Arc<Event>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner).ends.clone()
    }
}

fn check(state: &RelayState) -> Result<()> {
    match &state.failed {
        Some(error) => Err(error.clone()),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(page: u32) -> Vec<Lying> {
        vec![(PageRun::of(page..page + 1), 0)]
    }

    #[test]
    fn every_device_takes_what_each_other_hands_on() {
        let relay = Relay::new(3);
        let mut members: Vec<Member<'_>> = (0..3).map(|index| relay.member(index)).collect();
        for (number, member) in members.iter().enumerate() {
            (0..2).for_each(|page| member.hand_on_cached(0, run(10 * number as u32 + page)));
            member.close();
        }
        for (number, member) in members.iter_mut().enumerate() {
            assert!(!member.is_drained().unwrap());
            assert!(member.take(|_| true, false).unwrap().is_none(), "there is no time for pages in caches");
            assert!(member.take(|_| false, true).unwrap().is_none(), "there is no room");
            let mut taken = Vec::new();
            while let Some((step, handed)) = member.take(|_| true, true).unwrap() {
                assert_eq!(handed.pages[0].0.first.0 as usize / 10, (number + step) % 3);
                taken.push(handed.pages[0].0.first.0);
                member.took(&handed, Vec::new());
            }
            taken.sort_unstable();
            let others = (0..3u32).filter(|&other| other != number as u32);
            assert_eq!(taken, others.flat_map(|other| [10 * other, 10 * other + 1]).collect::<Vec<_>>());
            assert!(member.is_drained().unwrap());
        }
    }

    #[test]
    fn pages_are_taken_once_all_others_have() {
        let relay = Relay::new(3);
        let mut members: Vec<Member<'_>> = (0..3).map(|index| relay.member(index)).collect();
        members[0].hand_on_cached(0, run(7));
        for other in [1, 2] {
            let (_, handed) = members[other].take(|step| step == 3 - other, true).unwrap().unwrap();
            assert!(!members[0].all_took(&handed));
            members[other].took(&handed, Vec::new());
            assert_eq!(members[0].all_took(&handed), other == 2);
        }
    }

    #[test]
    #[allow(clippy::disallowed_methods)]
    fn a_device_that_gives_up_ends_the_wait_of_the_others() {
        let relay = Relay::new(2);
        let first = relay.member(0);
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| {
                loop {
                    if let Err(error) = first.pause() {
                        return error;
                    }
                }
            });
            drop(relay.member(1));
            assert!(matches!(waiting.join().unwrap(), Error::Interrupted));
        });
        let other = Relay::new(2);
        other.member(0).fail(&Error::argument("a pass", "it failed"));
        assert!(matches!(other.member(1).take(|_| true, true), Err(Error::Argument { .. })));
    }
}
