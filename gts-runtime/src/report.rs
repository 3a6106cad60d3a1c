//! Reports of runs: the progress after each pass, and totals per kernel.

use gts_core::cost::hybrid::Adjustment;
use gts_device::{PassOutcome, StepsRun};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The progress of a run, reported once per pass.
#[derive(Clone, Debug)]
pub struct RunProgress {
    /// The name of the kernel.
    pub kernel: &'static str,
    /// The step that the pass belongs to.
    pub step: u32,
    /// The number of edges for which the body may have run in the pass.
    pub edges: u64,
    /// The number of active vertices after the pass, if the pass ended a step.
    pub frontier: Option<u64>,
    /// The duration of the pass.
    pub time: Duration,
}

/// The totals of all passes of one kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelReport {
    /// The name of the kernel.
    pub kernel: &'static str,
    /// The number of passes.
    pub passes: u64,
    /// The number of edges for which the body may have run.
    pub edges: u64,
    /// The number of visited pages.
    pub pages: u64,
    /// The number of bytes of the visited pages.
    pub bytes: u64,
    /// The number of bytes of pages copied to the device during the passes, including prefetches for later passes.
    pub copied: u64,
    /// The estimated number of bytes of pages that the device read in place in host memory.
    pub in_place: u64,
    /// The number of visited pages that were in the device's cache.
    pub cached_pages: u64,
    /// The number of bytes read from storage.
    pub read: u64,
    /// The time to build the edge lists that the passes used, in these or earlier passes, without the time to copy
    /// pages.
    pub listing_time: Duration,
    /// The time during which the passes kept the link between host and device busy with pages, if measured.
    pub link_busy: Option<Duration>,
    /// The total time of the passes.
    pub time: Duration,
    /// The time of the shortest pass.
    pub fastest: Duration,
    /// The time of the kernels on the device, if the device measures it.
    pub kernel_time: Option<Duration>,
    /// Whether at least one pass pulled.
    pub pulled: bool,
    /// The technique of the last pass, if the device has techniques.
    pub technique: Option<gts_contract::Technique>,
    /// The number of devices that shared the work of the last pass; 0 for a single device.
    pub devices: u32,
    /// Whether one device ran a pass on behalf of all devices, because the kernel cannot be shared.
    pub alone: bool,
    /// The time to merge the values that several devices wrote.
    pub merge_time: Duration,
    /// The times of the passes on the GPUs and on the CPU, if both share the work.
    pub kinds_time: Option<[Duration; 2]>,
    /// The number of bytes merged per replica, for values and sets of active vertices.
    pub merged: u64,
    /// The number of bytes that would be merged per replica if each pass merged every value, changed or not.
    pub merged_at_most: u64,
    /// The number of parts into which Strategy-S divides the attributes; 0 if each device has the attributes of all
    /// vertices.
    pub parts: u32,
    /// The number of bytes per vertex that the last pass read from host memory because the columns do not fit into
    /// device memory.
    pub travelling: u64,
    /// The number of passes that were steps started by the device.
    pub steps_on_device: u64,
    /// The form in which the device ran the last of these steps.
    pub steps_run: Option<StepsRun>,
}

/// The report of an engine's runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunReport {
    /// One entry per kernel, in the order of the kernels' first passes.
    pub kernels: Vec<KernelReport>,
    /// The time to allocate attributes and to transfer them between host and device.
    pub attributes: Duration,
    /// The last adjustment of the devices' shares of the work, if a run made one.
    pub adjustment: Option<Adjustment>,
}

impl RunReport {
    /// Returns the number of edges of all passes.
    pub fn edges(&self) -> u64 {
        self.kernels.iter().map(|kernel| kernel.edges).sum()
    }

    /// Returns the number of bytes of the pages that all passes visited.
    pub fn bytes(&self) -> u64 {
        self.kernels.iter().map(|kernel| kernel.bytes).sum()
    }

    /// Returns the number of pages that all passes visited.
    pub fn pages(&self) -> u64 {
        self.kernels.iter().map(|kernel| kernel.pages).sum()
    }

    /// Returns the number of bytes of pages copied to the device.
    pub fn copied(&self) -> u64 {
        self.kernels.iter().map(|kernel| kernel.copied).sum()
    }

    /// Returns the estimated number of bytes of pages that devices read in place in host memory.
    pub fn in_place(&self) -> u64 {
        self.kernels.iter().map(|kernel| kernel.in_place).sum()
    }

    /// Returns the number of visited pages that were in the device's cache.
    pub fn cached_pages(&self) -> u64 {
        self.kernels.iter().map(|kernel| kernel.cached_pages).sum()
    }

    /// Returns the number of bytes read from storage.
    pub fn read(&self) -> u64 {
        self.kernels.iter().map(|kernel| kernel.read).sum()
    }

    /// Returns the time to build the edge lists that the passes used, in these or earlier runs, without the time to
    /// copy pages.
    pub fn listing_time(&self) -> Duration {
        self.kernels.iter().map(|kernel| kernel.listing_time).sum()
    }

    /// Returns the time during which the link between host and device was busy with pages; `None` if no pass streamed
    /// pages.
    pub fn link_busy(&self) -> Option<Duration> {
        self.kernels.iter().filter_map(|kernel| kernel.link_busy).reduce(|sum, time| sum + time)
    }

    /// Returns the time to merge the values that several devices wrote.
    pub fn merge_time(&self) -> Duration {
        self.kernels.iter().map(|kernel| kernel.merge_time).sum()
    }

    /// Returns the number of bytes merged per replica.
    pub fn merged(&self) -> u64 {
        self.kernels.iter().map(|kernel| kernel.merged).sum()
    }

    /// Returns the times of the edge passes on the GPUs and on the CPU, if both share the work.
    pub fn kinds_time(&self) -> Option<[Duration; 2]> {
        self.kernels.iter().filter_map(|kernel| kernel.kinds_time).reduce(add)
    }

    /// Returns the total time of all passes.
    pub fn time(&self) -> Duration {
        self.kernels.iter().map(|kernel| kernel.time).sum()
    }

    fn record(&mut self, kernel: &'static str, outcome: &PassOutcome, time: Duration) {
        self.adjustment = outcome.adjustment.or(self.adjustment);
        let known = self.kernels.iter().position(|entry| entry.kernel == kernel);
        let index = known.unwrap_or_else(|| {
            self.kernels.push(KernelReport {
                kernel,
                passes: 0,
                edges: 0,
                pages: 0,
                bytes: 0,
                copied: 0,
                in_place: 0,
                cached_pages: 0,
                read: 0,
                listing_time: Duration::ZERO,
                link_busy: None,
                time: Duration::ZERO,
                fastest: Duration::MAX,
                kernel_time: None,
                pulled: false,
                technique: None,
                devices: 0,
                alone: false,
                merge_time: Duration::ZERO,
                kinds_time: None,
                merged: 0,
                merged_at_most: 0,
                parts: 0,
                travelling: 0,
                steps_on_device: 0,
                steps_run: None,
            });
            self.kernels.len() - 1
        });
        let entry = &mut self.kernels[index];
        entry.passes += 1;
        entry.edges += outcome.edges;
        entry.pages += outcome.pages;
        entry.bytes += outcome.bytes;
        entry.copied += outcome.copied;
        entry.in_place += outcome.in_place;
        entry.cached_pages += outcome.cached_pages;
        entry.read += outcome.read;
        entry.listing_time = entry.listing_time.max(outcome.listing_time);
        if let Some(busy) = outcome.link_busy {
            entry.link_busy = Some(entry.link_busy.unwrap_or_default() + busy);
        }
        entry.time += time;
        entry.fastest = entry.fastest.min(time);
        if let Some(kernel_time) = outcome.kernel_time {
            entry.kernel_time = Some(entry.kernel_time.unwrap_or_default() + kernel_time);
        }
        entry.devices = outcome.devices;
        entry.alone |= outcome.alone;
        entry.parts = outcome.parts;
        entry.travelling = outcome.travelling;
        entry.merge_time += outcome.merge_time.unwrap_or_default();
        entry.kinds_time = [entry.kinds_time, outcome.kinds_time].into_iter().flatten().reduce(add);
        entry.merged += outcome.merged;
        entry.merged_at_most += outcome.merged_at_most;
        entry.pulled |= outcome.pulled;
        entry.steps_on_device += u64::from(outcome.steps_run.is_some());
        entry.steps_run = outcome.steps_run.or(entry.steps_run);
        entry.technique = outcome.technique.or(entry.technique);
    }
}

/// Adds the times of GPUs and the times of CPUs.
fn add([a, b]: [Duration; 2], [c, d]: [Duration; 2]) -> [Duration; 2] {
    [a + c, b + d]
}

/// The report of an engine's runs since the last [`Recorder::take`].
#[derive(Debug, Default)]
pub(crate) struct Recorder(Mutex<RunReport>);

impl Recorder {
    pub(crate) fn pass(&self, kernel: &'static str, outcome: &PassOutcome, time: Duration) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).record(kernel, outcome, time);
    }

    pub(crate) fn attributes(&self, time: Duration) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).attributes += time;
    }

    pub(crate) fn take(&self) -> RunReport {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
