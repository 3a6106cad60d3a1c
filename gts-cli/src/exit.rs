//! The end of a process. Unsafe code skips the exit handlers of libraries.
#![allow(unsafe_code)]

#[cfg(unix)]
use crate::started;
#[cfg(unix)]
use std::io::{self, Write};

/// Ends the process without the exit handlers of libraries if it is a rank of several that were started together. NCCL
/// may still free its part of a GPU on a thread, because other ranks have not freed theirs, and the driver must not end
/// before. A rank that ends in order has left its group, and MPI, before.
pub(crate) fn end_rank(code: u8) {
    #[cfg(unix)]
    if started::rank().is_some() {
        // An error while printing is reported elsewhere.
        let _ = io::stdout().flush();
        // SAFETY: the first call writes the buffered output of libraries. The second ends the process, and none of its
        // code runs afterwards.
        unsafe {
            libc::fflush(std::ptr::null_mut());
            libc::_exit(code.into());
        }
    }
    #[cfg(not(unix))]
    let _ = code;
}
