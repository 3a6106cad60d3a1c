//! Ends a pass whose body never does: sets the stop flag at the deadline.

use crate::device::Limits;
use crate::error::Result;
use crate::kernel::StopFlag;
use gts_core::threads;
use std::sync::mpsc;
use std::time::Instant;

/// Runs a pass, and sets `stop` when the deadline comes before its end. A pass with a deadline that no thread could watch
/// is not begun.
pub(super) fn within<T>(limits: &Limits, stop: &StopFlag, pass: impl FnOnce() -> T) -> Result<T> {
    let Some((_, end)) = limits.deadline else { return Ok(pass()) };
    let (done, wait) = mpsc::channel::<()>();
    let watch = move || {
        let left = end.saturating_duration_since(Instant::now());
        // A message never comes: the sender is dropped when the pass has ended.
        if wait.recv_timeout(left) == Err(mpsc::RecvTimeoutError::Timeout) {
            stop.stop();
        }
    };
    Ok(threads::beside(watch, move || {
        let result = pass();
        drop(done);
        result
    })?)
}
