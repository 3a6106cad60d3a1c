//! Arguments of loops over steps, in addition to those of all entry points: slots of eight bytes. The other side is
//! `gts_steps` in `cuda_src/steps.cuh` and `gts_claims` in `cuda_src/claims.cuh`.

use crate::arguments::ListArguments;
use bytemuck::{Pod, Zeroable};
use gts_device::tuning::CUDA_STEP_LOOPS;

/// Blocks of the claiming loop: `GTS_CLAIMING_BLOCKS`.
pub(super) const CLAIMING_BLOCKS: u32 = CUDA_STEP_LOOPS.blocks;
/// Threads per block of the claiming loop: `GTS_CLAIMING_THREADS`.
pub(super) const CLAIMING_THREADS: u32 = 512;
/// Lanes that share a vertex in the claiming loop: `GTS_CLAIMING_LANES`.
pub(super) const CLAIMING_LANES: u32 = 4;
const _: () = assert!(CLAIMING_THREADS / CLAIMING_LANES == CUDA_STEP_LOOPS.vertices_at_a_time);
/// Threads per block of the loop in order: `GTS_STEPS_THREADS`.
pub(super) const STEPS_THREADS: u32 = 512;
/// Steps that the host may fall behind: `GTS_TOLD`.
pub(super) const TOLD: usize = 16384;
/// Bits for the number of edges in a queue: `GTS_EDGE_BITS`.
pub(super) const EDGE_BITS: u32 = 34;

/// Arguments of the loop in order: `gts_steps`. Addresses are of device memory, except `end` and `told`.
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

/// Arguments of the claiming loop: `gts_claims`.
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

/// Bytes of the state that the blocks of the loop in order share: `gts_steps_state`.
pub(super) const STATE: usize = 9 * 8;

/// Words for counts of the claiming loop's blocks: those of two steps, and one for the vertices listed first.
pub(super) const COUNTS: usize = 2 * CLAIMING_BLOCKS as usize + 1;

/// The end of a loop: `gts_loop_end`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(super) struct LoopEnd {
    pub(super) steps: u64,
    /// Vertices that are active after the last step.
    pub(super) active: u64,
    /// Edges of all steps.
    pub(super) edges: u64,
}
