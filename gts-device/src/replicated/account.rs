//! Accounting of globals, written attributes and merged bytes, for replicas within a process and across ranks.

use crate::PassOutcome;
use crate::kernel::SumChecks;
use crate::replica::{Merged, TotalCheck};
use crate::trace::{Trace, TraceEvent, TraceKind};
use gts_contract::{Access, AttributeKind, KernelDescriptor, Merging, Schema};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// The globals that every replica has accumulated in full. All other globals are split among the replicas, and must be
/// merged.
#[derive(Debug, Default)]
pub struct SameGlobals(BTreeSet<usize>);

impl SameGlobals {
    /// Records a pass. `same` is set if every replica ran the kernel over the whole graph.
    pub fn note(&mut self, kernel: &KernelDescriptor, same: bool) {
        for used in kernel.facts.uses {
            match kernel.schema.attributes[used.attribute].kind {
                AttributeKind::Global { .. } if same => self.0.insert(used.attribute),
                AttributeKind::Global { .. } => self.0.remove(&used.attribute),
                _ => false,
            };
        }
    }

    /// Returns whether every replica has accumulated a global in full.
    pub fn has(&self, attribute: usize) -> bool {
        self.0.contains(&attribute)
    }
}

/// Returns the `wa` attributes that a kernel writes in a pass with these checks.
pub fn written(kernel: &'static KernelDescriptor, sums: SumChecks, vertices: u64, vertex_bytes: usize) -> Vec<Merged> {
    let mut written: Vec<Merged> = Vec::new();
    for used in kernel.facts.uses.iter().filter(|used| used.access != Access::Read) {
        let is_wa = matches!(kernel.schema.attributes[used.attribute].kind, AttributeKind::Wa { .. });
        if is_wa && written.iter().all(|merged| merged.attribute != used.attribute) {
            let check = TotalCheck::of(kernel, used.attribute, sums);
            written.push(Merged { check, ..Merged::of(kernel.schema, used.attribute, vertices, vertex_bytes) });
        }
    }
    written
}

/// Sets the outcome's counts of merged bytes per replica.
pub fn count_merged(
    kernel: &KernelDescriptor,
    vertices: u64,
    written: &[Merged],
    merging: Merging,
    outcome: &mut PassOutcome,
) {
    let a_vertex = written.iter().map(|merged| merged.value_bytes() as u64).sum();
    let activates = !kernel.facts.activates.is_empty();
    let of = |activated: u64| merging.bytes(a_vertex, activates, vertices as f64, activated as f64).sum() as u64;
    outcome.merged_at_most = of(vertices);
    outcome.merged = of(outcome.frontier.unwrap_or(vertices));
}

/// Records a transfer of `bytes` bytes per replica, which took `time` and has just ended.
pub fn record_merge(trace: &Trace, schema: &Schema, merged: &[Merged], bytes: u64, time: Duration) {
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
