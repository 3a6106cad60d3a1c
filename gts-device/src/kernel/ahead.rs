//! Announces each edge before its visit, so that the processor prefetches the memory that the visit will write.

use super::Context;

/// Minimum number of vertices for announcing edges. The values of smaller graphs fit into the private cache of a core.
const VERTICES: u64 = 1 << 18;

/// Returns whether a scan that writes to the targets of its edges should announce each edge before visiting it. An
/// atomic update waits for its memory and blocks later updates. Plain reads overlap without announcements: on 16 cores
/// with graphs of 2^24 vertices, a scan that only reads took a third longer with announcements.
#[inline(always)]
pub(super) fn looks_ahead(gts: Context<'_>) -> bool {
    gts.num_vertices() >= VERTICES
}
