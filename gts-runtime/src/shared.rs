//! The state that an engine shares with its runs.

use crate::report::{Recorder, RunProgress};
use gts_contract::Technique;
use gts_device::error::{Error, Result};
use gts_device::kernel::StopFlag;
use gts_device::{Device, PassLimits, PassOutcome, Propagation, SessionOptions, StepsBy};
use std::num::NonZeroU32;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// A callback that receives the progress of a run once per pass.
pub type ProgressCallback = Arc<dyn Fn(&RunProgress) + Send + Sync>;

/// The state that an engine shares with its runs.
pub(crate) struct EngineState {
    pub(crate) device: Arc<dyn Device>,
    pub(crate) technique: Option<Technique>,
    pub(crate) warp_chunk: Option<NonZeroU32>,
    pub(crate) propagation: Propagation,
    pub(crate) steps_by: StepsBy,
    pub(crate) max_steps: u32,
    pub(crate) seed: u64,
    pub(crate) checked: bool,
    pub(crate) time_limit: Option<Duration>,
    pub(crate) progress: Option<ProgressCallback>,
    pub(crate) session: SessionOptions,
    pub(crate) interrupt: Arc<StopFlag>,
    pub(crate) recorder: Recorder,
    /// The first error that made the device unusable.
    pub(crate) poison: OnceLock<Error>,
    pub(crate) notices: Vec<String>,
}

impl EngineState {
    /// Records the error if it makes the device unusable, and returns it.
    pub(crate) fn note(&self, error: Error) -> Error {
        if error.is_sticky() {
            // Only the first error contains the cause. Later errors are its consequences.
            let _ = self.poison.set(error.clone());
        }
        error
    }

    pub(crate) fn check(&self) -> Result<()> {
        match self.poison.get() {
            Some(error) => Err(Error::Poisoned(Box::new(error.clone()))),
            None => Ok(()),
        }
    }

    /// Records a pass and calls the progress callback, if one is set.
    pub(crate) fn tell(
        &self,
        kernel: &'static str,
        step: u32,
        outcome: &PassOutcome,
        frontier: Option<u64>,
        time: Duration,
    ) {
        self.recorder.pass(kernel, outcome, time);
        if let Some(callback) = &self.progress {
            callback(&RunProgress { kernel, step, edges: outcome.edges, frontier, time });
        }
    }

    /// Returns the limits of the next pass of a run that started at `start`.
    pub(crate) fn limits(&self, start: Instant) -> PassLimits {
        let kept = self.time_limit.filter(|_| self.device.keeps_time());
        PassLimits { deadline: kept.map(|limit| (limit, start + limit)), interrupt: Arc::clone(&self.interrupt) }
    }
}
