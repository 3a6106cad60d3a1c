//! What runs have done: one record a pass, and sums by kernel.

use crate::device::{PassOutcome, StepsRun};
use gts_core::cost::hybrid::Adjustment;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// How far a run is, told once a pass.
#[derive(Clone, Debug)]
pub struct Progress {
    /// The kernel that ran.
    pub kernel: &'static str,
    /// The step that it ran in.
    pub step: u32,
    /// Edges of the pass.
    pub edges: u64,
    /// Active vertices after it, where it ended a step.
    pub frontier: Option<u64>,
    /// Time of the pass.
    pub time: Duration,
}

/// The passes of one kernel, summed up.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelReport {
    /// The kernel.
    pub kernel: &'static str,
    /// Number of passes.
    pub passes: u64,
    /// Edges for which the body may have run.
    pub edges: u64,
    /// Pages visited.
    pub pages: u64,
    /// Bytes of pages visited.
    pub bytes: u64,
    /// Bytes of pages copied to the device, for its passes and ahead for those that were expected.
    pub copied: u64,
    /// Bytes of pages read where they lie in host memory, estimated.
    pub in_place: u64,
    /// Pages found in the device's cache.
    pub cached_pages: u64,
    /// Bytes read from storage.
    pub read: u64,
    /// Time in which the edge lists that its passes walked were made, by them or by earlier ones, less the copying of pages.
    pub listing_time: Duration,
    /// Time of its passes in which the link between host and device was busy with pages, where it is known.
    pub link_busy: Option<Duration>,
    /// Time of its passes.
    pub time: Duration,
    /// Time of the shortest pass.
    pub fastest: Duration,
    /// Time of the kernels on the device, where it is known.
    pub kernel_time: Option<Duration>,
    /// Whether a pass pulled.
    pub pulled: bool,
    /// The technique of the last pass, where the device knows techniques.
    pub technique: Option<gts_contract::Technique>,
    /// Devices that shared the work of the last pass; 0 where there is but one.
    pub devices: u32,
    /// Whether one device ran a pass for all, because they cannot share the kernel.
    pub alone: bool,
    /// Time in which what several devices had written was merged.
    pub merge_time: Duration,
    /// Where the CPU shares the work of GPUs, the time of the passes on the GPUs, and on the CPU.
    pub kinds_time: Option<[Duration; 2]>,
    /// Bytes of one replica that were merged: values, and sets of active vertices.
    pub merged: u64,
    /// The same if all values that the kernel writes had been merged after each pass.
    pub merged_at_most: u64,
    /// Parts that the attributes were in, by Strategy-S; 0 where each device has those of all vertices.
    pub parts: u32,
    /// Bytes of a vertex's values that the last pass read from host memory, because the device has no room for their columns.
    pub travelling: u64,
    /// Passes that are steps which the device began by itself.
    pub steps_on_device: u64,
    /// How it ran the last of them.
    pub steps_run: Option<StepsRun>,
}

/// What runs have done.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunReport {
    /// One entry a kernel, in the order of their first passes.
    pub kernels: Vec<KernelReport>,
    /// Time spent making attributes and moving them between host and device.
    pub attributes: Duration,
    /// What the last run decided about the shares of its devices after its first passes, if any run did.
    pub adjustment: Option<Adjustment>,
}

impl RunReport {
    /// Edges of all passes.
    pub fn edges(&self) -> u64 {
        self.kernels.iter().map(|kernel| kernel.edges).sum()
    }

    /// Bytes of pages of all passes.
    pub fn bytes(&self) -> u64 {
        self.kernels.iter().map(|kernel| kernel.bytes).sum()
    }

    /// Pages visited by all passes.
    pub fn pages(&self) -> u64 {
        self.kernels.iter().map(|kernel| kernel.pages).sum()
    }

    /// Bytes of pages copied to the device.
    pub fn copied(&self) -> u64 {
        self.kernels.iter().map(|kernel| kernel.copied).sum()
    }

    /// Bytes of pages read where they lie in host memory, estimated.
    pub fn in_place(&self) -> u64 {
        self.kernels.iter().map(|kernel| kernel.in_place).sum()
    }

    /// Pages found in the device's cache.
    pub fn cached_pages(&self) -> u64 {
        self.kernels.iter().map(|kernel| kernel.cached_pages).sum()
    }

    /// Bytes read from storage.
    pub fn read(&self) -> u64 {
        self.kernels.iter().map(|kernel| kernel.read).sum()
    }

    /// Time in which the edge lists that passes walked were made, in these runs or earlier ones, less the copying of pages.
    pub fn listing_time(&self) -> Duration {
        self.kernels.iter().map(|kernel| kernel.listing_time).sum()
    }

    /// Time in which the link between host and device was busy with pages; `None` where no pass streamed any.
    pub fn link_busy(&self) -> Option<Duration> {
        self.kernels.iter().filter_map(|kernel| kernel.link_busy).reduce(|sum, time| sum + time)
    }

    /// Time in which what several devices had written was merged.
    pub fn merge_time(&self) -> Duration {
        self.kernels.iter().map(|kernel| kernel.merge_time).sum()
    }

    /// Bytes of one replica that were merged.
    pub fn merged(&self) -> u64 {
        self.kernels.iter().map(|kernel| kernel.merged).sum()
    }

    /// Where the CPU shares the work of GPUs, the time of the passes over edges on the GPUs, and on the CPU.
    pub fn kinds_time(&self) -> Option<[Duration; 2]> {
        self.kernels.iter().filter_map(|kernel| kernel.kinds_time).reduce(add)
    }

    /// Time of all passes.
    pub fn time(&self) -> Duration {
        self.kernels.iter().map(|kernel| kernel.time).sum()
    }

    fn record(&mut self, kernel: &'static str, outcome: &PassOutcome, time: Duration) {
        self.adjustment = outcome.adjustment.or(self.adjustment);
        let entry = match self.kernels.iter_mut().position(|entry| entry.kernel == kernel) {
            Some(index) => &mut self.kernels[index],
            None => self.kernels.push_mut(KernelReport {
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
            }),
        };
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

/// Adds times of two kinds of devices.
fn add([a, b]: [Duration; 2], [c, d]: [Duration; 2]) -> [Duration; 2] {
    [a + c, b + d]
}

/// Collects the report of an engine's runs.
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
