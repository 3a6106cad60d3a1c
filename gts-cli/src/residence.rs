//! The default share of a store in host memory. A run and its plan use the same rule.

use crate::group::sharers;
use crate::memory::free_beside_threads;

/// Returns the limit for tables and pages with `free` bytes of free memory: the rest is for attributes and the answer.
pub(crate) fn limit_within(free: u64) -> u64 {
    free / 4 * 3
}

/// Returns the free bytes with which `limit` is the limit.
pub(crate) fn free_for(limit: u64) -> u64 {
    (limit / 3).saturating_add(1).saturating_mul(4)
}

/// Returns the bytes that tables and pages may take on this machine now, or `None` if the system does not report the
/// free memory. Ranks share it.
pub fn default_limit() -> Option<u64> {
    free_beside_threads().map(|free| limit_within(free / sharers()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_for_a_limit_has_that_limit() {
        for limit in [0, 1, 5, 24 << 30, 64 << 30] {
            assert!(limit_within(free_for(limit)) >= limit, "{limit}");
        }
        assert!(limit_within(free_for(u64::MAX)) > u64::MAX / 2);
    }
}
