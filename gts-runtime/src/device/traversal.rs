//! Traversals: what their steps have in common, and who begins each of them.

use super::{PassOutcome, PassRequest, Session};
use crate::error::{Error, Result};
use crate::kernel::{EdgePass, random};
use crate::tuning;
use gts_contract::KernelDescriptor;
use gts_core::cost::loops::StepLoops;
use std::fmt;
use std::num::NonZeroU32;
use std::time::{Duration, Instant};

/// Who begins the steps of a traversal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum StepsBy {
    /// The device's choice.
    #[default]
    Auto,
    /// The host: each step is a pass of its own.
    Host,
    /// The device, where kernel, graph and device allow; else the host.
    Device,
    /// The same, but the device comes back to the host after this number of steps.
    DeviceFor(NonZeroU32),
}

impl StepsBy {
    /// All of them that take no number.
    pub const ALL: [Self; 3] = [Self::Auto, Self::Host, Self::Device];

    /// Returns the name, as the command line spells it. A number of steps is no part of it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Host => "host",
            Self::Device | Self::DeviceFor(_) => "device",
        }
    }

    /// Returns the loops over steps that a GPU runs; `None` where the host begins each step. With hubs steps are few and long, so
    /// that the host's part of them is small. What may claim gains all the same.
    pub fn loops(self) -> Option<StepLoops> {
        match self {
            Self::Host => None,
            Self::Auto => Some(tuning::CUDA_STEP_LOOPS),
            Self::Device | Self::DeviceFor(_) => {
                Some(StepLoops { in_order_degree: u64::MAX, ..tuning::CUDA_STEP_LOOPS })
            }
        }
    }

    /// Reads what the command line has: a name, or `device:STEPS`.
    pub fn from_name(text: &str) -> Option<Self> {
        match text.strip_prefix("device:") {
            Some(steps) => steps.parse().ok().map(Self::DeviceFor),
            None => Self::ALL.into_iter().find(|choice| choice.name() == text),
        }
    }
}

impl fmt::Display for StepsBy {
    /// Writes what [`StepsBy::from_name`] reads.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DeviceFor(steps) => write!(f, "device:{steps}"),
            other => f.pad(other.name()),
        }
    }
}

/// How a device ran steps that the host did not begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StepsRun {
    /// In order: all threads wait for each other after each step.
    InOrder,
    /// With each vertex claimed by the thread that reaches it first.
    Claiming,
}

impl StepsRun {
    /// Returns the word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::InOrder => "in order",
            Self::Claiming => "claiming",
        }
    }
}

/// A step that is done.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StepDone<'a> {
    pub(crate) step: u32,
    pub(crate) outcome: &'a PassOutcome,
    /// Active vertices after it, where they are known.
    pub(crate) active: Option<u64>,
    pub(crate) time: Duration,
}

/// A traversal that is under way.
pub struct Traversal<'a> {
    /// The request of the next step.
    request: PassRequest,
    seed: u64,
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
    /// Creates a traversal that has done `done` of at most `most_steps` steps. `request` is that of the next step, and `seed`
    /// that of random numbers. `tell` hears of each step.
    pub(crate) fn new(
        request: PassRequest,
        seed: u64,
        (done, most_steps): (u32, u32),
        steps_by: StepsBy,
        tell: &'a mut dyn FnMut(&StepDone<'_>),
    ) -> Self {
        Self { request, seed, done, most_steps, steps_by, tell }
    }

    /// Returns the number of steps that were done.
    pub fn steps(&self) -> u32 {
        self.done
    }

    /// Returns who was asked to begin steps.
    pub fn steps_by(&self) -> StepsBy {
        self.steps_by
    }

    /// Returns the number of steps that may still be done.
    pub(crate) fn steps_left(&self) -> u32 {
        self.most_steps - self.done
    }

    /// Returns the request of the next step.
    ///
    /// # Errors
    ///
    /// No step is left, or a limit is over.
    pub(crate) fn next(&self, kernel: &'static KernelDescriptor) -> Result<&PassRequest> {
        if self.steps_left() == 0 {
            return Err(Error::StepLimit { kernel: kernel.name, steps: self.done });
        }
        if self.request.limits.over() {
            return Err(self.request.limits.error(kernel));
        }
        Ok(&self.request)
    }

    /// Notes a step that is done.
    pub(crate) fn finish(&mut self, outcome: &PassOutcome, active: Option<u64>, time: Duration) {
        (self.tell)(&StepDone { step: self.request.step, outcome, active, time });
        self.done += 1;
        self.request.step = self.request.step.wrapping_add(1);
        self.request.random = random::of_pass(self.seed, self.request.step);
    }

    /// Runs a step as a pass, and returns the number of vertices that are active after it.
    ///
    /// # Errors
    ///
    /// As for [`Session::edge_pass`], and a step too many.
    pub fn step<S: Session + ?Sized>(&mut self, session: &mut S, kernel: &dyn EdgePass) -> Result<u64> {
        let begun = Instant::now();
        let outcome = session.edge_pass(kernel, self.next(kernel.descriptor())?)?;
        let active = match outcome.frontier {
            Some(active) => active,
            None => session.advance_frontier()?,
        };
        self.finish(&outcome, Some(active), begun.elapsed());
        Ok(active)
    }
}
