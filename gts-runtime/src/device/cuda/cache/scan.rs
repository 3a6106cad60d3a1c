//! A fixed share of a scan stays.

use super::{CachePolicy, Candidate};

/// What is in the cache stays, so that a scan that comes round again finds the same share every time, and no copy is spent
/// on exchanging one page for another that is worth as much. Only pages of a topology that is no longer walked give way.
#[derive(Debug)]
pub(in crate::device::cuda) struct Scan;

impl CachePolicy for Scan {
    fn victims(&self, candidates: &mut dyn Iterator<Item = Candidate>) -> Vec<u32> {
        candidates.filter(|candidate| candidate.idle).map(|victim| victim.frame).collect()
    }

    fn stays(&self) -> bool {
        true
    }
}
