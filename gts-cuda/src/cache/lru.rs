//! The cache policy that retains the most recently used pages.

use super::{CachePolicy, Candidate};

/// Evicts the least recently used pages first. Pages last used in the same pass are equally recent. Among equally
/// recent pages, lower frames come first, so that consecutive pages get consecutive frames.
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
