//! Ends a pass whose body never does: sets the stop flag at the deadline.

use crate::device::Limits;
use crate::kernel::StopFlag;
use std::sync::mpsc;
use std::time::Instant;

/// Runs a pass, and sets `stop` when the deadline comes before its end.
pub(super) fn within<T: Send>(limits: &Limits, stop: &StopFlag, pass: impl FnOnce() -> T + Send) -> T {
    let Some((_, end)) = limits.deadline else { return pass() };
    std::thread::scope(|scope| {
        let (done, wait) = mpsc::channel::<()>();
        scope.spawn(move || {
            let left = end.saturating_duration_since(Instant::now());
            // A message never comes: the sender is dropped when the pass has ended.
            if wait.recv_timeout(left) == Err(mpsc::RecvTimeoutError::Timeout) {
                stop.stop();
            }
        });
        let result = pass();
        drop(done);
        result
    })
}
