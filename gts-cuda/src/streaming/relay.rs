//! Pages that devices forward to each other, so that each page crosses the host's bus once though every device walks
//! it.
//!
//! Each device loads its share of the pages, copied from host memory or found in its cache, and publishes their
//! addresses; the others copy the pages from there, device to device. Events order the copies: forwarded pages have an
//! event that marks the end of their copies, and a staging slot is refilled only after the events of all devices that
//! took pages out of it. The host waits only for others to submit, never for a device. A device that waits here takes
//! forwarded pages meanwhile, and its own kernels free the memory for them; so no two devices wait for each other.

use crate::driver::Event;
use gts_contract::KernelDescriptor;
use gts_core::graph::PageId;
use gts_core::page::PageRun;
use gts_device::Limits;
use gts_device::error::{Error, Result};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Time limit of a wait for others, after which the caller checks its own device again.
const PATIENCE: Duration = Duration::from_micros(50);

/// Consecutive pages in device memory, the first of them at an address.
pub(super) type Lying = (PageRun, u64);

/// Pages of one device that the others copy.
#[derive(Debug)]
pub(super) struct Handed {
    /// The topology of the pass to which they belong.
    pub(super) walk: usize,
    pub(super) pages: Vec<Lying>,
    /// Marks the end of the copies that loaded the pages; `None` if the pages were there before the pass.
    pub(super) copied: Option<Arc<Event>>,
    taken: Mutex<Taken>,
}

/// The devices that have taken some pages.
#[derive(Debug, Default)]
struct Taken {
    devices: usize,
    /// Events that mark the ends of their copies.
    ends: Vec<Arc<Event>>,
}

/// Pages that a pass reads in place: by topology, the pages, and the bytes read of them.
pub(super) type InPlace = Vec<(Vec<PageId>, u64)>;

/// The pages of one pass on their way between devices.
#[derive(Debug)]
pub(crate) struct Relay {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    members: Vec<MemberState>,
    /// The error that ends all waiting.
    failed: Option<Error>,
}

/// State that a device has published.
#[derive(Debug, Default)]
struct MemberState {
    /// Pages copied in this pass, into slots that others' copies keep busy.
    staged: Vec<Arc<Handed>>,
    /// Pages in its cache since before the pass.
    cached: Vec<Arc<Handed>>,
    in_place: Option<InPlace>,
    /// Whether it has forwarded all of its pages.
    closed: bool,
    /// Whether all of its work is done.
    finished: bool,
}

impl Relay {
    /// Creates a relay between `devices` devices.
    pub(crate) fn new(devices: usize) -> Self {
        let members = (0..devices).map(|_| MemberState::default()).collect();
        Self { state: Mutex::new(State { members, failed: None }), changed: Condvar::new() }
    }

    /// Returns a device's part in the relay.
    pub(crate) fn member(&self, index: usize) -> Member<'_> {
        let taken = vec![Progress::default(); self.state().members.len()];
        Member { relay: self, index, taken, finished: false }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the shared state, and notifies the others.
    fn change<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
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

/// Numbers of a device's pages that another device has taken.
#[derive(Clone, Copy, Debug, Default)]
struct Progress {
    staged: usize,
    cached: usize,
}

/// One device in a relay. If it is dropped before it has finished, the others fail.
#[derive(Debug)]
pub(crate) struct Member<'a> {
    relay: &'a Relay,
    index: usize,
    /// Progress by device.
    taken: Vec<Progress>,
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

    /// Forwards pages that are copied already, or will be when `copied` has passed.
    pub(super) fn hand_on(&self, walk: usize, pages: Vec<Lying>, copied: Arc<Event>) -> Arc<Handed> {
        let handed = Arc::new(Handed { walk, pages, copied: Some(copied), taken: Mutex::default() });
        self.relay.change(|state| state.members[self.index].staged.push(Arc::clone(&handed)));
        handed
    }

    /// Forwards pages that stay in their place for all of the pass.
    pub(super) fn hand_on_cached(&self, walk: usize, pages: Vec<Lying>) {
        let handed = Arc::new(Handed { walk, pages, copied: None, taken: Mutex::default() });
        self.relay.change(|state| state.members[self.index].cached.push(handed));
    }

    /// Declares that nothing more is forwarded.
    pub(super) fn close(&self) {
        self.relay.change(|state| state.members[self.index].closed = true);
    }

    /// Returns the next forwarded pages of a device for which the caller has room, and the distance of that device from
    /// this one. Pages in slots come first, because slots are few; pages in caches only if there is time for them.
    pub(super) fn take(&mut self, room: impl Fn(usize) -> bool, cached: bool) -> Result<Option<(usize, Arc<Handed>)>> {
        let state = self.relay.state();
        check(&state)?;
        // The next device comes first, so that not all take from the same one.
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

    /// Reports to the owner of pages that this device's copies of them end with these events.
    pub(super) fn took(&self, handed: &Handed, ends: Vec<Arc<Event>>) {
        let mut taken = handed.taken.lock().unwrap_or_else(PoisonError::into_inner);
        taken.devices += 1;
        taken.ends.extend(ends);
        drop(taken);
        self.relay.change(|_| ());
    }

    /// Returns whether all others have submitted their copies of pages.
    pub(super) fn all_took(&self, handed: &Handed) -> bool {
        handed.taken.lock().unwrap_or_else(PoisonError::into_inner).devices + 1 == self.taken.len()
    }

    /// Returns whether the others have forwarded all of their pages, and this device has taken them.
    pub(super) fn is_drained(&self) -> Result<bool> {
        let state = self.relay.state();
        check(&state)?;
        let mut members = state.members.iter().zip(&self.taken).enumerate();
        Ok(members.all(|(index, (member, taken))| {
            let all = taken.staged == member.staged.len() && taken.cached == member.cached.len();
            index == self.index || member.closed && all
        }))
    }

    /// Waits briefly for others to forward or to take something.
    pub(super) fn pause(&self) -> Result<()> {
        let state = self.relay.state();
        check(&state)?;
        // The caller checks everything again, whatever ended the wait.
        let waited = self.relay.changed.wait_timeout(state, PATIENCE).unwrap_or_else(PoisonError::into_inner);
        check(&waited.0)
    }

    /// Publishes the pages that this device would read in place, and returns those of the others: every device reads
    /// the pages of all.
    pub(super) fn share_in_place(
        &self,
        own: InPlace,
        limits: &Limits,
        kernel: &'static KernelDescriptor,
    ) -> Result<Vec<InPlace>> {
        self.relay.change(|state| state.members[self.index].in_place = Some(own));
        self.wait_for(limits, kernel, |member| member.in_place.is_some())?;
        let state = self.relay.state();
        let others = state.members.iter().enumerate().filter(|(index, _)| *index != self.index);
        Ok(others.filter_map(|(_, member)| member.in_place.clone()).collect())
    }

    /// Waits until all others are done, too: until then they may read pages that this device has forwarded.
    pub(crate) fn finish(&mut self, limits: &Limits, kernel: &'static KernelDescriptor) -> Result<()> {
        self.finished = true;
        self.relay.change(|state| state.members[self.index].finished = true);
        self.wait_for(limits, kernel, |member| member.finished)
    }

    /// Makes the others fail with this device's error.
    pub(crate) fn fail(&self, error: &Error) {
        self.relay.fail(error);
    }

    fn wait_for(
        &self,
        limits: &Limits,
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

impl Handed {
    /// Returns the events that mark the ends of the others' copies.
    pub(super) fn ends(&self) -> Vec<Arc<Event>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner).ends.clone()
    }
}

fn check(state: &State) -> Result<()> {
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
