//! The passes of a run: the checks before a pass, the request to the session, and the end of the step.

use super::state::RunState;
use gts_contract::{KernelDescriptor, Side};
use gts_core::advice::Advice;
use gts_device::error::{Error, Result};
use gts_device::kernel::{EdgePass, GatherParts, SumChecks, VertexPass, random};
use gts_device::neighbors::Neighbors;
use gts_device::{PageShare, PassOutcome, PassRequest, Session, StepDone, Traversal, initial_value};
use std::sync::Arc;
use std::time::Instant;

/// The largest number of a step.
const LARGEST_STEP: u32 = u32::MAX - 1;

impl RunState {
    /// Resets the step to 0, unless the host has set the step.
    pub(super) fn begin_traversal(&mut self) {
        if !std::mem::take(&mut self.counting) {
            self.step = 0;
        }
    }

    /// Runs one step of a traversal and increments `steps`, the number of completed steps. Returns the number of active
    /// vertices.
    pub(super) fn traversal_step(&mut self, kernel: &dyn EdgePass, steps: &mut u32) -> Result<u64> {
        let active = self.traversal(kernel, *steps, |session, traversal| session.step(kernel, traversal))?;
        *steps += 1;
        self.step += 1;
        Ok(active)
    }

    /// Runs a part of a traversal that has completed `done` steps.
    pub(super) fn traversal<T>(
        &mut self,
        kernel: &dyn EdgePass,
        done: u32,
        part: impl FnOnce(&mut dyn Session, &mut Traversal<'_>) -> Result<T>,
    ) -> Result<T> {
        let descriptor = kernel.descriptor();
        let mut request = self.request(descriptor, true, true)?;
        let (shared, seed, first) = (Arc::clone(&self.shared), self.seed, self.step);
        let runs = self.history.runs(descriptor);
        let random = |step| random::of_pass(seed, step, runs.of(step));
        let mut tell = |done: &StepDone<'_>| {
            shared.tell(descriptor.name, done.step, done.outcome, done.active, done.time);
        };
        // The macros assume that `step() + 1` is a u32.
        let most_steps = shared.max_steps.min(done.saturating_add(LARGEST_STEP + 1 - self.step));
        request.sums = self.sum_checks(descriptor, most_steps - done);
        let mut traversal = Traversal::new(request, &random, (done, most_steps), shared.steps_by, &mut tell);
        let result = self.call(|session| part(session, &mut traversal));
        let steps = traversal.steps() - done;
        self.history.ran(descriptor, first, steps);
        self.bounds.ran(descriptor, &self.graph, result.is_ok().then_some(steps));
        match result {
            Err(Error::StepLimit { steps, .. }) if steps < shared.max_steps => Err(beyond_steps(descriptor)),
            other => other,
        }
    }

    pub(super) fn gather_pass(&mut self, parts: &GatherParts, active_only: bool) -> Result<()> {
        let block = parts.block.descriptor();
        self.check(block, active_only)?;
        let random = self.random(block);
        for reduction in parts.reductions {
            let kernel = if active_only { reduction.active } else { reduction.every };
            let descriptor = kernel.descriptor();
            let request = PassRequest { random, ..self.request(descriptor, active_only, false)? };
            let begun = Instant::now();
            let nothing = initial_value(parts.schema, reduction.accumulator, self.session.vertex_bytes());
            let outcome = self.pass(descriptor, |session| {
                session.extend(descriptor)?;
                session.fill(reduction.accumulator, &nothing)?;
                session.edge_pass(kernel, &request)
            })?;
            self.finish(descriptor, &outcome, begun, false)?;
        }
        self.vertex_pass(parts.block, active_only)
    }

    pub(super) fn edge_pass(&mut self, kernel: &dyn EdgePass, active_only: bool, neighbours: Neighbors) -> Result<u64> {
        let descriptor = kernel.descriptor();
        let ends_step = active_only || !descriptor.facts.activates.is_empty();
        let request = PassRequest { neighbours, ..self.request(descriptor, active_only, ends_step)? };
        self.begin(descriptor)?;
        self.history.ran(descriptor, self.step, 1);
        let begun = Instant::now();
        let outcome = self.pass(descriptor, |session| session.edge_pass(kernel, &request))?;
        self.finish(descriptor, &outcome, begun, ends_step)
    }

    pub(super) fn vertex_pass(&mut self, kernel: &dyn VertexPass, active_only: bool) -> Result<()> {
        let descriptor = kernel.descriptor();
        let ends_step = !descriptor.facts.activates.is_empty();
        let request = self.request(descriptor, active_only, ends_step)?;
        self.begin(descriptor)?;
        self.history.ran(descriptor, self.step, 1);
        self.vertex_part(kernel, &request).map(|_| ())
    }

    /// Runs a vertex pass, which may be a part of a larger operation. Returns the result of [`RunState::finish`].
    pub(super) fn vertex_part(&mut self, kernel: &dyn VertexPass, request: &PassRequest) -> Result<u64> {
        let descriptor = kernel.descriptor();
        let begun = Instant::now();
        let outcome = self.pass(descriptor, |session| session.vertex_pass(kernel, request))?;
        self.finish(descriptor, &outcome, begun, request.ends_step)
    }

    /// Calls the session to run a pass, and updates the bounds of the integers that the kernel writes.
    fn pass(
        &mut self,
        kernel: &KernelDescriptor,
        action: impl FnOnce(&mut dyn Session) -> Result<PassOutcome>,
    ) -> Result<PassOutcome> {
        let outcome = self.call(action);
        self.bounds.ran(kernel, &self.graph, outcome.is_ok().then_some(1));
        outcome
    }

    /// Fails if an earlier call is missing that a pass of the kernel requires.
    pub(super) fn check(&self, kernel: &'static KernelDescriptor, active_only: bool) -> Result<()> {
        // A graph without vertices has no vertex that the host could activate.
        self.history.check(kernel, active_only && self.graph.num_vertices() > 0)
    }

    /// Returns the initial state of the random numbers of the kernel's next run.
    pub(super) fn random(&self, kernel: &'static KernelDescriptor) -> u64 {
        random::of_pass(self.seed, self.step, self.history.runs(kernel).of(self.step))
    }

    /// Records the beginning of a pass, and resets the globals that its kernel updates. Not called for later steps of a
    /// traversal.
    pub(super) fn begin(&mut self, kernel: &'static KernelDescriptor) -> Result<()> {
        let updated = self.history.begin(kernel);
        if updated.is_empty() { Ok(()) } else { self.call(|session| session.reset_globals(&updated)) }
    }

    pub(super) fn request(
        &self,
        kernel: &'static KernelDescriptor,
        active_only: bool,
        ends_step: bool,
    ) -> Result<PassRequest> {
        if self.step > LARGEST_STEP {
            return Err(beyond_steps(kernel));
        }
        self.check(kernel, active_only)?;
        let sides = kernel.sides(self.graph.properties().symmetric).to_vec();
        if sides.contains(&Side::In) && self.graph.topology(Side::In).is_none() {
            return Err(Error::needs(
                kernel.function,
                "in-edges, which this graph was built without",
                Advice::new(
                    "build the graph with --in-edges or --symmetrise",
                    "build the graph with `in_edges` or `symmetrise`",
                ),
            ));
        }
        let technique = self.shared.technique.or(kernel.technique);
        let limits = self.shared.limits(self.started);
        if limits.over() {
            return Err(limits.error(kernel));
        }
        let (propagation, step, share) = (self.shared.propagation, self.step, PageShare::WHOLE);
        let (random, neighbours) = (self.random(kernel), Neighbors::ALL);
        Ok(PassRequest {
            sides,
            active_only,
            technique,
            warp_chunk: self.shared.warp_chunk,
            sums: self.sum_checks(kernel, 1),
            checked: self.shared.checked,
            propagation,
            decided: false,
            ends_step,
            step,
            random,
            neighbours,
            share,
            limits,
        })
    }

    /// Returns the checks of integer sums in a pass, or in a traversal of at most `steps` steps.
    fn sum_checks(&self, kernel: &'static KernelDescriptor, steps: u32) -> SumChecks {
        match self.shared.checked && !kernel.facts.sums.is_empty() {
            true => SumChecks::Whole,
            false => self.bounds.checks(kernel, &self.graph, steps),
        }
    }

    /// Records the outcome of a pass, and ends the step if `ends_step` is set. Returns the number of active vertices,
    /// or 0 if the frontier is unchanged.
    pub(super) fn finish(
        &mut self,
        kernel: &'static KernelDescriptor,
        outcome: &PassOutcome,
        begun: Instant,
        ends_step: bool,
    ) -> Result<u64> {
        let frontier = match (ends_step, outcome.frontier) {
            (false, _) => None,
            (true, Some(advanced)) => Some(advanced),
            (true, None) => Some(self.call(|session| session.advance_frontier())?),
        };
        self.shared.tell(kernel.name, self.step, outcome, frontier, begun.elapsed());
        Ok(frontier.unwrap_or(0))
    }
}

/// Returns the error for a pass whose step would exceed [`LARGEST_STEP`].
fn beyond_steps(kernel: &KernelDescriptor) -> Error {
    Error::argument_with_advice(
        format_args!("the step of kernel `{}`", kernel.function),
        format_args!("it would exceed {LARGEST_STEP}, the largest value of `step()`"),
        Advice::new("tell the author of the algorithm", "set a smaller step with `run.set_step`"),
    )
}
