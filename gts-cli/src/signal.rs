//! Signals to other processes. Unsafe code asks the system to send one.
#![allow(unsafe_code)]

/// A signal that a command sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Signal {
    /// As Ctrl-C does.
    Interrupt,
    /// Asks to end.
    Terminate,
    /// Ends, stopped processes too.
    Kill,
}

/// Sends a signal to a process that this one has started and not waited for yet.
pub(crate) fn send(process: u32, signal: Signal) {
    let number = match signal {
        Signal::Interrupt => libc::SIGINT,
        Signal::Terminate => libc::SIGTERM,
        Signal::Kill => libc::SIGKILL,
    };
    if let Ok(process @ 1..) = libc::pid_t::try_from(process) {
        // SAFETY: the call takes numbers alone. A positive one names a single process.
        unsafe { libc::kill(process, number) };
    }
}
