//! Charts of all strategies on many graphs. Each chart shows a few graphs and one direction of propagation.

use super::super::figure::{Chart, Drawing, Line, Unit};
use super::super::subject::short_name;
use super::cells::{Cells, Strategy, WAYS};

/// Maximum number of graphs per chart.
const GRAPHS: usize = 5;

/// Returns charts with one bar per graph and strategy. A strategy without a value has no bar.
pub(super) fn charts(all: &[&Cells], upward: &str, value: impl Fn(&Cells, Strategy) -> Option<f64>) -> Vec<Chart> {
    let mut charts = Vec::new();
    // Distribute the graphs evenly over the charts.
    let parts = all.len().div_ceil(GRAPHS).max(1);
    for few in all.chunks(all.len().div_ceil(parts).max(1)) {
        for propagation in WAYS {
            let strategies = few.first().map(|cells| &cells.cells[..]).unwrap_or_default();
            let mut strategies =
                strategies.iter().map(|cell| cell.strategy).filter(|each| each.propagation == propagation).peekable();
            if strategies.peek().is_none() {
                continue;
            }
            let line = |(colour, strategy): (usize, Strategy)| {
                let point = |(place, cells): (usize, &&Cells)| value(cells, strategy).map(|value| (place, value));
                let points = few.iter().enumerate().filter_map(point).collect();
                Line { name: strategy.technique_name().to_owned(), colour, predicted: false, points }
            };
            charts.push(Chart {
                title: propagation.name().to_owned(),
                upward: upward.to_owned(),
                drawing: Drawing::Bars,
                unit: Unit::Times,
                places: few.iter().map(|cells| short_name(&cells.graph).to_owned()).collect(),
                lines: strategies.enumerate().map(line).collect(),
                reference: None,
            });
        }
    }
    charts
}
