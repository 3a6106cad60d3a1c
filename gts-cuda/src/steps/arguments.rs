//! Arguments of step loops, in addition to the common arguments of all entry points.
//!
//! The arguments fill slots of eight bytes. The layouts match `gts_steps` in `cuda_src/steps.cuh` and `gts_claims` in
//! `cuda_src/claims.cuh`.

use crate::arguments::ListArguments;
use bytemuck::{Pod, Zeroable};
use gts_device::tuning::CUDA_STEP_LOOPS;

/// The number of blocks in the claiming loop: `GTS_CLAIMING_BLOCKS`.
pub(super) const CLAIMING_BLOCKS: u32 = CUDA_STEP_LOOPS.blocks;
/// Threads per block in the claiming loop: `GTS_CLAIMING_THREADS`.
pub(super) const CLAIMING_THREADS: u32 = 512;
/// Lanes per vertex in the claiming loop: `GTS_CLAIMING_LANES`.
pub(super) const CLAIMING_LANES: u32 = 4;
const _: () = assert!(CLAIMING_THREADS / CLAIMING_LANES == CUDA_STEP_LOOPS.vertices_at_a_time);
/// Threads per block in the in-order loop: `GTS_STEPS_THREADS`.
pub(super) const STEPS_THREADS: u32 = 512;
/// The number of steps by which the host may lag behind the device without missing a report: `GTS_TOLD`.
pub(super) const TOLD: usize = 16384;
/// The number of low bits in a queue's count that contain the number of edges: `GTS_EDGE_BITS`.
pub(super) const EDGE_BITS: u32 = 34;

/// The arguments of the in-order loop: `gts_steps`. Addresses refer to device memory, except `end` and `told`, which
/// refer to page-locked host memory.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct StepArguments {
    pub(super) walks: u64,
    pub(super) lists: [ListArguments; 2],
    pub(super) places: [u64; 2],
    pub(super) sets: [u64; 2],
    pub(super) words: u64,
    pub(super) vertices: [u64; 2],
    pub(super) firsts: [u64; 2],
    pub(super) room: u64,
    pub(super) state: u64,
    pub(super) most_steps: u64,
    pub(super) too_many_edges: u64,
    pub(super) end: u64,
    pub(super) told: u64,
    pub(super) told_before: u64,
}

/// The arguments of the claiming loop: `gts_claims`.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct ClaimArguments {
    pub(super) places: u64,
    pub(super) claimed: u64,
    pub(super) active: u64,
    pub(super) queues: u64,
    pub(super) room: u64,
    pub(super) counts: u64,
    pub(super) listed: u64,
    pub(super) first_tag: u64,
    pub(super) most_steps: u64,
    pub(super) most_active: u64,
    pub(super) end: u64,
    pub(super) told: u64,
    pub(super) told_before: u64,
}

/// The size in bytes of the state that all blocks of the in-order loop share: `gts_steps_state`.
pub(super) const STATE: usize = 9 * 8;

/// The number of words for counts in the claiming loop: two per block for alternating steps, and one for the vertices
/// in the first queues.
pub(super) const COUNTS: usize = 2 * CLAIMING_BLOCKS as usize + 1;

/// The state at the end of a loop: `gts_loop_end`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(super) struct LoopEnd {
    pub(super) steps: u64,
    /// The number of active vertices after the last step.
    pub(super) active: u64,
    /// The number of edges walked in all steps.
    pub(super) edges: u64,
}
