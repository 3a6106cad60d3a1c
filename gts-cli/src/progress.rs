//! Progress of work that takes longer than two seconds, on standard error.

use crate::units;
use gts_graph::core::build::{Phase, Progress as BuildProgress, ProgressFn};
use gts_graph::core::threads;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Shorter work shows no progress.
const SILENT: Duration = Duration::from_secs(2);
/// Fast enough for readers, and negligible compared with the work.
const REDRAW: Duration = Duration::from_millis(100);

/// A line with the current phase, its rate and the remaining time. It appears after a delay and is removed at the end.
/// It is not drawn if standard error is no terminal.
#[derive(Clone)]
pub struct Meter(Arc<MeterLine>);

struct MeterLine {
    bar: ProgressBar,
    begun: Instant,
    shown: AtomicBool,
    phase: Mutex<String>,
}

impl Meter {
    /// Creates a line that is not shown yet.
    pub fn new() -> Self {
        Self(Arc::new(MeterLine {
            bar: ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden()),
            begun: Instant::now(),
            shown: AtomicBool::new(false),
            phase: Mutex::default(),
        }))
    }

    /// Updates the progress of a phase.
    pub fn update(&self, phase: &str, done: u64, total: Option<u64>) {
        let line = &*self.0;
        {
            let mut current = line.phase.lock().unwrap_or_else(PoisonError::into_inner);
            if *current != phase {
                phase.clone_into(&mut current);
                line.bar.reset();
                line.bar.set_style(style(total.is_some()));
                line.bar.set_prefix(phase.to_owned());
            }
        }
        if let Some(total) = total {
            line.bar.set_length(total);
        }
        line.bar.set_position(done);
        if line.begun.elapsed() > SILENT && !line.shown.swap(true, Ordering::Relaxed) {
            line.bar.set_draw_target(ProgressDrawTarget::stderr());
            let bar = line.bar.clone();
            // Without the thread the line is drawn only by updates.
            let _ = threads::start("gts-meter", move || {
                while !bar.is_finished() {
                    bar.tick();
                    std::thread::sleep(REDRAW);
                }
            });
        }
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

    /// Returns the callback for the options of an engine, which counts passes of a run: `total` over edges, if the
    /// number is known.
    pub(crate) fn of_run(&self, total: Option<u64>) -> gts_graph::ProgressCallback {
        let meter = self.clone();
        let [edges, passes, told] = [const { AtomicU64::new(0) }; 3];
        Arc::new(move |progress: &gts_graph::RunProgress| {
            let edges = edges.fetch_add(progress.edges, Ordering::Relaxed) + progress.edges;
            let over_edges = u64::from(progress.edges > 0);
            let passes = passes.fetch_add(over_edges, Ordering::Relaxed) + over_edges;
            // Steps of a traversal may take microseconds, and formatting a line takes about as long.
            let now = meter.0.begun.elapsed();
            let due = told.load(Ordering::Relaxed) + REDRAW.as_millis() as u64;
            if (now.as_millis() as u64) < due {
                return;
            }
            told.store(now.as_millis() as u64, Ordering::Relaxed);
            let frontier = progress.frontier.map(|size| format!(", {} active", units::count(size)));
            let speed = units::edges_per_second(edges, now);
            meter.0.bar.set_message(format!("{speed}{}", frontier.unwrap_or_default()));
            meter.update("running", passes, total);
        })
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
    let template = if known {
        "{prefix} {bar:24} {percent:>3} %  {per_sec}, {eta} left  {msg}"
    } else {
        "{prefix} {spinner} {human_pos} after {elapsed}  {msg}"
    };
    // The template is a constant; if it did not parse, the default would do.
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}
