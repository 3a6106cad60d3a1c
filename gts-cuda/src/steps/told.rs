//! Page-locked memory through which a running loop reports each step, and the end of the loop, to the host.

use super::arguments::{LoopEnd, TOLD};
use crate::driver::{Context, Pinned};
use gts_device::error::Result;
use std::sync::Arc;

/// The number of low bits in a word that contain the reported value. The bits above count how often the word was used.
const BITS: u32 = 48;

/// The memory in which a device reports steps, and the number of steps before the current loop.
#[derive(Debug)]
pub(crate) struct Told {
    memory: Pinned,
    before: u64,
}

impl Told {
    pub(super) fn new(context: &Arc<Context>) -> Result<Self> {
        Ok(Self { memory: Pinned::new(context, 16 * TOLD + size_of::<LoopEnd>())?, before: 0 })
    }

    /// Returns the number of steps that earlier loops have reported.
    pub(super) fn before(&self) -> u64 {
        self.before
    }

    /// Returns the address at which the device reports steps.
    pub(super) fn address(&self) -> u64 {
        self.memory.address().addr() as u64
    }

    /// Returns the address at which the device stores the [`LoopEnd`].
    pub(super) fn end_address(&self) -> u64 {
        self.address() + 16 * TOLD as u64
    }

    /// Returns the report of a step: the number of active vertices after the step, and the number of edges in the step.
    /// Returns `None` if the memory does not contain the report.
    pub(super) fn step(&self, step: u64) -> Option<(u64, u64)> {
        let at = 16 * (step as usize % TOLD);
        let (active, edges) = (read(self.memory.word(at), step)?, read(self.memory.word(at + 8), step)?);
        Some((active, edges))
    }

    /// Returns the state at the end of the loop. The loop must have ended.
    pub(super) fn end(&self) -> LoopEnd {
        bytemuck::pod_read_unaligned(self.memory.part(16 * TOLD..16 * TOLD + size_of::<LoopEnd>()))
    }

    /// Adds the steps of a completed loop to the number of earlier steps.
    pub(super) fn advance(&mut self, steps: u64) {
        self.before += steps;
    }
}

/// Returns the value that a word contains for a step, or `None` if the word belongs to another step.
fn read(word: u64, step: u64) -> Option<u64> {
    let round = (step / TOLD as u64 + 1) << BITS;
    let told = word ^ round;
    (told >> BITS == 0).then_some(told)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the word that `gts_tell` writes for a step on the device.
    fn word(step: u64, value: u64) -> u64 {
        (step / TOLD as u64 + 1) << BITS | value
    }

    #[test]
    fn a_word_tells_of_its_own_step_alone() {
        let steps = [0, 1, TOLD as u64 - 1, TOLD as u64, 5 * TOLD as u64 + 3, (TOLD as u64) << 16];
        for (number, step) in steps.into_iter().enumerate() {
            assert_eq!(read(word(step, 77), step), Some(77));
            assert_eq!(read(word(step, 0), step), Some(0));
            for other in &steps[..number] {
                let same_round = (step / TOLD as u64) % (1 << 16) == (other / TOLD as u64) % (1 << 16);
                assert_eq!(read(word(*other, 77), step).is_some(), same_round, "{step} {other}");
            }
        }
        assert_eq!(read(0, 0), None, "nothing was told yet");
    }
}
