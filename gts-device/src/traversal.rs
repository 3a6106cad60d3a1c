//! The state that the steps of a traversal share, and the choice whether the host or the device begins the steps.

use crate::error::{Error, Result};
use crate::outcome::PassOutcome;
use crate::request::PassRequest;
use crate::tuning;
use gts_contract::KernelDescriptor;
use gts_core::cost::loops::StepLoops;
use std::fmt;
use std::num::NonZeroU32;
use std::time::Duration;

/// The choice whether the host or the device begins the steps of a traversal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum StepsBy {
    /// Lets the device choose.
    #[default]
    Auto,
    /// The host begins each step, as a separate pass.
    Host,
    /// The device begins the steps if the kernel, the graph and the device permit. Otherwise, the host begins the
    /// steps.
    Device,
    /// Like [`Device`](Self::Device), but the device returns to the host after this number of steps.
    DeviceFor(NonZeroU32),
}

impl StepsBy {
    /// All variants without a number of steps.
    pub const ALL: [Self; 3] = [Self::Auto, Self::Host, Self::Device];

    /// Returns the name that the command line uses, without the number of steps.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Host => "host",
            Self::Device | Self::DeviceFor(_) => "device",
        }
    }

    /// Returns the limits of a GPU's step loops, or `None` if the host begins each step. By default, the in-order loop
    /// is not used for graphs with hubs: their traversals have few and long steps, so the host's overhead is small.
    /// This rule does not apply to kernels that may claim vertices, because the loop is faster for these kernels even
    /// in graphs with hubs.
    pub fn loops(self) -> Option<StepLoops> {
        match self {
            Self::Host => None,
            Self::Auto => Some(tuning::CUDA_STEP_LOOPS),
            Self::Device | Self::DeviceFor(_) => {
                Some(StepLoops { in_order_degree: u64::MAX, ..tuning::CUDA_STEP_LOOPS })
            }
        }
    }

    /// Parses a name that the command line uses, or `device:STEPS`.
    pub fn from_name(text: &str) -> Option<Self> {
        match text.strip_prefix("device:") {
            Some(steps) => steps.parse().ok().map(Self::DeviceFor),
            None => Self::ALL.into_iter().find(|choice| choice.name() == text),
        }
    }
}

impl fmt::Display for StepsBy {
    /// Writes the format that [`StepsBy::from_name`] parses.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DeviceFor(steps) => write!(f, "device:{steps}"),
            other => f.pad(other.name()),
        }
    }
}

/// A completed step.
#[derive(Clone, Copy, Debug)]
pub struct StepDone<'a> {
    /// Number of the step, from 0.
    pub step: u32,
    /// Measurements and counters of the step's pass.
    pub outcome: &'a PassOutcome,
    /// Number of active vertices in the next step, if known.
    pub active: Option<u64>,
    /// Duration of the step.
    pub time: Duration,
}

/// A traversal in progress.
pub struct Traversal<'a> {
    /// The request for the next step.
    request: PassRequest,
    /// Returns the initial state of the random numbers of a step.
    random: &'a dyn Fn(u32) -> u64,
    done: u32,
    most_steps: u32,
    steps_by: StepsBy,
    tell: &'a mut dyn FnMut(&StepDone<'_>),
}

impl fmt::Debug for Traversal<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Traversal").field("request", &self.request).field("done", &self.done).finish_non_exhaustive()
    }
}

impl<'a> Traversal<'a> {
    /// Creates a traversal that has completed `done` of at most `most_steps` steps. `request` is the request for the
    /// next step, and `random` returns the initial state of the random numbers of a step. `tell` receives each completed
    /// step.
    pub fn new(
        request: PassRequest,
        random: &'a dyn Fn(u32) -> u64,
        (done, most_steps): (u32, u32),
        steps_by: StepsBy,
        tell: &'a mut dyn FnMut(&StepDone<'_>),
    ) -> Self {
        Self { request, random, done, most_steps, steps_by, tell }
    }

    /// Returns the number of completed steps.
    pub fn steps(&self) -> u32 {
        self.done
    }

    /// Returns the requested choice between host and device.
    pub fn steps_by(&self) -> StepsBy {
        self.steps_by
    }

    /// Returns the number of remaining steps.
    pub fn steps_left(&self) -> u32 {
        self.most_steps - self.done
    }

    /// Returns the request for the next step.
    ///
    /// # Errors
    ///
    /// No step is left, or a limit has been reached.
    pub fn next(&self, kernel: &'static KernelDescriptor) -> Result<&PassRequest> {
        if self.steps_left() == 0 {
            return Err(Error::StepLimit { kernel: kernel.function, steps: self.done });
        }
        if self.request.limits.over() {
            return Err(self.request.limits.error(kernel));
        }
        Ok(&self.request)
    }

    /// Reports a completed step to `tell`, and updates the request for the next step.
    pub fn finish(&mut self, outcome: &PassOutcome, active: Option<u64>, time: Duration) {
        (self.tell)(&StepDone { step: self.request.step, outcome, active, time });
        self.done += 1;
        self.request.step = self.request.step.wrapping_add(1);
        self.request.random = (self.random)(self.request.step);
    }
}
