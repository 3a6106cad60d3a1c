//! Computes the memory for loops over traversal steps, which a GPU runs without the host. Plans and sessions use the
//! same functions.
//!
//! A session allocates this memory from the space that attributes and pages leave free. If too little is left, the host
//! starts each step.

use super::algorithm::{AlgorithmShape, Steps};
use super::machine::ProcessorConstants;
use super::memory::{Need, RunConfiguration};
use super::pulling::edges_to_pull;
use super::requirements::can_pull;
use crate::graph::GraphShape;
use gts_contract::{KernelKind, StepLoop};

/// Seconds per edge in the in-order loop, which has fewer threads than a pass. On an H100, pushing WCC took 0.15 to
/// 0.18 ns per edge on two grids and three tori of up to 4 million vertices, and 0.08 ns on a scale-17 uniform graph.
pub const LOOP_EDGE: f64 = 0.16e-9;
/// The size in bytes of the offset at which a vertex's list begins.
const PLACE: u64 = 8;
/// The size in bytes of a vertex number in a queue of the in-order loop.
pub const QUEUED_NUMBER: u64 = 4;
/// The size in bytes of the number of preceding edges, which a queue of the in-order loop stores per vertex.
pub const QUEUED_EDGES: u64 = 8;
/// The size in bytes of an entry in a queue of the claiming loop.
const CLAIMING: u64 = 8;
/// The number of queues per loop: one for the current step, one for the next.
const QUEUES: u64 = 2;
/// The size of a word in the set of claimed vertices, in bytes and in vertices.
const WORD: [u64; 2] = [4, 32];

/// The limits and sizes of the loops that a GPU runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepLoops {
    /// Maximum degree for the in-order loop if the kernel cannot claim.
    pub in_order_degree: u64,
    /// Maximum degree for the claiming loop.
    pub claiming_degree: u64,
    /// Maximum number of active vertices for a step of the claiming loop.
    pub claiming_active: u64,
    /// The number of blocks of the claiming loop.
    pub blocks: u32,
    /// The number of vertices that a block processes together.
    pub vertices_at_a_time: u32,
    /// Maximum number of vertices in a queue of the in-order loop.
    pub room: u64,
}

impl StepLoops {
    /// Returns whether a loop can run steps of a kernel, ignoring the number of active vertices.
    pub fn are_wanted(&self, step_loop: StepLoop, largest_degree: u64) -> bool {
        match step_loop {
            StepLoop::No => false,
            StepLoop::InOrder => largest_degree <= self.in_order_degree,
            StepLoop::Claiming => true,
        }
    }

    /// Returns whether the claiming loop can run steps of a kernel that walks `walks` topologies.
    pub fn may_claim(&self, step_loop: StepLoop, walks: usize, largest_degree: u64) -> bool {
        step_loop == StepLoop::Claiming && walks == 1 && largest_degree <= self.claiming_degree
    }

    /// Returns the maximum number of active vertices for a step of the claiming loop. With more vertices, the step
    /// could have enough edges to pull, or exceed [`StepLoops::claiming_active`].
    pub fn most_to_claim(&self, largest_degree: u64, edges_to_pull: Option<u64>) -> u64 {
        let to_push = edges_to_pull.map_or(u64::MAX, |edges| edges.saturating_sub(1) / largest_degree.max(1));
        to_push.min(self.claiming_active)
    }

    /// Returns the capacity of each block's queue in the claiming loop, in entries. A block processes an equal share of
    /// the vertices and may reach all their neighbours.
    pub fn claiming_room(&self, largest_degree: u64, edges_to_pull: Option<u64>) -> u64 {
        let most = self.most_to_claim(largest_degree, edges_to_pull);
        let share = most.div_ceil(self.blocks.into()).next_multiple_of(self.vertices_at_a_time.into());
        share * largest_degree.max(1)
    }

    /// Returns the size in bytes of the claiming loop's queues, with room for `room` entries per block.
    pub fn claiming_bytes(&self, room: u64) -> u64 {
        QUEUES * CLAIMING * u64::from(self.blocks) * room
    }

    /// Returns the capacity of a queue of the in-order loop, in vertices.
    pub fn room(&self, vertices: u64) -> u64 {
        vertices.min(self.room)
    }
}

/// Returns the size in bytes of a topology's list offsets.
pub fn place_bytes(vertices: u64) -> u64 {
    PLACE * vertices
}

/// Returns the size in bytes of the bit set of claimed vertices.
pub fn claimed_bytes(vertices: u64) -> u64 {
    let [bytes, bits] = WORD;
    bytes * vertices.div_ceil(bits)
}

/// Returns the size in bytes of the in-order loop's queues, with room for `room` vertices in each queue.
pub(super) fn queue_bytes(room: u64) -> u64 {
    QUEUES * (QUEUED_NUMBER + QUEUED_EDGES) * room
}

/// Returns the memory for step loops on a device whose memory contains all pages; `None` if no loop runs.
pub(super) fn loop_need(
    graph: &GraphShape,
    algorithm: &AlgorithmShape,
    processor: &ProcessorConstants,
    configuration: &RunConfiguration,
    pulls: bool,
) -> Option<Need> {
    let loops =
        configuration.step_loops.filter(|_| configuration.devices == 1 && !configuration.nodes.are_several())?;
    let [kernel] = &algorithm.each_step[..] else { return None };
    let is_traversal = kernel.kind == KernelKind::Traverse && matches!(algorithm.steps, Steps::WhileActive(_));
    if !is_traversal || configuration.lists_edges() || graph.vertex_bytes() != 4 {
        return None;
    }
    let largest = kernel.sides.iter().map(|&side| graph.largest_degree(side)).max()?;
    if !loops.are_wanted(kernel.step_loop, largest) {
        return None;
    }
    let walks = kernel.sides.len();
    let distinct = if graph.symmetric { 1 } else { walks as u64 };
    let claims = loops.may_claim(kernel.step_loop, walks, largest);
    let claiming = if claims {
        let share = configuration.pull_share.filter(|_| pulls && can_pull(graph, kernel));
        let edges_to_pull = share.map(|share| match share {
            u64::MAX => 1,
            _ => edges_to_pull(graph, kernel, processor, 0),
        });
        claimed_bytes(graph.vertices) + loops.claiming_bytes(loops.claiming_room(largest, edges_to_pull))
    } else {
        0
    };
    // A step with too many vertices for the claiming loop runs in the in-order loop.
    let in_order = !claims || graph.vertices > loops.claiming_active;
    let queues = if in_order { queue_bytes(loops.room(graph.vertices)) } else { 0 };
    let bytes = distinct * place_bytes(graph.vertices) + claiming + queues;
    Some(Need { what: "loops over steps", bytes })
}
