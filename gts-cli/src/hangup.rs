//! The signal that a closing terminal sends, and that `nohup` makes a process ignore.
//!
//! Unsafe code reads and sets the action for that signal, because the handler of Ctrl-C would otherwise replace an
//! ignored one, too.
#![allow(unsafe_code)]

use std::mem::MaybeUninit;
use std::ptr;

/// Returns whether this process was started to outlive its terminal.
pub(crate) fn is_ignored() -> bool {
    let mut action = MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: without a new action the call writes the current one to the memory provided, and all zeros are a valid
    // action.
    unsafe {
        libc::sigaction(libc::SIGHUP, ptr::null(), action.as_mut_ptr()) == 0
            && action.assume_init().sa_sigaction == libc::SIG_IGN
    }
}

/// Ignores the signal.
pub(crate) fn ignore() {
    // SAFETY: no handler is set, so none runs.
    unsafe { libc::signal(libc::SIGHUP, libc::SIG_IGN) };
}
