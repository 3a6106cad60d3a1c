//! The address-space limit of this process (`ulimit -v`), and the C library's heaps under it.
//!
//! Unsafe code reads the limit and sets the number of heaps.
#![allow(unsafe_code)]

/// Bytes of address space below which all threads share one heap.
const FOR_TWO: libc::rlim_t = 1 << 30;

/// Returns whether the address space is limited.
pub(crate) fn is_limited() -> bool {
    heaps(limit()).is_some()
}

/// Lowers the number of the C library's heaps if the address space is limited. Each heap reserves at least 64 MiB when
/// a thread first allocates. Call this function before the first thread starts.
pub(crate) fn limit_heaps() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    if let Some(heaps) = heaps(limit()) {
        // SAFETY: the call sets a parameter of the allocator. Only this thread runs.
        unsafe { libc::mallopt(libc::M_ARENA_MAX, heaps) };
    }
}

/// Returns the largest number of heaps under a limit of this many bytes, or `None` if there is no limit.
fn heaps(limit: libc::rlim_t) -> Option<libc::c_int> {
    match limit {
        libc::RLIM_INFINITY => None,
        limit if limit < FOR_TWO => Some(1),
        _ => Some(2),
    }
}

/// Returns the limit of this process's address space in bytes.
fn limit() -> libc::rlim_t {
    let mut limit = libc::rlimit { rlim_cur: libc::RLIM_INFINITY, rlim_max: libc::RLIM_INFINITY };
    // SAFETY: the call writes to the limit, which outlives it. If the call fails, the limit stays infinite.
    unsafe { libc::getrlimit(libc::RLIMIT_AS, &mut limit) };
    limit.rlim_cur
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_limited_address_space_has_few_heaps() {
        assert_eq!(heaps(libc::RLIM_INFINITY), None);
        assert_eq!([50 << 20, FOR_TWO - 1].map(heaps), [Some(1); 2]);
        assert_eq!([FOR_TWO, libc::RLIM_INFINITY - 1].map(heaps), [Some(2); 2]);
    }
}
