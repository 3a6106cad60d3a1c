//! Keeps the pages used last.

use super::{CachePolicy, Candidate};

/// Evicts the pages that were not used for the longest time. Pages of one pass count as used at the same time; among
/// them, frames are evicted in ascending order, so that consecutive pages get consecutive frames.
#[derive(Debug)]
pub(crate) struct Lru;

impl CachePolicy for Lru {
    fn victims(&self, candidates: &mut dyn Iterator<Item = Candidate>) -> Vec<u32> {
        let mut victims: Vec<Candidate> = candidates.collect();
        victims.sort_unstable_by_key(|victim| (victim.used, victim.frame));
        victims.into_iter().map(|victim| victim.frame).collect()
    }

    fn stays(&self) -> bool {
        false
    }
}
