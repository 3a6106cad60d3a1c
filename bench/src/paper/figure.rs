//! A figure of a paper as data, whatever was measured: a table, charts, and what it comes to.

use gts_cli::program::report::Align;
use gts_cli::program::units;
use serde_json::Value;

/// A figure of a paper, as this machine has it.
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
    /// What it was measured on and with, a line each.
    pub(super) notes: Vec<String>,
    /// What the paper says of it, and what this machine does.
    pub(super) finding: Finding,
    /// The rows.
    pub(super) table: Table,
    /// The charts, side by side.
    pub(super) charts: Vec<Chart>,
}

/// What a figure comes to, there and here. Each is what follows "found that" and "shows that".
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Finding {
    /// What the paper found.
    pub(super) paper: &'static str,
    /// What this machine shows.
    pub(super) here: String,
}

impl Finding {
    /// Returns both in a sentence.
    pub(super) fn sentence(&self) -> String {
        format!("The paper found that {}; this machine shows that {}.", self.paper, self.here)
    }
}

/// Rows of a figure, for people and for programs.
#[derive(Clone, Debug, Default)]
pub(super) struct Table {
    /// The columns for people.
    pub(super) heads: Vec<(&'static str, Align)>,
    /// Their cells; those of no value are empty.
    pub(super) cells: Vec<Vec<String>>,
    /// The columns for programs.
    pub(super) keys: Vec<&'static str>,
    /// Their values, in seconds, bytes and numbers.
    pub(super) values: Vec<Vec<Value>>,
}

/// One value of a row.
pub(super) struct Cell {
    told: String,
    value: Value,
}

impl Cell {
    /// Creates a value that people and programs are told in unlike ways.
    pub(super) fn of(told: impl Into<String>, value: impl Into<Value>) -> Self {
        Self { told: told.into(), value: value.into() }
    }

    /// Creates a text.
    pub(super) fn text(text: &str) -> Self {
        Self::of(text, text)
    }

    /// Creates a time.
    pub(super) fn seconds(seconds: f64) -> Self {
        Self::of(units::seconds(seconds), seconds)
    }

    /// Creates how often one thing is another.
    pub(super) fn times(times: f64) -> Self {
        Self::of(format!("{times:.2}"), times)
    }

    /// Creates the value of a column that says nothing of a row.
    pub(super) fn none() -> Self {
        Self::of("", Value::Null)
    }
}

/// What a column tells of a row.
pub(super) struct Column<R> {
    /// Its head for people; they do not see it where this is empty.
    pub(super) head: &'static str,
    /// How its cells stand.
    pub(super) align: Align,
    /// Its name for programs; they do not see it where this is empty.
    pub(super) key: &'static str,
    /// Its value of a row.
    pub(super) cell: fn(&R) -> Cell,
}

impl<R> Column<R> {
    /// Creates a column of texts.
    pub(super) fn left(head: &'static str, key: &'static str, cell: fn(&R) -> Cell) -> Self {
        Self { head, align: Align::Left, key, cell }
    }

    /// Creates a column of numbers.
    pub(super) fn right(head: &'static str, key: &'static str, cell: fn(&R) -> Cell) -> Self {
        Self { head, align: Align::Right, key, cell }
    }
}

impl Table {
    /// Creates the table of some rows. Columns that tell people nothing of any row are left out for them.
    pub(super) fn of<R>(rows: &[R], columns: &[Column<R>]) -> Self {
        let mut table =
            Self { values: vec![Vec::new(); rows.len()], cells: vec![Vec::new(); rows.len()], ..Self::default() };
        for Column { head, align, key, cell } in columns {
            let cells: Vec<Cell> = rows.iter().map(cell).collect();
            let telling = !head.is_empty() && cells.iter().any(|cell| !cell.told.is_empty());
            table.heads.extend(telling.then_some((*head, *align)));
            table.keys.extend((!key.is_empty()).then_some(*key));
            for (row, Cell { told, value }) in cells.into_iter().enumerate() {
                table.cells[row].extend(telling.then_some(told));
                table.values[row].extend((!key.is_empty()).then_some(value));
            }
        }
        table
    }
}

/// How a chart is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Drawing {
    /// Lines over something that grows.
    Lines,
    /// Bars beside each other.
    Bars,
}

/// What the values of a chart are, which says how they are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Seconds,
    Nanoseconds,
    /// How often one thing is another.
    Times,
    /// A share, of 1.
    Percent,
}

/// One chart of a figure.
#[derive(Clone, Debug)]
pub(super) struct Chart {
    /// What it is of.
    pub(super) title: String,
    /// What stands from bottom to top.
    pub(super) upward: String,
    /// How it is drawn.
    pub(super) drawing: Drawing,
    /// What its values are.
    pub(super) unit: Unit,
    /// What stands from left to right.
    pub(super) places: Vec<String>,
    /// Its lines, or rows of bars.
    pub(super) lines: Vec<Line>,
    /// What all of it is held against: a dash at each place.
    pub(super) reference: Option<Line>,
}

/// A line of a chart.
#[derive(Clone, Debug)]
pub(super) struct Line {
    /// Its name.
    pub(super) name: String,
    /// The number of its colour: the same for the same thing in all charts of a figure.
    pub(super) colour: usize,
    /// Whether it was reckoned rather than measured, and is drawn with gaps.
    pub(super) predicted: bool,
    /// The places of its points, from 0, and their values.
    pub(super) points: Vec<(usize, f64)>,
}
