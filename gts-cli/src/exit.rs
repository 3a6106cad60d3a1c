//! The end of a process. Unsafe code skips what libraries do there.
#![allow(unsafe_code)]

#[cfg(unix)]
use crate::group;
#[cfg(unix)]
use std::io::{self, Write};

/// Ends the process if it is a rank of several that were started together, without what libraries do at the end of a process: NCCL may
/// still free its part of a GPU on a thread, because other ranks have not freed theirs, and must not meet a driver that has ended. A
/// rank that ends in order has left its group before, and MPI with it.
pub(crate) fn end_rank(code: u8) {
    #[cfg(unix)]
    if group::rank().is_some() {
        // What cannot be printed is told elsewhere.
        let _ = io::stdout().flush();
        // SAFETY: the first call writes what libraries have printed. The second ends the process, and nothing of it runs afterwards.
        unsafe {
            libc::fflush(std::ptr::null_mut());
            libc::_exit(code.into());
        }
    }
    #[cfg(not(unix))]
    let _ = code;
}
