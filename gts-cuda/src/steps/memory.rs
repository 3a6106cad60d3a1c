//! Memory of step loops. A loop's memory is allocated when the loop first runs, if the device has enough memory left.

use super::arguments::{COUNTS, STATE};
use super::choice::Prospect;
use crate::driver::Buffer;
use crate::session::CudaSession;
use gts_core::cost::loops::{QUEUED_EDGES, QUEUED_NUMBER, claimed_bytes};
use gts_device::StepsRun;
use gts_device::error::{Error, Result};
use gts_device::tuning::CUDA_STEP_LOOPS;

/// The memory of each kind of loop; `None` until such a loop first runs.
#[derive(Debug, Default)]
pub(crate) struct StepMemory {
    pub(super) claims: Option<ClaimMemory>,
    pub(super) in_order: Option<QueueMemory>,
}

impl StepMemory {
    /// Returns whether any loop has memory.
    pub(crate) fn is_some(&self) -> bool {
        self.claims.is_some() || self.in_order.is_some()
    }
}

/// Memory of the claiming loop.
#[derive(Debug)]
pub(super) struct ClaimMemory {
    pub(super) claimed: Buffer,
    pub(super) queues: Buffer,
    pub(super) counts: Buffer,
    /// The capacity of a queue in entries.
    pub(super) room: u64,
    /// The next step number to use in queue entries. No entry contains this number or a larger number.
    pub(super) next_tag: u64,
}

/// Memory of the in-order loop.
#[derive(Debug)]
pub(super) struct QueueMemory {
    pub(super) vertices: [Buffer; 2],
    pub(super) firsts: [Buffer; 2],
    pub(super) state: Buffer,
}

impl CudaSession {
    /// Allocates a loop's memory if necessary. Returns `false` if the device has too little memory left.
    pub(super) fn has_step_memory(&mut self, run: StepsRun, prospect: &Prospect) -> Result<bool> {
        let made = match run {
            StepsRun::Claiming => self.make_claim_memory(prospect.claiming_room()),
            StepsRun::InOrder => self.make_queues(prospect.room),
        };
        match made {
            Ok(()) => Ok(true),
            Err(Error::OutOfMemory { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn make_claim_memory(&mut self, room: u64) -> Result<()> {
        if self.step_memory.claims.as_ref().is_some_and(|claims| claims.room >= room) {
            return Ok(());
        }
        self.step_memory.claims = None;
        let stream = &self.kit.stream;
        let queues = CUDA_STEP_LOOPS.claiming_bytes(room) as usize;
        let claimed = claimed_bytes(self.graph.num_vertices()) as usize;
        self.step_memory.claims = Some(ClaimMemory {
            claimed: Buffer::lent(stream, claimed, "vertices that are claimed")?,
            // Unwritten entries have step number 0, which no loop uses.
            queues: Buffer::lent_zeroed(stream, queues, "queues of vertices")?,
            counts: Buffer::lent(stream, 8 * COUNTS, "counts of a loop")?,
            room,
            next_tag: 1,
        });
        Ok(())
    }

    fn make_queues(&mut self, room: u64) -> Result<()> {
        if self.step_memory.in_order.is_some() {
            return Ok(());
        }
        let stream = &self.kit.stream;
        let queue = |bytes: u64| Buffer::lent(stream, (bytes * room) as usize, "queues of vertices");
        self.step_memory.in_order = Some(QueueMemory {
            vertices: [queue(QUEUED_NUMBER)?, queue(QUEUED_NUMBER)?],
            firsts: [queue(QUEUED_EDGES)?, queue(QUEUED_EDGES)?],
            state: Buffer::lent(stream, STATE, "the state of a loop")?,
        });
        Ok(())
    }
}
