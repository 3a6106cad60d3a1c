//! A wrapper that measures the bytes and the time of a group's exchanges.

use super::{Call, Group};
use gts_device::error::Result;
use gts_device::kernel::StopFlag;
use gts_device::ranks::Exchanged;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// A group whose exchanges are counted.
pub(crate) struct CountedGroup {
    group: Arc<dyn Group>,
    exchanges: AtomicU64,
    sent: AtomicU64,
    received: AtomicU64,
    nanoseconds: AtomicU64,
}

impl CountedGroup {
    /// Wraps a group, with all counters at 0.
    pub(crate) fn new(group: Arc<dyn Group>) -> Self {
        let [exchanges, sent, received, nanoseconds] = [const { AtomicU64::new(0) }; 4];
        Self { group, exchanges, sent, received, nanoseconds }
    }

    /// Returns the current values of the counters.
    pub(crate) fn exchanged(&self) -> Exchanged {
        Exchanged {
            exchanges: self.exchanges.load(Relaxed),
            sent: self.sent.load(Relaxed),
            received: self.received.load(Relaxed),
            time: Duration::from_nanos(self.nanoseconds.load(Relaxed)),
        }
    }
}

impl Group for CountedGroup {
    fn rank(&self) -> usize {
        self.group.rank()
    }

    fn size(&self) -> usize {
        self.group.size()
    }

    fn message_bytes(&self) -> usize {
        self.group.message_bytes()
    }

    fn exchange(&self, call: &Call<'_>, messages: &[&[u8]], received: &mut [Vec<u8>]) -> Result<()> {
        let begun = Instant::now();
        self.group.exchange(call, messages, received)?;
        let others = |place: &usize| *place != self.rank();
        let sum = |lengths: &mut dyn Iterator<Item = usize>| lengths.map(|length| length as u64).sum::<u64>();
        let ranks = 0..self.size();
        self.sent.fetch_add(sum(&mut ranks.clone().filter(others).map(|rank| messages[rank].len())), Relaxed);
        self.received.fetch_add(sum(&mut ranks.filter(others).map(|rank| received[rank].len())), Relaxed);
        self.exchanges.fetch_add(1, Relaxed);
        self.nanoseconds.fetch_add(begun.elapsed().as_nanos() as u64, Relaxed);
        Ok(())
    }

    fn abort(&self, reason: &str) {
        self.group.abort(reason);
    }

    fn leave(&self) {
        self.group.leave();
    }

    fn tie(&self, flag: &Arc<StopFlag>) {
        self.group.tie(flag);
    }
}
