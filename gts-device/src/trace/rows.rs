//! The rows of a displayed trace: each device's streams and readers.

use super::{TraceEvent, TraceKind};
use std::collections::BTreeMap;

/// The kind of a row. Readers and streams are numbered separately.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum RowKind {
    /// The phases of the thread that runs the command.
    Command,
    Stream,
    Reader,
}

/// The key of a row. Rows are displayed in key order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Row {
    pub device: u32,
    pub kind: RowKind,
    pub lane: u32,
}

impl Row {
    fn of(event: &TraceEvent) -> Self {
        let kind = match event.kind {
            TraceKind::Phase => RowKind::Command,
            TraceKind::Read => RowKind::Reader,
            TraceKind::Copy | TraceKind::Launch | TraceKind::Merge | TraceKind::Deal => RowKind::Stream,
        };
        Self { device: event.device, kind, lane: event.lane }
    }

    /// Returns the row's display name, such as `stream 0`.
    pub(crate) fn name(self) -> String {
        match self.kind {
            RowKind::Command => "command".to_owned(),
            RowKind::Stream => format!("stream {}", self.lane),
            RowKind::Reader => format!("reader {}", self.lane),
        }
    }
}

/// Returns the events of each row, in display order. The rows of a device are the command's phases, then the streams,
/// then the readers. A reader may have many reads in flight, so overlapping reads are distributed over several rows.
pub(crate) fn rows(events: &[TraceEvent]) -> BTreeMap<Row, Vec<&TraceEvent>> {
    let mut rows: BTreeMap<Row, Vec<&TraceEvent>> = BTreeMap::new();
    for event in events {
        let mut row = Row::of(event);
        let busy = |row: Row| rows.get(&row).and_then(|row| row.last()).is_some_and(|last| last.end > event.start);
        while row.kind == RowKind::Reader && busy(row) {
            row.lane += 1;
        }
        rows.entry(row).or_default().push(event);
    }
    rows
}

/// Returns the name of a device, or a name made from its number if `devices` does not contain the device.
pub(crate) fn device_name(devices: &[String], device: u32) -> String {
    devices.get(device as usize).cloned().unwrap_or_else(|| format!("device {device}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn reads_that_overlap_stand_in_several_rows() {
        let event = |kind, start, end| TraceEvent {
            kind,
            device: 0,
            lane: 0,
            start: Duration::from_micros(start),
            end: Duration::from_micros(end),
            bytes: 0,
            pages: 0,
            label: "topology",
        };
        let read = TraceKind::Read;
        let events = [event(read, 0, 10), event(read, 2, 8), event(read, 8, 12), event(TraceKind::Copy, 9, 11)];
        let lengths: Vec<_> = rows(&events).iter().map(|(row, events)| (row.name(), events.len())).collect();
        let expected = [("stream 0", 1), ("reader 0", 1), ("reader 1", 2)];
        assert_eq!(lengths, expected.map(|(name, events)| (name.to_owned(), events)));
    }
}
