//! The signal that a terminal sends when it closes, which `nohup` has a process ignore.
//!
//! Unsafe code asks for and sets what the system does at that signal: the handler of Ctrl-C takes it too, and knows no
//! exception.
#![allow(unsafe_code)]

use std::mem::MaybeUninit;
use std::ptr;

/// Whether this process was started to outlive its terminal.
pub(crate) fn is_ignored() -> bool {
    let mut action = MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: without a new action the call writes the present one to where there is room for it, and all zeros are one.
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
