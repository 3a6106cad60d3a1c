//! A figure as data: what was measured, in rows.

use super::subject::{Reference, Subject};
use super::trials::{Measured, Workload};

/// How a figure is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Drawing {
    /// Lines over something that grows.
    Lines,
    /// Bars beside each other.
    Bars,
}

/// What a figure is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quantity {
    /// The time of an iteration or of a run.
    Time,
    /// That time over the edges walked.
    TimeAnEdge,
}

/// A figure of the paper, as this machine has it.
#[derive(Clone, Debug)]
pub(super) struct Figure {
    /// Its name on the command line.
    pub(super) name: &'static str,
    /// What it shows, in a line.
    pub(super) title: &'static str,
    /// What varies from left to right.
    pub(super) across: &'static str,
    /// What varies from line to line.
    pub(super) series: &'static str,
    /// How it is drawn.
    pub(super) drawing: Drawing,
    /// What is drawn.
    pub(super) quantity: Quantity,
    /// What it was measured on and with, a line each; what it comes to.
    pub(super) notes: Vec<String>,
    /// The measurements.
    pub(super) rows: Vec<Row>,
}

/// A measurement.
#[derive(Clone, Debug)]
pub(super) struct Row {
    /// The algorithm.
    pub(super) algorithm: &'static str,
    /// What a time is of.
    pub(super) unit: &'static str,
    /// Where it stands from left to right.
    pub(super) place: String,
    /// The line that it belongs to.
    pub(super) series: String,
    /// What was measured.
    pub(super) measured: Measured,
    /// What the time is held against.
    pub(super) reference: Reference,
    /// Edges of the graph.
    pub(super) graph_edges: u64,
}

impl Row {
    /// A measurement on a graph.
    pub(super) fn new(
        workload: &Workload,
        subject: &Subject,
        (place, series): (impl Into<String>, impl Into<String>),
        measured: Measured,
        reference: Reference,
    ) -> Self {
        Self {
            algorithm: workload.name(),
            unit: workload.unit(),
            place: place.into(),
            series: series.into(),
            measured,
            reference,
            graph_edges: subject.graph.num_edges(),
        }
    }

    /// The time over that of the reference.
    pub(super) fn ratio(&self) -> f64 {
        self.measured.times.median / self.reference.seconds
    }

    /// Seconds an edge that was walked.
    pub(super) fn seconds_an_edge(&self) -> f64 {
        self.measured.times.median / self.measured.edges.max(1) as f64
    }
}

impl Figure {
    /// Brings rows of an algorithm together, and of these such of a series.
    pub(super) fn sort(&mut self) {
        let place = |all: &[&str], text: &str| all.iter().position(|other| *other == text);
        let (algorithms, series) = (self.distinct(|row| row.algorithm), self.distinct(|row| &row.series));
        let mut rows = self.rows.clone();
        rows.sort_by_key(|row| (place(&algorithms, row.algorithm), place(&series, &row.series)));
        self.rows = rows;
    }

    /// What is drawn of a row.
    pub(super) fn drawn(&self, row: &Row) -> f64 {
        match self.quantity {
            Quantity::Time => row.measured.times.median,
            Quantity::TimeAnEdge => row.seconds_an_edge(),
        }
    }

    /// What is drawn of its reference.
    pub(super) fn drawn_reference(&self, row: &Row) -> f64 {
        match self.quantity {
            Quantity::Time => row.reference.seconds,
            Quantity::TimeAnEdge => row.reference.seconds / row.graph_edges.max(1) as f64,
        }
    }

    /// The different values of a row's text, in the order in which they come.
    pub(super) fn distinct<'a>(&'a self, text: impl Fn(&'a Row) -> &'a str) -> Vec<&'a str> {
        let mut found = Vec::new();
        for row in &self.rows {
            if !found.contains(&text(row)) {
                found.push(text(row));
            }
        }
        found
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::trials::Times;
    use super::*;

    /// A figure of two algorithms with two lines of three points each.
    pub(in super::super) fn sample(drawing: Drawing) -> Figure {
        let mut rows = Vec::new();
        for algorithm in ["pagerank", "bfs"] {
            for (series, factor) in [("lru", 2.0), ("scan", 1.0)] {
                for (index, place) in ["25 %", "50 %", "100 %"].into_iter().enumerate() {
                    let median = factor * 0.010 / (index + 1) as f64;
                    rows.push(Row {
                        algorithm,
                        unit: "iteration",
                        place: place.to_owned(),
                        series: series.to_owned(),
                        measured: Measured {
                            times: Times { median, fastest: 0.9 * median, slowest: 1.2 * median },
                            edges: 1_000_000,
                            copied: if index == 2 { 0 } else { 3 << 20 },
                            in_place: 0,
                            read: 0,
                            hits: (index < 2).then_some(0.25 * (index + 1) as f64),
                        },
                        reference: Reference { what: "plain copy", seconds: 0.005 },
                        graph_edges: 1_000_000,
                    });
                }
            }
        }
        Figure {
            name: "cache",
            title: "Time by the size of the cache",
            across: "cache",
            series: "policy",
            drawing,
            quantity: Quantity::Time,
            notes: vec!["on a | sample".to_owned()],
            rows,
        }
    }

    #[test]
    fn rows_come_by_algorithm_and_series() {
        let mut figure = sample(Drawing::Lines);
        let sorted = figure.clone().rows;
        // As they come where each graph is made once.
        let places = ["25 %", "50 %", "100 %"];
        figure.rows.sort_by_key(|row| places.iter().position(|place| *place == row.place));
        figure.sort();
        let names = |rows: &[Row]| {
            rows.iter().map(|row| (row.algorithm, row.series.clone(), row.place.clone())).collect::<Vec<_>>()
        };
        assert_eq!(names(&figure.rows), names(&sorted));
    }

    #[test]
    fn ratios_are_to_the_reference() {
        let figure = sample(Drawing::Lines);
        assert!((figure.rows[0].ratio() - 4.0).abs() < 1e-12);
        assert!((figure.rows[0].seconds_an_edge() - 2e-8).abs() < 1e-20);
        assert_eq!(figure.distinct(|row| &row.series), ["lru", "scan"]);
        assert_eq!(figure.drawn_reference(&figure.rows[0]), 0.005);
    }
}
