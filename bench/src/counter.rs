//! Progress output of measurements.

use gts_graph::cli::program::Meter;
use gts_graph::cli::program::report::tell;
use std::fmt::Display;
use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

/// Minimum time between two progress lines if standard error is not a terminal.
const BETWEEN_LINES: Duration = Duration::from_secs(10);

/// Counts measurements and reports progress: with a meter on a terminal, otherwise with at most one line every
/// [`BETWEEN_LINES`].
pub(crate) struct Counter {
    name: &'static str,
    done: u64,
    total: u64,
    meter: Meter,
    /// Time of the last progress line, or `None` on a terminal.
    told: Option<Instant>,
}

impl Counter {
    pub(crate) fn new(name: &'static str, total: usize) -> Self {
        let told = (!io::stderr().is_terminal()).then(Instant::now);
        Self { name, done: 0, total: total as u64, meter: Meter::new(), told }
    }

    /// Returns a note with the number of measured cases if the time limit ended the figure early, otherwise `None`.
    pub(crate) fn note(&self, measured: usize) -> Option<String> {
        let total = self.total;
        ((measured as u64) < total).then(|| format!("ended by the time limit: {measured} of {total} cases"))
    }

    /// Hides the meter while a graph is built, because the build shows its own meter.
    pub(crate) fn hide(&mut self) {
        self.meter = Meter::new();
    }

    /// Reports that the next measurement starts.
    pub(crate) fn next(&mut self) {
        self.next_of("");
    }

    /// Reports that the next measurement starts. Progress lines contain the description `what`; the meter does not.
    pub(crate) fn next_of(&mut self, what: impl Display) {
        self.meter.update(self.name, self.done, Some(self.total));
        self.done += 1;
        if self.told.is_some_and(|told| told.elapsed() >= BETWEEN_LINES) {
            self.told = Some(Instant::now());
            tell(format!("{}: {} of {} {what}", self.name, self.done, self.total).trim_end());
        }
    }
}
