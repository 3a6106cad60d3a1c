//! Accounts of device memory and page-locked memory. Each account contains the bytes in use, their peak, and the limit.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A context's account of one kind of memory.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    /// The maximum number of bytes that may be in use, if there is a limit.
    limit: Option<u64>,
    taken: AtomicU64,
    peak: AtomicU64,
}

impl Ledger {
    pub(super) fn new(limit: Option<u64>) -> Self {
        Self { limit, ..Self::default() }
    }

    /// Records an allocation. If the allocation would exceed the limit, records nothing, and returns the number of
    /// bytes left as the error.
    pub(super) fn take(&self, bytes: u64) -> Result<(), u64> {
        let more = |taken: u64| taken.checked_add(bytes).filter(|&sum| self.limit.is_none_or(|limit| sum <= limit));
        match self.taken.fetch_update(Relaxed, Relaxed, more) {
            Ok(before) => {
                self.peak.fetch_max(before + bytes, Relaxed);
                Ok(())
            }
            Err(taken) => Err(self.limit.unwrap_or(u64::MAX).saturating_sub(taken)),
        }
    }

    /// Records an allocation, regardless of the limit.
    pub(super) fn count(&self, bytes: u64) {
        let before = self.taken.fetch_add(bytes, Relaxed);
        self.peak.fetch_max(before.saturating_add(bytes), Relaxed);
    }

    /// Records that an allocation was freed.
    pub(super) fn give(&self, bytes: u64) {
        self.taken.fetch_sub(bytes, Relaxed);
    }

    /// Returns the number of bytes left below the limit, if there is a limit.
    pub(super) fn left(&self) -> Option<u64> {
        self.limit.map(|limit| limit.saturating_sub(self.taken.load(Relaxed)))
    }

    /// Returns the limit in bytes, if there is a limit.
    pub(crate) fn limit(&self) -> Option<u64> {
        self.limit
    }

    /// Returns the maximum number of bytes that were in use at the same time.
    pub(crate) fn peak(&self) -> u64 {
        self.peak.load(Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_holds_and_the_peak_stays() {
        let ledger = Ledger::new(Some(100));
        assert_eq!(ledger.take(60), Ok(()));
        assert_eq!(ledger.take(60), Err(40));
        assert_eq!(ledger.take(40), Ok(()));
        ledger.give(60);
        assert_eq!((ledger.left(), ledger.peak()), (Some(60), 100));
        assert_eq!(ledger.take(u64::MAX), Err(60));
    }

    #[test]
    fn what_is_counted_is_not_refused() {
        let ledger = Ledger::default();
        ledger.count(5);
        ledger.count(6);
        ledger.give(5);
        ledger.count(2);
        assert_eq!(ledger.peak(), 11);
    }

    #[test]
    fn without_a_limit_all_is_counted_and_nothing_refused() {
        let ledger = Ledger::default();
        assert_eq!(ledger.take(1 << 40), Ok(()));
        assert_eq!((ledger.left(), ledger.peak()), (None, 1 << 40));
    }
}
