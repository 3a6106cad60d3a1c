//! Pages that devices hand on to each other, so that each crosses the host's bus once though every device walks it.
//!
//! Each device brings its share of the pages, copied from host memory or found in its cache, and tells the others where
//! they lie as soon as they do; those copy them from there, device to device, and give them back when they have. All of
//! this is between the hosts' threads: no stream waits for another device, so that copies from one never stand behind those
//! from a slower one. A staging slot is filled again once all others have given back what was handed on out of it; there
//! are more slots than copies under way, so that a device's copies go on meanwhile.
//!
//! No two devices wait for each other. Whoever waits for others goes on handing on what has come, taking, and giving back
//! (`intake`); whatever else a thread waits for is its own device's work, which waits for none but itself. So a device whose
//! slots are all handed on gets them back: each other device takes what was handed on when it has a place for it, its own
//! kernels make places free, and its own copies end.

use crate::device::{Limits, PageShare};
use crate::error::{Error, Result};
use gts_core::contract::KernelDescriptor;
use gts_core::graph::PageId;
use gts_core::page::PageRun;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long a wait for others lasts before the caller looks after its own device again. Copies of a group take about 300.
const PATIENCE: Duration = Duration::from_micros(20);

/// Consecutive pages in device memory, the first of them at an address.
pub(super) type Lying = (PageRun, u64);

/// Pages of one device that the others copy.
#[derive(Debug)]
pub(super) struct Handed {
    /// Which topology of the pass they belong to.
    pub(super) walk: usize,
    pub(super) pages: Vec<Lying>,
    /// Devices that have not copied them yet.
    awaited: AtomicUsize,
}

/// What a pass reads in place: by topology, the pages, and how many bytes of them.
pub(super) type InPlace = Vec<(Vec<PageId>, u64)>;

/// The pages of one pass on their way between devices.
#[derive(Debug)]
pub(in crate::device::cuda) struct Relay {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    members: Vec<MemberState>,
    /// Number of changes so far.
    changes: u64,
    /// Why nobody should wait any more.
    failed: Option<Error>,
}

/// What a device has told the others.
#[derive(Debug, Default)]
struct MemberState {
    /// Copied in this pass, into slots that stay as they are until they were given back.
    staged: Vec<Arc<Handed>>,
    /// In its cache since before the pass.
    cached: Vec<Arc<Handed>>,
    in_place: Option<InPlace>,
    /// Whether it has handed on all that it has.
    closed: bool,
    /// Whether all of its work is done.
    finished: bool,
}

impl Relay {
    /// A relay between so many devices.
    pub(in crate::device::cuda) fn new(devices: usize) -> Self {
        let members = (0..devices).map(|_| MemberState::default()).collect();
        Self { state: Mutex::new(State { members, ..State::default() }), changed: Condvar::new() }
    }

    /// A device's part in it.
    pub(in crate::device::cuda) fn member(&self, index: usize) -> Member<'_> {
        let taken = vec![Progress::default(); self.state().members.len()];
        Member { relay: self, index, taken, seen: 0, finished: false }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes what others see.
    fn change<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        let mut state = self.state();
        state.changes += 1;
        let changed = change(&mut state);
        drop(state);
        self.changed.notify_all();
        changed
    }

    fn fail(&self, error: &Error) {
        self.change(|state| {
            state.failed.get_or_insert_with(|| error.clone());
        });
    }
}

/// How many of a device's pages another one has taken.
#[derive(Clone, Copy, Debug, Default)]
struct Progress {
    staged: usize,
    cached: usize,
}

/// One device in a relay. Where it is dropped before it has finished, the others fail.
#[derive(Debug)]
pub(in crate::device::cuda) struct Member<'a> {
    relay: &'a Relay,
    index: usize,
    /// By device.
    taken: Vec<Progress>,
    /// Changes that this device has looked at.
    seen: u64,
    finished: bool,
}

impl Member<'_> {
    /// The pages that this device brings.
    pub(in crate::device::cuda) fn share(&self) -> PageShare {
        PageShare { index: self.index as u32, count: self.taken.len() as u32 }
    }

    /// Number of devices in the relay.
    pub(super) fn devices(&self) -> usize {
        self.taken.len()
    }

    /// Pages that this device is going to hand on when copies have brought them.
    pub(super) fn bring(&self, walk: usize, pages: Vec<Lying>) -> Arc<Handed> {
        Arc::new(Handed { walk, pages, awaited: AtomicUsize::new(self.taken.len() - 1) })
    }

    /// Hands on pages that have come. The others copy them until they have given them back.
    pub(super) fn hand_on(&self, handed: Arc<Handed>) {
        self.relay.change(|state| state.members[self.index].staged.push(handed));
    }

    /// Hands on pages that stay where they are for all of the pass.
    pub(super) fn hand_on_cached(&self, walk: usize, pages: Vec<Lying>) {
        let handed = self.bring(walk, pages);
        self.relay.change(|state| state.members[self.index].cached.push(handed));
    }

    /// Nothing more is handed on.
    pub(super) fn close(&self) {
        self.relay.change(|state| state.members[self.index].closed = true);
    }

    /// The next pages that another device hands on: those in slots first, because slots are few. Those in caches only
    /// where the caller has time for them.
    pub(super) fn take(&mut self, cached: bool) -> Result<Option<Arc<Handed>>> {
        let state = self.relay.state();
        check(&state)?;
        // The device after this one comes first, so that not all take from the same one.
        let devices = self.taken.len();
        let others = || (1..devices).map(|step| (self.index + step) % devices);
        let behind = others().filter(|&other| self.taken[other].staged < state.members[other].staged.len());
        if let Some(other) = behind.min_by_key(|&other| self.taken[other].staged) {
            let handed = Arc::clone(&state.members[other].staged[self.taken[other].staged]);
            self.taken[other].staged += 1;
            return Ok(Some(handed));
        }
        let mut behind = others().filter(|&other| self.taken[other].cached < state.members[other].cached.len());
        if let (true, Some(other)) = (cached, behind.next()) {
            let handed = Arc::clone(&state.members[other].cached[self.taken[other].cached]);
            self.taken[other].cached += 1;
            return Ok(Some(handed));
        }
        Ok(None)
    }

    /// Gives pages of another device back to it, because this device's copies of them are done.
    pub(super) fn give_back(&self, handed: &Handed) {
        self.relay.change(|_| handed.awaited.fetch_sub(1, Ordering::AcqRel));
    }

    /// Whether the others have handed on all that they have, and this device has taken it.
    pub(super) fn is_drained(&self) -> Result<bool> {
        let state = self.relay.state();
        check(&state)?;
        let mut members = state.members.iter().zip(&self.taken).enumerate();
        Ok(members.all(|(index, (member, taken))| {
            let all = taken.staged == member.staged.len() && taken.cached == member.cached.len();
            index == self.index || member.closed && all
        }))
    }

    /// Waits a moment for others to hand on or to give back something; not at all where one has since the last call.
    pub(super) fn pause(&mut self) -> Result<()> {
        let mut state = self.relay.state();
        if state.changes == self.seen {
            // Whatever ended the wait, the caller looks around anew.
            let waited = self.relay.changed.wait_timeout(state, PATIENCE);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        self.seen = state.changes;
        check(&state)
    }

    /// Tells the others what this device would read in place, and answers what they would: every device reads the pages
    /// of all.
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

    /// Waits until all others are done, too: till then they may read what this device has handed on.
    pub(in crate::device::cuda) fn finish(&mut self, limits: &Limits, kernel: &'static KernelDescriptor) -> Result<()> {
        self.finished = true;
        self.relay.change(|state| state.members[self.index].finished = true);
        self.wait_for(limits, kernel, |member| member.finished)
    }

    /// Lets the others fail as this device has.
    pub(in crate::device::cuda) fn fail(&self, error: &Error) {
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
    /// Whether all others have copied them.
    pub(super) fn is_back(&self) -> bool {
        self.awaited.load(Ordering::Acquire) == 0
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
    use proptest::prelude::*;
    use std::collections::VecDeque;

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
            assert!(member.take(false).unwrap().is_none(), "there is no time for pages in caches");
            let mut taken = Vec::new();
            while let Some(handed) = member.take(true).unwrap() {
                taken.push(handed.pages[0].0.first.0);
            }
            taken.sort_unstable();
            let others = (0..3u32).filter(|&other| other != number as u32);
            assert_eq!(taken, others.flat_map(|other| [10 * other, 10 * other + 1]).collect::<Vec<_>>());
            assert!(member.is_drained().unwrap());
        }
    }

    #[test]
    fn pages_can_be_taken_when_they_have_come_and_are_back_when_all_others_have_copied_them() {
        let relay = Relay::new(3);
        let mut members: Vec<Member<'_>> = (0..3).map(|index| relay.member(index)).collect();
        let brought = members[0].bring(0, run(7));
        assert!(members[1].take(false).unwrap().is_none());
        members[0].hand_on(Arc::clone(&brought));
        for other in [1, 2] {
            let handed = members[other].take(false).unwrap().unwrap();
            assert!(!brought.is_back());
            members[other].give_back(&handed);
            assert_eq!(brought.is_back(), other == 2);
        }
    }

    /// A device with a few places, which does now and then what `intake` does. Its copies are done some time after they
    /// were submitted, in order.
    struct Device<'a> {
        member: Member<'a>,
        /// Groups that it is still to bring, and those on their way.
        left: usize,
        coming: VecDeque<Arc<Handed>>,
        /// What others copy from it, by slot in turn.
        slots: VecDeque<Arc<Handed>>,
        most_slots: usize,
        fetching: VecDeque<Arc<Handed>>,
        most_fetches: usize,
        fetched: usize,
        closed: bool,
    }

    impl Device<'_> {
        fn submit(&mut self) {
            if self.slots.len() == self.most_slots && self.slots[0].is_back() {
                self.slots.pop_front();
            }
            if self.left > 0 && self.slots.len() < self.most_slots {
                let brought = self.member.bring(0, run(self.left as u32));
                self.left -= 1;
                self.coming.push_back(Arc::clone(&brought));
                self.slots.push_back(brought);
            }
            while self.fetching.len() < self.most_fetches
                && let Some(handed) = self.member.take(true).unwrap()
            {
                self.fetching.push_back(handed);
            }
            if self.left == 0 && self.coming.is_empty() && !self.closed {
                self.member.close();
                self.closed = true;
            }
        }

        fn is_over(&self) -> bool {
            self.closed && self.member.is_drained().unwrap()
        }
    }

    proptest! {
        #[test]
        fn devices_with_few_slots_bring_all_pages_to_all_in_any_order_of_their_work(
            shapes in prop::collection::vec((0usize..20, 1usize..4, 1usize..4), 2..5),
            steps in prop::collection::vec((0usize..5, 0u8..3), 0..2000),
        ) {
            let relay = Relay::new(shapes.len());
            let device = |(index, &(left, most_slots, most_fetches)): (usize, &_)| Device {
                member: relay.member(index),
                left,
                coming: VecDeque::new(),
                slots: VecDeque::new(),
                most_slots,
                fetching: VecDeque::new(),
                most_fetches,
                fetched: 0,
                closed: false,
            };
            let mut devices: Vec<Device<'_>> = shapes.iter().enumerate().map(device).collect();
            // Any order at first; then each in turn, which must come to an end. A device that is over does nothing more.
            let all = shapes.iter().map(|shape| shape.0).sum::<usize>();
            let fair = (0..shapes.len()).flat_map(|index| (0..3).map(move |step| (index, step)));
            for (index, step) in steps.into_iter().chain(fair.cycle().take(100_000)) {
                if devices.iter().all(Device::is_over) {
                    break;
                }
                let Some(device) = devices.get_mut(index).filter(|device| !device.is_over()) else { continue };
                match step {
                    0 => device.submit(),
                    1 => device.coming.pop_front().into_iter().for_each(|brought| device.member.hand_on(brought)),
                    _ => {
                        if let Some(handed) = device.fetching.pop_front() {
                            device.member.give_back(&handed);
                            device.fetched += 1;
                        }
                    }
                }
            }
            for (device, shape) in devices.iter().zip(&shapes) {
                prop_assert!(device.is_over(), "devices wait for each other");
                prop_assert_eq!(device.fetched + device.fetching.len(), all - shape.0);
            }
        }
    }

    #[test]
    fn a_device_that_gives_up_ends_the_wait_of_the_others() {
        let relay = Relay::new(2);
        let first = relay.member(0);
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| {
                let mut first = first;
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
        assert!(matches!(other.member(1).take(true), Err(Error::Argument { .. })));
    }
}
