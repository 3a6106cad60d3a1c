//! Compares GTS's default strategy with the best and the worst strategy, by graph and algorithm. Also compares each
//! model's ranking of the strategies with the measured ranking.

use super::super::Bench;
use super::super::figure::{Cell, Chart, Column, Drawing, Figure, Finding, Line, Table, Unit};
use super::super::subject::{Making, Subject, short_name};
use super::super::trials::{Workload, workloads};
use super::cells::{self, Cells, ORDERS};
use super::graphs;
use super::models::MODELS;
use crate::counter::Counter;
use gts_graph::cli::program::Failure;
use gts_graph::cli::program::units;
use gts_graph::core::cost::neighbors::kendall_tau;
use gts_graph::core::graph::VertexOrder;
use serde_json::Value;

/// The measured algorithms. Algorithms that require weights are last.
const ALGORITHMS: [&str; 4] = ["pagerank", "bfs", "wcc", "sssp"];
/// Number of algorithms that do not require weights.
const WITHOUT_WEIGHTS: usize = 3;
/// Best time in seconds below which the choice of strategy is irrelevant.
const SHORT: f64 = 20e-6;
/// Upper bounds on the ratio of the chosen strategy's time to the best time: for a good choice, and for any choice.
const GOOD: f64 = 1.1;
const BOUND: f64 = 1.3;

pub(in super::super) fn measure(bench: &Bench) -> Result<Figure, Failure> {
    let graphs = graphs::for_choice(bench);
    let mut counter = Counter::new("choice", graphs.len() * ALGORITHMS.len());
    let mut found = Vec::new();
    'graphs: for graph in &graphs {
        let (plain, weighted) = ALGORITHMS.split_at(WITHOUT_WEIGHTS);
        for (algorithms, with_weights) in [(plain, false), (weighted, true)] {
            counter.hide();
            let making = Making { weighted: with_weights, ..cells::making(bench, VertexOrder::Original) };
            let subject = Subject::of(graph, making)?;
            for name in algorithms {
                counter.next_of(format_args!("{graph}, {name}"));
                let workload: Workload = workloads([*name])?[0];
                let end = bench.end.filter(|_| !found.is_empty());
                match cells::measure(bench, &subject, ORDERS[0].1, &workload, end)? {
                    Some(cells) => found.push(cells),
                    None => break 'graphs,
                }
            }
            bench.machine.forget(&subject.graph);
        }
    }
    let mut notes: Vec<String> =
        found.chunk_by(|one, other| one.graph == other.graph).map(|cells| cells[0].note.clone()).collect();
    notes.iter_mut().enumerate().for_each(|(index, note)| *note = format!("{}: {note}", index + 1));
    notes.extend(counter.note(found.len()));
    notes.push(format!(
        "device {}, median of {} trials, one of runs beyond 200 ms; the choice and the best, where they are shorter: the median of \
         three such medians, measured in turns after all others",
        bench.machine.name, bench.trials
    ));
    Ok(figure(&found, notes))
}

fn figure(found: &[Cells], notes: Vec<String>) -> Figure {
    let mut rows: Vec<&Cells> = found.iter().collect();
    let place = |cells: &Cells| ALGORITHMS.iter().position(|name| *name == cells.algorithm);
    rows.sort_by_key(|cells| place(cells));
    let charts = rows.chunk_by(|one, other| one.algorithm == other.algorithm).map(chart).collect();
    Figure {
        name: "choice",
        title: "Time by the strategy that is chosen over that by the best",
        across: "graph, as numbered in the notes",
        series: "strategy",
        notes,
        finding: finding(&rows),
        table: Table::of(&rows, &columns()),
        charts,
    }
}

/// Returns the time of the best strategy, including the building of its edge lists.
fn best(cells: &Cells) -> f64 {
    cells.best_with_making.map_or(f64::INFINITY, |(_, seconds)| seconds)
}

/// Returns the ratio of the chosen strategy's time to the best time.
fn factor(cells: &Cells) -> f64 {
    cells.chosen / best(cells)
}

fn columns<'a>() -> [Column<&'a Cells>; 11] {
    [
        Column::left("graph", "graph", |cells: &&Cells| Cell::text(short_name(&cells.graph))),
        Column::left("algorithm", "algorithm", |cells| Cell::text(cells.algorithm)),
        Column::left("time of", "unit", |cells| Cell::text(cells.unit)),
        Column::right("chosen", "seconds", |cells| Cell::seconds(cells.chosen)),
        Column::right("best", "best_seconds", |cells| Cell::seconds(best(cells))),
        Column::left("best strategy", "best_strategy", |cells| {
            cells.best_with_making.map_or_else(Cell::none, |(strategy, _)| Cell::text(&strategy.name()))
        }),
        Column::right("worst", "worst_seconds", |cells| Cell::seconds(cells.worst())),
        Column::right("chosen over best", "over_best", |cells| Cell::times(factor(cells))),
        Column::right("making of a list", "list_seconds", |cells| {
            cells.making().map_or_else(Cell::none, Cell::seconds)
        }),
        Column::left("tau by model", "model_tau", |cells| {
            let told = MODELS
                .iter()
                .enumerate()
                .filter_map(|(model, (name, _))| Some(format!("{name} {:.2}", agreement(cells, model)?)));
            Cell::text(&told.collect::<Vec<_>>().join(", "))
        }),
        // The time of every strategy, only for programs: the table hides a column without a heading from readers.
        Column::left("", "strategies", |cells| {
            let times = cells.cells.iter().map(|cell| (cell.strategy.name(), cell.seconds.into()));
            Cell::of("", times.collect::<serde_json::Map<String, Value>>())
        }),
    ]
}

/// Returns the agreement of a model's ranking with the measured ranking (Kendall's tau).
fn agreement(cells: &Cells, model: usize) -> Option<f64> {
    let pairs: Vec<(f64, f64)> =
        cells.cells.iter().filter_map(|cell| Some((cell.models[model]?, cell.seconds?))).collect();
    kendall_tau(&pairs)
}

fn chart(rows: &[&Cells]) -> Chart {
    let line = |name: &str, colour, value: fn(&Cells) -> f64| {
        let points = rows.iter().map(|cells| value(cells)).enumerate().collect();
        Line { name: name.to_owned(), colour, predicted: false, points }
    };
    Chart {
        title: rows.first().map_or("", |cells| cells.algorithm).to_owned(),
        upward: "time over the best".to_owned(),
        drawing: Drawing::Bars,
        unit: Unit::Times,
        places: (1..=rows.len()).map(|number| number.to_string()).collect(),
        lines: vec![line("chosen", 0, factor), line("worst", 1, |cells| cells.worst() / best(cells))],
        reference: None,
    }
}

fn finding(rows: &[&Cells]) -> Finding {
    let (short, counted): (Vec<&Cells>, Vec<&Cells>) = rows.iter().partition(|cells| best(cells) < SHORT);
    let within = |bound: f64| counted.iter().filter(|cells| factor(cells) <= bound).count();
    let worst = counted.iter().max_by(|one, other| factor(one).total_cmp(&factor(other)));
    let worst = worst.map_or(String::new(), |cells| {
        format!(", at worst {:.2} times ({} over {})", factor(cells), cells.algorithm, short_name(&cells.graph))
    });
    let mut here = format!(
        "the choice takes at most {GOOD} times as long as the best strategy in {} of {} cases and at most {BOUND} times in \
         {}{worst}, where a run by an edge list also makes it",
        within(GOOD),
        counted.len(),
        within(BOUND),
    );
    if !short.is_empty() {
        let most = short.iter().map(|cells| factor(cells)).fold(0.0, f64::max);
        here.push_str(&format!(
            "; {} cases below {} differ by up to {most:.2} times",
            short.len(),
            units::seconds(SHORT)
        ));
    }
    for (model, (name, _)) in MODELS.iter().enumerate() {
        let agreements: Vec<f64> = rows.iter().filter_map(|cells| agreement(cells, model)).collect();
        if !agreements.is_empty() {
            let mean = agreements.iter().sum::<f64>() / agreements.len() as f64;
            here.push_str(&format!("; Kendall's tau of {name} is {mean:.2} on average"));
        }
    }
    Finding {
        paper: "the best strategy depends on the graph and on its representation, and a model of memory accesses without load \
                balance does not rank the strategies",
        here,
    }
}

#[cfg(test)]
mod tests {
    use super::super::iteration::tests::sample;
    use super::*;
    use gts_graph::contract::{EdgeLayout, Technique};
    use gts_graph::device::Propagation;

    #[test]
    fn choices_are_counted_apart_from_short_runs() {
        let mut found = [
            sample("a", "original", [Some(0.004), Some(0.002), Some(0.003), None]),
            sample("b", "original", [Some(0.001), Some(0.002), Some(0.003), None]),
            sample("c", "original", [Some(10e-6), Some(0.002), Some(0.003), None]),
        ];
        // On the first two graphs, an edge list is the best strategy, even with the time to build the list.
        let list = cells::Strategy {
            propagation: Propagation::Push,
            technique: Some(Technique::EdgeList(EdgeLayout::Arrays)),
        };
        let listed =
            |making| cells::Cell { strategy: list, seconds: Some(0.0016), making, models: vec![None; MODELS.len()] };
        found[0].cells.push(listed(0.0002));
        found[1].cells.push(listed(0.0001));
        found[1].cells[0].seconds = Some(0.004);
        found.iter_mut().for_each(|cells| cells.best_with_making = cells::best_with_making(&cells.cells));
        let figure = figure(&found, Vec::new());
        assert_eq!(
            figure.finding.here,
            "the choice takes at most 1.1 times as long as the best strategy in 0 of 2 cases and at most 1.3 times in 2, at worst \
             1.18 times (pagerank over b), where a run by an edge list also makes it; 1 cases below 20 us differ by up to 200.00 times"
        );
        assert_eq!(figure.charts.len(), 1);
        assert!((figure.charts[0].lines[0].points[1].1 - 2.0 / 1.7).abs() < 1e-9);
    }
}
