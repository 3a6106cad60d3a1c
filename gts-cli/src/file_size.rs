//! The signal for a file that exceeds the system's size limit (`ulimit -f`).
//!
//! Unsafe code sets the action for that signal.
#![allow(unsafe_code)]

/// Ignores the signal, which would end the process. Instead, the write that exceeds the limit fails like one on a full
/// disk, and incomplete files are cleaned up.
pub(crate) fn ignore_signal() {
    // SAFETY: no handler is set, so none runs.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
}
