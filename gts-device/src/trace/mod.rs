//! Traces of runs, which record the time of every read, copy, launch, merge and redistribution of pages.
//!
//! An engine and the code that reads the engine's events share a [`Trace`]. Devices receive the trace through
//! [`SessionOptions`](crate::SessionOptions) and record events in it. A trace is off by default, in which case a record
//! costs one test of a pointer.

pub mod chrome;
mod rows;
pub mod timeline;

use gts_core::phase::Phases;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The kind of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TraceKind {
    /// A read of pages or tables from storage into host memory.
    Read,
    /// A copy between host and device, or between devices.
    Copy,
    /// The execution of a kernel.
    Launch,
    /// A merge of the replicas of devices or threads.
    Merge,
    /// A redistribution of pages among the devices of a run, which the host performs.
    Deal,
    /// A phase of the thread that runs the command.
    Phase,
}

impl TraceKind {
    /// All kinds. Kinds that process bytes come first, in the order in which a run processes bytes.
    pub const ALL: [Self; 6] = [Self::Read, Self::Copy, Self::Launch, Self::Merge, Self::Deal, Self::Phase];

    /// Returns the name, as shown to users and written to files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Copy => "copy",
            Self::Launch => "launch",
            Self::Merge => "merge",
            Self::Deal => "deal",
            Self::Phase => "phase",
        }
    }
}

/// An event in a trace. Times are relative to [`Trace::origin`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceEvent {
    /// The kind of the event, which determines the meaning of `bytes` and `label`.
    pub kind: TraceKind,
    /// The number of the device in the run, counted from 0. For a phase, 0.
    pub device: u32,
    /// The number of the device's stream or reader, counted from 0.
    pub lane: u32,
    /// The start of the event.
    pub start: Duration,
    /// The end of the event.
    pub end: Duration,
    /// The number of bytes that the event read, copied, visited, merged, or reassigned to another device.
    pub bytes: u64,
    /// The number of pages that contain these bytes. For a merge or a phase, 0.
    pub pages: u64,
    /// The subject: the name of a kernel, an attribute or a phase, or a fixed label such as `topology`.
    pub label: &'static str,
}

/// A record of events, shared by all clones. [`Trace::default`] is off and records nothing.
#[derive(Clone, Debug, Default)]
pub struct Trace(Option<Arc<TraceRecord>>);

#[derive(Debug)]
struct TraceRecord {
    origin: Instant,
    events: Mutex<Vec<TraceEvent>>,
}

impl Trace {
    /// Creates a trace that records events. The origin of all times is the moment of this call.
    pub fn on() -> Self {
        Self(Some(Arc::new(TraceRecord { origin: Instant::now(), events: Mutex::default() })))
    }

    /// Returns whether events are recorded. If false, callers can avoid computing the details of events.
    pub fn is_on(&self) -> bool {
        self.0.is_some()
    }

    /// Returns the origin of all times, or the current moment if the trace is off.
    pub fn origin(&self) -> Instant {
        self.0.as_ref().map_or_else(Instant::now, |record| record.origin)
    }

    /// Returns the time from the origin to a moment, or zero if the moment precedes the origin.
    pub fn time_of(&self, moment: Instant) -> Duration {
        moment.saturating_duration_since(self.origin())
    }

    /// Records an event, unless the trace is off.
    pub fn record(&self, event: TraceEvent) {
        if let Some(record) = &self.0 {
            record.events.lock().unwrap_or_else(PoisonError::into_inner).push(event);
        }
    }

    /// Records the phases of the command's thread, unless the trace is off.
    pub fn record_phases(&self, phases: &Phases) {
        for span in &phases.spans {
            let (start, end) = (self.time_of(span.start), self.time_of(span.end));
            let (kind, label) = (TraceKind::Phase, span.phase.name());
            self.record(TraceEvent { kind, device: 0, lane: 0, start, end, bytes: 0, pages: 0, label });
        }
    }

    /// Removes and returns all recorded events, ordered by start time. Returns no events if the trace is off.
    pub fn take(&self) -> Vec<TraceEvent> {
        let Some(record) = &self.0 else { return Vec::new() };
        let mut events = std::mem::take(&mut *record.events.lock().unwrap_or_else(PoisonError::into_inner));
        events.sort_by_key(|event| (event.start, event.device, event.lane, event.kind));
        events
    }
}

/// Returns the total time during which at least one of the events was in progress.
pub fn busy<'a>(events: impl IntoIterator<Item = &'a TraceEvent>) -> Duration {
    let mut intervals: Vec<_> = events.into_iter().map(|event| (event.start, event.end)).collect();
    intervals.sort_unstable();
    let mut covered = Duration::ZERO;
    let mut reached = Duration::ZERO;
    for (start, end) in intervals {
        covered += end.saturating_sub(start.max(reached));
        reached = reached.max(end);
    }
    covered
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates an event that lasts from `start` to `end`, in microseconds.
    pub(super) fn event(kind: TraceKind, device: u32, lane: u32, start: u64, end: u64) -> TraceEvent {
        let label = if kind == TraceKind::Launch { "expand" } else { "topology" };
        let (start, end) = (Duration::from_micros(start), Duration::from_micros(end));
        TraceEvent { kind, device, lane, start, end, bytes: 1 << 20, pages: 16, label }
    }

    /// Returns events of two streams and a reader on one device, and of a merge on another device.
    pub(super) fn sample() -> Vec<TraceEvent> {
        vec![
            event(TraceKind::Read, 0, 0, 100, 900),
            event(TraceKind::Copy, 0, 0, 500, 1500),
            event(TraceKind::Launch, 0, 0, 1500, 1900),
            event(TraceKind::Copy, 0, 1, 1500, 2500),
            event(TraceKind::Launch, 0, 1, 2500, 3100),
            event(TraceKind::Merge, 1, 0, 3100, 3300),
        ]
    }

    fn copy(start: u64, end: u64) -> TraceEvent {
        event(TraceKind::Copy, 0, 0, start, end)
    }

    #[test]
    fn a_trace_that_is_off_keeps_nothing() {
        let trace = Trace::default();
        trace.record(copy(0, 1));
        assert!(!trace.is_on());
        assert!(trace.take().is_empty());
    }

    #[test]
    fn clones_share_a_record_that_is_taken_once_in_order() {
        let trace = Trace::on();
        let clone = trace.clone();
        clone.record(copy(5, 6));
        trace.record(copy(1, 2));
        assert_eq!(trace.take(), [copy(1, 2), copy(5, 6)]);
        assert!(clone.take().is_empty());
    }

    #[test]
    fn times_count_from_the_origin() {
        let trace = Trace::on();
        assert_eq!(trace.time_of(trace.origin() + Duration::from_millis(3)), Duration::from_millis(3));
        assert_eq!(trace.time_of(trace.origin()), Duration::ZERO);
    }

    #[test]
    fn busy_time_counts_what_overlaps_once() {
        let busy = |events: &[TraceEvent]| busy(events).as_micros();
        assert_eq!(busy(&[]), 0);
        assert_eq!(busy(&[copy(0, 4), copy(6, 8)]), 6);
        assert_eq!(busy(&[copy(3, 9), copy(0, 4), copy(5, 6)]), 9);
        assert_eq!(busy(&[copy(2, 2), copy(7, 5)]), 0);
    }
}
