//! Gives memory that was freed back to the system between the phases of a build: what one phase has freed in small
//! pieces, the allocator would else keep beside what the next one takes.
#![allow(unsafe_code)]

/// Gives back what is free, where the allocator can be asked to.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(super) fn give_back() {
    // SAFETY: the call takes no memory from the caller; it only tells the allocator to keep none that is free.
    unsafe { libc::malloc_trim(0) };
}

/// Does nothing: the allocator cannot be asked.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(super) fn give_back() {}
