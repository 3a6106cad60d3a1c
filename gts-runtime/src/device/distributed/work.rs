//! What this rank has done, apart from what all have done together.

use crate::device::{Pass, PassOutcome, PassRequest, Session};
use crate::error::Result;
use crate::group::Exchanged;
use crate::kernel::{Matched, Matching};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// What one of several processes that share runs has done since its device was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RankWork {
    /// The pages of the graph that are in this rank's memory.
    pub pages_in_memory: u64,
    /// The pages of that graph.
    pub pages: u64,
    /// The pages that its passes walked.
    pub walked: u64,
    /// The edges that its passes walked.
    pub edges: u64,
    /// Bytes that its passes read from storage.
    pub read: u64,
    /// The time of its passes without what ranks exchange.
    pub passes: Duration,
    /// What it has sent to other ranks and received from them, through the memory of the hosts.
    pub exchanged: Exchanged,
    /// The same by NCCL, from GPU to GPU.
    pub by_nccl: Exchanged,
}

/// Numbers of a rank's work that travel.
const NUMBERS: usize = 14;

/// Records the passes of one rank.
#[derive(Debug, Default)]
pub(super) struct Recorder {
    pages: AtomicU64,
    edges: AtomicU64,
    read: AtomicU64,
    nanoseconds: AtomicU64,
}

impl Recorder {
    /// Runs a pass on this rank's device.
    pub(super) fn run(&self, own: &mut dyn Session, pass: Pass<'_>, request: &PassRequest) -> Result<PassOutcome> {
        let begun = Instant::now();
        let outcome = pass.run(own, request)?;
        self.note(&outcome, begun);
        Ok(outcome)
    }

    /// Looks for a pattern on a session, and records the pass.
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

    /// Records a pass that has just ended.
    fn note(&self, outcome: &PassOutcome, begun: Instant) {
        self.nanoseconds.fetch_add(begun.elapsed().as_nanos() as u64, Relaxed);
        self.pages.fetch_add(outcome.pages, Relaxed);
        self.edges.fetch_add(outcome.edges, Relaxed);
        self.read.fetch_add(outcome.read, Relaxed);
    }

    /// Returns what was recorded.
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

/// Returns what other ranks are told of a rank's work.
pub(super) fn encoded(work: &RankWork) -> Vec<u8> {
    let RankWork { pages_in_memory, pages, walked, edges, read, passes, exchanged, by_nccl } = *work;
    let own = [pages_in_memory, pages, walked, edges, read, passes.as_nanos() as u64];
    let moved = [exchanged, by_nccl]
        .map(|Exchanged { exchanges, sent, received, time }| [exchanges, sent, received, time.as_nanos() as u64]);
    own.iter().chain(moved.as_flattened()).flat_map(|number| number.to_le_bytes()).collect()
}

/// Returns the work that a rank has told of.
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
