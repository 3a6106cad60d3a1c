//! Keeps a fixed share of a scan.

use super::{CachePolicy, Candidate};

/// Keeps the pages in the cache, so that a repeated scan finds the same share every time, and no copy is spent on
/// exchanging a page for another of the same worth. Only pages of a topology that is no longer walked are evicted.
#[derive(Debug)]
pub(crate) struct Scan;

impl CachePolicy for Scan {
    fn victims(&self, candidates: &mut dyn Iterator<Item = Candidate>) -> Vec<u32> {
        candidates.filter(|candidate| candidate.idle).map(|victim| victim.frame).collect()
    }

    fn stays(&self) -> bool {
        true
    }
}
