//! Enforces the deadline of a pass: a separate thread sets the stop flag even while a kernel body is in a long loop.
//!
//! All passes of a process share the thread, because starting a thread takes longer than a short pass.

use gts_core::threads;
use gts_device::PassLimits;
use gts_device::error::Result;
use gts_device::kernel::StopFlag;
use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// The running passes that have a deadline.
struct Deadlines {
    /// The stop flags, by deadline. Numbers distinguish passes with the same deadline.
    passes: BTreeMap<(Instant, u64), Arc<StopFlag>>,
    next: u64,
    has_thread: bool,
}

static DEADLINES: Mutex<Deadlines> = Mutex::new(Deadlines { passes: BTreeMap::new(), next: 0, has_thread: false });
/// Wakes the thread if the earliest deadline has changed.
static CHANGED: Condvar = Condvar::new();

/// Locks the passes. They are consistent even if a thread has panicked.
fn deadlines() -> MutexGuard<'static, Deadlines> {
    DEADLINES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A pass that is being watched, until it is dropped.
struct Watched((Instant, u64));

impl Watched {
    fn begin(deadline: Instant, stop: &Arc<StopFlag>) -> Result<Self> {
        let mut deadlines = deadlines();
        if !deadlines.has_thread {
            threads::start("gts-deadline", keep_deadlines)?;
            deadlines.has_thread = true;
        }
        let key = (deadline, deadlines.next);
        deadlines.next += 1;
        deadlines.passes.insert(key, stop.clone());
        if deadlines.passes.first_key_value().is_some_and(|(first, _)| *first == key) {
            CHANGED.notify_one();
        }
        Ok(Self(key))
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        deadlines().passes.remove(&self.0);
    }
}

/// Sets the stop flag of every pass that reaches its deadline.
fn keep_deadlines() {
    let mut deadlines = deadlines();
    loop {
        let now = Instant::now();
        let left = match deadlines.passes.first_entry() {
            Some(pass) if pass.key().0 <= now => {
                pass.remove().stop();
                continue;
            }
            first => first.map(|pass| pass.key().0 - now),
        };
        deadlines = match left {
            Some(left) => CHANGED.wait_timeout(deadlines, left).unwrap_or_else(PoisonError::into_inner).0,
            None => CHANGED.wait(deadlines).unwrap_or_else(PoisonError::into_inner),
        };
    }
}

/// Runs a pass, and sets `stop` if the deadline expires before the pass ends. Returns an error without running the pass
/// if the watching thread cannot be started.
pub(super) fn within<T>(limits: &PassLimits, stop: &Arc<StopFlag>, pass: impl FnOnce() -> T) -> Result<T> {
    let Some((_, deadline)) = limits.deadline else { return Ok(pass()) };
    let _watched = Watched::begin(deadline, stop)?;
    Ok(pass())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn limits(after: Duration) -> PassLimits {
        PassLimits { deadline: Some((after, Instant::now() + after)), ..PassLimits::default() }
    }

    #[test]
    fn only_passes_beyond_their_deadline_are_stopped() {
        let [short, long, ended] = std::array::from_fn(|_| Arc::new(StopFlag::default()));
        within(&limits(Duration::from_millis(5)), &ended, || ()).unwrap();
        within(&limits(Duration::from_secs(60)), &long, || {
            // This deadline is earlier than the one for which the thread already waits.
            within(&limits(Duration::from_millis(20)), &short, || while !short.stopped() {}).unwrap();
        })
        .unwrap();
        assert!(short.stopped() && !long.stopped() && !ended.stopped());
    }
}
