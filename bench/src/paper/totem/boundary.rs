//! Boundary edges, and the messages that remain after aggregation, by the number of vertices at a constant number of
//! edges (Figure 6 of the TOTEM paper). Vertices are assigned to two or three processors at random.

use super::super::Bench;
use super::super::figure::{Cell, Chart, Column, Drawing, Figure, Finding, Line, Table, Unit};
use super::super::subject::Subject;
use super::cut::Cut;
use crate::counter::Counter;
use gts_graph::cli::program::Failure;
use gts_graph::cli::program::units;
use gts_graph::core::hash::mixed;
use gts_graph::core::memory;
use gts_graph::core::parallel::*;

/// Numbers of processors: a CPU with one or two GPUs.
const PARTS: [usize; 2] = [2, 3];
/// Edges per vertex, from dense to sparse. The number of edges is constant, so the number of vertices increases along
/// the list.
pub(super) const FACTORS: [u32; 5] = [32, 16, 8, 4, 2];
/// Generators of graphs: the one in the paper, and TOTEM's worst case.
const KINDS: [&str; 2] = ["rmat", "uniform"];

struct Row {
    kind: &'static str,
    vertices: u64,
    parts: usize,
    cut: Cut,
}

pub(in super::super) fn measure(bench: &Bench) -> Result<Figure, Failure> {
    let (mut rows, mut notes) = (Vec::new(), Vec::new());
    let mut counter = Counter::new("boundary", KINDS.len() * FACTORS.len());
    for kind in KINDS {
        for factor in FACTORS {
            counter.next();
            let scale = scale_of(bench.scale, factor);
            let subject = Subject::generated(&format!("{kind}:{scale},edge-factor={factor}"), bench.making)?;
            counter.hide();
            notes.push(subject.describe());
            let graph = &subject.graph;
            for parts in PARTS {
                let mut part_of = memory::zeroed("parts of vertices", graph.num_vertices() as usize)
                    .map_err(gts_graph::Error::from)?;
                let numbered = part_of.par_iter_mut().enumerate();
                numbered.for_each(|(vertex, part)| *part = (mixed(vertex as u64) % parts as u64) as u8);
                let cut = Cut::of(graph, &part_of, parts)?;
                rows.push(Row { kind, vertices: graph.num_vertices(), parts, cut });
            }
        }
    }
    Ok(Figure {
        name: "boundary",
        title: "Boundary edges and messages, by the number of vertices",
        across: "vertices",
        series: "processors",
        notes,
        finding: finding(&rows),
        table: Table::of(&rows, &columns()),
        charts: KINDS.map(|kind| chart(&rows, kind)).into(),
    })
}

/// Returns the scale at which a graph with `factor` edges per vertex has the same number of edges as a graph of scale
/// `asked` with 16 edges per vertex.
pub(super) fn scale_of(asked: u32, factor: u32) -> u32 {
    (asked + 4).saturating_sub(factor.ilog2()).max(1)
}

fn columns() -> [Column<Row>; 9] {
    [
        Column::left("graph", "graph", |row| Cell::text(row.kind)),
        Column::right("vertices", "vertices", |row| Cell::of(units::count(row.vertices), row.vertices)),
        Column::right("edges", "edges", |row| Cell::of(units::count(row.cut.edges), row.cut.edges)),
        Column::right("processors", "processors", |row| Cell::of(row.parts.to_string(), row.parts)),
        Column::right("boundary edges", "boundary_edges", |row| {
            Cell::of(units::count(row.cut.boundary_edges), row.cut.boundary_edges)
        }),
        Column::right("beta", "beta", |row| percent(row.cut.beta())),
        Column::right("messages", "messages", |row| {
            Cell::of(units::count(row.cut.remote_targets), row.cut.remote_targets)
        }),
        Column::right("beta, aggregated", "aggregated_beta", |row| percent(row.cut.aggregated_beta())),
        Column::right("edges a message", "edges_a_message", |row| {
            let each = row.cut.boundary_edges as f64 / row.cut.remote_targets.max(1) as f64;
            Cell::of(format!("{each:.1}"), each)
        }),
    ]
}

fn percent(share: f64) -> Cell {
    Cell::of(format!("{:.2} %", 100.0 * share), share)
}

fn chart(rows: &[Row], kind: &str) -> Chart {
    let of_kind: Vec<&Row> = rows.iter().filter(|row| row.kind == kind).collect();
    let mut vertices: Vec<u64> = of_kind.iter().map(|row| row.vertices).collect();
    vertices.dedup();
    let line = |name: &str, colour: usize, parts: usize, value: fn(&Cut) -> f64| Line {
        name: format!("{parts} processors, {name}"),
        colour,
        predicted: false,
        points: of_kind
            .iter()
            .filter(|row| row.parts == parts)
            .enumerate()
            .map(|(place, row)| (place, value(&row.cut)))
            .collect(),
    };
    let lines = PARTS.iter().enumerate().flat_map(|(index, &parts)| {
        [line("every edge", index, parts, Cut::beta), line("aggregated", 2 + index, parts, Cut::aggregated_beta)]
    });
    Chart {
        title: kind.to_owned(),
        upward: "beta: messages over edges".to_owned(),
        drawing: Drawing::Lines,
        unit: Unit::Percent,
        places: vertices.into_iter().map(units::count).collect(),
        lines: lines.collect(),
        reference: None,
    }
}

fn finding(rows: &[Row]) -> Finding {
    let of = |kind: &str, parts: usize, value: fn(&Cut) -> f64| {
        let found =
            || rows.iter().filter(|row| row.kind == kind && row.parts == parts).map(|row| 100.0 * value(&row.cut));
        (found().fold(f64::INFINITY, f64::min), found().fold(0.0, f64::max))
    };
    let every = PARTS.map(|parts| format!("{:.0} % on {parts}", of("rmat", parts, Cut::beta).1)).join(" and ");
    let aggregated = PARTS.map(|parts| of("rmat", parts, Cut::aggregated_beta));
    let least = aggregated.iter().map(|ends| ends.0).fold(f64::INFINITY, f64::min);
    let most = aggregated.iter().map(|ends| ends.1).fold(0.0, f64::max);
    let uniform = of("uniform", 2, Cut::aggregated_beta);
    Finding {
        paper: "placing vertices at random makes 50 % of an RMAT graph's edges boundary edges on two processors and 62 % on \
                three, that aggregation leaves 3 % to 16 %, and that purely random graphs are the worst case",
        here: format!(
            "beta is {every} processors, that aggregation leaves {least:.1} % to {most:.1} % of the edges, and of uniform \
             graphs on two processors {:.1} % to {:.1} %",
            uniform.0, uniform.1
        ),
    }
}
