//! Reports the progress of a build and measures its phases.

use super::{BuildError, BuildOptions, Phase, Progress, ProgressFn};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Reports progress, and measures the time of each phase.
pub(super) struct Reporter {
    callback: Option<ProgressFn>,
    stop: Option<Arc<AtomicBool>>,
    started: Instant,
    times: Vec<(Phase, Duration)>,
}

impl Reporter {
    pub(super) fn new(options: &BuildOptions) -> Self {
        Self {
            callback: options.progress.clone(),
            stop: options.stop.clone(),
            started: Instant::now(),
            times: Phase::ALL.map(|phase| (phase, Duration::ZERO)).to_vec(),
        }
    }

    /// Reports the progress of a phase. Fails if the build was stopped.
    pub(super) fn report(&self, phase: Phase, done: u64, total: Option<u64>) -> Result<(), BuildError> {
        if let Some(callback) = &self.callback {
            callback(Progress { phase, done, total });
        }
        match &self.stop {
            Some(stop) if stop.load(Ordering::Relaxed) => Err(BuildError::Interrupted),
            _ => Ok(()),
        }
    }

    /// Adds the time since the last call to the time of `phase`.
    pub(super) fn finish(&mut self, phase: Phase) {
        let now = Instant::now();
        if let Some((_, time)) = self.times.iter_mut().find(|(each, _)| *each == phase) {
            *time += now - self.started;
        }
        self.started = now;
    }

    pub(super) fn times(self) -> Vec<(Phase, Duration)> {
        self.times
    }
}
