//! Prefetches memory into the processor's cache.
#![allow(unsafe_code)]

/// Prefetches the cache line at an address. Has no effect if the processor does not support prefetching.
#[inline(always)]
pub fn prefetch(place: *const u8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the hint reads nothing and is valid for any address.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(place.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}
