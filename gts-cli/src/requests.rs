//! Requests to end the process: Ctrl-C and other signals.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Last message of an interrupted command.
pub(crate) const INTERRUPTION: &str = "interrupted";

static REQUESTS: AtomicUsize = AtomicUsize::new(0);

/// Returns whether Ctrl-C was pressed, or the process was asked to end.
pub fn requested() -> bool {
    requests() > 0
}

/// Returns the number of interruptions so far.
pub(crate) fn requests() -> usize {
    REQUESTS.load(Ordering::Relaxed)
}

/// Counts an interruption. Returns the number of earlier ones.
pub(crate) fn add() -> usize {
    REQUESTS.fetch_add(1, Ordering::Relaxed)
}
