//! Measurements and counters of a pass.

use gts_contract::Technique;
use gts_core::cost::hybrid::Adjustment;
use std::time::Duration;

/// Measurements and counters of a pass.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PassOutcome {
    /// Number of edges for which the kernel body may have run: all edges of the visited pages or vertices.
    pub edges: u64,
    /// Number of pages visited.
    pub pages: u64,
    /// Total bytes of the pages visited.
    pub bytes: u64,
    /// Bytes of pages that were copied to the device, including pages prefetched for the next pass.
    pub copied: u64,
    /// Bytes of pages that kernels read directly from host memory. Estimated from the active vertices.
    pub in_place: u64,
    /// Number of visited pages that were already in the device's cache.
    pub cached_pages: u64,
    /// Bytes read from storage.
    pub read: u64,
    /// Time to build the edge lists that the pass walked, even if an earlier pass built them. Excludes the time to copy
    /// pages, because passes over pages need the same copies.
    pub listing_time: Duration,
    /// Time during which the link between host and device transferred pages of the pass, if the device measures this
    /// time.
    pub link_busy: Option<Duration>,
    /// Execution time of the kernels, if the device measures it separately from the call.
    pub kernel_time: Option<Duration>,
    /// Whether the pass pulled.
    pub pulled: bool,
    /// The technique that ran, if the device has techniques.
    pub technique: Option<Technique>,
    /// Number of devices that shared the work, or 0 for a run on a single device.
    pub devices: u32,
    /// Whether one device ran the whole pass because devices cannot share the kernel.
    pub alone: bool,
    /// Number of active vertices in the next step, if the session has ended the current step.
    pub frontier: Option<u64>,
    /// Time to merge the writes of several devices.
    pub merge_time: Option<Duration>,
    /// The longest pass times among the leaders (GPUs) and among the followers (the CPU), if the run has followers.
    pub kinds_time: Option<[Duration; 2]>,
    /// Bytes of attribute values and vertex sets that were merged after the pass, per replica.
    pub merged: u64,
    /// An upper bound on `merged`, which assumes that the written attributes have changed at every vertex.
    pub merged_at_most: u64,
    /// Number of parts into which Strategy-S divided the attributes, or 0 if every device holds the attributes of all
    /// vertices.
    pub parts: u32,
    /// Bytes of vertex values that the kernel body read from host memory, because the columns do not fit into device
    /// memory.
    pub travelling: u64,
    /// The loop in which the device ran the step, if the host did not begin the step.
    pub steps_run: Option<StepsRun>,
    /// The adjustment of the shares of leaders and followers, if the session computed one after this pass.
    pub adjustment: Option<Adjustment>,
}

impl PassOutcome {
    /// Returns the totals of passes that one device ran in sequence. Adds the work, and the times of kernels, link and
    /// merges.
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

    /// Returns the totals of passes that devices ran concurrently: the sums of the work, and the longest times.
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
            // The parts of a pass never end the step.
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

/// The loop in which a device runs steps that the host does not begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StepsRun {
    /// All threads wait for each other after each step.
    InOrder,
    /// The first thread that reaches a vertex claims it.
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
