//! Adjusts the CPU's share to the speeds measured in a run's first passes.

use super::work::Carried;
use super::{GRID, Model, Step, WORTHWHILE};

/// The number of iterations for fitting the model. The sides slow each other down if both use host memory, so one
/// iteration is not enough.
const FITTING: usize = 16;

/// The seconds measured on each side while a step's shared passes run once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeasuredPasses {
    /// The CPU's share of the edges in the measured passes.
    pub alpha: f64,
    /// The time until the GPUs' edge kernels finished.
    pub gpu: f64,
    /// The time until the CPU's edge kernels finished.
    pub cpu: f64,
    /// The time spent sending messages.
    pub messages: f64,
}

/// A new CPU share, derived from the first passes of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Adjustment {
    /// The CPU's share of the edges in the first passes.
    pub from: f64,
    /// The CPU's share of the edges in the remaining passes.
    pub to: f64,
    /// The predicted speedup of the remaining passes, including the time for copying pages to the GPUs again.
    pub speedup: f64,
}

impl Adjustment {
    /// Returns whether the share stays the same, for example because no other share is [worthwhile](WORTHWHILE).
    pub fn is_kept(&self) -> bool {
        self.from == self.to
    }
}

impl Model {
    /// The number of repetitions of a step before a run adjusts the share. Caches are cold in the first repetition.
    pub const ADJUSTED_AFTER: u64 = 2;

    /// Returns whether a run may adjust the share chosen with this model. The run must scan all edges more than
    /// [`ADJUSTED_AFTER`](Self::ADJUSTED_AFTER) times. Traversals are excluded because the time of one step does not
    /// predict the time of later steps.
    pub fn is_adjusted(&self) -> bool {
        self.left() > 0.0
    }

    /// Chooses the CPU's share for the remaining passes, based on the times of the first passes.
    pub fn adjust(&self, measured: &MeasuredPasses) -> Adjustment {
        let from = measured.alpha;
        let kept = |speedup| Adjustment { from, to: from, speedup };
        let Some(model) = self.fitted(measured) else { return kept(1.0) };
        let to = model.choose_for(WORTHWHILE).alpha;
        let speedup = model.seconds(from).total / (model.seconds(to).total + model.bringing(to));
        if speedup >= WORTHWHILE { Adjustment { from, to, speedup } } else { kept(speedup) }
    }

    /// Returns the number of repetitions that remain after an adjustment; 0 or less if none remain.
    fn left(&self) -> f64 {
        self.repeated().map_or(0.0, |step| step.repeats - Self::ADJUSTED_AFTER as f64)
    }

    /// Returns the most frequently repeated step that both sides share. Returns `None` unless all steps are scans.
    fn repeated(&self) -> Option<&Step> {
        let is_scan = |step: &&Step| step.exchange.is_none_or(|it| !matches!(it.carried, Carried::Changed { .. }));
        let all = self.steps.iter().all(|step| is_scan(&step));
        let shared = self.steps.iter().filter(|step| all && step.exchange.is_some());
        shared.max_by(|one, other| one.repeats.total_cmp(&other.repeats))
    }

    /// Returns the model of the remaining repetitions, with the speed of each side adjusted to the measured times.
    /// Returns `None` if no repetition remains, or if a measured or predicted time of a side is zero.
    pub(super) fn fitted(&self, measured: &MeasuredPasses) -> Option<Self> {
        let step = self.repeated().filter(|_| self.is_adjusted())?;
        let steps = vec![Step { repeats: self.left(), ..*step }];
        let mut model = Self { steps, most: self.most.min(1.0 - 1.0 / f64::from(GRID)), ..self.clone() };
        for _ in 0..FITTING {
            let step = model.steps[0];
            let predicted = model.step_seconds(&step, measured.alpha);
            let of_gpu = factor(measured.gpu, predicted.gpu)?;
            let of_cpu = factor(measured.cpu, predicted.cpu)?;
            let of_messages = factor(measured.messages, predicted.messages).unwrap_or(1.0);
            model.meeting *= of_messages;
            model.message_speed /= of_messages;
            let Step { cpu, cpu_alone, alike, gpu, filling, .. } = &mut model.steps[0];
            gpu.scale_passes(of_gpu);
            cpu.scale_passes(of_cpu);
            *filling *= of_cpu;
            // A CPU that is faster than predicted is assumed to have a higher cache hit rate.
            cpu.host_bytes = (cpu.host_bytes * of_cpu.min(1.0)).max(cpu.visited.min(cpu.host_bytes));
            if *alike {
                *cpu_alone = *cpu;
            }
        }
        Some(model)
    }

    /// Returns the seconds for copying the GPUs' resident pages again if the CPU's share is `alpha`.
    fn bringing(&self, alpha: f64) -> f64 {
        let kept = |step: &Step| self.kept(step).min((1.0 - alpha) * step.gpu.visited);
        self.steps.iter().map(kept).fold(0.0, f64::max) / self.to_gpu_rate
    }
}

/// Returns the ratio of the measured to the predicted time; `None` unless the ratio is finite and positive.
fn factor(measured: f64, predicted: f64) -> Option<f64> {
    let factor = measured / predicted;
    (factor.is_finite() && factor > 0.0).then_some(factor)
}
