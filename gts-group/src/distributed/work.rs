//! Counts the work of a single rank.

use gts_device::error::Result;
use gts_device::kernel::{Matched, Matching};
use gts_device::ranks::{Exchanged, RankWork};
use gts_device::{Pass, PassOutcome, PassRequest, Session};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// The number of values in an encoded `RankWork`.
const NUMBERS: usize = 14;

/// Accumulates the work of one rank's passes.
#[derive(Debug, Default)]
pub(super) struct WorkRecorder {
    pages: AtomicU64,
    edges: AtomicU64,
    read: AtomicU64,
    nanoseconds: AtomicU64,
}

impl WorkRecorder {
    /// Runs a pass on this rank's device, and records the work of the pass.
    pub(super) fn run(&self, own: &mut dyn Session, pass: Pass<'_>, request: &PassRequest) -> Result<PassOutcome> {
        let begun = Instant::now();
        let outcome = pass.run(own, request)?;
        self.note(&outcome, begun);
        Ok(outcome)
    }

    /// Searches for a pattern on this rank's device, and records the work of the search.
    pub(super) fn matches(
        &self,
        own: &mut dyn Session,
        matching: &Matching<'_>,
        request: &PassRequest,
    ) -> Result<(Matched, PassOutcome)> {
        let begun = Instant::now();
        let (matches, outcome) = own.matches(matching, request)?;
        self.note(&outcome, begun);
        Ok((matches, outcome))
    }

    /// Records a pass that began at `begun` and has just ended.
    fn note(&self, outcome: &PassOutcome, begun: Instant) {
        self.nanoseconds.fetch_add(begun.elapsed().as_nanos() as u64, Relaxed);
        self.pages.fetch_add(outcome.pages, Relaxed);
        self.edges.fetch_add(outcome.edges, Relaxed);
        self.read.fetch_add(outcome.read, Relaxed);
    }

    /// Returns the recorded work.
    pub(super) fn work(&self, exchanged: Exchanged, by_nccl: Exchanged) -> RankWork {
        RankWork {
            walked: self.pages.load(Relaxed),
            edges: self.edges.load(Relaxed),
            read: self.read.load(Relaxed),
            passes: Duration::from_nanos(self.nanoseconds.load(Relaxed)),
            exchanged,
            by_nccl,
            ..RankWork::default()
        }
    }
}

/// Encodes a rank's work for other ranks.
pub(super) fn encoded(work: &RankWork) -> Vec<u8> {
    let RankWork { pages_in_memory, pages, walked, edges, read, passes, exchanged, by_nccl } = *work;
    let own = [pages_in_memory, pages, walked, edges, read, passes.as_nanos() as u64];
    let moved = [exchanged, by_nccl]
        .map(|Exchanged { exchanges, sent, received, time }| [exchanges, sent, received, time.as_nanos() as u64]);
    own.iter().chain(moved.as_flattened()).flat_map(|number| number.to_le_bytes()).collect()
}

/// Decodes the work of a rank.
pub(super) fn decoded(told: &[u8]) -> RankWork {
    let mut numbers = told.chunks_exact(8).map(|number| u64::from_le_bytes(bytemuck::pod_read_unaligned(number)));
    let numbers = std::array::from_fn::<u64, NUMBERS, _>(|_| numbers.next().unwrap_or(0));
    let [pages_in_memory, pages, walked, edges, read, passes, moved @ ..] = numbers;
    let exchanged = |[exchanges, sent, received, time]: [u64; 4]| Exchanged {
        exchanges,
        sent,
        received,
        time: Duration::from_nanos(time),
    };
    let [a, b, c, d, by_nccl @ ..] = moved;
    let (passes, by_nccl) = (Duration::from_nanos(passes), exchanged(by_nccl));
    let exchanged = exchanged([a, b, c, d]);
    RankWork { pages_in_memory, pages, walked, edges, read, passes, exchanged, by_nccl }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_comes_back_as_it_was_told() {
        let exchanged = Exchanged { exchanges: 7, sent: 8, received: 9, time: Duration::from_nanos(10) };
        let work = RankWork {
            pages_in_memory: 1,
            pages: 2,
            walked: 3,
            edges: 4,
            read: 5,
            passes: Duration::from_nanos(6),
            exchanged,
            by_nccl: Exchanged { exchanges: 11, sent: 12, received: 13, time: Duration::from_nanos(14) },
        };
        assert_eq!(decoded(&encoded(&work)), work);
    }
}
