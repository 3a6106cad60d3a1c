//! Signals to other processes, which unsafe code sends.
#![allow(unsafe_code)]

/// A signal that a command sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Signal {
    /// The signal of Ctrl-C.
    Interrupt,
    /// A request to end.
    Terminate,
    /// Ends the process even if it is stopped.
    Kill,
}

/// Sends a signal to a child process that has not been waited for yet.
pub(crate) fn send(process: u32, signal: Signal) {
    let number = match signal {
        Signal::Interrupt => libc::SIGINT,
        Signal::Terminate => libc::SIGTERM,
        Signal::Kill => libc::SIGKILL,
    };
    if let Ok(process @ 1..) = libc::pid_t::try_from(process) {
        // SAFETY: the call takes only numbers. A positive one names a single process.
        unsafe { libc::kill(process, number) };
    }
}
