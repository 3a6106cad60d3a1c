//! Reports the progress of a build and measures its phases.

use super::{Phase, Progress, ProgressFn};
use std::time::{Duration, Instant};

/// Reports progress, and measures the time of each phase.
pub(super) struct Reporter {
    callback: Option<ProgressFn>,
    started: Instant,
    times: Vec<(Phase, Duration)>,
}

impl Reporter {
    pub(super) fn new(callback: Option<ProgressFn>) -> Self {
        Self { callback, started: Instant::now(), times: Phase::ALL.map(|phase| (phase, Duration::ZERO)).to_vec() }
    }

    /// Reports the progress of a phase.
    pub(super) fn report(&self, phase: Phase, done: u64, total: Option<u64>) {
        if let Some(callback) = &self.callback {
            callback(Progress { phase, done, total });
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
