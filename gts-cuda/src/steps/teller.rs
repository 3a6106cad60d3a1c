//! Forwards the reports of a loop to the traversal and to the trace.

use crate::pass::LoadedAmount;
use gts_contract::KernelDescriptor;
use gts_device::trace::{Trace, TraceEvent, TraceKind};
use gts_device::{PassOutcome, StepsRun, Traversal};
use std::time::{Duration, Instant};

/// Reports the steps of a loop to the traversal and to the trace.
#[derive(Debug)]
pub(super) struct Teller {
    kernel: &'static KernelDescriptor,
    run: StepsRun,
    /// The amount of data loaded for the first step; zero once that step has been reported.
    loaded: LoadedAmount,
    trace: Trace,
    device: u32,
    /// The time at which the last reported step ended, or at which the loop started if no step has been reported.
    last: Instant,
}

impl Teller {
    pub(super) fn new(
        kernel: &'static KernelDescriptor,
        run: StepsRun,
        loaded: LoadedAmount,
        (trace, device): (Trace, u32),
    ) -> Self {
        Self { kernel, run, loaded, trace, device, last: Instant::now() }
    }

    /// Reports steps that the host read together. Each item consists of the number of active vertices after a step, and
    /// the number of edges in the step.
    pub(super) fn tell(&mut self, steps: &[(u64, u64)], traversal: &mut Traversal<'_>) {
        if steps.is_empty() {
            return;
        }
        let time = self.time_of(steps.len() as u64);
        for &(active, edges) in steps {
            self.finish(edges, Some(active), time, traversal);
        }
    }

    /// Reports `steps` steps that the host could not read individually. The steps have `edges` edges in total, and
    /// `active` vertices are active after the last step.
    pub(super) fn missed(&mut self, steps: u64, edges: u64, active: u64, traversal: &mut Traversal<'_>) {
        let time = self.time_of(steps);
        for left in (0..steps).rev() {
            let (edges, active) = if left == 0 { (edges, Some(active)) } else { (0, None) };
            self.finish(edges, active, time, traversal);
        }
    }

    /// Returns the average time per step if `steps` steps have ended since the last report.
    fn time_of(&self, steps: u64) -> Duration {
        self.last.elapsed() / u32::try_from(steps.max(1)).unwrap_or(u32::MAX)
    }

    fn finish(&mut self, edges: u64, active: Option<u64>, time: Duration, traversal: &mut Traversal<'_>) {
        let start = self.trace.time_of(self.last);
        self.last += time;
        self.trace.record(TraceEvent {
            kind: TraceKind::Launch,
            device: self.device,
            lane: 0,
            start,
            end: start + time,
            bytes: 0,
            pages: 0,
            label: self.kernel.name,
        });
        let loaded = std::mem::take(&mut self.loaded);
        let outcome = PassOutcome {
            edges,
            copied: loaded.copied,
            read: loaded.read,
            kernel_time: Some(time),
            steps_run: Some(self.run),
            ..PassOutcome::default()
        };
        traversal.finish(&outcome, active, time);
    }
}
