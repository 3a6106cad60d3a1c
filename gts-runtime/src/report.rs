//! Reports of runs: one record per pass, and sums by kernel.

use gts_core::cost::hybrid::Adjustment;
use gts_device::{PassOutcome, StepsRun};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Progress of a run, reported once per pass.
#[derive(Clone, Debug)]
pub struct Progress {
    /// The kernel that ran.
    pub kernel: &'static str,
    /// The step of the pass.
    pub step: u32,
    /// Edges of the pass.
    pub edges: u64,
    /// Active vertices after the pass, if it ended a step.
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
    /// Bytes of pages copied to the device, for the kernel's passes and prefetched for later ones.
    pub copied: u64,
    /// Bytes of pages read in place in host memory, estimated.
    pub in_place: u64,
    /// Pages found in the device's cache.
    pub cached_pages: u64,
    /// Bytes read from storage.
    pub read: u64,
    /// Time in which the edge lists of its passes were made, by them or by earlier ones, less the copying of pages.
    pub listing_time: Duration,
    /// Time of its passes in which the link between host and device was busy with pages, if known.
    pub link_busy: Option<Duration>,
    /// Time of its passes.
    pub time: Duration,
    /// Time of the shortest pass.
    pub fastest: Duration,
    /// Time of the kernels on the device, if known.
    pub kernel_time: Option<Duration>,
    /// Whether a pass pulled.
    pub pulled: bool,
    /// The technique of the last pass, if the device has techniques.
    pub technique: Option<gts_contract::Technique>,
    /// Devices that shared the work of the last pass; 0 if there is only one.
    pub devices: u32,
    /// Whether one device ran a pass for all, because they cannot share the kernel.
    pub alone: bool,
    /// Time in which the values written by several devices were merged.
    pub merge_time: Duration,
    /// Time of the passes on the GPUs and on the CPU, if the CPU shares the GPUs' work.
    pub kinds_time: Option<[Duration; 2]>,
    /// Bytes merged per replica: values, and sets of active vertices.
    pub merged: u64,
    /// The same if every value that the kernel writes were merged after each pass, changed or not.
    pub merged_at_most: u64,
    /// Number of parts of the attributes under Strategy-S; 0 if each device has those of all vertices.
    pub parts: u32,
    /// Bytes of a vertex's values that the last pass read from host memory, because their columns do not fit on the
    /// device.
    pub travelling: u64,
    /// Passes that were steps begun by the device.
    pub steps_on_device: u64,
    /// Form of the last of these steps.
    pub steps_run: Option<StepsRun>,
}

/// Report of the runs of an engine.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunReport {
    /// One entry per kernel, in the order of their first passes.
    pub kernels: Vec<KernelReport>,
    /// Time spent making attributes and moving them between host and device.
    pub attributes: Duration,
    /// Decision of the last run about the shares of its devices after its first passes, if it made one.
    pub adjustment: Option<Adjustment>,
}

impl RunReport {
    /// Returns the edges of all passes.
    pub fn edges(&self) -> u64 {
        self.kernels.iter().map(|kernel| kernel.edges).sum()
    }

    /// Returns the bytes of the pages of all passes.
    pub fn bytes(&self) -> u64 {
        self.kernels.iter().map(|kernel| kernel.bytes).sum()
    }

    /// Returns the pages visited by all passes.
    pub fn pages(&self) -> u64 {
        self.kernels.iter().map(|kernel| kernel.pages).sum()
    }

    /// Returns the bytes of pages copied to the device.
    pub fn copied(&self) -> u64 {
        self.kernels.iter().map(|kernel| kernel.copied).sum()
    }

    /// Returns the bytes of pages read in place in host memory, estimated.
    pub fn in_place(&self) -> u64 {
        self.kernels.iter().map(|kernel| kernel.in_place).sum()
    }

    /// Returns the pages found in the device's cache.
    pub fn cached_pages(&self) -> u64 {
        self.kernels.iter().map(|kernel| kernel.cached_pages).sum()
    }

    /// Returns the bytes read from storage.
    pub fn read(&self) -> u64 {
        self.kernels.iter().map(|kernel| kernel.read).sum()
    }

    /// Returns the time in which the edge lists of passes were made, in these runs or earlier ones, less the copying of
    /// pages.
    pub fn listing_time(&self) -> Duration {
        self.kernels.iter().map(|kernel| kernel.listing_time).sum()
    }

    /// Returns the time in which the link between host and device was busy with pages; `None` if no pass streamed
    /// pages.
    pub fn link_busy(&self) -> Option<Duration> {
        self.kernels.iter().filter_map(|kernel| kernel.link_busy).reduce(|sum, time| sum + time)
    }

    /// Returns the time in which the values written by several devices were merged.
    pub fn merge_time(&self) -> Duration {
        self.kernels.iter().map(|kernel| kernel.merge_time).sum()
    }

    /// Returns the bytes merged per replica.
    pub fn merged(&self) -> u64 {
        self.kernels.iter().map(|kernel| kernel.merged).sum()
    }

    /// Returns the time of the passes over edges on the GPUs and on the CPU, if the CPU shares the GPUs' work.
    pub fn kinds_time(&self) -> Option<[Duration; 2]> {
        self.kernels.iter().filter_map(|kernel| kernel.kinds_time).reduce(add)
    }

    /// Returns the time of all passes.
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
