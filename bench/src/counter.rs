//! Progress output of measurements.

use gts_graph::cli::program::Meter;
use std::fmt::Display;

/// Counts measurements and reports progress.
pub(crate) struct Counter {
    name: &'static str,
    done: u64,
    total: u64,
    meter: Meter,
}

impl Counter {
    pub(crate) fn new(name: &'static str, total: usize) -> Self {
        Self { name, done: 0, total: total as u64, meter: Meter::new() }
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

    /// Reports that the next measurement starts, with a description.
    pub(crate) fn next_of(&mut self, what: impl Display) {
        self.meter.note(what);
        self.meter.update(self.name, self.done, Some(self.total));
        self.done += 1;
    }
}
