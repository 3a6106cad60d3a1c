//! Measurements and counters of a pass.

use gts_contract::Technique;
use gts_core::cost::hybrid::Adjustment;
use std::time::Duration;

/// Measurements and counters of a pass.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PassOutcome {
    /// Edges for which the body may have run: all edges of the pages or vertices visited.
    pub edges: u64,
    /// Pages visited.
    pub pages: u64,
    /// Bytes of pages visited.
    pub bytes: u64,
    /// Bytes of pages copied to the device, for this pass and ahead for the next.
    pub copied: u64,
    /// Bytes of pages that kernels read directly from host memory, estimated from the active vertices.
    pub in_place: u64,
    /// Pages found in the device's cache.
    pub cached_pages: u64,
    /// Bytes read from storage.
    pub read: u64,
    /// Time to build the edge lists that the pass walked, in this pass or an earlier one. It excludes copying their
    /// pages, because passes over pages need these copies too.
    pub listing_time: Duration,
    /// Time in which the link between host and device was busy with pages of the pass, if the device measures it.
    pub link_busy: Option<Duration>,
    /// Time of the kernels, if the device can separate it from the time of the call.
    pub kernel_time: Option<Duration>,
    /// Whether the pass pulled.
    pub pulled: bool,
    /// The technique that ran, if the device has techniques.
    pub technique: Option<Technique>,
    /// Number of devices that shared the work; 0 if there is only one.
    pub devices: u32,
    /// Whether one device ran the pass for all, because they cannot share it.
    pub alone: bool,
    /// Number of active vertices of the next step, if the session has ended the step.
    pub frontier: Option<u64>,
    /// Time to merge the writes of several devices.
    pub merge_time: Option<Duration>,
    /// The longest time among the leading devices, and among the followers, if there are any: GPUs, and the CPU beside
    /// them.
    pub kinds_time: Option<[Duration; 2]>,
    /// Bytes of one replica that were merged after the pass: values, and sets of active vertices.
    pub merged: u64,
    /// The value of `merged` if every value that the kernel writes were merged, changed or not.
    pub merged_at_most: u64,
    /// Number of parts that Strategy-S divided the attributes into; 0 if each device has those of all vertices.
    pub parts: u32,
    /// Bytes of per-vertex values that the body read from host memory, because the device has no room for their
    /// columns.
    pub travelling: u64,
    /// How the step ran, if it belongs to a traversal whose steps the device began.
    pub steps_run: Option<StepsRun>,
    /// The session's decision after the pass about the shares of devices of two kinds, if it made one.
    pub adjustment: Option<Adjustment>,
}

impl PassOutcome {
    /// Returns the total of several passes that one device ran in turn: work and times are summed.
    pub fn in_turn(outcomes: &[Self]) -> Self {
        let add = |a: Option<Duration>, b: Option<Duration>| a.into_iter().chain(b).reduce(|a, b| a + b);
        outcomes
            .iter()
            .copied()
            .reduce(|sum, outcome| Self {
                link_busy: add(sum.link_busy, outcome.link_busy),
                kernel_time: add(sum.kernel_time, outcome.kernel_time),
                merge_time: add(sum.merge_time, outcome.merge_time),
                ..Self::total(&[sum, outcome])
            })
            .unwrap_or_default()
    }

    /// Returns the total of devices that worked concurrently: work is summed, and of times the longest is taken.
    pub fn total(outcomes: &[Self]) -> Self {
        outcomes.iter().fold(Self::default(), |sum, outcome| Self {
            edges: sum.edges + outcome.edges,
            pages: sum.pages + outcome.pages,
            bytes: sum.bytes + outcome.bytes,
            copied: sum.copied + outcome.copied,
            in_place: sum.in_place + outcome.in_place,
            cached_pages: sum.cached_pages + outcome.cached_pages,
            read: sum.read + outcome.read,
            listing_time: sum.listing_time.max(outcome.listing_time),
            link_busy: sum.link_busy.max(outcome.link_busy),
            kernel_time: sum.kernel_time.max(outcome.kernel_time),
            technique: sum.technique.or(outcome.technique),
            pulled: sum.pulled || outcome.pulled,
            devices: sum.devices.max(outcome.devices),
            alone: sum.alone || outcome.alone,
            // Devices in parallel, and a device in several turns, leave ending the step to the run.
            frontier: None,
            merge_time: sum.merge_time.max(outcome.merge_time),
            kinds_time: sum.kinds_time.or(outcome.kinds_time),
            merged: sum.merged + outcome.merged,
            merged_at_most: sum.merged_at_most + outcome.merged_at_most,
            parts: sum.parts.max(outcome.parts),
            travelling: sum.travelling.max(outcome.travelling),
            steps_run: sum.steps_run.or(outcome.steps_run),
            adjustment: sum.adjustment.or(outcome.adjustment),
        })
    }
}

/// Mode in which a device ran steps that the host did not begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StepsRun {
    /// In order: all threads wait for each other after each step.
    InOrder,
    /// With each vertex claimed by the thread that reaches it first.
    Claiming,
}

impl StepsRun {
    /// Returns the display name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::InOrder => "in order",
            Self::Claiming => "claiming",
        }
    }
}
