//! The C library's heaps under a limit of the address space.
//!
//! Unsafe code reads the limit and sets the number of heaps.
#![allow(unsafe_code)]

/// Bytes of address space below which all threads share one heap.
const FOR_TWO: libc::rlim_t = 1 << 30;

/// Lowers the number of the C library's heaps if the address space is limited (`ulimit -v`). Each heap reserves 64 MiB or more
/// when a thread first allocates, whatever the thread needs. Call this function before the first thread starts.
pub(crate) fn limit() {
    if let Some(heaps) = address_space().and_then(most) {
        // SAFETY: the call sets a number of the allocator. Only this thread runs.
        unsafe { libc::mallopt(libc::M_ARENA_MAX, heaps) };
    }
}

/// Returns the largest number of heaps under a limit of this many bytes, or `None` if there is no limit.
fn most(limit: libc::rlim_t) -> Option<libc::c_int> {
    match limit {
        libc::RLIM_INFINITY => None,
        limit if limit < FOR_TWO => Some(1),
        _ => Some(2),
    }
}

/// Returns the limit of this process's address space, or `None` if the system does not report it.
fn address_space() -> Option<libc::rlim_t> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the call writes into the limit, which outlives it.
    let failed = unsafe { libc::getrlimit(libc::RLIMIT_AS, &mut limit) } != 0;
    (!failed).then_some(limit.rlim_cur)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_limited_address_space_has_few_heaps() {
        assert_eq!(most(libc::RLIM_INFINITY), None);
        assert_eq!([50 << 20, FOR_TWO - 1].map(most), [Some(1); 2]);
        assert_eq!([FOR_TWO, libc::RLIM_INFINITY - 1].map(most), [Some(2); 2]);
    }
}
