//! Boundary edges and messages by the CPU's share of the edges and by placement. The CPU gets random groups of pages,
//! as in TOTEM, or the groups with the most or the fewest edges per vertex. TOTEM's authors left the last two
//! placements to future work.

use super::super::Bench;
use super::super::figure::{Cell, Chart, Column, Drawing, Figure, Finding, Line, Table, Unit};
use super::super::subject::Subject;
use super::cut::Cut;
use crate::counter::Counter;
use gts_graph::cli::program::Failure;
use gts_graph::cli::program::sharing::{PLACEMENTS, place_name};
use gts_graph::cli::program::units;
use gts_graph::core::cost::hybrid::expected_messages;
use gts_graph::core::graph::GraphShape;
use gts_graph::core::memory;
use gts_graph::device::PageShares;
use gts_graph::prelude::{Graph, Placement};

/// The CPU's shares of the edges, in percent.
const SHARES: [u32; 5] = [10, 30, 50, 70, 90];
/// Generators of graphs.
const KINDS: [&str; 2] = ["rmat", "uniform"];
/// Index of the CPU's part. The GPU's part has index 0.
const CPU: u8 = 1;

struct Row {
    kind: &'static str,
    placement: Placement,
    share: u32,
    cut: Cut,
    /// Predicted number of messages to the GPU.
    expected: f64,
}

impl Row {
    /// Returns the number of values that the CPU sends to the GPU in a scan: one per distinct target of the CPU's
    /// edges.
    fn to_gpu(&self) -> u64 {
        self.cut.parts[usize::from(CPU)].targets
    }

    /// Returns the number of values that the CPU receives in a scan: one per distinct source of the CPU's edges.
    fn to_cpu(&self) -> u64 {
        self.cut.parts[usize::from(CPU)].sources
    }

    fn messages(&self) -> u64 {
        self.to_gpu() + self.to_cpu()
    }

    fn edges_a_message(&self) -> f64 {
        self.cut.boundary_edges as f64 / self.messages().max(1) as f64
    }
}

pub(in super::super) fn measure(bench: &Bench) -> Result<Figure, Failure> {
    let (mut rows, mut notes) = (Vec::new(), Vec::new());
    let mut counter = Counter::new("placement", KINDS.len() * PLACEMENTS.len() * SHARES.len());
    for kind in KINDS {
        counter.hide();
        let subject = Subject::generated(&format!("{kind}:{}", bench.scale), bench.making)?;
        let graph = &subject.graph;
        let classes = GraphShape::of(graph).classes;
        notes.push(subject.describe());
        for (_, placement) in PLACEMENTS {
            for share in SHARES {
                counter.next();
                let cut = Cut::of(graph, &parts(graph, placement, share)?, 2)?;
                let found = cut.parts[usize::from(CPU)].edges as f64 / cut.edges.max(1) as f64;
                rows.push(Row { kind, placement, share, expected: expected_messages(&classes, found).to_gpu, cut });
            }
        }
    }
    notes.push("to the GPU: vertices that the CPU's edges end at; to the CPU: vertices that they leave".to_owned());
    Ok(Figure {
        name: "placement",
        title: "Boundary edges and messages, by the CPU's share of the edges",
        across: "edges of the CPU",
        series: "placement",
        notes,
        finding: finding(&rows),
        table: Table::of(&rows, &columns()),
        charts: KINDS.map(|kind| chart(&rows, kind)).into(),
    })
}

/// Returns the part of each vertex for a CPU that gets `percent` of the edges.
pub(super) fn parts(graph: &Graph, placement: Placement, percent: u32) -> Result<Vec<u8>, Failure> {
    let mut parts =
        memory::zeroed("parts of vertices", graph.num_vertices() as usize).map_err(gts_graph::Error::from)?;
    let shares = PageShares::weighted(graph, &[100 - percent, percent], placement);
    for share in shares.each().skip(usize::from(CPU)) {
        for vertices in share.vertices(graph.out_topology()) {
            parts[vertices.start as usize..vertices.end as usize].fill(CPU);
        }
    }
    Ok(parts)
}

fn columns() -> [Column<Row>; 10] {
    [
        Column::left("graph", "graph", |row| Cell::text(row.kind)),
        Column::left("placement", "placement", |row| Cell::text(place_name(row.placement))),
        Column::right("edges of the CPU", "cpu_edges", |row| {
            let edges = row.cut.parts[usize::from(CPU)].edges;
            Cell::of(format!("{:.1} %", 100.0 * edges as f64 / row.cut.edges.max(1) as f64), edges)
        }),
        Column::right("its vertices", "cpu_vertices", |row| count(row.cut.parts[usize::from(CPU)].vertices)),
        Column::right("boundary edges", "boundary_edges", |row| count(row.cut.boundary_edges)),
        Column::right("beta", "beta", |row| Cell::of(format!("{:.1} %", 100.0 * row.cut.beta()), row.cut.beta())),
        Column::right("to the GPU", "to_gpu", |row| count(row.to_gpu())),
        Column::right("expected", "expected_to_gpu", |row| Cell::of(units::count(row.expected as u64), row.expected)),
        Column::right("to the CPU", "to_cpu", |row| count(row.to_cpu())),
        Column::right("edges a message", "edges_a_message", |row| {
            Cell::of(format!("{:.1}", row.edges_a_message()), row.edges_a_message())
        }),
    ]
}

fn count(number: u64) -> Cell {
    Cell::of(units::count(number), number)
}

fn chart(rows: &[Row], kind: &str) -> Chart {
    let line = |name: &str, colour: usize, predicted: bool, placement: Placement, value: fn(&Row) -> f64| {
        let of_line = rows.iter().filter(|row| row.kind == kind && row.placement == placement);
        let share = |row: &Row| value(row) / row.cut.edges.max(1) as f64;
        let points = of_line.enumerate().map(|(place, row)| (place, share(row))).collect();
        Line { name: format!("{name}, {}", place_name(placement)), colour, predicted, points }
    };
    let boundary = |row: &Row| row.cut.boundary_edges as f64;
    let lines = PLACEMENTS.into_iter().enumerate().flat_map(|(index, (_, placement))| {
        [
            line("boundary edges", index, false, placement, boundary),
            line("messages", 3 + index, false, placement, |row| row.messages() as f64),
        ]
    });
    let expected = line("to the GPU, expected", 6, true, Placement::Random, |row| row.expected);
    Chart {
        title: kind.to_owned(),
        upward: "share of the edges".to_owned(),
        drawing: Drawing::Lines,
        unit: Unit::Percent,
        places: SHARES.iter().map(|share| format!("{share} %")).collect(),
        lines: lines.chain([expected]).collect(),
        reference: None,
    }
}

fn finding(rows: &[Row]) -> Finding {
    let half = |kind: &str, placement: Placement| {
        rows.iter().find(|row| row.kind == kind && row.placement == placement && row.share == 50)
    };
    let of = |kind: &str| {
        let told = |placement: Placement| {
            half(kind, placement).map(|row| format!("{:.1} {}", row.edges_a_message(), place_name(placement)))
        };
        format!(
            "{kind} has {}",
            PLACEMENTS.into_iter().filter_map(|(_, placement)| told(placement)).collect::<Vec<_>>().join(", ")
        )
    };
    Finding {
        paper: "random placement suffices for RMAT graphs, as aggregation leaves one message of many boundary edges, and \
                that placement by degree might fit the processors better",
        here: format!(
            "with half of the edges on the CPU there are as many boundary edges for each message, by placement: {}",
            KINDS.map(of).join("; ")
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gts_graph::core::build::BuildOptions;

    #[test]
    fn the_cpu_has_its_share_of_the_edges() {
        let options = BuildOptions { page_size: Some(256), ..BuildOptions::default() };
        let graph = Graph::reader("rmat:10").options(options).read().unwrap();
        for (_, placement) in PLACEMENTS {
            for percent in [0, 30, 100] {
                let parts = parts(&graph, placement, percent).unwrap();
                let on_cpu = parts.iter().zip(graph.out_degrees()).filter(|(part, _)| **part == CPU);
                let edges: u64 = on_cpu.map(|(_, &degree)| u64::from(degree)).sum();
                let off = edges as f64 / graph.num_edges() as f64 - f64::from(percent) / 100.0;
                assert!(off.abs() < 0.05, "{placement:?}, {percent} %: off by {off}");
            }
        }
    }
}
