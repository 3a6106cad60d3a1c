//! Rows of a trace: the streams and readers of its devices, in the order in which people look at them.

use super::{TraceEvent, TraceKind};
use std::collections::BTreeMap;

/// What a row stands for. Readers and streams are counted on their own, so that reader 0 is not stream 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Row {
    pub(super) device: u32,
    pub(super) reader: bool,
    pub(super) lane: u32,
}

impl Row {
    fn of(event: &TraceEvent) -> Self {
        Self { device: event.device, reader: event.kind == TraceKind::Read, lane: event.lane }
    }

    /// `stream 0`.
    pub(super) fn name(self) -> String {
        format!("{} {}", if self.reader { "reader" } else { "stream" }, self.lane)
    }
}

/// The events of each row, in the order of the rows: by device, streams before readers.
pub(super) fn rows(events: &[TraceEvent]) -> BTreeMap<Row, Vec<&TraceEvent>> {
    let mut rows: BTreeMap<Row, Vec<&TraceEvent>> = BTreeMap::new();
    for event in events {
        rows.entry(Row::of(event)).or_default().push(event);
    }
    rows
}

/// The name of a device, or its number where none is given.
pub(super) fn device_name(devices: &[String], device: u32) -> String {
    devices.get(device as usize).cloned().unwrap_or_else(|| format!("device {device}"))
}
