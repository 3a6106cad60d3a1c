//! Progress of work that takes longer than two seconds, on standard error: a line that changes on a terminal, a line every
//! 30 seconds elsewhere.

use crate::lines::{is_quiet, tell};
use crate::units;
use gts_graph::algorithm::Outline;
use gts_graph::contract::KernelKind;
use gts_graph::core::build::{Phase, Progress as BuildProgress, ProgressFn};
use gts_graph::core::threads;
use gts_graph::core::units::scaled;
use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::fmt::Display;
use std::io::{IsTerminal, stderr};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Shorter work shows no progress.
const SILENT: Duration = Duration::from_secs(2);
/// Fast enough for readers, and negligible compared with the work.
const REDRAW: Duration = Duration::from_millis(100);
/// Time between lines if standard error is no terminal. A log of a day has fewer than 3,000 of them.
const BETWEEN_LINES: Duration = Duration::from_secs(30);

/// The current phase with the completed share, the remaining time and the rate. It appears after a delay, and is removed
/// from a terminal at the end.
#[derive(Clone)]
pub struct Meter(Arc<MeterLine>);

struct MeterLine {
    bar: ProgressBar,
    begun: Instant,
    shown: AtomicBool,
    state: Arc<Mutex<MeterState>>,
}

/// The progress of a phase.
struct MeterState {
    phase: String,
    since: Instant,
    done: u64,
    total: Option<u64>,
    /// Text behind the remaining time, such as a rate.
    note: String,
}

impl MeterState {
    /// Describes the progress without the name of the phase.
    fn text(&self, now: Instant) -> String {
        let taken = now.saturating_duration_since(self.since);
        let human = |seconds: f64| format!("{:#}", HumanDuration(Duration::from_secs(seconds as u64)));
        let mut text = match self.total {
            Some(total) if total > 0 => {
                let share = (self.done as f64 / total as f64).min(1.0);
                let left = taken.as_secs_f64() * (1.0 / share - 1.0);
                let left = if share > 0.0 { format!(", {} left", human(left)) } else { String::new() };
                format!("{:.0} %{left}", 100.0 * share)
            }
            _ => {
                let done = scaled(self.done as f64, 1000.0, &["", "k", "M", "G", "T"]);
                format!("{} after {}", done.trim_end(), human(taken.as_secs_f64()))
            }
        };
        if !self.note.is_empty() {
            text.push_str(&format!(", {}", self.note));
        }
        text
    }
}

fn lock(state: &Mutex<MeterState>) -> MutexGuard<'_, MeterState> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Meter {
    /// Creates a line that is not shown yet.
    pub fn new() -> Self {
        let begun = Instant::now();
        let state = MeterState { phase: String::new(), since: begun, done: 0, total: None, note: String::new() };
        Self(Arc::new(MeterLine {
            bar: ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden()),
            begun,
            shown: AtomicBool::new(false),
            state: Arc::new(Mutex::new(state)),
        }))
    }

    /// Updates the progress of a phase.
    pub fn update(&self, phase: &str, done: u64, total: Option<u64>) {
        let line = &*self.0;
        {
            let mut state = lock(&line.state);
            if state.phase != phase {
                phase.clone_into(&mut state.phase);
                state.since = Instant::now();
                line.bar.set_style(style(total.is_some()));
                line.bar.set_prefix(phase.to_owned());
            }
            (state.done, state.total) = (done, total);
        }
        if let Some(total) = total {
            line.bar.set_length(total);
        }
        line.bar.set_position(done);
        if line.begun.elapsed() > SILENT && !is_quiet() && !line.shown.swap(true, Ordering::Relaxed) {
            line.show();
        }
    }

    /// Sets the text behind the remaining time.
    pub fn note(&self, note: impl Display) {
        lock(&self.0.state).note = note.to_string();
    }

    /// Returns the callback for the options of a build.
    pub fn of_build(&self) -> ProgressFn {
        let meter = self.clone();
        Arc::new(move |progress: BuildProgress| {
            let phase = match progress.phase {
                Phase::Read => "reading",
                Phase::Renumber => "numbering",
                Phase::Sort => "sorting",
                _ => "writing pages",
            };
            meter.update(phase, progress.done, progress.total);
        })
    }

    /// Returns the callback for reading a store.
    pub(crate) fn of_store(&self, phase: &'static str) -> impl Fn(u64, u64) + Sync + use<> {
        let meter = self.clone();
        move |done, total| meter.update(phase, done, Some(total))
    }

    /// Returns the callback for the options of an engine. It counts the run's passes over edges, or its searches if the
    /// outline knows only their number.
    pub(crate) fn of_run(&self, outline: Option<&Outline>) -> gts_graph::ProgressCallback {
        let (meter, count) = (self.clone(), RunCount::new(outline));
        let [edges, told] = [const { AtomicU64::new(0) }; 2];
        Arc::new(move |progress: &gts_graph::RunProgress| {
            let edges = edges.fetch_add(progress.edges, Ordering::Relaxed) + progress.edges;
            let done = count.add(progress);
            // Steps of a traversal may take microseconds, and formatting a line takes about as long.
            let now = meter.0.begun.elapsed();
            let due = told.load(Ordering::Relaxed) + REDRAW.as_millis() as u64;
            if (now.as_millis() as u64) < due {
                return;
            }
            told.store(now.as_millis() as u64, Ordering::Relaxed);
            let frontier = progress.frontier.map(|size| format!(", {} active", units::count(size)));
            meter.note(format_args!("{}{}", units::edges_per_second(edges, now), frontier.unwrap_or_default()));
            meter.update("running", done, count.total);
        })
    }
}

/// The completed part of a run: passes over edges, or searches if only their number is known.
struct RunCount {
    /// The kernel that leaves no vertex active at the end of a search. `None` if passes are counted.
    first: Option<&'static str>,
    total: Option<u64>,
    counted: AtomicU64,
}

impl RunCount {
    fn new(outline: Option<&Outline>) -> Self {
        let passes = outline.and_then(Outline::passes);
        let searches = outline.filter(|outline| passes.is_none() && outline.searches > 1);
        let over_edges = |outline: &Outline| {
            outline.each_step.iter().find(|kernel| kernel.kind != KernelKind::Vertex).map(|kernel| kernel.name)
        };
        let total = passes.or(searches.map(|outline| outline.searches));
        Self { first: searches.and_then(over_edges), total, counted: AtomicU64::new(0) }
    }

    /// Counts a pass. Returns the number of completed passes or searches.
    fn add(&self, progress: &gts_graph::RunProgress) -> u64 {
        let counts = match self.first {
            Some(first) => progress.kernel == first && progress.frontier == Some(0),
            None => progress.edges > 0,
        };
        self.counted.fetch_add(counts.into(), Ordering::Relaxed) + u64::from(counts)
    }
}

impl MeterLine {
    /// Shows the progress from now on. Without the thread it is not shown.
    fn show(&self) {
        let (bar, state) = (self.bar.clone(), Arc::clone(&self.state));
        let is_terminal = stderr().is_terminal();
        if is_terminal {
            bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        let _ = threads::start("gts-meter", move || {
            let mut told = Instant::now();
            while !bar.is_finished() {
                if is_terminal {
                    bar.set_message(lock(&state).text(Instant::now()));
                    bar.tick();
                } else if told.elapsed() >= BETWEEN_LINES {
                    told = Instant::now();
                    let line = format!("{} {}", lock(&state).phase, lock(&state).text(told));
                    tell(line);
                }
                std::thread::sleep(REDRAW);
            }
        });
    }
}

impl Default for Meter {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for MeterLine {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

fn style(known: bool) -> ProgressStyle {
    let template = if known { "{prefix} {bar:24} {msg}" } else { "{prefix} {spinner} {msg}" };
    // The template is a constant; if it did not parse, the default would do.
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

#[cfg(test)]
mod tests {
    use super::*;
    use gts_graph::RunProgress;
    use gts_graph::algorithm::{self, Arguments};
    use gts_graph::prelude::{Engine, Graph};

    #[test]
    fn the_share_and_the_time_left_are_for_readers() {
        let since = Instant::now();
        let text = |done, total, seconds| {
            let state = MeterState { phase: "running".into(), since, done, total, note: "2 edges/s".into() };
            state.text(since + Duration::from_secs(seconds))
        };
        assert_eq!(text(0, Some(8), 40), "0 %, 2 edges/s");
        assert_eq!(text(2, Some(8), 40), "25 %, 2m left, 2 edges/s");
        assert_eq!(text(8, Some(8), 40), "100 %, 0s left, 2 edges/s");
        assert_eq!(text(9, Some(8), 40), "100 %, 0s left, 2 edges/s", "a bound may be exceeded");
        assert_eq!(text(27_655, None, 40), "27.7 k after 40s, 2 edges/s");
    }

    #[test]
    fn searches_are_counted() {
        gts_algorithms::link();
        let graph = Graph::reader("rmat:8").in_edges(true).read().expect("a graph");
        for name in ["betweenness", "closeness"] {
            let algorithm = algorithm::find(name).expect("an algorithm");
            let arguments = Arguments::of(algorithm);
            let outline = algorithm.outline.expect("an outline")(&arguments, &(&graph).into()).expect("sound");
            let count = Arc::new(RunCount::new(Some(&outline)));
            let counting = Arc::clone(&count);
            let engine = Engine::builder().progress(Arc::new(move |pass: &RunProgress| {
                counting.add(pass);
            }));
            algorithm.run(&engine.build().expect("an engine"), &graph, &arguments).expect("an answer");
            let counted = count.counted.load(Ordering::Relaxed);
            assert_eq!((count.total, counted), (Some(outline.searches), outline.searches), "{name}");
            assert!(outline.searches > 1, "{name}");
        }
    }
}
