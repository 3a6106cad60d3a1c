//! Results of a suite, for readers and for programs.

use super::rules::{Rule, Suite};
use super::trial::{Measured, Outcome};
use gts_graph::algorithm::Algorithm;
use gts_graph::cli::program::Failure;
use gts_graph::cli::program::report::{Align, Report, facts, path_json, table};
use gts_graph::cli::program::units;
use gts_graph::prelude::Graph;
use serde_json::{Value, json};
use std::ffi::OsStr;
use std::time::Duration;

/// An algorithm of a suite, and the outcome of its trials.
pub(super) struct Row {
    pub(super) rule: &'static Rule,
    pub(super) algorithm: &'static Algorithm,
    pub(super) outcome: Outcome,
}

/// Creates the report. The report contains a failure if any answer is wrong.
pub(super) fn report(suite: &Suite, argument: &OsStr, graph: &Graph, device: &str, rows: &[Row]) -> Report {
    let counted = graph.num_edges() + if suite.counts_vertices { graph.num_vertices() } else { 0 };
    let rate = |measured: &Measured| counted as f64 / measured.median();
    let unit = if suite.counts_vertices { "EVPS" } else { "edges/s" };
    let heads = [
        ("", Align::Left),
        ("algorithm", Align::Left),
        ("trials", Align::Right),
        ("median", Align::Right),
        ("mean", Align::Right),
        ("fastest", Align::Right),
        ("slowest", Align::Right),
        ("passes", Align::Right),
        (unit, Align::Right),
        ("verified", Align::Left),
    ];
    let time = |seconds: f64| units::time(Duration::from_secs_f64(seconds));
    let line = |row: &Row| {
        let mut cells = vec![row.rule.name.to_owned(), row.algorithm.name.to_owned()];
        match &row.outcome {
            Outcome::Measured(measured) => {
                let end = |place: Option<&f64>| time(place.copied().unwrap_or_default());
                cells.push(measured.seconds.len().to_string());
                cells.extend([measured.median(), measured.mean()].map(time));
                cells.extend([end(measured.seconds.first()), end(measured.seconds.last())]);
                cells.push(time(measured.median_passes()));
                cells.extend([format!("{:.1} M", rate(measured) / 1e6), verified(measured)]);
            }
            Outcome::Refused(why) => {
                cells.extend(std::iter::repeat_n(String::new(), 7));
                cells.push(format!("cannot run: {why}"));
            }
        }
        cells
    };
    let about = [
        ("suite", suite.name.to_owned()),
        (
            "graph",
            format!(
                "{}, {}",
                argument.display(),
                units::graph_size(graph.num_vertices(), graph.num_edges(), graph.num_undirected_edges())
            ),
        ),
        ("device", device.to_owned()),
    ];
    let lines: Vec<_> = rows.iter().map(line).collect();
    let text = format!("{}\n{}\n{}\n", facts(&about), table(&heads, &lines), suite.rules);
    let json = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "suite": suite.name,
        "graph": path_json(argument),
        "vertices": graph.num_vertices(),
        "edges": graph.num_edges(),
        "device": device,
        "algorithms": rows.iter().map(|row| row_json(row, rate)).collect::<Vec<_>>(),
    });
    let mut report = Report::new(text, json);
    let wrong = rows.iter().find_map(|row| match &row.outcome {
        Outcome::Measured(Measured { differs: Some(why), .. }) => Some(format!("{}: {why}", row.rule.name)),
        _ => None,
    });
    if let Some(wrong) = wrong {
        report.failures.push(Failure::Differs(wrong));
    }
    report
}

fn verified(measured: &Measured) -> String {
    match (&measured.differs, measured.checked) {
        (Some(_), _) => "FAILED".to_owned(),
        (None, 0) => "no".to_owned(),
        (None, 1) => "1 answer".to_owned(),
        (None, count) => format!("{count} answers"),
    }
}

fn row_json(row: &Row, rate: impl Fn(&Measured) -> f64) -> Value {
    let (name, algorithm) = (row.rule.name, row.algorithm.name);
    match &row.outcome {
        Outcome::Measured(measured) => json!({
            "name": name,
            "algorithm": algorithm,
            "seconds": measured.seconds,
            "median_seconds": measured.median(),
            "mean_seconds": measured.mean(),
            "median_passes_seconds": measured.median_passes(),
            "per_second": rate(measured),
            "checked": measured.checked,
            "agrees": (measured.checked > 0).then_some(measured.differs.is_none()),
        }),
        Outcome::Refused(why) => json!({ "name": name, "algorithm": algorithm, "refused": why }),
    }
}
