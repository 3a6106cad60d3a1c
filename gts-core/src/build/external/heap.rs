//! Returns freed memory to the system between the phases of a build. Otherwise the allocator would keep what one phase
//! has freed in small pieces, in addition to what the next one takes.
#![allow(unsafe_code)]

/// Returns free memory to the system, if the allocator supports it.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(super) fn give_back() {
    // SAFETY: the call takes no memory from the caller; it only makes the allocator release free memory.
    unsafe { libc::malloc_trim(0) };
}

/// Does nothing: the allocator does not support it.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(super) fn give_back() {}
