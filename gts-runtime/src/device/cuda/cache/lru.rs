//! The pages used last stay.

use super::{CachePolicy, Candidate};

/// What no pass has used for the longest time gives way. Pages of one pass were used at the same time; of those, the
/// frames go in their order, so that pages that follow one another find frames that do.
#[derive(Debug)]
pub(in crate::device::cuda) struct Lru;

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
