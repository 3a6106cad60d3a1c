//! Returns freed memory to the system between the phases of a build. Otherwise the allocator could retain small freed
//! blocks of one phase in addition to the memory of the next phase.
#![allow(unsafe_code)]

/// Returns free memory to the system.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(super) fn give_back() {
    // SAFETY: the call affects no memory in use; it only makes the allocator release free memory.
    unsafe { libc::malloc_trim(0) };
}

/// Has no effect, because the allocator does not support returning memory.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(super) fn give_back() {}
