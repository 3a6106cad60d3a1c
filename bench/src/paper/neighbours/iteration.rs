//! Time of a PageRank iteration by strategy and graph, relative to the worst strategy (Figure 1 of the paper on
//! neighbour iteration).

use super::super::Bench;
use super::super::figure::{Cell, Column, Figure, Finding, Table};
use super::super::subject::short_name;
use super::cells::{self, Cells, Strategy};
use super::models::MODELS;
use super::{graphs, panels};
use gts_graph::cli::program::Failure;
use gts_graph::device::Propagation;

struct Row<'a> {
    cells: &'a Cells,
    strategy: Strategy,
    seconds: Option<f64>,
    rank: Option<usize>,
    /// Each model's name, and the strategy's rank according to the model.
    models: String,
}

pub(in super::super) fn measure(bench: &Bench) -> Result<Figure, Failure> {
    let (found, notes) = cells::of_pagerank(bench, "iteration", &graphs::of_paper(bench))?;
    Ok(figure(&found, notes))
}

fn figure(found: &[Cells], notes: Vec<String>) -> Figure {
    let rows: Vec<Row<'_>> = found.iter().flat_map(rows).collect();
    let unsorted: Vec<&Cells> = found.iter().filter(|cells| cells.order == cells::ORDERS[0].1).collect();
    let share = |cells: &Cells, strategy| Some(cells.of(strategy)? / cells.worst());
    Figure {
        name: "iteration",
        title: "Time of an iteration of PageRank over that of the worst strategy",
        across: "graph",
        series: "strategy",
        notes,
        finding: finding(&unsorted),
        table: Table::of(&rows, &columns()),
        charts: panels::charts(&unsorted, "time over the worst", share),
    }
}

/// Returns the rank of each value in ascending order, from 1. Equal values have the same rank.
fn ranks(values: &[f64]) -> Vec<usize> {
    values.iter().map(|value| 1 + values.iter().filter(|other| *other < value).count()).collect()
}

/// Returns one row per strategy.
fn rows(cells: &Cells) -> Vec<Row<'_>> {
    let measured: Vec<f64> = cells.seconds().collect();
    let rank = |seconds: f64| 1 + measured.iter().filter(|other| **other < seconds).count();
    let by_model: Vec<Vec<Option<usize>>> = (0..MODELS.len())
        .map(|model| {
            let reckoned: Vec<f64> =
                cells.cells.iter().map(|cell| cell.models[model].unwrap_or(f64::INFINITY)).collect();
            let ranks = ranks(&reckoned);
            cells.cells.iter().zip(ranks).map(|(cell, rank)| cell.models[model].map(|_| rank)).collect()
        })
        .collect();
    let row = |(index, cell): (usize, &cells::Cell)| {
        let told =
            MODELS.iter().zip(&by_model).filter_map(|((name, _), ranks)| Some(format!("{name} {}", ranks[index]?)));
        Row {
            cells,
            strategy: cell.strategy,
            seconds: cell.seconds,
            rank: cell.seconds.map(rank),
            models: told.collect::<Vec<_>>().join(", "),
        }
    };
    cells.cells.iter().enumerate().map(row).collect()
}

fn columns<'a>() -> [Column<Row<'a>>; 8] {
    [
        Column::left("graph", "graph", |row: &Row<'_>| Cell::text(short_name(&row.cells.graph))),
        Column::left("order", "order", |row| Cell::text(row.cells.order)),
        Column::left("push or pull", "propagation", |row| Cell::text(row.strategy.propagation.name())),
        Column::left("technique", "technique", |row| Cell::text(row.strategy.technique_name())),
        Column::right("time", "seconds", |row| match row.seconds {
            Some(seconds) => Cell::seconds(seconds),
            None => Cell::of("refused", serde_json::Value::Null),
        }),
        Column::right("over the worst", "over_worst", |row| {
            row.seconds.map_or_else(Cell::none, |seconds| Cell::times(seconds / row.cells.worst()))
        }),
        Column::right("rank", "rank", |row| row.rank.map_or_else(Cell::none, |rank| Cell::of(rank.to_string(), rank))),
        Column::left("rank by model", "model_rank", |row| Cell::text(&row.models)),
    ]
}

fn finding(unsorted: &[&Cells]) -> Finding {
    let least = |cells: &Cells, propagation: Propagation| {
        let of = cells.cells.iter().filter(|cell| cell.strategy.propagation == propagation);
        of.filter_map(|cell| cell.seconds).fold(f64::INFINITY, f64::min)
    };
    let pulled =
        unsorted.iter().filter(|cells| least(cells, Propagation::Pull) < least(cells, Propagation::Push)).count();
    let widest =
        unsorted.iter().max_by(|one, other| (one.worst() / one.best()).total_cmp(&(other.worst() / other.best())));
    let mut winners: Vec<(String, usize)> = Vec::new();
    for cells in unsorted {
        let best =
            cells.cells.iter().filter(|cell| cell.seconds == Some(cells.best())).map(|cell| cell.strategy.name());
        for name in best.take(1) {
            match winners.iter_mut().find(|(known, _)| *known == name) {
                Some((_, times)) => *times += 1,
                None => winners.push((name, 1)),
            }
        }
    }
    winners.sort_by_key(|(_, times)| std::cmp::Reverse(*times));
    let told: Vec<String> = winners.iter().map(|(name, times)| format!("{name} on {times}")).collect();
    let widest = widest.map_or(String::new(), |cells| {
        let times = cells.worst() / cells.best();
        format!(
            "; the worst strategy takes up to {times:.1} times as long as the best, on {}",
            short_name(&cells.graph)
        )
    });
    Finding {
        paper: "push and the pull that divides once win on graphs of constant degree and on road networks, the edge-based \
                strategy wins where degrees vary, and virtual warps almost never win",
        here: format!(
            "pull is the faster way on {pulled} of {} graphs, and the fastest strategies are {}{widest}",
            unsorted.len(),
            told.join(", ")
        ),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::super::plots;
    use super::*;
    use gts_graph::contract::{Technique, VirtualWarp};

    /// Returns cells for a graph in a vertex order, with the times of four strategies.
    pub(in super::super) fn sample(graph: &str, order: &'static str, seconds: [Option<f64>; 4]) -> Cells {
        let techniques = [Technique::Vertex, Technique::Edge(VirtualWarp::W32)];
        let strategies = [Propagation::Push, Propagation::Pull]
            .into_iter()
            .flat_map(|propagation| techniques.map(|technique| Strategy { propagation, technique: Some(technique) }));
        let cell =
            |(strategy, seconds)| cells::Cell { strategy, seconds, making: 0.0, models: vec![None; MODELS.len()] };
        let cells: Vec<_> = strategies.zip(seconds).map(cell).collect();
        Cells {
            best_with_making: cells::best_with_making(&cells),
            graph: graph.to_owned(),
            order,
            algorithm: "pagerank",
            unit: "iteration",
            note: format!("graph {graph}"),
            cells,
            chosen: 0.002,
        }
    }

    #[test]
    fn strategies_are_set_against_the_worst() {
        let found = [
            sample("torus:16^5", "original", [Some(0.004), Some(0.002), Some(0.001), None]),
            sample("torus:16^5", "by degree", [Some(0.004), Some(0.002), Some(0.001), Some(0.008)]),
            sample("data/star.txt", "original", [Some(0.1), Some(0.01), Some(0.2), Some(0.05)]),
        ];
        let figure = figure(&found, Vec::new());
        assert_eq!(
            figure.finding.here,
            "pull is the faster way on 1 of 2 graphs, and the fastest strategies are pull, vertex on 1, push, edge32 on 1; the \
             worst strategy takes up to 20.0 times as long as the best, on star"
        );
        assert_eq!(figure.table.cells[3][4], "refused");
        assert_eq!(figure.table.cells[0][5..7], ["1.00".to_owned(), "3".to_owned()]);
        assert_eq!(figure.charts.len(), 2);
        assert_eq!(figure.charts[1].lines[1].points, [(1, 0.25)]);
        assert!(plots::svg(&figure).unwrap().contains("edge32"));
    }
}
