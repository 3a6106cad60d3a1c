//! Writes a trace as JSON in the format of Chrome's trace viewer, which Perfetto also reads.

use super::rows::{Row, device_name, rows};
use super::{TraceEvent, TraceKind};
use serde_json::{Value, json};
use std::io::{self, Write};

/// Writes events as one JSON object. Each device becomes a process, and each stream or reader becomes a thread. Each
/// event becomes a "complete" event whose arguments are the numbers of bytes and pages. `devices` contains the devices'
/// names, indexed by device number.
///
/// # Errors
///
/// The writer fails.
pub fn write(mut writer: impl Write, events: &[TraceEvent], devices: &[String]) -> io::Result<()> {
    write!(writer, "{{\"displayTimeUnit\":\"ms\",\"traceEvents\":[")?;
    let mut separator = "\n";
    let mut line = |value: Value| {
        write!(writer, "{separator}{value}")?;
        separator = ",\n";
        io::Result::Ok(())
    };
    let mut named = None;
    for (thread, (row, events)) in rows(events).into_iter().enumerate() {
        if named != Some(row.device) {
            named = Some(row.device);
            line(metadata("process_name", row.device, 0, json!({ "name": device_name(devices, row.device) })))?;
        }
        line(metadata("thread_name", row.device, thread, json!({ "name": row.name() })))?;
        line(metadata("thread_sort_index", row.device, thread, json!({ "sort_index": thread })))?;
        for event in events {
            line(complete(event, row, thread))?;
        }
    }
    writeln!(writer, "\n]}}")
}

fn metadata(name: &str, process: u32, thread: usize, arguments: Value) -> Value {
    json!({ "ph": "M", "name": name, "pid": process, "tid": thread, "args": arguments })
}

fn complete(event: &TraceEvent, row: Row, thread: usize) -> Value {
    // The format's times are fractional microseconds.
    let micros = |time: std::time::Duration| time.as_nanos() as f64 / 1e3;
    json!({
        "ph": "X",
        "name": match event.kind {
            TraceKind::Launch => event.label.to_owned(),
            kind => format!("{} {}", kind.name(), event.label),
        },
        "cat": event.kind.name(),
        "pid": row.device,
        "tid": thread,
        "ts": micros(event.start),
        "dur": micros(event.end.saturating_sub(event.start)),
        "args": { "bytes": event.bytes, "pages": event.pages },
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::sample;
    use super::*;
    use std::collections::HashSet;

    fn written(events: &[TraceEvent], devices: &[String]) -> Value {
        let mut text = Vec::new();
        write(&mut text, events, devices).expect("a vector takes everything");
        serde_json::from_slice(&text).expect("the text is JSON")
    }

    #[test]
    fn every_event_is_found_again() {
        let events = sample();
        let json = written(&events, &["cuda:0 <A&B>".to_owned()]);
        let all = json["traceEvents"].as_array().expect("a list");
        let complete: Vec<_> = all.iter().filter(|event| event["ph"] == "X").collect();
        assert_eq!(complete.len(), events.len());
        for event in &events {
            let start = event.start.as_nanos() as f64 / 1e3;
            let same = |found: &&&Value| {
                found["ts"] == json!(start)
                    && found["pid"] == json!(event.device)
                    && found["cat"] == json!(event.kind.name())
                    && found["args"] == json!({ "bytes": event.bytes, "pages": event.pages })
            };
            assert_eq!(complete.iter().filter(same).count(), 1, "{event:?}");
        }
    }

    #[test]
    fn devices_are_processes_and_rows_are_threads_with_names() {
        let json = written(&sample(), &["cuda:0 <A&B>".to_owned()]);
        let all = json["traceEvents"].as_array().expect("a list");
        let names = |what: &str| -> Vec<(u64, String)> {
            let found = all.iter().filter(|event| event["name"] == what);
            found
                .map(|event| {
                    let name = event["args"]["name"].as_str().expect("a name");
                    (event["pid"].as_u64().expect("a number"), name.to_owned())
                })
                .collect()
        };
        assert_eq!(names("process_name"), [(0, "cuda:0 <A&B>".to_owned()), (1, "device 1".to_owned())]);
        let rows = [(0, "stream 0"), (0, "stream 1"), (0, "reader 0"), (1, "stream 0")];
        assert_eq!(names("thread_name"), rows.map(|(device, name)| (device, name.to_owned())));
        let threads: HashSet<_> = all.iter().map(|event| event["tid"].to_string()).collect();
        assert_eq!(threads.len(), 4);
    }

    #[test]
    fn a_trace_of_nothing_is_a_trace() {
        assert_eq!(written(&[], &[])["traceEvents"], json!([]));
    }
}
