//! `--trace` and `--timeline`: files that show the work of a run.

use crate::error::Failure;
use crate::file::NewFile;
use crate::report::{paths_json, tell};
use crate::units;
use gts_graph::trace::{Trace, TraceEvent, TraceKind, busy, chrome, timeline};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::Duration;

/// Where a run's trace goes.
#[derive(clap::Args, Debug)]
pub(crate) struct TraceArgs {
    /// Write every read, copy, launch and merge to a file for Perfetto or chrome://tracing
    #[arg(long, value_name = "FILE", help_heading = "Trace")]
    trace: Option<PathBuf>,
    /// Draw them over time into an SVG file
    #[arg(long, value_name = "FILE", help_heading = "Trace")]
    timeline: Option<PathBuf>,
}

/// The files, and the trace that they show.
pub(crate) struct Tracing {
    /// Off if no file is requested.
    pub(crate) trace: Trace,
    chrome: Option<NewFile>,
    timeline: Option<NewFile>,
}

/// Summary of a trace, in addition to its files.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Traced {
    /// The number of events.
    pub(crate) events: usize,
    /// Time in which at least one copy was in progress.
    pub(crate) copying: Duration,
    /// The files.
    pub(crate) files: Vec<PathBuf>,
}

impl TraceArgs {
    /// Requests no file.
    pub(crate) const NONE: Self = Self { trace: None, timeline: None };

    /// Checks before the run that the files can be written, and that they differ from each other and from the answer's.
    pub(crate) fn prepare(&self, replace: bool, answer: Option<&NewFile>) -> Result<Tracing, Failure> {
        let file = |path: &Option<PathBuf>| path.as_deref().map(|path| NewFile::new(path, replace)).transpose();
        let (chrome, timeline) = (file(&self.trace)?, file(&self.timeline)?);
        let all = [("--output", answer), ("--trace", chrome.as_ref()), ("--timeline", timeline.as_ref())];
        let all: Vec<_> = all.into_iter().filter_map(|(flag, file)| Some((flag, file?))).collect();
        for (place, (flag, file)) in all.iter().enumerate() {
            if let Some((other, _)) = all[..place].iter().find(|(_, other)| file.is_same(other)) {
                return Err(Failure::usage(format!("{other} and {flag} name the same file"), "give one another name"));
            }
        }
        let trace = if chrome.is_some() || timeline.is_some() { Trace::on() } else { Trace::default() };
        Ok(Tracing { trace, chrome, timeline })
    }
}

impl Tracing {
    /// Writes the files; returns `None` if none was requested.
    pub(crate) fn write(self, devices: &[String]) -> Result<Option<Traced>, Failure> {
        if !self.trace.is_on() {
            return Ok(None);
        }
        let events = self.trace.take();
        let chrome = self.chrome.map(|file| file.write(|writer| chrome::write(writer, &events, devices)));
        let timeline = self.timeline.map(|file| file.write(|writer| timeline::write(writer, &events, devices)));
        // Attempt to write both, even if one fails.
        let files = [chrome, timeline].into_iter().flatten().collect::<Result<_, _>>()?;
        let copies = events.iter().filter(|event: &&TraceEvent| event.kind == TraceKind::Copy);
        Ok(Some(Traced { events: events.len(), copying: busy(copies), files }))
    }
}

/// Reports on standard error the location of an incomplete run's trace. Other code reports why the run is incomplete.
pub(crate) fn tell_of_unfinished(written: Result<Option<Traced>, Failure>) {
    match written {
        Ok(Some(traced)) => tell(format_args!("trace until then: {}", traced.text(Duration::ZERO))),
        Ok(None) => {}
        Err(error) => tell(format_args!("the trace until then is lost: {error}")),
    }
}

impl Traced {
    /// Formats the summary for readers; `passes` is the time of all passes.
    pub(crate) fn text(&self, passes: Duration) -> String {
        let overlap = match passes.is_zero() || self.copying.is_zero() {
            true => String::new(),
            false => {
                let share = 100.0 * self.copying.as_secs_f64() / passes.as_secs_f64();
                format!(", copies going on {} ({share:.1} % of the passes)", units::time(self.copying))
            }
        };
        let files: Vec<_> = self.files.iter().map(|path| path.display().to_string()).collect();
        format!("{} events{overlap}, in {}", units::count(self.events as u64), files.join(" and "))
    }

    /// Returns the summary for programs.
    pub(crate) fn json(&self) -> Value {
        json!({ "events": self.events, "copying_seconds": self.copying.as_secs_f64(), "files": paths_json(&self.files) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(trace: Option<PathBuf>, timeline: Option<PathBuf>) -> TraceArgs {
        TraceArgs { trace, timeline }
    }

    #[test]
    fn nothing_is_recorded_or_written_unasked() {
        let tracing = arguments(None, None).prepare(false, None).unwrap();
        assert!(!tracing.trace.is_on());
        assert_eq!(tracing.write(&[]).unwrap(), None);
    }

    #[test]
    fn files_are_not_replaced_unasked() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.json");
        std::fs::write(&path, "precious").unwrap();
        let arguments = arguments(Some(path.clone()), None);
        assert!(matches!(arguments.prepare(false, None), Err(Failure::Exists(_))));
        let tracing = arguments.prepare(true, None).unwrap();
        assert!(tracing.trace.is_on());
        let traced = tracing.write(&[]).unwrap().unwrap();
        assert_eq!((traced.events, traced.files), (0, vec![path.clone()]));
        assert!(std::fs::read_to_string(&path).unwrap().contains("traceEvents"));
    }

    #[test]
    fn one_file_cannot_be_two() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.json");
        let both = arguments(Some(path.clone()), Some(path.clone()));
        let answer = NewFile::new(&folder.path().join(".").join("run.json"), false).unwrap();
        let one = arguments(Some(path), None);
        for refused in [both.prepare(false, None), one.prepare(false, Some(&answer))] {
            let refused = refused.err().expect("a refusal");
            assert!(refused.to_string().contains("--trace") && matches!(refused, Failure::Usage { .. }), "{refused}");
        }
    }
}
