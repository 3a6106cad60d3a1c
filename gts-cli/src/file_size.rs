//! The signal of a file that grows beyond the size which the system allows (`ulimit -f`).
//!
//! Unsafe code sets what the system does at that signal.
#![allow(unsafe_code)]

/// Ignores the signal, which would end the process: the write that is too large fails instead, like one on a full disk,
/// and what was begun is cleaned up.
pub(crate) fn ignore_signal() {
    // SAFETY: no handler is set, so none runs.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
}
