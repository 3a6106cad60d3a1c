//! Passes that several devices share. Each device processes its share of the pages. The host submits a pass to all
//! devices before it waits for any of them.

use super::driver::Event;
use super::pass::{Clock, Course, LoadedAmount, PassReport};
use super::pull::may_stream;
use super::session::CudaSession;
use gts_contract::{KernelDescriptor, KernelKind};
use gts_device::error::Result;
use gts_device::replicated::Replica;
use gts_device::{Pass, PassOutcome, PassRequest, Readiness};

/// The state of a submitted pass.
#[derive(Debug, Default)]
pub(super) struct UnderWay {
    /// The request, and the technique and direction of the pass; `None` for a vertex kernel.
    walked: Option<(PassRequest, Course)>,
    /// The number of active vertices before the pass, if known.
    active: Option<u64>,
}

impl CudaSession {
    /// Lends the memory of the next frontier and of the given attributes, so that replicas can be merged.
    pub(super) fn lend_memory(&self, attributes: &[usize]) -> Result<Replica<'_>> {
        let lend = |buffer| self.lend_buffer(buffer);
        let values = attributes.iter().map(|&attribute| self.memory(attribute).map(lend));
        Ok(Replica { activated: lend(self.frontier.next()), values: values.collect::<Result<_>>()? })
    }

    /// Places the columns and loads the pages for this device's share of a pass. Returns how the device can take part.
    pub(super) fn prepare_pass(&mut self, pass: Pass<'_>, request: &PassRequest) -> Result<Readiness> {
        let kernel = pass.descriptor();
        self.place_columns(kernel, request)?;
        let Pass::Edges(_) = pass else { return Ok(Readiness { submits: true, ..Readiness::default() }) };
        if kernel.kind == KernelKind::Intersect || kernel.facts.tallied.is_some() {
            return Ok(Readiness::default());
        }
        self.flush_activated()?;
        let pulls = match request.decided {
            true => request.propagation.pulls(),
            false => self.shall_pull(kernel, request)?,
        };
        if pulls && let Some(loaded) = self.load_to_pull(kernel, &request.opposite())? {
            self.note_loaded(loaded);
            return Ok(Readiness { pulls: true, submits: !self.streams(), lacks_room: false });
        }
        let streamed = self.streams();
        let loaded = self.load_to_push(kernel, request)?;
        self.note_loaded(loaded);
        // If the pages stream from now on, the pass may still be able to pull.
        if pulls && !streamed && self.streams() && self.shall_pull(kernel, request)? {
            let pulls = self.load_to_pull(kernel, &request.opposite())?.is_some();
            return Ok(Readiness { pulls, ..Readiness::default() });
        }
        let lacks_room = pulls && !self.streams() && may_stream(kernel, request);
        Ok(Readiness { pulls: false, submits: !self.streams(), lacks_room })
    }

    fn note_loaded(&mut self, loaded: LoadedAmount) {
        self.loaded.copied += loaded.copied;
        self.loaded.read += loaded.read;
    }

    /// Submits the kernels of a pass, but not the end of the pass.
    pub(super) fn submit_pass(&mut self, pass: Pass<'_>, request: &PassRequest) -> Result<()> {
        let kernel = pass.descriptor();
        let mut under_way = UnderWay { active: self.frontier.size, ..UnderWay::default() };
        match pass {
            Pass::Vertices(_) => {
                self.flush_activated()?;
                self.launch_vertices(kernel, request)?;
            }
            Pass::Edges(_) => {
                let pulls = request.propagation.pulls();
                let walked = if pulls { request.opposite() } else { request.clone() };
                self.begin_pass(Clock::Events)?;
                let technique = match pulls {
                    true => self.technique_to_pull(kernel, request),
                    false => self.technique_to_push(kernel, request),
                };
                let course = Course { technique, pulls };
                self.launch_loaded(kernel, course, &walked)?;
                under_way.walked = Some((walked, course));
            }
        }
        self.under_way = under_way;
        self.kit.stream.record(&self.kit.ended)
    }

    /// Submits the end of a pass, after all work submitted so far.
    pub(super) fn close_submitted(&mut self, kernel: &'static KernelDescriptor, request: &PassRequest) -> Result<()> {
        self.launch_end_of_pass(kernel, request)?;
        self.kit.stream.record(&self.kit.closed)
    }

    /// Waits for the kernels of a pass.
    pub(super) fn wait_for_pass(&self, kernel: &'static KernelDescriptor, request: &PassRequest) -> Result<()> {
        self.wait_for(kernel, request, &self.kit.ended)
    }

    fn wait_for(&self, kernel: &'static KernelDescriptor, request: &PassRequest, mark: &Event) -> Result<()> {
        self.watch(kernel, request).wait(mark)
    }

    /// Waits for the end of a pass, and returns its outcome.
    pub(super) fn finish_submitted(&mut self, pass: Pass<'_>, request: &PassRequest) -> Result<PassOutcome> {
        let kernel = pass.descriptor();
        self.wait_for(kernel, request, &self.kit.closed)?;
        let report: PassReport = self.take_report(kernel, request)?;
        let under_way = std::mem::take(&mut self.under_way);
        let time = self.kit.ended.since(&self.kit.begun)?;
        let outcome = match under_way.walked {
            None => PassOutcome { kernel_time: Some(time), copied: self.copied_beside, ..PassOutcome::default() },
            Some((walked, course)) => {
                let loaded = std::mem::take(&mut self.loaded);
                PassOutcome {
                    copied: loaded.copied,
                    read: loaded.read,
                    technique: Some(course.technique),
                    pulled: course.pulls,
                    kernel_time: Some(time),
                    ..self.resident_outcome(kernel, &walked, course, &report, under_way.active)
                }
            }
        };
        self.trace_pass(kernel, &outcome);
        let merge_time = Some(self.kit.closed.since(&self.kit.ended)?);
        Ok(PassOutcome { frontier: self.advanced(request), merge_time, ..outcome })
    }
}
