//! Cost of checks by the host after every step, after every few steps, or never (Tables 2 and 3 of the WolfPath paper),
//! for the engine's steps and for rounds over all edges.

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
use gts_graph::device::cuda::CudaDevice;
use gts_graph::prelude::Graph;
use std::num::NonZeroU32;

/// Number of steps between two checks in [`Asked::SomeSteps`].
const SOME: NonZeroU32 = NonZeroU32::new(16).expect("16 is not 0");

/// Frequency of the host's checks for remaining work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asked {
    EachStep,
    SomeSteps,
    Never,
}

impl Asked {
    const ALL: [Self; 3] = [Self::EachStep, Self::SomeSteps, Self::Never];

    /// Returns the label used in tables and charts.
    fn name(self) -> String {
        match self {
            Self::EachStep => "each step".to_owned(),
            Self::SomeSteps => format!("every {SOME} steps"),
            Self::Never => "never".to_owned(),
        }
    }

    /// Returns the number of steps between two checks; `None` if there are no checks.
    fn every(self) -> Option<NonZeroU32> {
        match self {
            Self::EachStep => Some(NonZeroU32::MIN),
            Self::SomeSteps => Some(SOME),
            Self::Never => None,
        }
    }

    /// Returns the option that selects whether the host or the device starts the engine's steps.
    fn steps_by(self) -> StepsBy {
        match self {
            Self::EachStep => StepsBy::Host,
            Self::SomeSteps => StepsBy::DeviceFor(SOME),
            Self::Never => StepsBy::Device,
        }
    }
}

/// The measured implementation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum System {
    /// Rounds over all edges, as in CuSha. If the host never checks, one round runs per layer.
    AllEdges,
    /// The engine's steps over a queue of active vertices.
    Engine,
}

impl System {
    const ALL: [Self; 2] = [Self::AllEdges, Self::Engine];

    /// Returns the label used in tables and charts.
    fn name(self) -> &'static str {
        match self {
            Self::AllEdges => "every edge each round",
            Self::Engine => "gts",
        }
    }
}

struct Row {
    graph: String,
    algorithm: &'static str,
    system: System,
    asked: Asked,
    times: Times,
    steps: usize,
    wrong: usize,
    reached: usize,
    /// Seconds per step without the host's checks.
    alone: f64,
}

impl Row {
    /// Returns the seconds per step.
    fn step(&self) -> f64 {
        self.times.median / self.steps.max(1) as f64
    }

    /// Returns the seconds that the host's checks add to each step.
    fn asking(&self) -> f64 {
        (self.step() - self.alone).max(0.0)
    }
}

pub(in super::super) fn measure(bench: &Bench) -> Result<Figure, Failure> {
    let Some(device) = runs::device(bench)? else {
        return Err(Failure::usage("asking: a CPU has no host to ask", "give --device cuda"));
    };
    let (graphs, mut rows, mut notes) = (runs::graphs(bench), Vec::new(), Vec::new());
    let mut counter = Counter::new("asking", 2 * graphs.len() * System::ALL.len() * Asked::ALL.len());
    for graph in &graphs {
        counter.hide();
        let subject = runs::subject(bench, graph, VertexOrder::Original)?;
        notes.push(subject.describe());
        for search in runs::searches(&subject)? {
            for system in System::ALL {
                let first = rows.len();
                for asked in Asked::ALL {
                    counter.next();
                    rows.push(row(bench, (&device, &subject.graph), &search, (system, asked))?);
                }
                let alone = rows[rows.len() - 1].step();
                rows[first..].iter_mut().for_each(|row| row.alone = alone);
            }
        }
    }
    notes.push("where the host is never asked, the device runs as many rounds as a breadth-first search from the root has levels".to_owned());
    notes.push(format!("device {}, median of {} trials", bench.machine.name, bench.trials));
    Ok(figure(&rows, notes))
}

fn row(
    bench: &Bench,
    (device, graph): (&CudaDevice, &Graph),
    search: &Search,
    (system, asked): (System, Asked),
) -> Result<Row, Failure> {
    let (times, steps, wrong) = match system {
        System::AllEdges => {
            let most = if asked == Asked::Never { search.depth() } else { search.lists.vertices() };
            let list = EdgeList::whole(&search.lists, most).map_err(gts_graph::Error::from)?;
            let found = list.run(Some(device), search.start(), asked.every(), bench.trials)?;
            let wrong = search.wrong(&found.distances);
            (found.times, found.rounds, wrong)
        }
        System::Engine => {
            let ran = search.run(bench, &Setup::default(), asked.steps_by(), graph)?;
            (ran.times, ran.steps, ran.wrong)
        }
    };
    let (graph, algorithm) = (search.graph.clone(), search.algorithm);
    Ok(Row { graph, algorithm, system, asked, times, steps, wrong, reached: search.reached(), alone: 0.0 })
}

fn figure(rows: &[Row], notes: Vec<String>) -> Figure {
    let mut pairs: Vec<(&str, System)> = rows.iter().map(|row| (row.algorithm, row.system)).collect();
    pairs.sort_by_key(|pair| (pair.0, pair.1 == System::Engine));
    pairs.dedup();
    Figure {
        name: "asking",
        title: "Time by how often the host is asked for the end",
        across: "graph",
        series: "the host is asked",
        notes,
        finding: finding(rows),
        table: Table::of(rows, &columns()),
        charts: pairs.into_iter().map(|pair| chart(rows, pair)).collect(),
    }
}

fn columns() -> [Column<Row>; 11] {
    [
        Column::left("graph", "graph", |row| Cell::text(&row.graph)),
        Column::left("algorithm", "algorithm", |row| Cell::text(row.algorithm)),
        Column::left("system", "system", |row| Cell::text(row.system.name())),
        Column::left("the host is asked", "asked", |row| Cell::text(&row.asked.name())),
        Column::right("steps", "steps", |row| Cell::of(units::count(row.steps as u64), row.steps)),
        Column::right("time", "seconds", |row| Cell::seconds(row.times.median)),
        Column::right("a step", "step_seconds", |row| Cell::seconds(row.step())),
        Column::right("computing", "computing_seconds", |row| Cell::seconds(row.alone)),
        Column::right("asking", "asking_seconds", |row| Cell::seconds(row.asking())),
        Column::right("wrong vertices", "wrong_vertices", |row| Cell::of(units::count(row.wrong as u64), row.wrong)),
        Column::right("of", "reached_vertices", |row| Cell::of(units::count(row.reached as u64), row.reached)),
    ]
}

fn chart(rows: &[Row], (algorithm, system): (&str, System)) -> Chart {
    let of: Vec<&Row> = rows.iter().filter(|row| (row.algorithm, row.system) == (algorithm, system)).collect();
    let mut graphs: Vec<&str> = of.iter().map(|row| row.graph.as_str()).collect();
    graphs.dedup();
    let line = |(colour, asked): (usize, Asked)| {
        let points = of.iter().filter(|row| row.asked == asked).map(|row| row.times.median).enumerate().collect();
        Line { name: asked.name(), colour, predicted: false, points }
    };
    Chart {
        title: format!("{algorithm}, {}", system.name()),
        upward: "time of a run".to_owned(),
        drawing: Drawing::Bars,
        unit: Unit::Seconds,
        places: graphs.into_iter().map(str::to_owned).collect(),
        lines: Asked::ALL.into_iter().enumerate().map(line).collect(),
        reference: None,
    }
}

fn finding(rows: &[Row]) -> Finding {
    let of = |system: System| rows.iter().filter(move |row| row.system == system);
    let told = |system: System| {
        let ratios: Vec<f64> = of(system)
            .filter(|row| row.asked == Asked::EachStep)
            .map(|row| row.asking() / row.alone.max(1e-12))
            .collect();
        let ends = (ratios.iter().copied().fold(f64::INFINITY, f64::min), ratios.iter().copied().fold(0.0, f64::max));
        format!(
            "{:.2} to {:.2} times as long as a step of {}",
            ends.0,
            ends.1,
            match system {
                System::AllEdges => "a list that is gone over as a whole",
                System::Engine => "the engine",
            }
        )
    };
    let never = of(System::AllEdges).filter(|row| row.asked == Asked::Never);
    let wrong = never.fold((0, 0), |sum, row| (sum.0 + row.wrong, sum.1 + row.reached));
    Finding {
        paper: "asking takes 90 to 1,500 times as long as an iteration computes, so that as many iterations as the graph is deep, \
                without a question, are faster by far, and the diameter bounds their number",
        here: format!(
            "asking after each step takes {} and {}, and with as many rounds as there are levels {} of {} vertices have wrong \
             values",
            told(System::AllEdges),
            told(System::Engine),
            units::count(wrong.0 as u64),
            units::count(wrong.1 as u64)
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::plots;
    use super::*;

    #[test]
    fn asking_is_what_a_step_takes_longer_than_alone() {
        let row = |algorithm, system, (asked, median, wrong)| Row {
            graph: "a".to_owned(),
            algorithm,
            system,
            asked,
            times: Times { median, fastest: median, slowest: median },
            steps: 10,
            wrong,
            reached: 50,
            alone: 0.001,
        };
        let each = [(Asked::EachStep, 0.05, 0), (Asked::SomeSteps, 0.02, 0), (Asked::Never, 0.01, 5)];
        let pairs = ["bfs", "sssp"].into_iter().flat_map(|algorithm| System::ALL.map(|system| (algorithm, system)));
        let rows: Vec<Row> =
            pairs.flat_map(|(algorithm, system)| each.map(|found| row(algorithm, system, found))).collect();
        assert!((rows[0].asking() - 0.004).abs() < 1e-12 && rows[2].asking() < 1e-12);
        let figure = figure(&rows, Vec::new());
        assert!(figure.finding.here.contains("asking after each step takes 4.00 to 4.00 times as long"));
        assert!(figure.finding.here.ends_with("10 of 100 vertices have wrong values"), "{}", figure.finding.here);
        assert_eq!((figure.charts.len(), figure.charts[0].lines.len()), (4, 3));
        assert!(plots::svg(&figure).unwrap().contains("every 16 steps"));
    }
}
