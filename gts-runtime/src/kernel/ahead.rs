//! Fetching what edges will need before they come.
#![allow(unsafe_code)]

use super::Context;

/// Vertices from which on values of vertices outgrow a core's own cache, so that edges wait for memory.
const VERTICES: u64 = 1 << 18;

/// Whether a scan should tell of edges before they come: it costs a few instructions an edge, and saves waiting where
/// values come from memory. PageRank over RMAT 20 and 22 on two cores gained a fifth and more when it pulled.
#[inline(always)]
pub(super) fn looks_ahead(gts: Context<'_>) -> bool {
    gts.num_vertices() >= VERTICES
}

/// Has the processor fetch what lies there, where it knows such a hint.
#[inline(always)]
pub(super) fn prefetch(place: *const u8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a hint that reads nothing, for any address.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(place.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}
