//! Code shared by the GTS paper's figures, which plot run times against two variables, together with a reference time.

use super::super::figure::{Cell, Chart, Column, Drawing, Figure, Finding, Line, Table, Unit};
use super::super::subject::{Reference, Subject};
use super::super::trials::{Measured, Workload};
use gts_graph::cli::program::units;
use serde_json::Value;
use std::time::Duration;

/// Quantity shown in the charts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quantity {
    /// The time per iteration or run.
    Time,
    /// The time per walked edge.
    TimeAnEdge,
}

/// Measurements of a figure, and settings for their presentation.
#[derive(Clone, Debug)]
pub(super) struct Timings {
    /// Name of the figure on the command line.
    pub(super) name: &'static str,
    /// One-line title.
    pub(super) title: &'static str,
    /// Quantity on the horizontal axis.
    pub(super) across: &'static str,
    /// Quantity that distinguishes the lines.
    pub(super) series: &'static str,
    /// The style of the charts: lines or bars.
    pub(super) drawing: Drawing,
    /// Quantity shown in the charts.
    pub(super) quantity: Quantity,
    /// Machine, graphs and settings of the measurements, one note per line.
    pub(super) notes: Vec<String>,
    /// The paper's finding and the finding on this machine.
    pub(super) finding: Finding,
    /// The measurements.
    pub(super) rows: Vec<Row>,
}

/// One measurement.
#[derive(Clone, Debug)]
pub(super) struct Row {
    /// Name of the algorithm.
    pub(super) algorithm: &'static str,
    /// Unit of work that is timed: an iteration or a run.
    pub(super) unit: &'static str,
    /// Label on the horizontal axis.
    pub(super) place: String,
    /// Name of the line or row of bars.
    pub(super) series: String,
    /// Results of the trials.
    pub(super) measured: Measured,
    /// Reference time for comparison.
    pub(super) reference: Reference,
    /// Number of edges in the graph.
    pub(super) graph_edges: u64,
}

impl Row {
    /// Creates the row of one measurement.
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

    /// Returns the median time divided by the reference time.
    pub(super) fn ratio(&self) -> f64 {
        self.measured.times.median / self.reference.seconds
    }

    /// Returns the median time in seconds per walked edge.
    pub(super) fn seconds_an_edge(&self) -> f64 {
        self.measured.times.median / self.measured.edges.max(1) as f64
    }
}

impl Timings {
    /// Creates the figure from these measurements.
    pub(super) fn figure(mut self) -> Figure {
        self.sort();
        let algorithms = self.distinct(|row| row.algorithm);
        let charts = algorithms.iter().map(|algorithm| self.chart(algorithm)).collect();
        let table = Table::of(&self.rows, &self.columns());
        let Self { name, title, across, series, notes, finding, .. } = self;
        Figure { name, title, across, series, notes, finding, table, charts }
    }

    /// Groups the rows by algorithm, then by series.
    fn sort(&mut self) {
        let place = |all: &[&str], text: &str| all.iter().position(|other| *other == text);
        let (algorithms, series) = (self.distinct(|row| row.algorithm), self.distinct(|row| &row.series));
        let mut rows = self.rows.clone();
        rows.sort_by_key(|row| (place(&algorithms, row.algorithm), place(&series, &row.series)));
        self.rows = rows;
    }

    fn columns(&self) -> [Column<Row>; 20] {
        [
            Column::left("algorithm", "algorithm", |row| Cell::text(row.algorithm)),
            Column::right(self.across, self.across, |row| Cell::text(&row.place)),
            Column::left(self.series, self.series, |row| Cell::text(&row.series)),
            Column::left("time of", "unit", |row| Cell::text(row.unit)),
            Column::right("time", "seconds", |row| Cell::seconds(row.measured.times.median)),
            Column::right("fastest", "fastest_seconds", |row| Cell::seconds(row.measured.times.fastest)),
            Column::right("slowest", "slowest_seconds", |row| Cell::seconds(row.measured.times.slowest)),
            Column::left("", "reference", |row| Cell::text(row.reference.what)),
            Column::right("reference", "reference_seconds", |row| Cell::seconds(row.reference.seconds)),
            Column::right("ratio", "ratio", |row| Cell::of(format!("{:.3}", row.ratio()), row.ratio())),
            Column::right("speed", "", |row| {
                let time = Duration::from_secs_f64(row.measured.times.median);
                Cell::of(units::edges_per_second(row.measured.edges, time), Value::Null)
            }),
            Column::right("an edge", "", |row| Cell::of(format!("{:.3} ns", row.seconds_an_edge() * 1e9), Value::Null)),
            Column::left("held against", "", |row| Cell::text(row.reference.what)),
            Column::right("", "edges", |row| Cell::of("", row.measured.edges)),
            Column::right("hits", "", |row| match row.measured.hits {
                Some(hits) => Cell::of(format!("{:.1} %", 100.0 * hits), hits),
                None => Cell::none(),
            }),
            Column::right("copied", "copied_bytes", |row| bytes(row.measured.copied)),
            Column::right("in place", "in_place_bytes", |row| bytes(row.measured.in_place)),
            Column::right("read", "read_bytes", |row| bytes(row.measured.read)),
            Column::right("", "hit_rate", |row| row.measured.hits.map_or_else(Cell::none, |hits| Cell::of("", hits))),
            Column::right("", "graph_edges", |row| Cell::of("", row.graph_edges)),
        ]
    }

    /// Creates the chart of an algorithm.
    fn chart(&self, algorithm: &str) -> Chart {
        let rows: Vec<&Row> = self.rows.iter().filter(|row| row.algorithm == algorithm).collect();
        let (places, series) = (self.distinct(|row| &row.place), self.distinct(|row| &row.series));
        let at = |row: &Row| places.iter().position(|place| *place == row.place).unwrap_or(0);
        let line = |(colour, series): (usize, &&str)| {
            let of_series = rows.iter().filter(|row| row.series == **series);
            let points: Vec<_> = of_series.map(|row| (at(row), self.drawn(row))).collect();
            let line = Line { name: (*series).to_owned(), colour, predicted: false, points };
            (!line.points.is_empty()).then_some(line)
        };
        let mut names: Vec<&str> = rows.iter().map(|row| row.reference.what).collect();
        names.sort_unstable();
        names.dedup();
        // If rows have different references, only the table contains their names.
        let name = if let [only] = names[..] { only } else { "reference" };
        let unit = rows.first().map_or("run", |row| row.unit);
        Chart {
            title: algorithm.to_owned(),
            upward: match self.quantity {
                Quantity::Time => format!("time of {} {unit}", if unit.starts_with('i') { "an" } else { "a" }),
                Quantity::TimeAnEdge => "time an edge".to_owned(),
            },
            drawing: self.drawing,
            unit: match self.quantity {
                Quantity::Time => Unit::Seconds,
                Quantity::TimeAnEdge => Unit::Nanoseconds,
            },
            places: places.iter().map(|place| (*place).to_owned()).collect(),
            lines: series.iter().enumerate().filter_map(line).collect(),
            reference: Some(Line {
                name: name.to_owned(),
                colour: 0,
                predicted: false,
                points: rows.iter().map(|row| (at(row), self.drawn_reference(row))).collect(),
            }),
        }
    }

    /// Returns a row's time in the charted unit.
    fn drawn(&self, row: &Row) -> f64 {
        match self.quantity {
            Quantity::Time => row.measured.times.median,
            Quantity::TimeAnEdge => row.seconds_an_edge() * 1e9,
        }
    }

    /// Returns a row's reference time in the charted unit.
    fn drawn_reference(&self, row: &Row) -> f64 {
        match self.quantity {
            Quantity::Time => row.reference.seconds,
            Quantity::TimeAnEdge => row.reference.seconds / row.graph_edges.max(1) as f64 * 1e9,
        }
    }

    /// Returns the distinct texts of the rows, in order of first appearance.
    fn distinct<'a>(&'a self, text: impl Fn(&'a Row) -> &'a str) -> Vec<&'a str> {
        let mut found = Vec::new();
        for row in &self.rows {
            if !found.contains(&text(row)) {
                found.push(text(row));
            }
        }
        found
    }
}

/// Returns the first row with this algorithm, label and series.
pub(super) fn find<'a>(rows: &'a [Row], algorithm: &str, place: &str, series: &str) -> Option<&'a Row> {
    rows.iter().find(|row| row.algorithm == algorithm && row.place == place && row.series == series)
}

/// Calls `text` for each algorithm, and joins the results.
pub(super) fn by_algorithm(rows: &[Row], text: impl Fn(&str) -> Option<String>) -> String {
    let mut algorithms: Vec<&str> = rows.iter().map(|row| row.algorithm).collect();
    algorithms.sort_by_key(|algorithm| rows.iter().position(|row| row.algorithm == *algorithm));
    algorithms.dedup();
    algorithms.into_iter().filter_map(text).collect::<Vec<_>>().join("; ")
}

fn bytes(bytes: u64) -> Cell {
    Cell::of(if bytes == 0 { String::new() } else { units::bytes(bytes) }, bytes)
}

#[cfg(test)]
pub(in super::super) mod tests {
    use super::super::super::trials::Times;
    use super::*;

    /// Returns a figure for two algorithms, each with two lines of three points.
    pub(in super::super::super) fn sample(drawing: Drawing) -> Figure {
        timings(drawing).figure()
    }

    fn timings(drawing: Drawing) -> Timings {
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
                            hits: (index < 2).then_some(0.25 * (index + 1) as f64),
                            ..Measured::default()
                        },
                        reference: Reference { what: "plain copy", seconds: 0.005 },
                        graph_edges: 1_000_000,
                    });
                }
            }
        }
        Timings {
            name: "cache",
            title: "Time by the size of the cache",
            across: "cache",
            series: "policy",
            drawing,
            quantity: Quantity::Time,
            notes: vec!["on a | sample".to_owned()],
            finding: Finding { paper: "there is one", here: "there are two".to_owned() },
            rows,
        }
    }

    #[test]
    fn rows_come_by_algorithm_and_series() {
        let mut figure = timings(Drawing::Lines);
        let sorted = figure.clone().rows;
        // If each graph is built only once, rows are measured in this order.
        let places = ["25 %", "50 %", "100 %"];
        figure.rows.sort_by_key(|row| places.iter().position(|place| *place == row.place));
        figure.sort();
        let names = |rows: &[Row]| {
            rows.iter().map(|row| (row.algorithm, row.series.clone(), row.place.clone())).collect::<Vec<_>>()
        };
        assert_eq!(names(&figure.rows), names(&sorted));
    }

    #[test]
    fn several_references_have_one_name_in_the_legend() {
        let names = |figure: &Timings| {
            let references = figure.clone().figure().charts.into_iter().map(|chart| chart.reference);
            references.map(|line| line.expect("each has one").name).collect::<Vec<_>>()
        };
        let mut figure = timings(Drawing::Bars);
        assert_eq!(names(&figure), ["plain copy"; 2]);
        for (index, row) in figure.rows.iter_mut().enumerate() {
            row.reference.what = ["plain copy", "plain read"][index % 2];
        }
        assert_eq!(names(&figure), ["reference"; 2]);
    }

    #[test]
    fn ratios_are_to_the_reference() {
        let figure = timings(Drawing::Lines);
        assert!((figure.rows[0].ratio() - 4.0).abs() < 1e-12);
        assert!((figure.rows[0].seconds_an_edge() - 2e-8).abs() < 1e-20);
        assert_eq!(figure.distinct(|row| &row.series), ["lru", "scan"]);
        assert_eq!(figure.drawn_reference(&figure.rows[0]), 0.005);
    }
}
