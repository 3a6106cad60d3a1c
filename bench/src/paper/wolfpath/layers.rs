//! WolfPath's layered edge list compared with other implementations (Table 5 of its paper): rounds, times, and the
//! number of vertices with wrong values.

use super::super::Bench;
use super::super::figure::{Cell, Chart, Column, Drawing, Figure, Finding, Line, Table, Unit};
use super::super::machine::Setup;
use super::super::trials::Times;
use super::layered::EdgeList;
use super::runs::{self, Search};
use crate::counter::Counter;
use gts_graph::cli::program::Failure;
use gts_graph::cli::program::units;
use gts_graph::core::graph::VertexOrder;
use gts_graph::device::StepsBy;
use std::num::NonZeroU32;

/// Minimum number of edges in a combined layer: the number of threads on the paper's GPU, by the paper's equation 1.
const LEAST_EDGES: usize = 12 * 64 * 32;

/// The measured implementation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum System {
    /// WolfPath's list as printed in Algorithm 4.
    Printed,
    /// WolfPath's list, including the edges that Algorithm 4 loses as printed.
    AllEdges,
    /// The list of [`Self::AllEdges`] with combined layers.
    Combined,
    /// Rounds over all edges, until no distance changes.
    Whole,
    /// The engine, with steps started by the host.
    ByHost,
    /// The engine, with steps started by the device.
    ByDevice,
}

impl System {
    const ALL: [Self; 6] = [Self::Printed, Self::AllEdges, Self::Combined, Self::Whole, Self::ByHost, Self::ByDevice];

    /// Returns the label used in tables and charts.
    fn name(self) -> &'static str {
        match self {
            Self::Printed => "layers as printed",
            Self::AllEdges => "layers, all edges",
            Self::Combined => "layers, combined",
            Self::Whole => "every edge each round",
            Self::ByHost => "gts, host",
            Self::ByDevice => "gts, device",
        }
    }
}

struct Row {
    graph: String,
    algorithm: &'static str,
    system: System,
    /// Measurements; `None` if building the list took too long.
    found: Option<Measured>,
    /// Number of reachable vertices.
    reached: usize,
    /// Number of out-edges of reachable vertices.
    graph_edges: usize,
}

struct Measured {
    times: Times,
    rounds: usize,
    wrong: usize,
    /// Number of edges in the list; `None` for the engine.
    edges: Option<usize>,
}

pub(in super::super) fn measure(bench: &Bench) -> Result<Figure, Failure> {
    let device = runs::device(bench)?;
    let systems = System::ALL.into_iter().filter(|system| device.is_some() || *system != System::ByDevice);
    let systems: Vec<System> = systems.collect();
    let (graphs, mut rows, mut notes) = (runs::graphs(bench), Vec::new(), Vec::new());
    let mut counter = Counter::new("layers", 2 * graphs.len() * systems.len());
    for graph in &graphs {
        counter.hide();
        let subject = runs::subject(bench, graph, VertexOrder::Original)?;
        notes.push(subject.describe());
        for search in runs::searches(&subject)? {
            let list = |list: EdgeList, asks: Option<NonZeroU32>| {
                let found = list.run(device.as_ref(), search.start(), asks, bench.trials)?;
                let wrong = search.wrong(&found.distances);
                Ok::<_, Failure>(Measured {
                    times: found.times,
                    rounds: found.rounds,
                    wrong,
                    edges: Some(list.edges()),
                })
            };
            let engine = |steps_by| {
                let ran = search.run(bench, &Setup::default(), steps_by, &subject.graph)?;
                Ok::<_, Failure>(Measured { times: ran.times, rounds: ran.steps, wrong: ran.wrong, edges: None })
            };
            let all_edges = || EdgeList::all_edges(&search.lists, &search.levels).map_err(gts_graph::Error::from);
            for &system in &systems {
                counter.next();
                let printed = || EdgeList::printed(&search.lists, search.root).map_err(gts_graph::Error::from);
                let whole = || EdgeList::whole(&search.lists, search.lists.vertices()).map_err(gts_graph::Error::from);
                let found = match system {
                    System::Printed => printed()?.map(|found| list(found, None)).transpose()?,
                    System::AllEdges => Some(list(all_edges()?, None)?),
                    System::Combined => Some(list(all_edges()?.combined(LEAST_EDGES), None)?),
                    System::Whole => Some(list(whole()?, Some(NonZeroU32::MIN))?),
                    System::ByHost => Some(engine(StepsBy::Host)?),
                    System::ByDevice => Some(engine(StepsBy::Device)?),
                };
                rows.push(row(&search, system, found));
            }
        }
    }
    let by = if device.is_some() { "the GPU, by hand-written kernels" } else { "one thread of the CPU" };
    notes.push(format!("lists of edges: rounds run on {by}; a round reads what the round before it has written"));
    notes.push(format!("device {}, median of {} trials", bench.machine.name, bench.trials));
    Ok(figure(&rows, notes))
}

fn row(search: &Search, system: System, found: Option<Measured>) -> Row {
    let is_reached = |vertex: &u32| search.levels[*vertex as usize] != runs::UNREACHED;
    let reached = (0..search.lists.vertices() as u32).filter(is_reached);
    Row {
        graph: search.graph.clone(),
        algorithm: search.algorithm,
        system,
        found,
        reached: search.reached(),
        graph_edges: reached.map(|vertex| search.lists.edges(vertex).len()).sum(),
    }
}

fn figure(rows: &[Row], notes: Vec<String>) -> Figure {
    let algorithms = ["bfs", "sssp"];
    Figure {
        name: "layers",
        title: "Edges by layers beside other ways: rounds, times and wrong vertices",
        across: "graph",
        series: "system",
        notes,
        finding: finding(rows),
        table: Table::of(rows, &columns()),
        charts: [Shown::Time, Shown::Wrong]
            .into_iter()
            .flat_map(|shown| algorithms.map(|algorithm| chart(rows, algorithm, shown)))
            .collect(),
    }
}

fn columns() -> [Column<Row>; 10] {
    [
        Column::left("graph", "graph", |row| Cell::text(&row.graph)),
        Column::left("algorithm", "algorithm", |row| Cell::text(row.algorithm)),
        Column::left("system", "system", |row| Cell::text(row.system.name())),
        Column::right("edges", "edges", |row| match &row.found {
            Some(Measured { edges: Some(edges), .. }) => Cell::of(units::count(*edges as u64), *edges),
            Some(_) => Cell::none(),
            None => Cell::of("given up", serde_json::Value::Null),
        }),
        Column::right("of the graph's", "graph_edges", |row| {
            Cell::of(units::count(row.graph_edges as u64), row.graph_edges)
        }),
        Column::right("rounds", "rounds", |row| {
            row.found
                .as_ref()
                .map_or_else(Cell::none, |found| Cell::of(units::count(found.rounds as u64), found.rounds))
        }),
        Column::right("time", "seconds", |row| {
            row.found.as_ref().map_or_else(Cell::none, |found| Cell::seconds(found.times.median))
        }),
        Column::right("a round", "round_seconds", |row| {
            let each = |found: &Measured| Cell::seconds(found.times.median / found.rounds.max(1) as f64);
            row.found.as_ref().map_or_else(Cell::none, each)
        }),
        Column::right("wrong vertices", "wrong_vertices", |row| {
            row.found.as_ref().map_or_else(Cell::none, |found| Cell::of(units::count(found.wrong as u64), found.wrong))
        }),
        Column::right("of", "reached_vertices", |row| Cell::of(units::count(row.reached as u64), row.reached)),
    ]
}

/// Quantity that a chart shows.
#[derive(Clone, Copy)]
enum Shown {
    Time,
    /// Fraction of reachable vertices with wrong values.
    Wrong,
}

fn chart(rows: &[Row], algorithm: &str, shown: Shown) -> Chart {
    let of_algorithm: Vec<&Row> = rows.iter().filter(|row| row.algorithm == algorithm).collect();
    let mut graphs: Vec<&str> = of_algorithm.iter().map(|row| row.graph.as_str()).collect();
    graphs.dedup();
    let line = |(colour, system): (usize, System)| {
        let of_system = of_algorithm.iter().filter(|row| row.system == system);
        let point = |row: &&Row| {
            let place = graphs.iter().position(|graph| *graph == row.graph)?;
            let value = |found: &Measured| match shown {
                Shown::Time => found.times.median,
                Shown::Wrong => found.wrong as f64 / row.reached.max(1) as f64,
            };
            row.found.as_ref().map(|found| (place, value(found)))
        };
        let points: Vec<_> = of_system.filter_map(point).collect();
        (!points.is_empty()).then(|| Line { name: system.name().to_owned(), colour, predicted: false, points })
    };
    Chart {
        title: algorithm.to_owned(),
        upward: match shown {
            Shown::Time => "time of a run".to_owned(),
            Shown::Wrong => "wrong vertices".to_owned(),
        },
        drawing: Drawing::Bars,
        unit: match shown {
            Shown::Time => Unit::Seconds,
            Shown::Wrong => Unit::Percent,
        },
        places: graphs.iter().map(|graph| (*graph).to_owned()).collect(),
        lines: System::ALL.into_iter().enumerate().filter_map(line).collect(),
        reference: None,
    }
}

fn finding(rows: &[Row]) -> Finding {
    let told = |algorithm: &str, system: System| {
        let of = rows.iter().filter(|row| row.algorithm == algorithm && row.system == system);
        let (wrong, reached) = of
            .filter_map(|row| Some((row.found.as_ref()?.wrong, row.reached)))
            .fold((0, 0), |sum, row| (sum.0 + row.0, sum.1 + row.1));
        format!("{} of {} vertices in {algorithm}", units::count(wrong as u64), units::count(reached as u64))
    };
    let both = |system| format!("{} and {}", told("bfs", system), told("sssp", system));
    let mut here = format!(
        "Algorithm 4 as printed loses edges, and layers of what it keeps are wrong at {}; with all edges kept they are wrong \
         at {}, because one pass over the layers does not relax again the edges that lead back",
        both(System::Printed),
        both(System::AllEdges)
    );
    let endless = rows.iter().filter(|row| row.found.is_none()).count();
    if endless > 0 {
        here.push_str(&format!(
            "; {endless} lists by Algorithm 4 were given up, because it queues vertices again and again"
        ));
    }
    Finding {
        paper: "WolfPath takes more iterations than CuSha and Virtual Warp Centric, is more than 100 and 400 times as fast, and \
                ends after as many iterations as there are layers",
        here,
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::plots;
    use super::*;

    fn row(algorithm: &'static str, system: System, found: Option<(f64, usize)>) -> Row {
        let measured = |(median, wrong)| Measured {
            times: Times { median, fastest: median, slowest: median },
            rounds: 9,
            wrong,
            edges: (system == System::Printed).then_some(30),
        };
        Row { graph: "a".to_owned(), algorithm, system, found: found.map(measured), reached: 100, graph_edges: 40 }
    }

    #[test]
    fn a_list_that_was_given_up_is_told_of() {
        let rows = ["bfs", "sssp"]
            .map(|algorithm| [row(algorithm, System::Printed, None), row(algorithm, System::AllEdges, Some((0.1, 7)))]);
        let figure = figure(rows.as_flattened(), Vec::new());
        assert!(figure.finding.here.contains("7 of 100 vertices in bfs and 7 of 100 vertices in sssp"));
        assert!(figure.finding.here.contains("2 lists by Algorithm 4 were given up"));
        assert_eq!(figure.table.cells[0][3], "given up");
        assert_eq!(figure.charts[0].lines.len(), 1);
        assert!(plots::svg(&figure).unwrap().contains("layers, all edges"));
    }
}
