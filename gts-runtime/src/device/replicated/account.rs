//! What replicas of one process, and those of the ranks of a group, keep account of alike.

use super::collective::Merged;
use crate::device::PassOutcome;
use crate::trace::{Trace, TraceEvent, TraceKind};
use gts_core::contract::{Access, AttributeKind, KernelDescriptor, Schema};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// The globals of which all replicas have accumulated the same, rather than each its part.
#[derive(Debug, Default)]
pub(crate) struct SameGlobals(BTreeSet<usize>);

impl SameGlobals {
    /// Takes note of a pass: whether every replica ran the kernel for everything.
    pub(crate) fn note(&mut self, kernel: &KernelDescriptor, same: bool) {
        for used in kernel.facts.uses {
            match kernel.schema.attributes[used.attribute].kind {
                AttributeKind::Global { .. } if same => self.0.insert(used.attribute),
                AttributeKind::Global { .. } => self.0.remove(&used.attribute),
                _ => false,
            };
        }
    }

    /// Returns whether all replicas have accumulated the same of a global.
    pub(crate) fn has(&self, attribute: usize) -> bool {
        self.0.contains(&attribute)
    }
}

/// Returns the `wa` that a kernel writes.
pub(crate) fn written(kernel: &KernelDescriptor, vertices: u64, vertex_bytes: usize) -> Vec<Merged> {
    let mut written: Vec<Merged> = Vec::new();
    for used in kernel.facts.uses.iter().filter(|used| used.access != Access::Read) {
        let is_wa = matches!(kernel.schema.attributes[used.attribute].kind, AttributeKind::Wa { .. });
        if is_wa && written.iter().all(|merged| merged.attribute != used.attribute) {
            written.push(Merged::of(kernel.schema, used.attribute, vertices, vertex_bytes));
        }
    }
    written
}

/// Counts the bytes of a replica that were merged after a pass: values of activated vertices alone where it `unites`.
pub(crate) fn count_merged(
    kernel: &KernelDescriptor,
    vertices: u64,
    written: &[Merged],
    unites: bool,
    outcome: &mut PassOutcome,
) {
    let set = if kernel.facts.activates.is_empty() { 0 } else { vertices.div_ceil(8) };
    let all: u64 = written.iter().map(|merged| merged.bytes() as u64).sum();
    let a_vertex: u64 = written.iter().map(|merged| merged.value_bytes() as u64).sum();
    outcome.merged_at_most = all + set;
    outcome.merged = match outcome.frontier {
        Some(activated) if unites => activated * a_vertex + set,
        _ => all + set,
    };
}

/// Records the bytes of a replica that have just moved, which took so long.
pub(crate) fn record_merge(trace: &Trace, schema: &Schema, merged: &[Merged], bytes: u64, time: Duration) {
    if !trace.is_on() || bytes == 0 {
        return;
    }
    let end = trace.time_of(Instant::now());
    trace.record(TraceEvent {
        kind: TraceKind::Merge,
        device: 0,
        lane: 0,
        start: end.saturating_sub(time),
        end,
        bytes,
        pages: 0,
        label: match merged {
            [only] => schema.attributes[only.attribute].name,
            _ => "attributes",
        },
    });
}
