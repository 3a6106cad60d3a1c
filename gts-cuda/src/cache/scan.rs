//! The cache policy that retains a fixed share of a scan's pages.

use super::{CachePolicy, Candidate};

/// Retains the cached pages, so that every repetition of a scan finds the same share of its pages. Replacing a page
/// with an equally useful page would waste a copy. Evicts only pages of a topology that is no longer walked.
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
