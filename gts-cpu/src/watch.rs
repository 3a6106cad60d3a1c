//! Ends a pass whose body does not return: sets the stop flag at the deadline.

use gts_core::threads;
use gts_device::Limits;
use gts_device::error::Result;
use gts_device::kernel::StopFlag;
use std::sync::mpsc;
use std::time::Instant;

/// Runs a pass, and sets `stop` if the deadline passes before its end. If no thread can watch the deadline, the pass is
/// not started.
pub(super) fn within<T>(limits: &Limits, stop: &StopFlag, pass: impl FnOnce() -> T) -> Result<T> {
    let Some((_, end)) = limits.deadline else { return Ok(pass()) };
    let (done, wait) = mpsc::channel::<()>();
    let watch = move || {
        let left = end.saturating_duration_since(Instant::now());
        // No message is sent: the sender is dropped when the pass has ended.
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
