//! How far measurements are, for people who wait.

use gts_cli::program::Meter;
use gts_cli::program::report::tell;
use std::fmt::Display;
use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

/// The least time between two lines on how far a figure is, where standard error is no terminal.
const BETWEEN_LINES: Duration = Duration::from_secs(10);

/// Counts the measurements of a figure, and says how far it is: by a meter on a terminal, by a line now and then elsewhere.
pub(crate) struct Counter {
    name: &'static str,
    done: u64,
    total: u64,
    meter: Meter,
    /// When the last line was written, where there is no terminal.
    told: Option<Instant>,
}

impl Counter {
    pub(crate) fn new(name: &'static str, total: usize) -> Self {
        let told = (!io::stderr().is_terminal()).then(Instant::now);
        Self { name, done: 0, total: total as u64, meter: Meter::new(), told }
    }

    /// Returns how many cases a figure has that the time limit ended, for its notes; `None` where it has all of them.
    pub(crate) fn note(&self, measured: usize) -> Option<String> {
        let total = self.total;
        ((measured as u64) < total).then(|| format!("ended by the time limit: {measured} of {total} cases"))
    }

    /// Hides the line while a graph is made, which has its own.
    pub(crate) fn hide(&mut self) {
        self.meter = Meter::new();
    }

    /// Begins one more measurement.
    pub(crate) fn next(&mut self) {
        self.next_of("");
    }

    /// Begins one more measurement, of `what`.
    pub(crate) fn next_of(&mut self, what: impl Display) {
        self.meter.update(self.name, self.done, Some(self.total));
        self.done += 1;
        if self.told.is_some_and(|told| told.elapsed() >= BETWEEN_LINES) {
            self.told = Some(Instant::now());
            tell(format!("{}: {} of {} {what}", self.name, self.done, self.total).trim_end());
        }
    }
}
