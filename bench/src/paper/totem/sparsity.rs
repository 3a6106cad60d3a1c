//! Measured and predicted speedup by the number of vertices at a constant number of edges, and the phases on the
//! sparsest graph: Figures 9 and 10 of the TOTEM paper.

use super::super::Bench;
use super::super::figure::{Cell, Chart, Column, Drawing, Figure, Finding, Line, Table, Unit};
use super::boundary::{FACTORS, scale_of};
use super::runs::{HALF, Point, groups, line, series, setting, told};
use gts_graph::cli::program::Failure;
use gts_graph::cli::program::units;
use std::num::NonZeroUsize;

/// The CPU's share of the edges, in percent.
const SHARES: &[u32] = &[HALF];

/// Measures the speedup over the CPU alone by the number of vertices (Figure 9).
pub(in super::super) fn speed(bench: &Bench) -> Result<Figure, Failure> {
    let (points, notes) = measured(bench, &FACTORS)?;
    Ok(speed_figure(&points, notes))
}

/// Measures the phases on the sparsest graph (Figure 10).
pub(in super::super) fn phases(bench: &Bench) -> Result<Figure, Failure> {
    let (points, notes) = measured(bench, &FACTORS[FACTORS.len() - 1..])?;
    Ok(phases_figure(&points, notes))
}

fn measured(bench: &Bench, factors: &[u32]) -> Result<(Vec<Point>, Vec<String>), Failure> {
    let parameters = |&factor: &u32| format!("{},edge-factor={factor}", scale_of(bench.scale, factor));
    let graphs = factors.iter().map(|factor| ("rmat", parameters(factor)));
    let mut notes = vec![format!("{}; {HALF} % of the edges on the CPU", setting(bench, NonZeroUsize::MIN)?)];
    let (points, of_graphs) = series(bench, graphs, NonZeroUsize::MIN, SHARES)?;
    notes.extend(of_graphs);
    Ok((points, notes))
}

fn speed_figure(points: &[Point], notes: Vec<String>) -> Figure {
    let chart = |(title, points): (String, Vec<&Point>)| Chart {
        title,
        upward: "speed over the CPU alone".to_owned(),
        drawing: Drawing::Lines,
        unit: Unit::Times,
        places: points.iter().map(|point| units::count(point.vertices)).collect(),
        lines: vec![
            line("measured", 0, false, &points, Point::over_cpu),
            line("equation 4", 1, true, &points, |point| point.predicted.totem),
            line("our model", 2, true, &points, Point::ours),
        ],
        reference: None,
    };
    let here = told(points, |algorithm, points| {
        let (dense, sparse) = (points.first()?, points.last()?);
        Some(format!(
            "{algorithm} is {:+.0} % off equation 4 in the densest graph and {:+.0} % in the sparsest",
            dense.off_totem(),
            sparse.off_totem()
        ))
    });
    Figure {
        name: "sparsity",
        title: "Speed by the number of vertices, measured and predicted",
        across: "vertices",
        series: "algorithm",
        notes,
        finding: Finding {
            paper: "both fall behind the model as graphs get sparser, PageRank by less than 10 %, BFS by more, because of its \
                    messages",
            here,
        },
        table: Table::of(points, &columns()),
        charts: groups(points).into_iter().map(chart).collect(),
    }
}

fn phases_figure(points: &[Point], notes: Vec<String>) -> Figure {
    let chart = |(title, points): (String, Vec<&Point>)| {
        let bars = |name: &str, colour: usize, predicted: bool, phases: [f64; 2]| Line {
            name: name.to_owned(),
            colour,
            predicted,
            points: phases.into_iter().enumerate().collect(),
        };
        let of_point = |point: &&Point| {
            let predicted = [point.predicted.computation, point.predicted.communication];
            let measured = [point.measured.cpu, point.measured.messages];
            vec![bars("measured", 0, false, measured), bars("equation 1", 1, true, predicted)]
        };
        Chart {
            title,
            upward: "time".to_owned(),
            drawing: Drawing::Bars,
            unit: Unit::Seconds,
            places: ["computation", "communication"].map(str::to_owned).into(),
            lines: points.first().map_or_else(Vec::new, of_point),
            reference: None,
        }
    };
    let here = told(points, |algorithm, points| {
        let point = points.first()?;
        let times = |measured: f64, predicted: f64| measured / predicted.max(f64::MIN_POSITIVE);
        Some(format!(
            "{algorithm} takes {:.2} times the predicted time to compute and {:.2} times that to communicate",
            times(point.measured.cpu, point.predicted.computation),
            times(point.measured.messages, point.predicted.communication)
        ))
    });
    Figure {
        name: "phases",
        title: "Computation and communication in the sparsest graph, measured and predicted",
        across: "phase",
        series: "algorithm",
        notes,
        finding: Finding {
            paper: "BFS communicates for nearly ten times as long as predicted, since it sends all of its outbox in every step, \
                    and that PageRank's computation decides, within 10 % of the model",
            here,
        },
        table: Table::of(points, &columns()),
        charts: groups(points).into_iter().map(chart).collect(),
    }
}

fn columns() -> [Column<Point>; 10] {
    [
        Column::left("algorithm", "algorithm", |point| Cell::text(point.algorithm)),
        Column::right("vertices", "vertices", |point| Cell::of(units::count(point.vertices), point.vertices)),
        Column::right("time", "seconds", |point| Cell::seconds(point.measured.total)),
        Column::right("computation", "computation_seconds", |point| Cell::seconds(point.measured.cpu)),
        Column::right("predicted", "predicted_computation_seconds", |point| Cell::seconds(point.predicted.computation)),
        Column::right("communication", "communication_seconds", |point| Cell::seconds(point.measured.messages)),
        Column::right("predicted", "predicted_communication_seconds", |point| {
            Cell::seconds(point.predicted.communication)
        }),
        Column::right("over the CPU", "speed_over_cpu", |point| Cell::times(point.over_cpu())),
        Column::right("equation 4", "equation_4", |point| Cell::times(point.predicted.totem)),
        Column::right("our model", "our_model", |point| Cell::times(point.ours())),
    ]
}

#[cfg(test)]
mod tests {
    use super::super::super::plots;
    use super::super::super::trials::PAGERANK_AND_BFS;
    use super::super::runs::Seconds;
    use super::super::runs::tests::point;
    use super::*;

    /// Returns points for both algorithms on five graphs. On the first graph, the measured time equals the predicted
    /// time. With each later graph, the measured time grows by a quarter of the predicted time.
    fn points() -> Vec<Point> {
        let graph = |place: u32| {
            PAGERANK_AND_BFS.map(|algorithm| {
                let point = point(algorithm, 1 << (20 + place), HALF);
                let times = 1.0 + f64::from(place) / 4.0;
                let measured = point.measured;
                let measured = Seconds { total: times * measured.total, messages: 8.0 * measured.messages, ..measured };
                Point { measured, ..point }
            })
        };
        (0..FACTORS.len() as u32).flat_map(graph).collect()
    }

    #[test]
    fn the_densest_graph_is_set_against_the_sparsest() {
        let figure = speed_figure(&points(), Vec::new());
        let each = |algorithm: &str| {
            format!("{algorithm} is +0 % off equation 4 in the densest graph and -50 % in the sparsest")
        };
        assert_eq!(figure.finding.here, PAGERANK_AND_BFS.map(each).join("; "));
        assert_eq!(figure.charts[0].places.len(), FACTORS.len());
        assert!(figure.charts.iter().all(|chart| chart.lines.iter().all(|line| line.points.len() == FACTORS.len())));
        assert!(plots::svg(&figure).unwrap().contains("our model"));
    }

    #[test]
    fn phases_are_those_of_one_graph() {
        let points = &points()[..2];
        let figure = phases_figure(points, Vec::new());
        let each = |algorithm: &str| {
            format!("{algorithm} takes 1.00 times the predicted time to compute and 8.00 times that to communicate")
        };
        assert_eq!(figure.finding.here, PAGERANK_AND_BFS.map(each).join("; "));
        let [measured, predicted] = &figure.charts[1].lines[..] else { panic!("two rows of bars") };
        assert_eq!((measured.points[0], predicted.points[0]), ((0, 0.5), (0, 0.5)));
        assert!(predicted.predicted && (measured.points[1].1 / predicted.points[1].1 - 8.0).abs() < 1e-9);
        assert!(plots::svg(&figure).unwrap().contains("communication"));
        assert_eq!(figure.table.values.len(), 2);
    }
}
