//! Time of a PageRank iteration on vertices sorted by degree, relative to the original order, by strategy and graph
//! (Figure 2 of the paper on neighbour iteration).

use super::super::Bench;
use super::super::figure::{Cell, Column, Figure, Finding, Table};
use super::super::subject::short_name;
use super::cells::{self, Cells, Strategy};
use super::{graphs, panels};
use gts_graph::cli::program::Failure;

/// Relative difference above which times count as different.
const CHANGE: f64 = 0.05;

struct Row<'a> {
    graph: &'a str,
    strategy: Strategy,
    unsorted: f64,
    sorted: f64,
}

impl Row<'_> {
    fn ratio(&self) -> f64 {
        self.sorted / self.unsorted
    }
}

pub(in super::super) fn measure(bench: &Bench) -> Result<Figure, Failure> {
    let (found, notes) = cells::of_pagerank(bench, "sorted", &graphs::of_paper(bench))?;
    Ok(figure(&found, notes))
}

fn figure(found: &[Cells], notes: Vec<String>) -> Figure {
    let pairs: Vec<(&Cells, &Cells)> = found
        .chunk_by(|one, other| one.graph == other.graph)
        .filter_map(|both| Some((both.first()?, both.last()?)))
        .collect();
    let rows: Vec<Row<'_>> = pairs.iter().flat_map(|(unsorted, sorted)| rows(unsorted, sorted)).collect();
    let unsorted: Vec<&Cells> = pairs.iter().map(|pair| pair.0).collect();
    let ratio = |cells: &Cells, strategy| {
        let (unsorted, sorted) = pairs.iter().find(|pair| pair.0.graph == cells.graph)?;
        Some(sorted.of(strategy)? / unsorted.of(strategy)?)
    };
    Figure {
        name: "sorted",
        title: "Time of an iteration of PageRank with vertices by degree over that without",
        across: "graph",
        series: "strategy",
        notes,
        finding: finding(&rows, &pairs),
        table: Table::of(&rows, &columns()),
        charts: panels::charts(&unsorted, "by degree over original", ratio),
    }
}

/// Returns one row per strategy that ran in both orders.
fn rows<'a>(unsorted: &'a Cells, sorted: &Cells) -> Vec<Row<'a>> {
    let row = |cell: &cells::Cell| {
        let strategy = cell.strategy;
        Some(Row { graph: &unsorted.graph, strategy, unsorted: cell.seconds?, sorted: sorted.of(strategy)? })
    };
    unsorted.cells.iter().filter_map(row).collect()
}

fn columns<'a>() -> [Column<Row<'a>>; 6] {
    [
        Column::left("graph", "graph", |row: &Row<'_>| Cell::text(short_name(row.graph))),
        Column::left("push or pull", "propagation", |row| Cell::text(row.strategy.propagation.name())),
        Column::left("technique", "technique", |row| Cell::text(row.strategy.technique_name())),
        Column::right("original order", "seconds", |row| Cell::seconds(row.unsorted)),
        Column::right("by degree", "sorted_seconds", |row| Cell::seconds(row.sorted)),
        Column::right("ratio", "ratio", |row| Cell::times(row.ratio())),
    ]
}

fn finding(rows: &[Row<'_>], pairs: &[(&Cells, &Cells)]) -> Finding {
    let faster = rows.iter().filter(|row| row.ratio() < 1.0 - CHANGE).count();
    let slower = rows.iter().filter(|row| row.ratio() > 1.0 + CHANGE).count();
    let winner =
        |cells: &Cells| cells.cells.iter().find(|cell| cell.seconds == Some(cells.best())).map(|cell| cell.strategy);
    let other = pairs.iter().filter(|pair| winner(pair.0) != winner(pair.1)).count();
    Finding {
        paper: "sorting by degree changes nothing in about half of the cases, helps or harms in the others, and leaves the best \
                strategy the best on every graph but one",
        here: format!(
            "of {} strategies on {} graphs {faster} are faster by more than {:.0} % and {slower} slower, and on {other} graphs \
             another strategy is the best",
            rows.len(),
            pairs.len(),
            100.0 * CHANGE
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::super::iteration::tests::sample;
    use super::*;

    #[test]
    fn orders_of_one_graph_are_compared() {
        let found = [
            sample("a", "original", [Some(0.004), Some(0.002), Some(0.001), None]),
            sample("a", "by degree", [Some(0.002), Some(0.002), Some(0.003), Some(0.004)]),
        ];
        let figure = figure(&found, Vec::new());
        assert_eq!(
            figure.finding.here,
            "of 3 strategies on 1 graphs 1 are faster by more than 5 % and 1 slower, and on 1 graphs another strategy is the best"
        );
        assert_eq!(figure.charts[0].lines[0].points, [(0, 0.5)]);
        assert_eq!(figure.charts[1].lines[1].points, []);
    }
}
