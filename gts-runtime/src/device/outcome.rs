//! What a pass tells of itself.

use super::StepsRun;
use gts_contract::Technique;
use gts_core::cost::hybrid::Adjustment;
use std::time::Duration;

/// Tells what a pass did.
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
    /// Bytes of pages that kernels read where they lie in host memory, estimated by what was active of them.
    pub in_place: u64,
    /// Pages found in the device's cache.
    pub cached_pages: u64,
    /// Bytes read from storage.
    pub read: u64,
    /// Time in which the edge lists that it walked were made, in this pass or an earlier one. Copying the pages that they are
    /// made of is no part of it, because passes over pages need them too.
    pub listing_time: Duration,
    /// Time of the pass in which the link between host and device was busy with its pages, where the device can tell.
    pub link_busy: Option<Duration>,
    /// Time of the kernels themselves, where the device can tell it from the time of the call.
    pub kernel_time: Option<Duration>,
    /// Whether it pulled.
    pub pulled: bool,
    /// The technique that ran, where the device knows techniques.
    pub technique: Option<Technique>,
    /// Devices that shared the work; 0 where there is but one.
    pub devices: u32,
    /// Whether one device ran it for all, because they cannot share it.
    pub alone: bool,
    /// Active vertices of the next step, where the session has ended the step itself.
    pub frontier: Option<u64>,
    /// Time in which what several devices have written was merged.
    pub merge_time: Option<Duration>,
    /// The longest time of the devices that lead, and of the others, where some do: GPUs, and the CPU beside them.
    pub kinds_time: Option<[Duration; 2]>,
    /// Bytes of one replica that were merged after the pass: values, and sets of active vertices.
    pub merged: u64,
    /// The same if all values of what the kernel writes were merged.
    pub merged_at_most: u64,
    /// Parts that the attributes were in, by Strategy-S; 0 where each device has those of all vertices.
    pub parts: u32,
    /// Bytes of a vertex's values that the body read from host memory, because the device has no room for their columns.
    pub travelling: u64,
    /// Who ran it, where it is a step of a traversal that the host did not begin.
    pub steps_run: Option<StepsRun>,
    /// What the session decided after it about the shares of devices of two kinds, if anything.
    pub adjustment: Option<Adjustment>,
}

impl PassOutcome {
    /// What a device did in several turns: everything adds up.
    pub(crate) fn in_turn(outcomes: &[Self]) -> Self {
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

    /// What devices did together: work adds up, of times the longest counts.
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
            // Devices together, and a device in several turns, leave the end of a step to the run.
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
