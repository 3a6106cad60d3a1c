//! A measured figure of a paper as data: a table, charts, and a finding.

use gts_graph::cli::program::report::Align;
use gts_graph::cli::program::units;
use serde_json::Value;

/// A paper's figure, measured on this machine.
#[derive(Clone, Debug)]
pub(super) struct Figure {
    /// Name of the figure on the command line.
    pub(super) name: &'static str,
    /// One-line title.
    pub(super) title: &'static str,
    /// Quantity on the horizontal axis.
    pub(super) across: &'static str,
    /// Quantity that distinguishes the lines.
    pub(super) series: &'static str,
    /// Machine, graphs and settings of the measurements, one note per line.
    pub(super) notes: Vec<String>,
    /// The paper's finding and the finding on this machine.
    pub(super) finding: Finding,
    /// The table of measurements.
    pub(super) table: Table,
    /// The charts, drawn side by side.
    pub(super) charts: Vec<Chart>,
}

/// The two findings of a figure. Each is a clause that completes "The paper found that" or "this machine shows that".
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Finding {
    /// Clause with the paper's finding.
    pub(super) paper: &'static str,
    /// Clause with the finding on this machine.
    pub(super) here: String,
}

impl Finding {
    /// Returns both findings in one sentence.
    pub(super) fn sentence(&self) -> String {
        format!("The paper found that {}; this machine shows that {}.", self.paper, self.here)
    }
}

/// Rows of a figure in two forms: text for readers and values for programs.
#[derive(Clone, Debug, Default)]
pub(super) struct Table {
    /// Headings of the columns for readers, with alignments.
    pub(super) heads: Vec<(&'static str, Align)>,
    /// Cells for readers, by row. A cell without a value is empty.
    pub(super) cells: Vec<Vec<String>>,
    /// Names of the columns for programs.
    pub(super) keys: Vec<&'static str>,
    /// Values for programs, by row. Units are seconds and bytes.
    pub(super) values: Vec<Vec<Value>>,
}

/// A table cell, as text for readers and as a value for programs.
pub(super) struct Cell {
    told: String,
    value: Value,
}

impl Cell {
    /// Creates a cell from text for readers and a value for programs.
    pub(super) fn of(told: impl Into<String>, value: impl Into<Value>) -> Self {
        Self { told: told.into(), value: value.into() }
    }

    /// Creates a text cell.
    pub(super) fn text(text: &str) -> Self {
        Self::of(text, text)
    }

    /// Creates a cell for a time in seconds.
    pub(super) fn seconds(seconds: f64) -> Self {
        Self::of(units::seconds(seconds), seconds)
    }

    /// Creates a cell for a ratio.
    pub(super) fn times(times: f64) -> Self {
        Self::of(format!("{times:.2}"), times)
    }

    /// Creates an empty cell.
    pub(super) fn none() -> Self {
        Self::of("", Value::Null)
    }
}

/// A column of a table whose rows have type `R`.
pub(super) struct Column<R> {
    /// Column heading for readers. An empty heading hides the column from readers.
    pub(super) head: &'static str,
    /// Alignment of the cells.
    pub(super) align: Align,
    /// Column name for programs. An empty name hides the column from programs.
    pub(super) key: &'static str,
    /// Returns the column's cell for a row.
    pub(super) cell: fn(&R) -> Cell,
}

impl<R> Column<R> {
    /// Creates a left-aligned column for text.
    pub(super) fn left(head: &'static str, key: &'static str, cell: fn(&R) -> Cell) -> Self {
        Self { head, align: Align::Left, key, cell }
    }

    /// Creates a right-aligned column for numbers.
    pub(super) fn right(head: &'static str, key: &'static str, cell: fn(&R) -> Cell) -> Self {
        Self { head, align: Align::Right, key, cell }
    }
}

impl Table {
    /// Creates a table. Columns whose cells are empty in all rows are hidden from readers.
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
    /// Lines over an increasing quantity.
    Lines,
    /// Groups of bars.
    Bars,
}

/// Unit of a chart's values. The unit determines the values' format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Seconds,
    Nanoseconds,
    /// A ratio.
    Times,
    /// A fraction of 1, shown in percent.
    Percent,
}

/// One chart of a figure.
#[derive(Clone, Debug)]
pub(super) struct Chart {
    /// Title of the chart.
    pub(super) title: String,
    /// Label of the vertical axis.
    pub(super) upward: String,
    /// The style of the chart: lines or bars.
    pub(super) drawing: Drawing,
    /// Unit of the charted values.
    pub(super) unit: Unit,
    /// Labels along the horizontal axis.
    pub(super) places: Vec<String>,
    /// Lines, or the bars of each series.
    pub(super) lines: Vec<Line>,
    /// Reference values, each drawn as a dash above its label.
    pub(super) reference: Option<Line>,
}

/// A line of a chart.
#[derive(Clone, Debug)]
pub(super) struct Line {
    /// Name in the legend.
    pub(super) name: String,
    /// Index into the colours of plots. A series has the same colour in all charts of a figure.
    pub(super) colour: usize,
    /// Whether the values are predicted rather than measured. Predicted lines are dashed.
    pub(super) predicted: bool,
    /// Points of the line. Each has the zero-based index of a horizontal-axis label and a value.
    pub(super) points: Vec<(usize, f64)>,
}
