//! Measured and predicted speedup by the CPU's share of the edges, and the parts of the run time: Figures 7, 8 and 11
//! of the TOTEM paper.

use super::super::Bench;
use super::super::figure::{Cell, Chart, Column, Drawing, Figure, Finding, Line, Table, Unit};
use super::runs::{HALF, Point, groups, line, series, setting, told};
use gts_graph::cli::program::Failure;
use gts_graph::cli::program::units;
use std::num::NonZeroUsize;

/// The CPU's shares of the edges, in percent.
const SHARES: &[u32] = &[5, 10, 20, 30, 40, 50, 60, 70, 90];
const ONE: NonZeroUsize = NonZeroUsize::MIN;
const TWO: NonZeroUsize = NonZeroUsize::new(2).unwrap();

/// Selects one part of a point's time.
type Part = fn(&Point) -> f64;

/// Parts of the run time shown in figures. The CPU and the GPUs work concurrently, so the parts may overlap.
const PARTS: [(&str, Part); 3] = [
    ("the CPU's edges", |point| point.measured.cpu),
    ("the GPU's edges", |point| point.measured.gpu),
    ("messages", |point| point.measured.messages),
];

/// Measures the speedup over the CPU alone with one GPU (Figure 7). A second graph has uniform edges, TOTEM's worst
/// case.
pub(in super::super) fn speed(bench: &Bench) -> Result<Figure, Failure> {
    let (points, notes) = measured(bench, &["rmat", "uniform"], ONE)?;
    Ok(speed_figure(&points, notes))
}

/// Measures the speedup over the CPU alone with two GPUs (Figure 11).
pub(in super::super) fn second_gpu(bench: &Bench) -> Result<Figure, Failure> {
    let (points, notes) = measured(bench, &["rmat"], TWO)?;
    Ok(second_gpu_figure(&points, notes))
}

/// Measures the parts of the run time with one GPU (Figure 8).
pub(in super::super) fn breakdown(bench: &Bench) -> Result<Figure, Failure> {
    let (points, mut notes) = measured(bench, &["rmat"], ONE)?;
    notes.push("the sides work at the same time, so that their parts may be more than all of it".to_owned());
    Ok(breakdown_figure(&points, notes))
}

fn measured(bench: &Bench, kinds: &[&'static str], gpus: NonZeroUsize) -> Result<(Vec<Point>, Vec<String>), Failure> {
    let mut notes = vec![setting(bench, gpus)?];
    let graphs = kinds.iter().map(|&kind| (kind, bench.scale.to_string()));
    let (points, of_graphs) = series(bench, graphs, gpus, SHARES)?;
    notes.extend(of_graphs);
    Ok((points, notes))
}

fn speed_figure(points: &[Point], notes: Vec<String>) -> Figure {
    let here = told(points, |algorithm, points| {
        let half = points.iter().find(|point| point.asked == HALF)?;
        let reached = 100.0 * half.over_cpu() / half.predicted.totem;
        let off = points.iter().map(|point| point.off_ours().abs()).fold(0.0, f64::max).ceil();
        Some(format!(
            "{algorithm} with half of the edges on the CPU has {:.2} times the speed of the CPU alone, {reached:.0} % of what \
             equation 4 predicts, and {:.2} times that of the GPU alone, and our model's times are within {off:.0} % of those measured",
            half.over_cpu(),
            half.over_gpu()
        ))
    });
    let finding = Finding {
        paper: "with half of the edges on the CPU, PageRank reaches 98 % and BFS 84 % of the predicted 2 times the speed of the \
                CPU alone",
        here,
    };
    figure("shares", "Speed by the CPU's share of the edges, measured and predicted", notes, finding, points)
}

fn second_gpu_figure(points: &[Point], notes: Vec<String>) -> Figure {
    let here = told(points, |algorithm, points| {
        let best = points.iter().max_by(|a, b| a.over_cpu().total_cmp(&b.over_cpu()))?;
        Some(format!(
            "{algorithm} is fastest with {} % of the edges on the CPU: {:.2} times the speed of the CPU alone, {:+.0} % off \
             equation 4, and {:.2} times that of both GPUs alone",
            best.asked,
            best.over_cpu(),
            best.off_totem(),
            best.over_gpu()
        ))
    });
    let finding = Finding {
        paper: "a second GPU lets the CPU keep as few as 30 % of the edges, and that PageRank speeds up as predicted and BFS by \
                less, as it sends more than it must",
        here,
    };
    let title = "Speed with a second GPU by the CPU's share of the edges, measured and predicted";
    figure("second-gpu", title, notes, finding, points)
}

fn breakdown_figure(points: &[Point], notes: Vec<String>) -> Figure {
    let share = |part: Part, point: &Point| part(point) / point.measured.total;
    let here = told(points, |algorithm, points| {
        let half = points.iter().find(|point| point.asked == HALF)?;
        let parts = PARTS.map(|(name, part)| format!("{:.0} % on {name}", 100.0 * share(part, half)));
        Some(format!("{algorithm} with half of the edges on the CPU spends {} of its time", parts.join(", ")))
    });
    let chart = |(title, points): (String, Vec<&Point>)| {
        let bars = |(colour, (name, part)): (usize, (&str, Part))| {
            line(name, colour, false, &points, |point| share(part, point))
        };
        Chart {
            title,
            upward: "share of the time".to_owned(),
            drawing: Drawing::Bars,
            unit: Unit::Percent,
            places: places(&points),
            lines: PARTS.into_iter().enumerate().map(bars).collect(),
            reference: None,
        }
    };
    let finding = Finding {
        paper: "the CPU's edges take most of the time at every share, that the GPU works 5 to 20 times as fast, and that messages \
                take a twentieth of the computation",
        here,
    };
    Figure {
        charts: groups(points).into_iter().map(chart).collect(),
        ..figure("breakdown", "Where the time goes, by the CPU's share of the edges", notes, finding, points)
    }
}

fn places(points: &[&Point]) -> Vec<String> {
    points.iter().map(|point| format!("{} %", point.asked)).collect()
}

fn figure(name: &'static str, title: &'static str, notes: Vec<String>, finding: Finding, points: &[Point]) -> Figure {
    let chart = |(title, points): (String, Vec<&Point>)| Chart {
        title,
        upward: "speed over the CPU alone".to_owned(),
        drawing: Drawing::Lines,
        unit: Unit::Times,
        places: places(&points),
        lines: vec![
            line("measured", 0, false, &points, Point::over_cpu),
            line("equation 4", 1, true, &points, |point| point.predicted.totem),
            line("our model", 2, true, &points, Point::ours),
        ],
        reference: Some(Line {
            name: "GPUs alone".to_owned(),
            ..line("", 0, false, &points, |point| point.sides.cpu / point.sides.gpu)
        }),
    };
    Figure {
        name,
        title,
        across: "edges of the CPU",
        series: "algorithm",
        notes,
        finding,
        table: Table::of(points, &columns()),
        charts: groups(points).into_iter().map(chart).collect(),
    }
}

fn columns() -> [Column<Point>; 16] {
    [
        Column::left("algorithm", "algorithm", |point| Cell::text(point.algorithm)),
        Column::left("graph", "graph", |point| Cell::text(point.kind)),
        Column::right("edges of the CPU", "alpha", |point| {
            Cell::of(format!("{:.1} %", 100.0 * point.alpha), point.alpha)
        }),
        Column::right("GPUs", "gpus", |point| Cell::of(point.gpus.to_string(), point.gpus.get())),
        Column::right("time", "seconds", |point| Cell::seconds(point.measured.total)),
        Column::right("CPU's edges", "cpu_seconds", |point| Cell::seconds(point.measured.cpu)),
        Column::right("GPU's edges", "gpu_seconds", |point| Cell::seconds(point.measured.gpu)),
        Column::right("messages", "message_seconds", |point| Cell::seconds(point.measured.messages)),
        Column::right("merged", "merged_bytes", |point| Cell::of(units::bytes(point.merged), point.merged)),
        Column::right("over the CPU", "speed_over_cpu", |point| Cell::times(point.over_cpu())),
        Column::right("equation 4", "equation_4", |point| Cell::times(point.predicted.totem)),
        Column::right("our model", "our_model", |point| Cell::times(point.ours())),
        Column::right("over the GPU", "speed_over_gpu", |point| Cell::times(point.over_gpu())),
        Column::right("", "cpu_alone_seconds", |point| Cell::seconds(point.sides.cpu)),
        Column::right("", "cpu_beside_seconds", |point| Cell::seconds(point.sides.cpu_beside)),
        Column::right("", "gpu_alone_seconds", |point| Cell::seconds(point.sides.gpu)),
    ]
}

#[cfg(test)]
mod tests {
    use super::super::super::plots;
    use super::super::runs::Seconds;
    use super::super::runs::tests::point;
    use super::*;

    /// Returns points for both algorithms at every share. The measured time of BFS is twice the predicted time.
    fn points() -> Vec<Point> {
        let each = |algorithm: &'static str, times: f64| {
            SHARES.iter().map(move |&share| {
                let point = point(algorithm, 1 << 24, share);
                let measured = Seconds { total: times * point.measured.total, ..point.measured };
                Point { measured, ..point }
            })
        };
        each("pagerank", 1.004).chain(each("bfs", 2.0)).collect()
    }

    #[test]
    fn the_sentence_is_computed_from_what_was_measured() {
        let figure = speed_figure(&points(), Vec::new());
        assert!(
            figure.finding.here.contains(
                "pagerank with half of the edges on the CPU has 1.95 times the speed of the CPU alone, 100 % of what equation 4 \
                 predicts, and 0.98 times that of the GPU alone, and our model's times are within 1 % of those measured; bfs with half"
            ),
            "{}",
            figure.finding.here
        );
        assert!(figure.finding.here.ends_with(
            "0.98 times the speed of the CPU alone, 50 % of what equation 4 predicts, and 0.49 times that of the GPU alone, and \
             our model's times are within 50 % of those measured"
        ));
        let second = second_gpu_figure(&points(), Vec::new()).finding.here;
        assert!(second.contains("bfs is fastest with 5 % of the edges on the CPU"), "{second}");
        assert!(second.contains("-50 % off equation 4"), "{second}");
        let breakdown = breakdown_figure(&points(), Vec::new()).finding.here;
        assert!(
            breakdown.contains("spends 98 % on the CPU's edges, 49 % on the GPU's edges, 2 % on messages"),
            "{breakdown}"
        );
    }

    #[test]
    fn tables_and_charts_have_every_share() {
        for figure in [speed_figure, second_gpu_figure, breakdown_figure].map(|figure| figure(&points(), Vec::new())) {
            assert_eq!((figure.table.values.len(), figure.charts.len()), (2 * SHARES.len(), 2), "{}", figure.name);
            assert_eq!(figure.table.keys.len(), columns().len());
            for chart in &figure.charts {
                assert_eq!(chart.places.len(), SHARES.len());
                assert_eq!(chart.lines.len(), 3);
                assert!(chart.lines.iter().all(|line| line.points.len() == SHARES.len()));
            }
            let picture = plots::svg(&figure).unwrap();
            assert!(["pagerank", "bfs", "90 %"].iter().all(|word| picture.contains(word)), "{picture}");
        }
    }
}
