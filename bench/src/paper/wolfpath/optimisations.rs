//! Separate effects of two of WolfPath's techniques in the engine (Figure 9 of its paper): vertices ordered by layer,
//! and copies in several streams that overlap kernels.

use super::super::Bench;
use super::super::figure::{Cell, Chart, Column, Drawing, Figure, Finding, Line, Table, Unit};
use super::super::machine::Setup;
use super::super::subject::Subject;
use super::super::trials::{Times, workloads};
use super::runs::{self, Search};
use crate::counter::Counter;
use gts_graph::cli::program::Failure;
use gts_graph::cli::program::units;
use gts_graph::core::graph::VertexOrder;
use gts_graph::device::CacheChoice;
use gts_graph::device::StepsBy;
use gts_graph::tuning;
use std::num::NonZeroUsize;

struct Row {
    graph: String,
    algorithm: &'static str,
    in_layers: bool,
    /// Number of copy streams; `None` on the CPU.
    streams: Option<u32>,
    times: Times,
    /// Page bytes that a run copied to the device or read in place, divided by the total size of the graph's pages.
    copied: f64,
    wrong: usize,
    reached: usize,
}

impl Row {
    /// Returns the label for this combination of techniques.
    fn techniques(&self) -> String {
        let order = if self.in_layers { "layers" } else { "original order" };
        match self.streams {
            Some(1) => format!("{order}, 1 stream"),
            Some(streams) => format!("{order}, {streams} streams"),
            None => order.to_owned(),
        }
    }
}

pub(in super::super) fn measure(bench: &Bench) -> Result<Figure, Failure> {
    let streams = match bench.machine.has_gpus() {
        true => vec![Some(1), Some(tuning::CUDA_STREAMS)],
        false => vec![None],
    };
    let (graphs, mut rows, mut notes) = (runs::graphs(bench), Vec::new(), Vec::new());
    let mut counter = Counter::new("optimisations", 4 * graphs.len() * streams.len());
    for graph in &graphs {
        counter.hide();
        let original = runs::subject(bench, graph, VertexOrder::Original)?;
        notes.push(original.describe());
        for search in runs::searches(&original)? {
            counter.hide();
            let layered = runs::subject(bench, graph, search.layers())?;
            for (in_layers, subject) in [(false, &original), (true, &layered)] {
                for &streams in &streams {
                    counter.next();
                    rows.push(row(bench, &search, (in_layers, subject), streams)?);
                }
            }
        }
    }
    if bench.machine.has_gpus() {
        notes.push("all pages stream, and none stays in the device's cache".to_owned());
    }
    notes.push(format!("device {}, median of {} trials", bench.machine.name, bench.trials));
    Ok(figure(&rows, notes))
}

fn row(
    bench: &Bench,
    search: &Search,
    (in_layers, subject): (bool, &Subject),
    streams: Option<u32>,
) -> Result<Row, Failure> {
    let mut setup = Setup { cache: CacheChoice::Off, ..Setup::default() };
    if let Some(streams) = streams {
        let workload = workloads([search.algorithm])?[0];
        setup = Setup {
            streams,
            device_memory: Some(subject.streaming_budget(&workload, NonZeroUsize::MIN, streams)?),
            ..setup
        };
    }
    let ran = search.run(bench, &setup, StepsBy::Host, &subject.graph)?;
    Ok(Row {
        graph: search.graph.clone(),
        algorithm: search.algorithm,
        in_layers,
        streams,
        times: ran.times,
        copied: ran.copied as f64 / subject.bytes().max(1) as f64,
        wrong: ran.wrong,
        reached: search.reached(),
    })
}

fn figure(rows: &[Row], notes: Vec<String>) -> Figure {
    Figure {
        name: "optimisations",
        title: "Time with and without layers and several streams",
        across: "graph",
        series: "techniques",
        notes,
        finding: finding(rows),
        table: Table::of(rows, &columns()),
        charts: ["bfs", "sssp"].map(|algorithm| chart(rows, algorithm)).into(),
    }
}

fn columns() -> [Column<Row>; 9] {
    [
        Column::left("graph", "graph", |row| Cell::text(&row.graph)),
        Column::left("algorithm", "algorithm", |row| Cell::text(row.algorithm)),
        Column::left("techniques", "techniques", |row| Cell::text(&row.techniques())),
        Column::right("time", "seconds", |row| Cell::seconds(row.times.median)),
        Column::right("fastest", "fastest_seconds", |row| Cell::seconds(row.times.fastest)),
        Column::right("slowest", "slowest_seconds", |row| Cell::seconds(row.times.slowest)),
        Column::right("bytes over the graph's", "copied_times", |row| match row.streams {
            Some(_) => Cell::times(row.copied),
            None => Cell::none(),
        }),
        Column::right("wrong vertices", "wrong_vertices", |row| Cell::of(units::count(row.wrong as u64), row.wrong)),
        Column::right("of", "reached_vertices", |row| Cell::of(units::count(row.reached as u64), row.reached)),
    ]
}

fn chart(rows: &[Row], algorithm: &str) -> Chart {
    let of: Vec<&Row> = rows.iter().filter(|row| row.algorithm == algorithm).collect();
    let (mut graphs, mut names): (Vec<&str>, Vec<String>) = (Vec::new(), Vec::new());
    for row in &of {
        if !graphs.contains(&row.graph.as_str()) {
            graphs.push(&row.graph);
        }
        if !names.contains(&row.techniques()) {
            names.push(row.techniques());
        }
    }
    let line = |(colour, name): (usize, &String)| {
        let points = of.iter().filter(|row| row.techniques() == *name).map(|row| row.times.median).enumerate();
        Line { name: name.clone(), colour, predicted: false, points: points.collect() }
    };
    Chart {
        title: algorithm.to_owned(),
        upward: "time of a run".to_owned(),
        drawing: Drawing::Bars,
        unit: Unit::Seconds,
        places: graphs.iter().map(|graph| (*graph).to_owned()).collect(),
        lines: names.iter().enumerate().map(line).collect(),
        reference: None,
    }
}

fn finding(rows: &[Row]) -> Finding {
    let told = |first: &Row| {
        let of = |in_layers: bool, streams: fn(u32, u32) -> u32| {
            let same = rows
                .iter()
                .filter(|row| (&row.graph, row.algorithm, row.in_layers) == (&first.graph, first.algorithm, in_layers));
            let best = same.clone().filter_map(|row| row.streams).reduce(streams);
            same.filter(|row| row.streams == best).map(|row| row.times.median).next().unwrap_or(f64::NAN)
        };
        let (neither, both) = (of(false, u32::min), of(true, u32::max));
        format!(
            "{} over {} takes {} with them and {} without",
            first.algorithm,
            first.graph,
            units::seconds(both),
            units::seconds(neither)
        )
    };
    let firsts = rows.chunk_by(|one, other| (&one.graph, one.algorithm) == (&other.graph, other.algorithm));
    Finding {
        paper: "asynchronous copies and shared memory take breadth-first search over LiveJournal from 71 ms to 48 ms",
        here: firsts.map(|rows| told(&rows[0])).collect::<Vec<_>>().join("; "),
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::plots;
    use super::*;

    #[test]
    fn both_techniques_are_set_against_neither() {
        let row = |algorithm, (in_layers, streams, median)| Row {
            graph: "a".to_owned(),
            algorithm,
            in_layers,
            streams: Some(streams),
            times: Times { median, fastest: median, slowest: median },
            copied: 1.0,
            wrong: 0,
            reached: 10,
        };
        let each = [(false, 1, 0.4), (false, 8, 0.3), (true, 1, 0.2), (true, 8, 0.1)];
        let rows: Vec<Row> =
            ["bfs", "sssp"].into_iter().flat_map(|algorithm| each.map(|found| row(algorithm, found))).collect();
        let figure = figure(&rows, Vec::new());
        assert_eq!(
            figure.finding.here,
            "bfs over a takes 100.0 ms with them and 400.0 ms without; sssp over a takes 100.0 ms with them and 400.0 ms without"
        );
        assert_eq!((figure.charts.len(), figure.charts[1].lines.len()), (2, 4));
        assert!(plots::svg(&figure).unwrap().contains("layers, 8 streams"));
    }
}
