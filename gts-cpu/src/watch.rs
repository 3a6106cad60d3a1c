//! Enforces the deadline of a pass: a separate thread sets the stop flag even while a kernel body is in a long loop.

use gts_core::threads;
use gts_device::PassLimits;
use gts_device::error::Result;
use gts_device::kernel::StopFlag;
use std::sync::mpsc;
use std::time::Instant;

/// Runs a pass, and sets `stop` if the deadline expires before the pass ends. Returns an error without running the pass
/// if the watching thread cannot be started.
pub(super) fn within<T>(limits: &PassLimits, stop: &StopFlag, pass: impl FnOnce() -> T) -> Result<T> {
    let Some((_, end)) = limits.deadline else { return Ok(pass()) };
    let (done, wait) = mpsc::channel::<()>();
    let watch = move || {
        let left = end.saturating_duration_since(Instant::now());
        // No message is ever sent: dropping the sender after the pass ends the wait.
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
