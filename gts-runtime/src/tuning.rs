//! Numbers that measurements have chosen, each with its unit and its reason.

use gts_core::contract::Technique;

/// How scans spread edges over a GPU's threads where nobody has chosen.
pub const CUDA_SCAN_TECHNIQUE: Technique = Technique::Balanced;

/// The same for traversals.
pub const CUDA_TRAVERSE_TECHNIQUE: Technique = Technique::Balanced;

/// Entries a vertex below which the hybrid technique gives a page's vertices a thread each: with fewer, finding the
/// owner of an entry costs more than threads lose by waiting for the longest list of their warp.
pub const CUDA_HYBRID_ENTRIES_A_VERTEX: u64 = 4;

/// Blocks a multiprocessor of launches whose work is counted on the device: what it holds at a time, 2,048 threads.
pub const CUDA_BLOCKS_A_MULTIPROCESSOR: u64 = 8;
