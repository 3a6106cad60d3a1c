//! A measured figure of a paper as data: a table, charts, and a finding.

use gts_cli::program::report::Align;
use gts_cli::program::units;
use serde_json::Value;

/// A figure of a paper, as measured on this machine.
#[derive(Clone, Debug)]
pub(super) struct Figure {
    /// Name on the command line.
    pub(super) name: &'static str,
    /// Title, in one line.
    pub(super) title: &'static str,
    /// Quantity on the horizontal axis.
    pub(super) across: &'static str,
    /// Quantity that distinguishes the lines.
    pub(super) series: &'static str,
    /// Machine, graphs and settings of the measurements, one line each.
    pub(super) notes: Vec<String>,
    /// The finding of the paper, and that of this machine.
    pub(super) finding: Finding,
    /// The rows.
    pub(super) table: Table,
    /// The charts, side by side.
    pub(super) charts: Vec<Chart>,
}

/// Findings of the paper and of this machine. Each completes "found that" or "shows that".
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Finding {
    /// Finding of the paper.
    pub(super) paper: &'static str,
    /// Finding on this machine.
    pub(super) here: String,
}

impl Finding {
    /// Returns both findings in one sentence.
    pub(super) fn sentence(&self) -> String {
        format!("The paper found that {}; this machine shows that {}.", self.paper, self.here)
    }
}

/// Rows of a figure, for readers and for programs.
#[derive(Clone, Debug, Default)]
pub(super) struct Table {
    /// Columns for readers.
    pub(super) heads: Vec<(&'static str, Align)>,
    /// Cells for readers; empty if a row has no value.
    pub(super) cells: Vec<Vec<String>>,
    /// Columns for programs.
    pub(super) keys: Vec<&'static str>,
    /// Values for programs, in seconds, bytes and numbers.
    pub(super) values: Vec<Vec<Value>>,
}

/// One value of a row.
pub(super) struct Cell {
    told: String,
    value: Value,
}

impl Cell {
    /// Creates a value that is shown to readers in another form than to programs.
    pub(super) fn of(told: impl Into<String>, value: impl Into<Value>) -> Self {
        Self { told: told.into(), value: value.into() }
    }

    /// Creates a text value.
    pub(super) fn text(text: &str) -> Self {
        Self::of(text, text)
    }

    /// Creates a time.
    pub(super) fn seconds(seconds: f64) -> Self {
        Self::of(units::seconds(seconds), seconds)
    }

    /// Creates a ratio.
    pub(super) fn times(times: f64) -> Self {
        Self::of(format!("{times:.2}"), times)
    }

    /// Creates an empty value.
    pub(super) fn none() -> Self {
        Self::of("", Value::Null)
    }
}

/// A column of a table.
pub(super) struct Column<R> {
    /// Head for readers; the column is hidden from them if this is empty.
    pub(super) head: &'static str,
    /// Alignment of the cells.
    pub(super) align: Align,
    /// Name for programs; the column is hidden from them if this is empty.
    pub(super) key: &'static str,
    /// Returns the column's value for a row.
    pub(super) cell: fn(&R) -> Cell,
}

impl<R> Column<R> {
    /// Creates a left-aligned column of texts.
    pub(super) fn left(head: &'static str, key: &'static str, cell: fn(&R) -> Cell) -> Self {
        Self { head, align: Align::Left, key, cell }
    }

    /// Creates a right-aligned column of numbers.
    pub(super) fn right(head: &'static str, key: &'static str, cell: fn(&R) -> Cell) -> Self {
        Self { head, align: Align::Right, key, cell }
    }
}

impl Table {
    /// Creates the table of the rows. Columns that are empty for all rows are not shown to readers.
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

/// Style of a chart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Drawing {
    /// Lines over a growing quantity.
    Lines,
    /// Bars next to each other.
    Bars,
}

/// Unit of a chart's values, which decides their format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Seconds,
    Nanoseconds,
    /// A ratio.
    Times,
    /// A share of 1.
    Percent,
}

/// One chart of a figure.
#[derive(Clone, Debug)]
pub(super) struct Chart {
    /// Title.
    pub(super) title: String,
    /// Label of the vertical axis.
    pub(super) upward: String,
    /// Style.
    pub(super) drawing: Drawing,
    /// Unit of the values.
    pub(super) unit: Unit,
    /// Labels along the horizontal axis.
    pub(super) places: Vec<String>,
    /// Lines, or rows of bars.
    pub(super) lines: Vec<Line>,
    /// Reference values, drawn as a dash at each place.
    pub(super) reference: Option<Line>,
}

/// A line of a chart.
#[derive(Clone, Debug)]
pub(super) struct Line {
    /// Name in the legend.
    pub(super) name: String,
    /// Number of the colour: the same for one series in all charts of a figure.
    pub(super) colour: usize,
    /// Whether the line is predicted rather than measured. Predicted lines are dashed.
    pub(super) predicted: bool,
    /// Place of each point, from 0, and its value.
    pub(super) points: Vec<(usize, f64)>,
}
