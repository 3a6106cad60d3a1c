//! Traces of runs: every read, copy, launch, merge and dealing of pages with its times.
//!
//! A [`Trace`] is shared by an engine and its reader. Devices record into it through
//! [`SessionOptions`](crate::SessionOptions). If it is off, which is the default, recording costs one test of a
//! pointer.

pub mod chrome;
mod rows;
pub mod timeline;

use gts_core::phase::Phases;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Kind of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TraceKind {
    /// Pages or tables were read from storage into host memory.
    Read,
    /// Bytes moved between host and device, or between devices.
    Copy,
    /// A kernel ran.
    Launch,
    /// The separate values of devices or threads were merged.
    Merge,
    /// The host redistributed the pages among the devices of a run.
    Deal,
    /// The thread that runs the command was in one of its phases.
    Phase,
}

impl TraceKind {
    /// Every kind, in the order in which bytes pass through them.
    pub const ALL: [Self; 6] = [Self::Read, Self::Copy, Self::Launch, Self::Merge, Self::Deal, Self::Phase];

    /// Returns the name, for people and files.
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

/// An event. Times count from [`Trace::origin`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceEvent {
    /// Kind of the event.
    pub kind: TraceKind,
    /// The device that it concerns, counted from 0 among the devices of the run; 0 for a phase.
    pub device: u32,
    /// Its stream or reader, counted from 0 on its device.
    pub lane: u32,
    /// Time of its beginning.
    pub start: Duration,
    /// Time of its end.
    pub end: Duration,
    /// Bytes read or moved, bytes of the pages that a launch visited, or bytes that a deal gave to another device.
    pub bytes: u64,
    /// Number of these pages.
    pub pages: u64,
    /// Its subject: a kernel's name, `topology`, an attribute.
    pub label: &'static str,
}

/// A record of events, or of nothing: [`Trace::default`] is off. Clones share the record.
#[derive(Clone, Debug, Default)]
pub struct Trace(Option<Arc<Record>>);

#[derive(Debug)]
struct Record {
    origin: Instant,
    events: Mutex<Vec<TraceEvent>>,
}

impl Trace {
    /// Creates a trace that records from now on.
    pub fn on() -> Self {
        Self(Some(Arc::new(Record { origin: Instant::now(), events: Mutex::default() })))
    }

    /// Returns whether events are recorded. If they are not, callers can skip costly details.
    pub fn is_on(&self) -> bool {
        self.0.is_some()
    }

    /// Returns the origin of times; the current moment if the trace is off.
    pub fn origin(&self) -> Instant {
        self.0.as_ref().map_or_else(Instant::now, |record| record.origin)
    }

    /// Returns the time of a moment; zero for one before the origin.
    pub fn time_of(&self, moment: Instant) -> Duration {
        moment.saturating_duration_since(self.origin())
    }

    /// Records an event, unless the trace is off.
    pub fn record(&self, event: TraceEvent) {
        if let Some(record) = &self.0 {
            record.events.lock().unwrap_or_else(PoisonError::into_inner).push(event);
        }
    }

    /// Records the phases of the thread that runs the command, unless the trace is off.
    pub fn record_phases(&self, phases: &Phases) {
        for span in &phases.spans {
            let (start, end) = (self.time_of(span.start), self.time_of(span.end));
            let (kind, label) = (TraceKind::Phase, span.phase.name());
            self.record(TraceEvent { kind, device: 0, lane: 0, start, end, bytes: 0, pages: 0, label });
        }
    }

    /// Takes the events recorded so far, ordered by start; none if the trace is off.
    pub fn take(&self) -> Vec<TraceEvent> {
        let Some(record) = &self.0 else { return Vec::new() };
        let mut events = std::mem::take(&mut *record.events.lock().unwrap_or_else(PoisonError::into_inner));
        events.sort_by_key(|event| (event.start, event.device, event.lane, event.kind));
        events
    }
}

/// Returns the time in which at least one event was in progress: the union of their intervals.
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

    /// Creates an event from one microsecond to another.
    pub(super) fn event(kind: TraceKind, device: u32, lane: u32, start: u64, end: u64) -> TraceEvent {
        let label = if kind == TraceKind::Launch { "expand" } else { "topology" };
        let (start, end) = (Duration::from_micros(start), Duration::from_micros(end));
        TraceEvent { kind, device, lane, start, end, bytes: 1 << 20, pages: 16, label }
    }

    /// Returns events of two streams and a reader of one device, and a merge on another.
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
